"""The command `engram signal`: classify text, write nothing. Nothing heavy may be imported here.

One text alone goes a short way, without click (`cli.facts.short_signal`).
"""

import sys
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

import click

from engram.base.json_values import load_json
from engram.base.text import is_utf8
from engram.cli.facts.signal_text import for_people
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import read_text
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.shell_words import complete_session
from engram.errors import BadValueError
from engram.errors import MalformedInputError
from engram.language.signal.detector import SignalResult
from engram.language.signal.detector import detect
from engram.language.signal.turn_worth import worth

_ONE_OF = "engram signal TEXT, engram signal --file F or engram signal --jsonl F"


@click.command("signal", cls=EngramCommand)
@click.argument("text", required=False)
@click.option("--file", "file_name", metavar="F", help="Classify the text of a file; - is standard input.")
@click.option("--jsonl", "jsonl_name", metavar="F", help='Classify lines of {"text": ...}, one result line for each.')
@click.option("--write", "wants_write", is_flag=True, help="Record what is graded high, as facts.")
@click.option(
    "--entity",
    metavar="E",
    help="With --write: whom or what it is about; found when not given.",
    shell_complete=complete_entity,
)
@click.option("--session", metavar="S", help="With --write: session it was said in.", shell_complete=complete_session)
@click.option("--source", metavar="S", help="With --write: where it comes from, in your words.")
@click.option("--create/--no-create", default=False, help="With --write: make the entity when it is unknown.")
@click.option("--wait", type=click.FloatRange(0, 3600), metavar="SECONDS", help="With --write: 0 returns at once.")
@click.option("--dry-run", is_flag=True, help="With --write: print what would be recorded and change nothing.")
def signal(
    *,
    text: str | None,
    file_name: str | None,
    jsonl_name: str | None,
    wants_write: bool,
    **given: Any,
) -> int:
    """Classify text: is there something worth keeping in it, and where. Writes nothing without --write.

    TEXT is the message of a user; - is standard input.

    \b
    Example:
      engram signal "I prefer dark mode"
    """
    if sum(given is not None for given in (text, file_name, jsonl_name)) != 1:
        raise BadValueError("give exactly one of TEXT, --file and --jsonl", hint=_ONE_OF)
    if jsonl_name is not None:
        if wants_write:
            raise BadValueError("--write goes with one text", hint="engram write --jsonl F records many facts")
        _print_lines(read_text(jsonl_name))
        return 0
    message = _message(text, file_name)
    result = detect(message)
    if wants_write:
        from engram.cli.facts.signal_write import write_high  # noqa: PLC0415 - 0.2 s, and only for those who write

        return write_high(invocation(), result, given, for_people(result))
    invocation().emit(result.as_json(), lambda: for_people(result))
    return 0


def _message(text: str | None, file_name: str | None) -> str:
    name = file_name or ("-" if text == "-" else None)
    return read_text(name) if name is not None else _checked(text or "")


def _checked(text: str) -> str:
    if not is_utf8(text):
        raise BadValueError("the text is not valid UTF-8", hint="pass text in UTF-8")
    return text


def _print_lines(content: str) -> None:
    """Print one result for each line, a bad one too; raise when there was a bad one, after the others are done."""
    bad: list[MalformedInputError] = []
    for outcome in _iter_outcomes(content):
        if isinstance(outcome, MalformedInputError):
            bad.append(outcome)
        invocation().emit(_as_value(outcome), _words_for(outcome))
        sys.stdout.flush()
    if bad:
        raise MalformedInputError(
            f"{len(bad)} line(s) could not be read, the first: {bad[0].message}",
            hint=bad[0].hint,
            lines=[error.details["line"] for error in bad],
        )


class _Line(NamedTuple):
    """What one line was found to be. Lines are ranked against each other, one text is not: only they have a worth."""

    result: SignalResult
    worth: float


def _words_for(outcome: _Line | MalformedInputError) -> str:
    return for_people(outcome.result) if isinstance(outcome, _Line) else f"error: {outcome.message}"


def _as_value(outcome: _Line | MalformedInputError) -> object:
    if isinstance(outcome, _Line):
        return {**outcome.result.as_json(), "worth": round(outcome.worth, 3)}
    return {"error": outcome.code, "message": outcome.message, "hint": outcome.hint, "details": outcome.details}


def _iter_outcomes(content: str) -> Iterator[_Line | MalformedInputError]:
    for number, line in enumerate(content.split("\n"), start=1):
        if line.strip():
            try:
                text = _text_of(line, number)
                yield _Line(detect(text), worth(text))
            except MalformedInputError as problem:
                yield problem


def _text_of(line: str, number: int) -> str:
    try:
        entry = load_json(line)
    except ValueError as problem:
        raise MalformedInputError(
            f"line {number} is not JSON", hint='each line is {"text": "..."}', line=number
        ) from problem
    if not isinstance(entry, dict) or not isinstance(entry.get("text"), str):
        raise MalformedInputError(
            f'line {number} has no string "text"', hint='each line is {"text": "..."}', line=number, field="text"
        )
    try:
        return _checked(entry["text"])
    except BadValueError as problem:
        raise MalformedInputError(
            f'line {number}: "text" is not valid Unicode', hint=problem.hint, line=number, field="text"
        ) from problem
