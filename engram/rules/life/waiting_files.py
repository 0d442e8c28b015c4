"""What the files in ops/tensions and ops/observations say: one for each thing that waits, and a list of all. Pure.

The same database gives the same bytes: no clock, and no line numbers, which move. What is private to a session or an
agent stands in no file, and what tries to give orders is only named. Each file ends with the hash of what stands above,
so that one that somebody edited is known without a list of what was written.
"""

import datetime as dt
import json
import re
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.clock import local_day
from engram.base.json_values import load_json
from engram.base.text import sha256_hex
from engram.language.screen.injection import find_injection
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.observation import ObservationStatus
from engram.model.tension import Tension
from engram.model.tension import TensionStatus
from engram.rules.temporal import written_begin

INDEX_VERSION: Final = 1
_TENSION_FIELDS: Final = frozenset(
    {"id", "kind", "status", "fact1", "fact2", "opened_at", "outcome", "resolution", "resolved_at"}
)
_OBSERVATION_FIELDS: Final = frozenset(
    {"id", "category", "entity", "seen", "trust", "opened_at", "seen_at", "status", "promoted_to", "resolved_at"}
)
HIDDEN: Final = "(withheld: it tries to give orders; engram review shows it to a person)"
_END: Final = re.compile(rb"\n<!-- engram sha256:([0-9a-f]{64}) -->\n$")


def render_tension(tension: Tension, facts: Mapping[str, Fact], zone: dt.tzinfo) -> bytes | None:
    """Return the file of an open tension; None when one of its facts is private or unknown."""
    sides = [facts.get(side) for side in (tension.fact1, tension.fact2)]
    known = [side for side in sides if side is not None and side.scope == SHARED]
    if len(known) < len(sides):
        return None
    why = tension.text if tension.kind == "manual" else tension.text.rpartition("): ")[2]
    lines = [
        f"# {tension.id}: can both hold?",
        "",
        *(line for number, side in enumerate(known, 1) for line in _quoted(f"{number}. ", side, zone)),
        "",
        f"Why: {tension.kind}: {_one_line(why)}. Open since {local_day(tension.opened_at, zone)}.",
        "",
        f"To settle it: `engram review`, or `engram tension resolve {tension.id} --outcome OUTCOME`.",
    ]
    return _sealed(lines)


def render_observation(observation: Observation, facts: Mapping[str, Fact], zone: dt.tzinfo) -> bytes | None:
    """Return the file of an open observation; None when it is private."""
    if observation.scope != SHARED:
        return None
    harmless = observation.trust != Trust.QUARANTINED
    about = f", about {observation.entity}" if observation.entity else ""
    first, last = local_day(observation.opened_at, zone), local_day(observation.seen_at, zone)
    times = "once" if observation.seen == 1 else f"{observation.seen} times"
    evidence = [facts[key] for key in observation.facts if key in facts and facts[key].scope == SHARED]
    lines = [
        f"# {observation.id}: {observation.category}{about}",
        "",
        _one_line(observation.text) if harmless else HIDDEN,
        "",
        f"ObservationKey {times}, first {first}, last {last}.",
    ]
    if observation.suggestion and harmless:
        target = "a line of MEMORY.md" if observation.suggestion.target == "memory" else "a fact"
        lines += ["", f"Could become {target}: {_one_line(observation.suggestion.text)}"]
    if evidence:
        lines += ["", "It stands on:", "", *(line for fact in evidence for line in _quoted("- ", fact, zone))]
    answer = f"engram review answer {observation.id} promote"
    return _sealed([*lines, "", f"To settle it: `engram review`, or `{answer}` (or `dismiss`)."])


def render_index(kind: str, items: Sequence[Mapping[str, Any]]) -> bytes | None:
    """Return the list of a folder for programs, in JSON; None when there is nothing to list."""
    return _as_json({"v": INDEX_VERSION, "kind": kind, "items": list(items)}) if items else None


def list_tensions(tensions: Iterable[Tension], facts: Mapping[str, Fact]) -> list[dict[str, Any]]:
    """Return the tensions that are private to nobody, open and resolved, as the list has them."""
    shared = (one for one in tensions if all(_is_shared(facts.get(side)) for side in (one.fact1, one.fact2)))
    return [
        {
            **one.model_dump(mode="json", include=set(_TENSION_FIELDS)),
            "resolution": _harmless(one.resolution),
            "text1": _shown(facts[one.fact1]),
            "text2": _shown(facts[one.fact2]),
            "file": f"{one.id}.md" if one.status == TensionStatus.OPEN else None,
        }
        for one in shared
    ]


def list_observations(observations: Iterable[Observation], facts: Mapping[str, Fact]) -> list[dict[str, Any]]:
    """Return the observations that are private to nobody, whatever became of them, as the list has them."""
    shared = [one for one in observations if one.scope == SHARED]
    known = {one.id for one in shared}
    return [
        {
            **one.model_dump(mode="json", include=set(_OBSERVATION_FIELDS)),
            "text": _one_line(one.text) if one.trust != Trust.QUARANTINED else HIDDEN,
            "facts": [key for key in one.facts if _is_shared(facts.get(key))],
            "merged_into": one.merged_into if one.merged_into in known else None,
            "file": f"{one.id}.md" if one.status == ObservationStatus.OPEN else None,
        }
        for one in shared
    ]


def is_ours(content: bytes) -> bool:
    """Tell whether a file is as Engram wrote it."""
    if content.startswith(b"{"):
        return _is_our_index(content)
    end = _END.search(content)
    return end is not None and sha256_hex(content[: end.start()]).encode() == end[1]


def _is_our_index(content: bytes) -> bool:
    try:
        found = load_json(content)
    except ValueError:
        return False
    return isinstance(found, dict) and _as_json({key: one for key, one in found.items() if key != "sha256"}) == content


def _as_json(value: Mapping[str, Any]) -> bytes:
    body = json.dumps(value, ensure_ascii=False, indent=1)
    return (json.dumps({**value, "sha256": sha256_hex(body.encode())}, ensure_ascii=False, indent=1) + "\n").encode()


def _is_shared(fact: Fact | None) -> bool:
    return fact is not None and fact.scope == SHARED


def _harmless(said: str | None) -> str | None:
    """Return the words with which something was settled, unless they give orders: an agent may have settled it."""
    return said if said is None or find_injection(said) is None else HIDDEN


def _shown(fact: Fact) -> str:
    return _one_line(fact.text) if fact.trust != Trust.QUARANTINED else HIDDEN


def _sealed(lines: Sequence[str]) -> bytes:
    body = "\n".join(lines).encode()
    return body + f"\n<!-- engram sha256:{sha256_hex(body)} -->\n".encode()


def _quoted(mark: str, fact: Fact, zone: dt.tzinfo) -> list[str]:
    source = fact.source
    said = source.path or source.label or f"said by {source.actor}"
    where = f"{said}, session {source.session}" if source.session and not source.path else said
    text = _one_line(fact.text) if fact.trust != Trust.QUARANTINED else HIDDEN
    return [f"{mark}“{text}”", f"   {fact.id}, {written_begin(fact, zone)}, {where}"]


def _one_line(text: str) -> str:
    """Return the text on one line, unable to pass for the seal."""
    return " ".join(text.split()).replace("<!--", "‹!--")
