"""What is read of all facts is never held at once, and comes whole through damage."""

from collections.abc import Iterator
from typing import Any

import pytest

from engram.errors import DamagedDatabaseError
from engram.model.fact import Fact
from engram.ports.database import FactFilter
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.database.tables import rows
from tests.making import make_entity
from tests.making import make_fact

FACTS = 7
BATCH = 2


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Iterator[DuckFactDatabase]:
    """A database of some facts, of which few are read at a time."""
    monkeypatch.setattr("engram.store.database.duck_streams._BATCH", BATCH)
    facts = [make_fact(id=f"people/anna-{number:03d}", text=f"Fact {number}") for number in range(1, FACTS + 1)]
    with DuckFactDatabase.in_memory() as made:
        made._upsert("entities", [rows.entity_row(make_entity("people/anna"))])
        made._upsert("facts", [rows.fact_row(fact) for fact in facts])
        yield made


def test_facts_come_as_they_are_listed(database: DuckFactDatabase) -> None:
    for wanted in (FactFilter(), FactFilter(status="all"), FactFilter(entity="people/anna"), FactFilter(newest=3)):
        assert list(database.iter_facts(wanted)) == database.list_facts(wanted)


class Watched:
    """A connection that notes how many rows each answer brought."""

    def __init__(self, connection: Any) -> None:
        """Stand before a connection."""
        self._connection = connection
        self.brought: list[int] = []

    def __getattr__(self, name: str) -> Any:
        """Give all else as it is."""
        return getattr(self._connection, name)

    def cursor(self) -> "Watched":
        """Watch what is asked beside it, too."""
        other = Watched(self._connection.cursor())
        other.brought = self.brought
        return other

    def fetchmany(self, most: int) -> Any:
        """Note what comes."""
        rows_found = self._connection.fetchmany(most)
        self.brought.append(len(rows_found))
        return rows_found


def test_no_more_than_a_batch_is_held(database: DuckFactDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    watched = Watched(database._attached())
    monkeypatch.setattr(database, "_connection", watched)

    facts = database.iter_facts(FactFilter())
    first = next(facts)

    assert watched.brought == [BATCH]
    assert [first, *facts] == database.list_facts(FactFilter())
    assert watched.brought[:4] == [BATCH, BATCH, BATCH, 1]


def test_other_things_are_asked_while_facts_come(database: DuckFactDatabase) -> None:
    found = [(fact.id, [one.id for one in database.find_facts(fact.id)]) for fact in database.iter_facts(FactFilter())]

    assert found == [(key, [key]) for key in (fact.id for fact in database.list_facts(FactFilter()))]


def test_behind_damage_it_goes_on_where_it_was(database: DuckFactDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = database.list_facts(FactFilter())
    within, healed = database._iter_rows, []

    def damaged(name: str, parameters: dict[str, Any]) -> Iterator[dict[str, Any]]:
        for place, row in enumerate(within(name, parameters)):
            if place == 3 and not healed:
                raise DamagedDatabaseError("a page does not read", path="engram.duckdb")
            yield row

    monkeypatch.setattr(database, "_iter_rows", damaged)
    database._heal = healed.append

    found: list[Fact] = list(database.iter_facts(FactFilter()))

    assert found == expected
    assert [damage.message for damage in healed] == ["a page does not read"]


def test_without_somebody_who_heals_damage_is_told(database: DuckFactDatabase) -> None:
    database._run("DROP TABLE facts")

    with pytest.raises(DamagedDatabaseError):
        list(database.iter_facts(FactFilter()))
