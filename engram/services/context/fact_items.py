"""Facts as items of the block: the statement with its id, days, origin, and what it replaced."""

from collections.abc import Callable
from collections.abc import Iterable

from engram.language.compare.updates.clause_change import clauses_spoken_of
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.rules.context import Item
from engram.rules.origin import OWNERS
from engram.rules.origin import doubt_mark
from engram.rules.temporal import written_begin
from engram.services.context.files import Wording
from engram.services.context.knowledge import Knowledge
from engram.services.context.orders import Orders
from engram.services.context.orders import is_listed_as_order
from engram.services.context.shelves import Placed
from engram.services.recall.validity.superseded import former_versions


class FactItems:
    """How the facts of one block are written."""

    def __init__(self, database: FactDatabase, known: Knowledge, wording: Wording, orders: Orders) -> None:
        """Take what the words of a fact are made from."""
        self._database = database
        self._known = known
        self._wording = wording
        self._orders = orders

    def of_page(self, placed: Iterable[Placed], heading: Callable[[Placed], str]) -> list[Item]:
        """Return the facts of a page, each under its heading, with what it was before."""
        rows = list(placed)
        versions = former_versions(self._database, {one.fact.id: one.fact for one in rows}, self._known.scopes)
        former = {**self._known.before, **versions}
        items = [
            self.of_fact(one.fact, former=former.get(one.fact.id), is_guess=one.fact.id not in versions) for one in rows
        ]
        return [
            item._replace(heading=self._heading(heading(one)), rank=one.rank)
            for one, item in zip(rows, items, strict=True)
        ]

    def of_fact(self, fact: Fact, *, former: Fact | None = None, day: str = "", is_guess: bool = False) -> Item:
        """Return one fact; `day` is its day to come in words, and that it was another one before may be a guess."""
        known = self._known
        is_owners = known.origin(fact) in OWNERS
        is_order = is_owners and is_listed_as_order(fact)
        told = self._orders.marks(fact, known.ids) if is_order else self._orders.disputed(fact, known.ids)
        marks = [fact.id, *filter(None, [day, known.origin_mark(fact)]), *(one for one in told if one != day)]
        was = ""
        if former is not None and is_guess and clauses_spoken_of(former.text, fact.text):
            was = f'; changes a part of "{former.text}"'
        elif former is not None:
            was = f'; was "{former.text}", until {written_begin(fact, known.zone)}'
        doubt = "" if is_owners else doubt_mark(fact)
        return self._wording.item(f"- {doubt}{fact.text} ({', '.join(marks)}{was})", fact.id, "fact", fact.text)

    def _heading(self, text: str) -> str:
        return self._wording.heading(text) if text else ""
