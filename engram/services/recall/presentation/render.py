"""How recalled memories look to people: fenced, labelled with date, source and trust, and never mistaken for orders."""

from collections.abc import Sequence
from typing import Any

from engram.base.dates import days_in_words
from engram.base.text import DOUBTED
from engram.base.text import is_archived
from engram.language.screen.fence import BAR
from engram.language.screen.fence import fence
from engram.language.screen.fence import visible
from engram.model.document import CANDIDATE
from engram.model.document import Hit
from engram.rules.origin import short_session
from engram.services.facts.freshness_words import stale_words
from engram.services.recall.presentation.order_marks import order_marks
from engram.services.recall.query import DEGRADED
from engram.services.recall.query import FOUND
from engram.services.recall.query import NOTHING_KNOWN
from engram.services.recall.query import WITHHELD
from engram.services.recall.query import AskedDays
from engram.services.recall.query import RecallAnswer

_EMPTY = {
    FOUND: "nothing is known about that but what stands above",  # where hits are left out that stand there already
    NOTHING_KNOWN: "nothing is known about that",
    WITHHELD: "something is known, but not shown: superseded, quarantined, private to another,"
    " below the score that was asked for, or over the budget",
    DEGRADED: "nothing was found, but the index is behind or cannot be used",
}
_NOTHING_STANDS = {
    **_EMPTY,
    WITHHELD: "orders or preferences are known, but none is shown: noted by an agent, quarantined, private to another,"
    " over, or beyond the budget; engram facts lists them",
}


def answer_text(answer: RecallAnswer, *, stands: bool = False) -> str:
    """Return an answer as people read it; `stands`: to what always holds, which nobody asked in words."""
    empty = _NOTHING_STANDS if stands else _EMPTY
    lines = hits_lines(answer.hits) if answer.hits else [empty[answer.answer]]
    lines += [f"cut by the budget: {one['id']} ({one['tokens']} tokens)" for one in answer.cut]
    lines += [DOUBTED] if answer.hits and answer.probably_unknown else []
    lines += [_asked_days(answer.asked_days)] if answer.asked_days else []
    lines += [f"note: {visible(answer.other_agents.in_words())}"] if answer.other_agents else []
    lines += [f"note: {words}" for words in answer.degraded]
    if answer.explain is not None:
        lines += _explained(answer.explain)
    return "\n".join(lines)


def _asked_days(asked: AskedDays) -> str:
    return f'note: "{visible(asked.words)}" is read as {days_in_words(asked.first, asked.last)}'


def hits_lines(hits: Sequence[Hit]) -> list[str]:
    """Return hits within their fence."""
    lines: list[str] = []
    for number, hit in enumerate(hits, 1):
        lines.append(f"{number}. {hit.id}  ({_label(hit)})")
        lines.extend(BAR + visible(line) for line in hit.text.splitlines() or [""])
        lines += [f"   {name}: {visible(text)}" for name, text in (("was", hit.was), ("now", hit.now)) if text]
        lines += [f"   stale: {visible(words)}"] if (words := stale_words(hit.freshness)) else []
        if hit.legs:
            lines.append("   " + _legs(hit.legs))
    return fence(f"{len(hits)} from memory", lines)


def _label(hit: Hit) -> str:
    place = f"{hit.path}:{hit.lines}" if hit.path and hit.lines else short_session(hit.source) if hit.source else None
    kind = f"{hit.kind}, not confirmed" if hit.kind == CANDIDATE else hit.kind
    put_away = "archived" if is_archived(hit.entity) else None
    overdue = f"overdue since {hit.overdue_since}" if hit.overdue_since else None
    known = (hit.trust, kind, hit.state, overdue, put_away, hit.date, hit.tier, f"from {place}" if place else None)
    return "; ".join([", ".join(word for word in known if word), *map(visible, order_marks(hit.order or {}))])


def _explained(explain: dict[str, Any]) -> list[str]:
    dropped = [f"  {one['exit']:<15} {one['id']}  {_legs(one['legs'])}" for one in explain["dropped"]]
    return [f"candidates: {explain['candidates']}, of which dropped: {len(dropped)}", *dropped]


def _legs(legs: dict[str, float]) -> str:
    return "  ".join(f"{leg} {score:.3f}" for leg, score in legs.items())
