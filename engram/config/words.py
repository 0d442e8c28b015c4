"""The kinds of words that settings hold, each with what it may be: a time zone, a folder, an address, an expression."""

import re
from typing import Annotated
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo
from zoneinfo import ZoneInfoNotFoundError

from pydantic import AfterValidator

from engram.base.text import parse_entity_path
from engram.base.text import slug_problem
from engram.config.own_patterns import check_pattern

NOBODY = "nobody"  # as the owner: a workspace that belongs to no person


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as problem:
        raise ValueError(f"{name!r} is not a time zone of the IANA list, such as Europe/Berlin") from problem
    return name


def _slug(name: str) -> str:
    if why := slug_problem(name):
        raise ValueError(f"{name!r} cannot be a folder name: {why}")
    return name


def _entity_or_empty(path: str) -> str:
    if path == NOBODY:
        return ""
    if path and parse_entity_path(path) is None:
        raise ValueError(f"{path!r} is not an entity path such as people/anna")
    return path


def _service_or_empty(url: str) -> str:
    if not url:
        return url
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError(f"{url!r} is not an address such as http://localhost:11434/v1")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("an address holds no password, question mark or hash sign; the key has its own place")
    return url


AGENTS = ("claude", "codex", "gemini", "ollama", "http")  # what heartbeat.agent may name


def agent_or_empty(name: str) -> str:
    """Return the name of an agent such as claude:haiku, or an empty one; raise ValueError for any other text."""
    kind, colon, model = name.partition(":")
    if kind == "ollama" and (not model.strip() or model.startswith("-")):
        raise ValueError(f"{name!r} names no model, such as ollama:qwen3")
    if name and (kind not in AGENTS or (colon and not model.strip())):
        raise ValueError(f"{name!r} is none of claude, codex, gemini, ollama:MODEL and http")
    if model.startswith("-") or not model.isprintable():
        raise ValueError(f"{model!r} is not the name of a model")
    return name


def _model_or_empty(name: str) -> str:
    if name.startswith("-") or not name.isprintable():
        raise ValueError(f"{name!r} is not the name of a model")
    return name


def words_of_shape(pattern: str, meaning: str) -> AfterValidator:
    """Return the check that a value matches the whole of an expression; a refusal says that it "is not MEANING"."""
    shape = re.compile(pattern)

    def checked(value: str) -> str:
        if not shape.fullmatch(value):
            raise ValueError(f"{value!r} is not {meaning}")
        return value

    return AfterValidator(checked)


_SIGNS = re.compile(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[:=!]|[*+]|\{\d*,\d*\}|.", re.DOTALL)
_MOST_PATTERN = 500  # characters of one expression


def _searchable(source: str) -> str:
    if not 0 < len(source) <= _MOST_PATTERN:
        raise ValueError(f"an expression has 1 to {_MOST_PATTERN} characters, this one has {len(source)}")
    check_pattern(source)
    if _repeats_repetition(source):
        raise ValueError(f"{source!r} repeats a repetition, which can take for ever: write a+ for (a+)+")
    return source


def _repeats_repetition(source: str) -> bool:
    """Tell whether a group that holds a repetition without a small bound is repeated itself."""
    repeats = [False]  # for each open group
    closed = False  # whether the group that has just been closed repeats something
    for sign in _SIGNS.findall(source):
        repetition = sign in {"*", "+"} or (sign[0] == "{" and len(sign) > 1)
        if repetition and closed:
            return True
        closed = False
        if sign[0] == "(":
            repeats.append(False)
        elif sign == ")" and len(repeats) > 1:
            closed = repeats.pop()
            repeats[-1] |= closed
        elif repetition:
            repeats[-1] = True
    return False


ZoneName = Annotated[str, AfterValidator(_known_zone)]
FolderName = Annotated[str, AfterValidator(_slug)]
EntityOrEmpty = Annotated[str, AfterValidator(_entity_or_empty)]
AddressOrEmpty = Annotated[str, AfterValidator(_service_or_empty)]
AgentOrEmpty = Annotated[str, AfterValidator(agent_or_empty)]
ModelOrEmpty = Annotated[str, AfterValidator(_model_or_empty)]
Expression = Annotated[str, AfterValidator(_searchable)]
VariableName = Annotated[
    str, words_of_shape(r"[A-Za-z_][A-Za-z0-9_]{0,99}", "the name of an environment variable, such as ENGRAM_KEY")
]
PartitionName = Annotated[
    str,
    words_of_shape(
        r"([a-z0-9][a-z0-9_-]{0,39})?",
        "a name of at most 40 small letters, digits, hyphens and underscores, such as laptop-notes",
    ),
]
CollectionName = Annotated[
    str,
    words_of_shape(
        r"[A-Za-z0-9_-]{1,200}", "a name of at most 200 Latin letters, digits, hyphens and underscores, such as engram"
    ),
]
Interval = Annotated[
    str, words_of_shape(r"[1-9][0-9]{0,3}[mhdw]", "a time in minutes, hours, days or weeks, such as 30m, 12h, 1d or 2w")
]
