"""The grammar of the hand-off block: how a phase answers the runner.

    === HB-EXTRACT HANDOFF ===
    Status: ok
    Summary: one line, or several that are indented
    Stats: {"facts": 1}
    Facts: [{"entity": "projects/billing", "fact": "...", "quote": "..."}]
    Alerts: []
    === END ===

Each field is JSON, on one line or several, fenced or not; `Summary-Content` and `Status-Content` may also be the text
itself, indented or fenced, when one text was asked for. `handoff_block` says which block of an answer counts.
"""

import json
from collections.abc import Collection
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.json_values import load_json
from engram.base.text import has_control
from engram.errors import MalformedInputError
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffFact
from engram.model.handoff import HandoffObservation
from engram.model.handoff import HandoffProposal
from engram.model.handoff import HandoffTension
from engram.model.handoff import HandoffText
from engram.model.value import Value
from engram.rules.handoff.handoff_block import END
from engram.rules.handoff.handoff_block import find_block
from engram.rules.handoff.handoff_block import opening
from engram.rules.handoff.handoff_block import read_fields

MAX_ITEMS = 5000  # of one field of one answer; more is a phase that has gone wild

COMMON_FIELDS = ("Status", "Summary", "Stats", "Alerts")  # of every phase
ACCEPTED: Mapping[str, tuple[str, ...]] = {
    "HB-EXTRACT": ("Facts", "Observations"),
    "HB-SYNTHESIS": ("Summary-Content", "Proposals"),
    "HB-DOMAINS": ("Status-Content", "Changelog-Entries", "Proposals"),
    "HB-MAINTENANCE": ("Observations",),
    "HB-REVIEW": ("Observations", "Tensions"),
}
"""What else each phase may ask for; anything else would be work that it was not given."""

_TARGETS: Mapping[str, frozenset[str]] = {
    "HB-SYNTHESIS": frozenset(["fact", "memory"]),
    "HB-DOMAINS": frozenset(["domain"]),
}  # of the proposals of a phase


class Asked(NamedTuple):
    """What the phase was asked for."""

    given: str = ""  # the text that it was given; a block that stands in it is a quotation
    names: Collection[str] | None = None  # the files or domains that texts may be of; None: any inside the workspace


ANYTHING = Asked()


class _Items(NamedTuple):
    attribute: str  # of Handoff
    model: type[Value]


_ITEMS: Mapping[str, _Items] = {
    "Facts": _Items("facts", HandoffFact),
    "Observations": _Items("observations", HandoffObservation),
    "Tensions": _Items("tensions", HandoffTension),
    "Proposals": _Items("proposals", HandoffProposal),
    "Summary-Content": _Items("summary_content", HandoffText),
    "Status-Content": _Items("status_content", HandoffText),
    "Changelog-Entries": _Items("changelog_entries", HandoffText),
}
_TEXTS = ("Summary-Content", "Status-Content", "Changelog-Entries")
_WHOLE_TEXTS = ("Summary-Content", "Status-Content")  # each of its name at most once, perhaps as plain text
_FIELDS = (*COMMON_FIELDS[:-1], *_ITEMS, "Alerts")


def render_handoff(handoff: Handoff, template: str) -> str:
    """Write the block that `parse_handoff` reads back to an equal value; fields that ask for nothing are left out."""
    summary = handoff.summary
    plain = summary.isprintable() and summary == summary.strip() and summary[0] not in '"`~'
    lines = [
        opening(template),
        f"Status: {handoff.status.value}",
        f"Summary: {summary if plain else _json(summary)}",
        f"Stats: {_json(handoff.stats)}",
    ]
    for name, items in _ITEMS.items():
        rows = [item.model_dump(mode="json", exclude_defaults=True) for item in getattr(handoff, items.attribute)]
        lines += [f"{name}: {_json(rows)}"] if rows else []
    return "\n".join([*lines, f"Alerts: {_json(list(handoff.alerts))}", END]) + "\n"


def parse_handoff(answer: str, template: str, asked: Asked = ANYTHING) -> Handoff:
    """Return what the last complete block of an answer says.

    Raises MalformedInputError that names the field when there is no block, when it is not of the form above, or when
    it holds what the phase was not asked for.
    """
    fields = read_fields(find_block(answer, template, asked.given), _FIELDS)
    for name in ("Status", "Summary"):
        if not fields.get(name):
            raise MalformedInputError(f"the hand-off has no {name}", field=name)
    handoff = _handoff(fields, asked)
    for name, items in _ITEMS.items():
        if getattr(handoff, items.attribute) and name not in ACCEPTED[template]:
            raise MalformedInputError(
                f"the hand-off's field {name} is not for this phase, which may fill {', '.join(ACCEPTED[template])}",
                field=name,
            )
    _refuse_proposals(handoff.proposals, template, asked)
    return handoff


