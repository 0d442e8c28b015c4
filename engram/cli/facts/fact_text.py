"""One fact as a person reads it: the statement, and what is known about it in words. `--json` has every field."""

import datetime as dt
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.clock import day_of
from engram.base.counts import counted
from engram.cli.invocation.local_time import shown_minute
from engram.cli.invocation.options import table
from engram.cli.terminal.screen_lines import from_home as shortened
from engram.model.vocabulary import EXPERIENCE
from engram.model.vocabulary import SHARED
from engram.rules.writes.candidates import UNDONE
from engram.services.facts.freshness_words import stale_words
from engram.services.facts.listing import DUE
from engram.services.facts.listing import OVERDUE

View = Mapping[str, Any]  # services.listing.fact_views

_NAMES: Final = {  # fields that are told as they are -> what a person calls them
    "related": "joined to",
    "tags": "tags",
    "supersedes": "replaces",
    "superseded_by": "replaced by",
    "corrects": "corrects",
}


def fact_text(view: View, state: str, zone: dt.tzinfo, *, at_home: bool = False) -> str:
    """Return a fact in that state with what is known about it, its days those of a zone.

    With `at_home` paths below the home begin with ~.
    """
    marks = [view["category"], view["tier"], view["trust"], *(["pinned"] if view.get("pinned") else [])]
    stands = [] if state == "active" else [state]
    rows = [(name, text) for name, text in _rows(view, zone, at_home=at_home) if text]
    head = [f"{view['id']}  ({', '.join([*stands, *marks])})", f"  {view['text']}", "", table(rows)]
    parts = parts_lines(view.get("made_of", ()), zone)
    return "\n".join([*head, *(["", *parts] if parts else [])])


def parts_lines(parts: Sequence[View], zone: dt.tzinfo) -> list[str]:
    """Return what a fact was made of (`services.facts.parts`), a line each, with how much of it does not hold."""
    if not parts:
        return []
    gone = _count_gone(parts)
    lost = f", and {gone} of these {'holds' if gone == 1 else 'hold'} no longer" if gone else ""
    return [f"made of{lost}:", *_part_lines(parts, "  ", zone)]


def _count_gone(parts: Sequence[View]) -> int:
    return sum((not one["holds"]) + _count_gone(one["made_of"]) for one in parts)


def _part_lines(parts: Sequence[View], indent: str, zone: dt.tzinfo) -> Iterator[str]:
    for one in parts:
        state = "" if one["holds"] else f"  [{'quarantined' if one['status'] == 'active' else one['status']}]"
        yield f"{indent}{day_of(one['date'], zone)}  {one['id']}  {one['text']}{state}"
        yield from _part_lines(one["made_of"], f"{indent}  ", zone)


def overdue_words(view: View) -> str:
    """Return since when a promise is overdue, in words; "" for every other fact."""
    return f"overdue since {view[OVERDUE]}" if view.get(OVERDUE) else ""


def retired_why(reason: str | None) -> str:
    """Return why a fact is no longer believed, without the ids of commands that take others back."""
    return "undone" if (reason or "").startswith(UNDONE) else reason or ""


def _rows(view: View, zone: dt.tzinfo, *, at_home: bool) -> list[tuple[str, str]]:
    slot = f"{view['attribute']} = {view['value']}" if view.get("attribute") else ""
    listed = [(label, _listed(view.get(name))) for name, label in _NAMES.items()]
    return [
        ("about", view["entity"]),
        ("true", _true(view, zone)),
        ("due", view.get(DUE) or ""),
        ("learnt", shown_minute(view["recorded_at"])),
        ("from", source_text(view["source"], at_home=at_home)),
        ("sure", f"{view['confidence']:.0%}"),
        ("slot", slot),
        *listed,
        ("kind", view["abstraction"] if view["abstraction"] != "episode" else ""),
        ("pool", "experience of all agents" if view["scope"] == EXPERIENCE else ""),
        ("private to", "" if view["scope"] in {SHARED, EXPERIENCE} else view["scope"]),
        ("used", _times(view.get("access_count", 0), view.get("last_accessed_at"))),
        ("confirmed", _times(view.get("confirm_count", 0), view.get("last_confirmed_at"))),
        ("version", str(view["version"]) if view["version"] > 1 else ""),
        ("believed until", shown_minute(view["known_to"]) if view.get("known_to") else ""),
        ("why", retired_why(view.get("reason"))),
        ("stale", stale_words(view.get("freshness"))),
        ("", "it never held: it was wrong" if view.get("was_wrong") else ""),
    ]


def source_text(source: View, *, at_home: bool = False) -> str:
    """Return who said something and where: session, file and name of the source, as far as they are known."""
    path = source.get("path")
    place = (shortened(path) if at_home else path) if path else None
    session = f"in {source['session']}" if source.get("session") else None
    return ", ".join(filter(None, [f"the {source['actor']}", session, place, source.get("label")]))


def _true(view: View, zone: dt.tzinfo) -> str:
    until = f" until {day_of(view['valid_to'], zone)}" if view.get("valid_to") and not view.get(DUE) else ""
    return f"since {day_of(view['valid_from'], zone)}{until}"


def _times(count: int, last: str | None) -> str:
    if not count:
        return ""
    return f"{counted(count, 'time')}{f', last {shown_minute(last)}' if last else ''}"


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")


def promotion_text(found: Mapping[str, Any]) -> str:
    """Return why a fact was put forward or why not, as `operations.promotion.explain_promotion` found, in lines."""
    use, repeated = found["by_use"], found["by_repetition"]
    lines = [f"{found['id']}  {found['text']}"]
    lines.append(f"  by use: {use['said']}, in the last {use['window_days']} days")
    if repeated["to_be"]:
        has = f"on {counted(repeated['has'], repeated['unit'])}" if repeated["unit"] == "occasion" else _weeks(repeated)
        lines.append(f"  by repetition: said {has} of {repeated['least']} to be a {repeated['to_be']}")
    lines += [f"  in the way: {why}" for why in found["against"]]
    for one in found["proposed"]:
        what = "a line of MEMORY.md" if one["target"] == "memory" else f"a {one['to_be']}"
        why = f": {one['why']}" if one["why"] else ""
        lines.append(f"  put forward as {what} in {one['id']} ({one['status']}){why}")
    if not found["against"] and not found["proposed"]:
        outlook = "it is put forward at the next heartbeat" if use["is_enough"] else "not enough of either yet"
        lines.append(f"  {outlook}")
    return "\n".join(lines)


def _weeks(repeated: Mapping[str, Any]) -> str:
    return f"in {counted(repeated['has'], 'week')}"
