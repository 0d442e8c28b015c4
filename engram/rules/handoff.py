"""The grammar of the hand-off block: how a phase answers the runner.

    === HB-EXTRACT HANDOFF ===
    Status: ok
    Summary: one line, or several that are indented
    Stats: {"facts": 1}
    Facts: [{"entity": "projects/billing", "fact": "...", "quote": "..."}]
    Alerts: []
    === END ===

The last complete block counts. A block inside a code fence is an example, and one that stands in the text which the
phase was given is a quotation: neither is an answer.
"""

import json
import re
from typing import Any

from pydantic import ValidationError

from engram.errors import MalformedInputError
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffFact

END = "=== END ==="
MAX_FACTS = 5000  # of one answer; more is a phase that has gone wild

_FIELDS = ("Status", "Summary", "Stats", "Facts", "Alerts")
_REQUIRED = ("Status", "Summary")
_JSON_FIELDS = frozenset(["Stats", "Facts", "Alerts"])
_FIELD = re.compile(r"([A-Z][A-Za-z-]*):(?:[ \t]+|$)(.*)$")
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_PLAIN = re.compile(r'[^\s"](?:.*\S)?')  # a summary that can stand on its line as it is


def opening(template: str) -> str:
    """Return the line that opens the block of a template, such as HB-EXTRACT."""
    return f"=== {template} HANDOFF ==="


def render_handoff(handoff: Handoff, template: str) -> str:
    """Write the block that `parse_handoff` reads back to an equal value."""
    facts = [fact.model_dump(mode="json", exclude_defaults=True) for fact in handoff.facts]
    plain = _PLAIN.fullmatch(handoff.summary) and handoff.summary.isprintable()
    lines = [
        opening(template),
        f"Status: {handoff.status.value}",
        f"Summary: {handoff.summary if plain else _json(handoff.summary)}",
        f"Stats: {_json(handoff.stats)}",
        f"Facts: {_json(facts)}",
        f"Alerts: {_json(list(handoff.alerts))}",
        END,
    ]
    return "\n".join(lines) + "\n"


def parse_handoff(answer: str, template: str, *, given: str = "") -> Handoff:
    """Return what the last complete block of an answer says.

    `given` is the text that the phase was given; a block that stands in it is not an answer.
    Raises MalformedInputError that names the field when there is no block or it is not of the form above.
    """
    quoted = " ".join(given.split())
    blocks = [block for block in _blocks(answer, template) if " ".join(" ".join(block).split()) not in quoted]
    if not blocks:
        raise MalformedInputError(f"the answer holds no complete block {opening(template)!r} ... {END!r}")
    fields = _fields(blocks[-1])
    for name in _REQUIRED:
        if not fields.get(name):
            raise MalformedInputError(f"the hand-off has no {name}", field=name)
    return _handoff(fields)


# --- lines into blocks into fields -------------------------------------------------------------------------------


def _blocks(answer: str, template: str) -> list[list[str]]:
    """Return the complete blocks outside code fences, each with its first and last line."""
    blocks = []
    block: list[str] | None = None
    fence = ""
    for line in answer.replace("\r\n", "\n").split("\n"):
        mark = _FENCE.match(line)
        if mark and (not fence or (line.strip().startswith(fence) and not line.strip().strip(fence[0]))):
            fence = "" if fence else mark[1]
        elif not fence and line.rstrip() == opening(template):
            block = []
        if block is not None:
            block.append(line)
            if not fence and line.rstrip() == END:
                blocks.append(block)
                block = None
    return blocks


def _fields(block: list[str]) -> dict[str, str]:
    fields: dict[str, list[str]] = {}
    name = ""
    for line in block[1:-1]:
        found = _FIELD.match(line)
        if found:
            name = found[1]
            if name not in _FIELDS or name in fields:
                why = "appears twice" if name in fields else f"is not one of {', '.join(_FIELDS)}"
                raise MalformedInputError(f"the hand-off's field {name} {why}", field=name)
            fields[name] = [found[2]]
        elif name:
            fields[name].append(line)
        elif line.strip():
            raise MalformedInputError(f"the hand-off begins with {line.strip()[:40]!r} instead of a field")
    return {name: _unfenced(lines) if name in _JSON_FIELDS else _unindented(lines) for name, lines in fields.items()}


def _unfenced(lines: list[str]) -> str:
    return "\n".join(line for line in lines if not _FENCE.match(line)).strip()


def _unindented(lines: list[str]) -> str:
    return "\n".join(line.strip(" \t") for line in lines).strip("\n")


# --- fields into values ------------------------------------------------------------------------------------------


def _handoff(fields: dict[str, str]) -> Handoff:
    summary = fields["Summary"]
    facts = _load("Facts", fields, [])
    if len(facts) > MAX_FACTS:
        raise MalformedInputError(
            f"the hand-off's field Facts holds {len(facts)} facts, more than {MAX_FACTS}", field="Facts"
        )
    raw = {
        "status": fields["Status"].casefold(),
        "summary": _load("Summary", fields, "") if summary.startswith('"') else summary,
        "stats": _load("Stats", fields, {}),
        "facts": tuple(_fact(place, fact) for place, fact in enumerate(facts, 1)),
        "alerts": _load("Alerts", fields, []),
    }
    try:
        return Handoff.model_validate(raw)
    except ValidationError as problem:
        raise _malformed(problem, "") from problem


def _fact(place: int, raw: object) -> HandoffFact:
    try:
        return HandoffFact.model_validate(raw)
    except ValidationError as problem:
        raise _malformed(problem, f"Facts {place} ") from problem


def _load(name: str, fields: dict[str, str], default: Any) -> Any:
    """Return a field's JSON value, of the type of its default; an absent or empty field is the default."""
    if not fields.get(name):
        return default
    try:
        value = json.loads(fields[name])
    except (ValueError, RecursionError) as problem:
        raise MalformedInputError(f"the hand-off's field {name} is not JSON: {problem}", field=name) from problem
    if type(value) is not type(default):
        wanted = {"list": "a list", "dict": "an object", "str": "a text"}[type(default).__name__]
        raise MalformedInputError(f"the hand-off's field {name} is not {wanted}", field=name)
    return value


def _malformed(problem: ValidationError, where: str) -> MalformedInputError:
    first = problem.errors(include_url=False, include_input=False)[0]
    field = where + ".".join(str(part) for part in first["loc"])
    return MalformedInputError(f"the hand-off's field {field}: {first['msg']}", field=field)


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