# --- fields into values ------------------------------------------------------------------------------------------


def _handoff(fields: dict[str, str], asked: Asked) -> Handoff:
    summary = fields["Summary"]
    raw = {
        "status": fields["Status"].casefold(),
        "summary": _load("Summary", fields, "") if summary.startswith('"') else summary,
        "stats": _load("Stats", fields, {}),
        "alerts": _load("Alerts", fields, []),
    }
    for name, items in _ITEMS.items():
        raw[items.attribute] = tuple(
            _item(items.model, f"{name} {place} ", row) for place, row in enumerate(_rows(name, fields, asked), 1)
        )
    for name in _TEXTS:
        _refuse_names(name, raw[_ITEMS[name].attribute], asked)
    if len(raw["alerts"]) > MAX_ITEMS:
        raise _too_many("Alerts", len(raw["alerts"]))
    try:
        return Handoff.model_validate(raw)
    except ValidationError as problem:
        raise _malformed(problem, "") from problem


def _rows(name: str, fields: dict[str, str], asked: Asked) -> list[Any]:
    text = fields.get(name, "")
    if name in _WHOLE_TEXTS and text and not _looks_like_json(text):
        if asked.names is None or len(asked.names) != 1:
            raise MalformedInputError(
                f'the hand-off\'s field {name} is plain text, but not just one was asked for: [{{"name", "text"}}]',
                field=name,
            )
        return [{"name": next(iter(asked.names)), "text": text}]
    rows: list[Any] = _load(name, fields, [])
    if len(rows) > MAX_ITEMS:
        raise _too_many(name, len(rows))
    return rows


def _looks_like_json(text: str) -> bool:
    return text[0] == "[" and text[1:].lstrip()[:1] in {"{", "]"}


def _refuse_names(field: str, texts: tuple[HandoffText, ...], asked: Asked) -> None:
    seen = set()
    for text in texts:
        shown = repr(text.name[:80])
        if asked.names is not None and text.name not in asked.names:
            raise MalformedInputError(
                f"the hand-off's field {field} names {shown}, which was not asked for", field=field
            )
        if not is_inside(text.name):
            raise MalformedInputError(f"the hand-off's field {field} names {shown}, which is no safe path", field=field)
        if field in _WHOLE_TEXTS and text.name in seen:
            raise MalformedInputError(f"the hand-off's field {field} names {shown} twice", field=field)
        seen.add(text.name)


def _refuse_proposals(proposals: tuple[HandoffProposal, ...], template: str, asked: Asked) -> None:
    for place, one in enumerate(proposals, 1):
        if one.target not in _TARGETS[template]:
            why = f"is for {one.target}, which this phase does not decide"
        elif one.domain is not None and asked.names is not None and one.domain not in asked.names:
            why = f"is for {one.domain[:80]!r}, which was not asked for"
        else:
            continue
        raise MalformedInputError(f"the hand-off's field Proposals {place} {why}", field="Proposals")


def is_inside(name: str) -> bool:
    """Tell whether a name is a relative path that leads nowhere but down."""
    parts = name.split("/")
    return not has_control(name) and not set("\\\n\t") & set(name) and not {"", ".", "..", "~"} & set(parts)


def _item(model: type[Value], where: str, raw: object) -> Value:
    try:
        return model.model_validate(raw)
    except ValidationError as problem:
        raise _malformed(problem, where) from problem


def _load(name: str, fields: dict[str, str], default: Any) -> Any:
    """Return a field's JSON value, of the type of its default; an absent or empty field is the default."""
    if not fields.get(name):
        return default
    try:
        value = load_json(fields[name], parse_constant=_refuse_constant)
        _json(value).encode()  # half a surrogate pair could not be stored
    except ValueError as problem:
        raise MalformedInputError(f"the hand-off's field {name} is not JSON: {problem}", field=name) from problem
    if type(value) is not type(default):
        wanted = {"list": "a list", "dict": "an object", "str": "a text"}[type(default).__name__]
        raise MalformedInputError(f"the hand-off's field {name} is not {wanted}", field=name)
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number")


def _too_many(name: str, count: int) -> MalformedInputError:
    return MalformedInputError(f"the hand-off's field {name} holds {count} items, more than {MAX_ITEMS}", field=name)


def _malformed(problem: ValidationError, where: str) -> MalformedInputError:
    first = problem.errors(include_url=False, include_input=False)[0]
    field = where + ".".join(str(part) for part in first["loc"])
    said = first["msg"].removeprefix("Value error, ")
    return MalformedInputError(f"the hand-off's field {field.rstrip()}: {said}", field=field.rstrip())


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
