"""Keys of engram.toml that were settings once. They load: a renamed one keeps its value, a constant's has no effect.

Light: nothing but the standard library.
"""

import copy
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

_PARTS = (
    "standing",
    "memory",
    "project",
    "ahead",
    "handoff",
    "working_memory",
    "decisions",
    "people",
    "facts",
    "notes",
)
_PHASES = ("extraction", "synthesis", "domain_scan", "maintenance", "review")  # that there were
SUCCESSORS: Mapping[str, str] = {
    **{f"context.{part}": f"context.shares.{part}" for part in _PARTS},
    "index.api_key_env": "index.key_variable",
}
"""Former name -> the name that the setting has now."""
CONSTANTS: Mapping[str, str] = {
    "contradiction.folder": "statements are compared by their words, and no model is asked",
    "contradiction.judge": "statements are compared by their words, and no model is asked",
    "contradiction.threshold": "statements are compared by their words, and no model is asked",
    "domains.changelog_lines": "a changelog is moved into the archives from 1000 lines",
    "domains.context_chars": "a subagent's prompt shows at most 40000 characters of a file",
    "embeddings.cache_mb": "512 megabytes of vectors are kept for texts that come again",
    "embeddings.centring": "questions lose what all have in common where a model was measured to gain by it",
    "embeddings.timeout_s": "a service may take 120 seconds for one batch of texts",
    "heartbeat.alert_timeout_s": "the program that gets alerts may take 30 seconds",
    "heartbeat.min_mentions": "extraction makes an entity of a name after 3 mentions",
    "heartbeat.retries": "an agent whose answer cannot be read is asked again 1 time",
    **{f"heartbeat.phases.{phase}.memory_mb": "heartbeat.memory_mb holds for every phase" for phase in _PHASES},
    "hooks.context_ms": "the begin of a session waits 10000 milliseconds for its context",
    "notes.rotate_kb": "a note without a date is rotated from 256 kilobytes",
    "recall.catch_up_s": "recall spends 5 seconds on bringing the index up to date",
    "review.candidate_days": "a review brings a candidate for 60 days after its last mention",
    "review.friction_weight": "an observation of friction weighs 1",
    "review.observations": "the heartbeat speaks up when 20 observations wait",
    "review.pattern_weight": "a pattern weighs 0.5",
    "review.quality_weight": "an observation about quality weighs 1",
    "review.score": "the heartbeat speaks up when what waits weighs 20",
    "review.surprise_weight": "a surprise weighs 1",
    "review.tension_weight": "a tension weighs 4",
    "review.tensions": "the heartbeat speaks up when 5 tensions wait",
    "store.mirror_limit": "a write refreshes life/ at once up to 500 versions of an entity",
    "synthesis.month_lines": "the roll-up of a month has at most 60 lines",
    "synthesis.pattern_occasions": "a pattern has to be said on 3 days",
    "synthesis.principle_weeks": "a principle has to be seen in 4 weeks",
    "synthesis.week_lines": "the roll-up of a week has at most 60 lines",
}
"""Key of a setting that is no more -> what holds for everybody instead."""
EMPTY_SECTIONS = ("contradiction", "domains", "notes")  # of which no setting is left


class RetiredKey(NamedTuple):
    """A key that is not a setting any more."""

    key: str
    successor: str | None  # the setting's name now; None: it is a constant
    explanation: str  # what became of it, in one sentence without a full stop


class RetiredValue(NamedTuple):
    """A retired key in a file, with its value."""

    retired: RetiredKey
    value: Any
    has_effect: bool  # it counts under its present name, which does not stand there itself


def find_retired(key: str) -> RetiredKey | None:
    """Return what became of a key, None when it is no retired one."""
    if successor := SUCCESSORS.get(key):
        return RetiredKey(key, successor, f"{key} is called {successor} now")
    if instead := CONSTANTS.get(key):
        return RetiredKey(key, None, f"{key} is not a setting any more: {instead}")
    return None


def iter_retired_values(raw: Mapping[str, Any]) -> Iterator[RetiredValue]:
    """Yield the retired keys that a file holds."""
    for key in (*SUCCESSORS, *CONSTANTS):
        retired, table = find_retired(key), _table_of(raw, key)
        name = key.rpartition(".")[2]
        if retired is not None and table is not None and name in table:
            yield RetiredValue(retired, table[name], retired.successor is not None and _is_free(raw, retired.successor))


def drop_retired_keys(raw: Mapping[str, Any]) -> dict[str, Any]:
    """Return the same settings as one would write them today: no retired key, each value under its present name."""
    present = copy.deepcopy(dict(raw))
    for retired, value, has_effect in list(iter_retired_values(raw)):
        remove_key(present, retired.key)
        if retired.successor is not None and has_effect:
            *sections, name = retired.successor.split(".")
            table = present
            for section in sections:
                table = table.setdefault(section, {})
            table[name] = value
    for section in EMPTY_SECTIONS:
        if present.get(section) == {}:
            del present[section]
    return present


def remove_key(raw: Any, key: str) -> None:
    """Take a dotted key out of a table where it stands there, the table of a file with its comments included."""
    table, name = _table_of(raw, key), key.rpartition(".")[2]
    if table is not None and name in table:
        del table[name]


def _table_of(raw: Any, key: str) -> Any:
    """Return the table that holds a dotted key, None when something on the way is missing or no table."""
    table = raw
    for section in key.split(".")[:-1]:
        table = table.get(section)
        if not hasattr(table, "get"):
            return None
    return table


def _is_free(raw: Mapping[str, Any], key: str) -> bool:
    """Tell whether a value can be put under a key: it does not stand there, and nothing on the way is no table."""
    table: Any = raw
    for name in key.split("."):
        if not isinstance(table, Mapping):
            return False
        if name not in table:
            return True
        table = table[name]
    return False
