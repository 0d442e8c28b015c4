"""One entity on a card: who or what it is, its facts by tier, and whom it is joined to."""

import datetime as dt
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import day_of
from engram.base.counts import counted
from engram.errors import UnknownEntityError
from engram.model.entity import Entity
from engram.model.vocabulary import Precision
from engram.ports.database import FactDatabase
from engram.rules.life.decay import TIERS
from engram.rules.temporal import written_day
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import get_entity_path
from engram.services.facts.listing import list_facts
from engram.services.graph.near_entities import relations_of
from engram.services.pictures.canvas import Drawing
from engram.services.pictures.canvas import fitted
from engram.services.pictures.canvas import text_width
from engram.services.pictures.canvas import wrapped
from engram.services.visibility import Caller
from engram.services.visibility import visible_entities

_WIDTH: Final = 640.0
_EDGE: Final = 28.0
_INNER: Final = _WIDTH - 2 * _EDGE
_FACTS: Final = 6  # that are written out
_LINES: Final = 2  # of each
_OTHERS: Final = 6
_BAR: Final = 10.0


class EntityCard(NamedTuple):
    """What stands on a card."""

    entity: Entity
    tiers: dict[str, int]  # facts that hold, by tier
    facts: list[tuple[str, str]]  # tier and text, those used last first
    others: list[tuple[str, int]]  # title and how many facts join the two, the closest first
    changed_on: str | None  # day on which something was learnt last
    asked: str = ""  # which past it is of, in words; empty: now


def read_card(
    database: FactDatabase,
    name: str,
    moment: Moment,
    *,
    as_of: dt.datetime | None = None,
    as_known: dt.datetime | None = None,
) -> EntityCard:
    """Return what a caller may see of one, now or as of a moment; raises UnknownEntityError, AmbiguousNameError."""
    path = get_entity_path(database, name, moment.caller)
    known = visible_entities(database, moment.caller or Caller())
    entity = next((one for one in known if one.path == path), None)
    if entity is None:
        raise UnknownEntityError(f"no entity is called {name!r}", name=name)
    views = list_facts(database, FactQuery(entity=path, as_of=as_of, as_known=as_known), moment)
    newest = sorted(views, key=lambda one: one["recorded_at"], reverse=True)
    ordered = sorted(newest, key=lambda one: TIERS.index(one["tier"]))
    return EntityCard(
        entity,
        {tier: sum(one["tier"] == tier for one in views) for tier in TIERS},
        [(one["tier"], one["text"]) for one in ordered[:_FACTS]],
        [(one["title"], one["facts"]) for one in relations_of(database, path, moment, as_of=as_of, as_known=as_known)],
        day_of(newest[0]["recorded_at"], moment.zone) if newest else None,
        " and ".join(
            f"{words} {written_day(at, Precision.DAY, moment.zone)}"
            for words, at in (("as of", as_of), ("as known on", as_known))
            if at is not None
        ),
    )


def draw_card(card: EntityCard) -> bytes:
    """Return the drawing of a card."""
    entity, kind = card.entity, card.entity.path.partition("/")[0]
    texts = [(tier, wrapped(text, _INNER - 22, 13, _LINES)) for tier, text in card.facts]
    others = _rows_of(card.others[:_OTHERS])
    top = 168.0
    height = top + sum(19 * len(lines) + 9 for _, lines in texts) + (58 + 28 * len(others) if others else 0) + 52
    total = sum(card.tiers.values())
    says = f"{entity.title}, {kind}: {counted(total, 'fact')}, {counted(len(card.others), 'relation')}"
    drawing = Drawing(_WIDTH, height, title=entity.title, description=says)
    drawing.circle((_EDGE + 8, 43), 8, kind)
    drawing.text((_EDGE + 28, 51), fitted(entity.title, _INNER - 28, 22), "title")
    also = f" · also {', '.join(entity.aliases)}" if entity.aliases else ""
    asked = f" · {card.asked}" if card.asked else ""
    drawing.text((_EDGE, 78), fitted(f"{entity.path}{asked}{also}", _INNER, 13), "muted")
    _tiers(drawing, card.tiers, total)
    y = top
    if not texts:
        drawing.text((_EDGE, y), "Nothing holds of it now.", "muted")
    for tier, lines in texts:
        drawing.rectangle((_EDGE, y - 13, 4, 19 * len(lines) - 2), tier, radius=2)
        for line in lines:
            drawing.text((_EDGE + 16, y), line, "plain")
            y += 19
        y += 9
    if others:
        _others(drawing, others, y + 14)
    last = f"last change {card.changed_on}" if card.changed_on else "no facts yet"
    more = f" · {counted(total - len(texts), 'more fact')}" if total > len(texts) else ""
    drawing.text((_EDGE, height - 20), f"{last}{more}", "small")
    return drawing.render()


def _tiers(drawing: Drawing, tiers: dict[str, int], total: int) -> None:
    """Draw the facts as one bar, and say how many are in each tier."""
    drawing.rectangle((_EDGE, 98, _INNER, _BAR), "panel", radius=_BAR / 2)
    x = _EDGE
    for tier in TIERS:
        width = _INNER * tiers[tier] / total if total else 0
        if width:
            drawing.rectangle((x, 98, width, _BAR), tier, radius=_BAR / 2 if width > _BAR else width / 2)
        x += width
    x = _EDGE
    for tier in TIERS:
        words = f"{tiers[tier]:,} {tier}"
        drawing.circle((x + 5, 128), 5, tier)
        drawing.text((x + 16, 132), words, "muted")
        x += text_width(words, 13) + 40


def _rows_of(others: Sequence[tuple[str, int]]) -> list[list[tuple[str, float]]]:
    """Return the names of others in rows, each with its width."""
    rows: list[list[tuple[str, float]]] = []
    room = 0.0
    for title, facts in others:
        words = fitted(f"{title} · {facts}", 220, 13)
        width = text_width(words, 13) + 22
        if not rows or width > room:
            rows.append([])
            room = _INNER
        rows[-1].append((words, width))
        room -= width + 8
    return rows


def _others(drawing: Drawing, rows: list[list[tuple[str, float]]], y: float) -> None:
    drawing.text((_EDGE, y), "Joined with", "heading")
    for number, row in enumerate(rows):
        x = _EDGE
        for words, width in row:
            drawing.rectangle((x, y + 12 + 28 * number, width, 22), "panel", radius=11)
            drawing.text((x + width / 2, y + 28 + 28 * number), words, "muted", anchor="middle")
            x += width + 8


def card_json(card: EntityCard) -> dict[str, Any]:
    """Return {"entity", "title", "tiers", "facts", "relations", "changed_on"}."""
    return {
        "entity": card.entity.path,
        "title": card.entity.title,
        "tiers": card.tiers,
        "facts": sum(card.tiers.values()),
        "relations": len(card.others),
        "changed_on": card.changed_on,
    }
