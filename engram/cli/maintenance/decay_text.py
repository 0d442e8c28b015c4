"""What `engram decay` says to people."""

from collections.abc import Iterable
from collections.abc import Sized
from itertools import islice
from typing import Any

from engram.base.counts import counted
from engram.cli.invocation.options import table

_MOST_ROWS = 20  # of a list; the JSON holds all
_TEXT_CHARS = 60  # of a fact


def report_text(report: dict[str, Any]) -> str:
    """Return how the facts stand now and what leaves within a week."""
    tiers = report["tiers"]
    lines = [f"{tiers['hot']} hot, {tiers['warm']} warm, {tiers['cold']} cold (by the {report['clock']} clock)"]
    entities = report["entities"]
    if entities:
        rows = [("entity", "hot", "warm", "cold")]
        rows += [(one["entity"], str(one["hot"]), str(one["warm"]), str(one["cold"])) for one in entities[:_MOST_ROWS]]
        lines += ["", table(rows), *_more(entities)]
    leaving = report["leaving"]
    if not leaving:
        lines += ["", "within 7 days nothing leaves a tier, even if nobody uses it"]
    else:
        lines += ["", "within 7 days, if nobody uses them:", _facts(leaving), *_more(leaving)]
    if report["held"]:
        lines += ["", _held(report["held"])]
    return "\n".join(lines)


def forecast_text(found: dict[str, Any]) -> str:
    """Return what leaves by when, week by week and fact by fact."""
    lines = [f"until {found['until']}: {found['assumes']}"]
    other = found.get("what_if")
    if not found["weeks"]:
        lines += ["", "nothing leaves a tier"]
    else:
        lines += ["", _weeks(found["weeks"]), "", _facts(found["facts"]), *_more(found["facts"])]
    if other is not None:
        lines += ["", _what_if(found, other)]
    return "\n".join(lines)


def accepted_text(held: dict[str, Any] | None, *, dry_run: bool) -> str:
    """Return what became of the facts that were held."""
    if held is None:
        return "the survival budget holds nothing"
    facts = held["facts"]
    said = "would leave the summaries" if dry_run else "have left the summaries; items.json and recall still hold them"
    lines = [f"  {one['id']}  {_short(one['text'])}" for one in facts[:_MOST_ROWS]]
    return "\n".join([f"{counted(len(facts), 'fact')} {said}", *lines, *_more(facts)])


def _what_if(found: dict[str, Any], other: dict[str, Any]) -> str:
    now, then = found["tiers"], other["tiers"]
    changes = ", ".join(f"{name} {now[name]} -> {then[name]}" for name in now)
    lines = [f"with the other settings: {changes}; {counted(len(other['changed']), 'fact')} would take another course"]
    lines += [other["assumes"]] if other["assumes"] != found["assumes"] else []
    rows = [("id", "tier", "leaves hot", "leaves warm", "fact")]
    for one in islice(other["changed"], _MOST_ROWS):
        new = one["then"]
        pairs = ((one[name], new[name]) for name in ("tier", "leaves_hot", "leaves_warm"))
        rows.append((one["id"], *(_change(before, after) for before, after in pairs), _short(one["text"])))
    return "\n".join([*lines, *([table(rows)] if len(rows) > 1 else []), *_more(other["changed"])])


def _weeks(weeks: Iterable[dict[str, Any]]) -> str:
    rows = [("week", "from", "leave hot", "leave warm", "if used as before")]
    for one in weeks:
        expected = one["expected"]
        used = f"{expected['leave_hot']} hot, {expected['leave_warm']} warm"
        rows.append((one["week"], one["from"], str(one["leave_hot"]), str(one["leave_warm"]), used))
    return table(rows)


def _facts(facts: Iterable[dict[str, Any]]) -> str:
    rows = [("id", "tier", "leaves hot", "leaves warm", "rhythm", "fact")]
    for one in islice(facts, _MOST_ROWS):
        rhythm = f"every {one['rhythm_days']:g} days" if one["rhythm_days"] is not None else "-"
        text = _short(one["text"]) + (f" ({one['stays']}: stays in the summary)" if one["stays"] else "")
        rows.append((one["id"], one["tier"], one["leaves_hot"] or "-", one["leaves_warm"] or "-", rhythm, text))
    return table(rows)


def _held(held: dict[str, Any]) -> str:
    return (
        f"{counted(len(held['facts']), 'fact')} would have left the summaries at once, held as on {held['since']};\n"
        "engram decay --accept lets them go (--dry-run says which)"
    )


def _more(rows: Sized) -> list[str]:
    return [f"and {len(rows) - _MOST_ROWS} more (--json shows all)"] if len(rows) > _MOST_ROWS else []


def _change(before: str | None, after: str | None) -> str:
    return f"{before or '-'}" if before == after else f"{before or '-'} -> {after or '-'}"


def _short(text: str) -> str:
    return text if len(text) <= _TEXT_CHARS else f"{text[: _TEXT_CHARS - 1]}…"
