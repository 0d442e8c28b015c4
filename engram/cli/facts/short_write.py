"""`engram write` with plain arguments, as programs spell them: without click, which is half of what it takes. Light.

Only what is understood to the letter goes this way: options of the table below, each once, in two words, with a value
that no error is made of. Everything else is the command line's, and so is every error: as long as nothing is kept, this
way gives up without a word. Whoever has to apply the command goes on there as well, with what is spooled already.
"""

import re
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.text import has_control
from engram.cli.facts.spooled_fact import answer_recorded
from engram.cli.facts.spooled_fact import result_of_others
from engram.cli.facts.spooled_fact import spool_fact
from engram.cli.facts.write_fields import FROM_OUTSIDE
from engram.cli.facts.write_fields import check_command
from engram.cli.facts.write_fields import write_command
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.asked import Spooled
from engram.cli.terminal.streams import speak_utf8
from engram.config.paths import find_workspace
from engram.config.wait_setting import MOST_WAIT_S
from engram.errors import EngramError
from engram.model.vocabulary import Abstraction
from engram.model.vocabulary import Category
from engram.model.vocabulary import Trust

_TEXTS = frozenset(
    {"entity", "fact", "tags", "related", "attribute", "value", "source", "session", "scope", "valid-from", "valid-to"}
    | {"supersedes", "derived-from", "title", "command-id"}
)
_ONE_OF: dict[str, frozenset[str]] = {
    "category": frozenset(Category),
    "abstraction": frozenset(Abstraction),
    "trust": frozenset(Trust),
    "actor": frozenset(FROM_OUTSIDE),
}
_NUMBERS = {"confidence": 1.0, "wait": MOST_WAIT_S}  # the most that each may be
_FLAGS = frozenset({"create", "candidate"})
_NUMBER = re.compile(r"[0-9]{1,4}(?:\.[0-9]{1,6})?")
_OF_THE_CALL = frozenset({"wait", "command_id"})  # the others are fields of the fact


class WriteCall(NamedTuple):
    """`[--workspace DIR] write [--NAME VALUE]... [--create] [--candidate] [--json]`."""

    workspace_dir: str | None
    as_json: bool
    given: dict[str, Any]  # fields of the fact, as click reads them
    wait_s: float | None
    command_id: str | None


def write_call(args: Sequence[str]) -> WriteCall | None:
    """Return what is asked for when every argument is plain, else None."""
    workspace_dir, rest = None, list(args)
    if len(rest) > 1 and rest[0] == "--workspace" and _is_plain(rest[1]):
        workspace_dir, rest = rest[1], rest[2:]
    as_json = "--json" in rest
    if rest[:1] == ["--json"]:
        rest = rest[1:]
    if rest[:1] != ["write"]:
        return None
    options = _options(rest[1:])
    if options is None or not {"entity", "fact"} <= options.keys():
        return None
    options.pop("json", None)
    own = {name: options.pop(name, None) for name in _OF_THE_CALL}
    return WriteCall(workspace_dir, as_json, {"create": False, **options}, own["wait"], own["command_id"])


def _options(words: list[str]) -> dict[str, Any] | None:
    """Return the values of options by the names of their fields; None when one is not plain, or stands there twice."""
    found: dict[str, Any] = {}
    place = 0
    while place < len(words):
        name = words[place][2:]
        if words[place][:2] != "--" or name.replace("-", "_") in found:
            return None
        if name == "json" or name in _FLAGS:
            found[name] = True
            place += 1
            continue
        value = _value(name, words[place + 1]) if place + 1 < len(words) else None
        if value is None:
            return None
        found[name.replace("-", "_")] = value
        place += 2
    return found


def _value(name: str, word: str) -> str | float | None:
    """Return what click makes of an option's value; None for an option or a value that is click's to judge."""
    if name in _NUMBERS:
        is_number = _NUMBER.fullmatch(word) is not None and float(word) <= _NUMBERS[name]
        return float(word) if is_number else None
    is_known = name in _TEXTS or word in _ONE_OF.get(name, ())
    return word if is_known and _is_plain(word) else None


def _is_plain(word: str) -> bool:
    """Tell whether a word is no option, and text that no option refuses."""
    return not word.startswith("-") and not has_control(word)


def answer(args: Sequence[str]) -> int | Spooled | None:
    """Do what the arguments ask for, print the answer and return the exit code.

    Returns None when nothing was done and click has to look at them, and the spooled command when this process has to
    apply it itself. Raises whatever keeps the answer from being given once the command is durable.
    """
    call = write_call(args)
    if call is None:
        return None
    speak_utf8()
    asked = Invocation()
    asked.workspace_dir, asked.as_json = call.workspace_dir, call.as_json
    try:
        command = write_command(call.given)
        check_command(command, asked.now())
        paths = find_workspace(asked.workspace_dir)
        kept = spool_fact(asked, paths, command._replace(undoable=True), wait_s=call.wait_s, command_id=call.command_id)
    except EngramError:  # nothing is kept: click says what is wrong
        return None
    result = result_of_others(paths, kept)
    return kept if result is None else answer_recorded(asked, result, wait_s=call.wait_s)
