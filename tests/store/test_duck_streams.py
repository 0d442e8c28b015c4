"""What is read of all facts is never held at once."""

import errno
from collections.abc import Iterator
from typing import Any

import pytest

from engram.errors import DamagedDatabaseError
from engram.ports.database import FactFilter
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.database.tables import rows
from tests.making import make_fact

VERSIONS = {"people/anna": 4, "people/boris": 1, "people/clara": 1, "people/dora": 1}
LARGEST = 4
PAGE = 2


@pytest.fixture
def database(monkeypatch: pytest.MonkeyPatch) -> Iterator[DuckFactDatabase]:
    """A database of some facts, of which few are read at a time."""
    monkeypatch.setattr("engram.store.database.duck_streams._PAGE", PAGE)
    facts = [
        make_fact(number, f"Fact {number}", entity=path)
        for path, count in VERSIONS.items()
        for number in range(1, count + 1)
    ]
    with DuckFactDatabase.in_memory() as made:
        made._upsert("facts", [rows.fact_row(fact) for fact in facts])
        yield made


def pages_of(database: DuckFactDatabase, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the list to which the count of facts goes that each question brings."""
    brought: list[int] = []
    made = database._made

    def counted(*args: Any, **parameters: Any) -> list[Any]:
        found = made(*args, **parameters)
        brought.append(len(found))
        return found

    monkeypatch.setattr(database, "_made", counted)
    return brought


def test_facts_come_as_they_are_listed(database: DuckFactDatabase) -> None:
    some = ("people/anna", "people/clara", "people/nobody")
    filters = (FactFilter(), FactFilter(status="all"), FactFilter(entity="people/anna"), FactFilter(newest=3))

    for wanted in (*filters, FactFilter(entities=some), FactFilter(status="retracted")):
        assert list(database.iter_facts(wanted)) == database.list_facts(wanted)


def test_no_more_than_a_page_is_held_or_one_entity(database: DuckFactDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    brought = pages_of(database, monkeypatch)

    facts = database.iter_facts(FactFilter())
    next(facts)

    assert brought == [LARGEST]
    assert len(list(facts)) == sum(VERSIONS.values()) - 1
    assert brought == [LARGEST, 2, 1]


def test_other_things_are_asked_while_facts_come(database: DuckFactDatabase) -> None:
    found = [(fact.id, [one.id for one in database.find_facts(fact.id)]) for fact in database.iter_facts(FactFilter())]

    assert found == [(key, [key]) for key in (fact.id for fact in database.list_facts(FactFilter()))]


def test_a_digest_is_of_the_rows_in_order_whatever_the_pages(
    database: DuckFactDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_pages = database.digests()
    lines = list(database._pages_of_lines("facts", "id"))
    monkeypatch.setattr("engram.store.database.duck_streams._PAGE", 1000)

    assert database.digests() == in_pages
    assert [len(page) for page in lines] == [2, 2, 2, 1]
    assert [list(page) for page in database._pages_of_lines("facts", "id")] == [
        [line for page in lines for line in page]
    ]


def test_damage_is_told(database: DuckFactDatabase) -> None:
    database._run("DROP TABLE facts")

    with pytest.raises(DamagedDatabaseError):
        list(database.iter_facts(FactFilter()))


def test_what_does_not_fit_is_asked_again_with_all_memory(
    database: DuckFactDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits: list[object] = []
    within = database._rows

    def tight(name: str, parameters: dict[str, Any]) -> list[dict[str, Any]]:
        limits.append(database._run("SELECT current_setting('memory_limit') AS most").fetchone())
        if len(limits) == 1:
            database._attached().execute("SET memory_limit = '100MiB'")
            raise OSError(errno.ENOMEM, "no memory")
        return within(name, parameters)

    monkeypatch.setattr(database, "_rows", tight)

    assert [fact.id for fact in database.find_facts("people/anna-001")] == ["people/anna-001"]
    assert limits[0] == limits[1]
