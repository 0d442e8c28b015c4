"""What hooks need of the settings, read without pydantic: they may take no longer than a few bare interpreters."""

import datetime as dt
import json
from typing import Any
from typing import NamedTuple

from engram import __version__
from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.base.disk.own_files import read_own_text
from engram.base.text import parse_entity_path
from engram.base.text import slug_problem
from engram.base.toml_values import load_toml
from engram.config.kept_settings import kept_table
from engram.config.paths import Paths

DEFAULT_RECALL = "warm"
DEFAULT_WARM_MS = 150
DEFAULT_IDLE_S = 900
DEFAULT_BUDGET_MS = 1500
DEFAULT_RECALL_TOKENS = 400
DEFAULT_CONTEXT_TOKENS = 2000


class HookChoices(NamedTuple):
    """The settings of a workspace that hooks go by; what cannot be read is as if it was not said."""

    owner: str = ""  # path of the entity whose first person is meant, or ""
    agent: str = "main"  # the agent that owns the workspace
    timezone: str = "UTC"  # of day boundaries, from the IANA list
    recall: str = DEFAULT_RECALL  # warm, always or off
    warm_ms: int = DEFAULT_WARM_MS
    idle_s: int = DEFAULT_IDLE_S
    budget_ms: int = DEFAULT_BUDGET_MS
    recall_tokens: int = DEFAULT_RECALL_TOKENS
    context_tokens: int = DEFAULT_CONTEXT_TOKENS
    logs_accesses: bool = True  # recall.log_accesses


_OF_THE_SECTION = frozenset(HookChoices._fields) - {"owner", "agent", "timezone", "logs_accesses"}


def read_hook_choices(paths: Paths) -> HookChoices:
    """Return the choices of engram.toml; a hook has nobody to tell of a mistake there, `engram doctor` has.

    What was read is kept beside the hooks' files, for as long as engram.toml stays as it is: a parser of TOML takes a
    tenth of a hook's time to load.
    """
    try:
        found = paths.settings.stat()
    except OSError:
        return HookChoices()
    stamp = [__version__, found.st_ino, found.st_mtime_ns, found.st_size]
    kept = _kept(paths, stamp)
    if kept is not None:
        return kept
    choices = _read(paths)
    _keep(paths, stamp, choices)
    return choices


def _kept(paths: Paths, stamp: list[Any]) -> HookChoices | None:
    try:
        was, fields = json.loads(read_own(paths.hook_choices))
        return HookChoices(**fields) if was == stamp else None
    except (OSError, ValueError, TypeError):
        return None


def _keep(paths: Paths, stamp: list[Any], choices: HookChoices) -> None:
    """Keep what was read, where hooks have left files before; what cannot be written is read again next time."""
    try:
        if paths.hooks.is_dir():
            write_atomically(paths.hook_choices, json.dumps([stamp, choices._asdict()]).encode(), mode=0o600)
    except OSError:
        return


def _read(paths: Paths) -> HookChoices:
    try:
        raw = load_toml(read_own_text(paths.settings))
    except (OSError, ValueError):
        return HookChoices()
    if not raw:  # emptied: commands refuse it, and nobody else's memory is written to meanwhile
        raw = kept_table(paths)
    section = raw.get("hooks")
    given: dict[str, Any] = section if isinstance(section, dict) else {}
    known = {name: given[name] for name in _OF_THE_SECTION if _fits(given.get(name), name)}
    owner = raw.get("owner")
    if isinstance(owner, str) and parse_entity_path(owner):
        known["owner"] = owner
    agent = raw.get("agent")
    if isinstance(agent, str) and not slug_problem(agent):
        known["agent"] = agent
    timezone = raw.get("timezone")
    if isinstance(timezone, str):
        known["timezone"] = timezone
    recall = raw.get("recall")
    if isinstance(recall, dict) and recall.get("log_accesses") is False:
        known["logs_accesses"] = False
    return HookChoices(**known)


def find_zone(choices: HookChoices) -> dt.tzinfo:
    """Return the time zone of the workspace's days; UTC when the settings name none that is known."""
    if choices.timezone == "UTC":
        return dt.UTC
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - 3 ms, for statements that name a day

    try:
        return ZoneInfo(choices.timezone)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return dt.UTC


def _fits(value: object, name: str) -> bool:
    default = HookChoices._field_defaults[name]
    if isinstance(value, bool) or not isinstance(value, type(default)):
        return False
    return value in {"warm", "always", "off"} if isinstance(value, str) else isinstance(value, int) and value >= 0
