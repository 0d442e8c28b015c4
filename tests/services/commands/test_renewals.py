"""What a later statement brings up to date on its way in, though nobody says that it corrects."""

import datetime as dt
import itertools
from typing import Any

import pytest

from engram.model.commands.command import Envelope
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.ports.database import FactFilter
from engram.rules.invariants import broken
from engram.rules.writes.comparable import MOST_OF_ONE_KEY
from engram.services.doctor.store_checks import whole_state
from engram.workspace import Workspace
from tests.making import NOW

IMPORTER = "projects/importer"
OLD = "The importer's batch limit is 100"
NEW = "the importer's batch limit is now 250"
JANUARY, FEBRUARY, MARCH = "2026-01-05", "2026-02-20", "2026-03-01"


class Store:
    """A workspace whose facts are looked at."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def write(self, text: str, entity: str = IMPORTER, **fields: Any) -> str:
        """Write a statement; return what became of it."""
        result = self.workspace.submit("write", {"entity": entity, "text": text, "create": True, **fields})
        return result.status.value

    def facts(self, status: str = "active") -> list[Fact]:
        with self.workspace.reading() as database:
            return database.list_facts(FactFilter(status=status))

    @property
    def held(self) -> list[str]:
        return [fact.text for fact in self.facts()]


@pytest.fixture
def store(workspace: Workspace) -> Store:
    return Store(workspace)


def session(store: Store, name: str, **fields: Any) -> None:
    store.workspace.submit("session-add", {"name": name, **fields})


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (OLD, NEW),
        (OLD, "The importer's batch limit was raised to 250"),
        ("The importer stores its data in MySQL", "we moved the importer to Postgres"),
        ("The importer uses MySQL", "The importer no longer uses MySQL"),
        ("The staging server runs on port 7350", "staging now runs on 8200"),
        ("Der Staging-Server läuft auf Port 7350", "Staging läuft jetzt auf 8200"),
        ("Тестовый сервер работает на порту 7350", "Тестовый теперь работает на 8200"),
        ("测试服务器的端口是7350", "测试服务器现在用8200端口"),
        ("스테이징 서버는 7350 포트에서 돌아가요", "스테이징은 이제 8200에서 돌아갑니다"),
    ],
)
def test_what_is_told_to_have_changed_takes_the_place_of_what_was(store: Store, old: str, new: str) -> None:
    store.write(old, valid_from=JANUARY)

    assert store.write(new, valid_from=FEBRUARY) == "superseded"

    assert store.held == [new]
    (was,) = store.facts("superseded")
    (now,) = store.facts()
    assert (was.text, was.superseded_by, was.was_wrong) == (old, now.id, False)
    assert (now.supersedes, now.lineage) == ((was.id,), was.id)
    assert was.valid_to == now.valid_from == dt.datetime(2026, 2, 20, tzinfo=dt.UTC)


def test_the_same_words_with_another_value_weeks_later_are_an_update(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)

    assert store.write(OLD.replace("100", "250"), valid_from=FEBRUARY) == "superseded"


def test_two_values_of_one_day_are_a_tension(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)

    assert store.write(OLD.replace("100", "250"), valid_from=JANUARY) == "tension"
    assert len(store.held) == 2


def test_what_was_said_earlier_and_is_read_later_becomes_history(store: Store) -> None:
    store.write(NEW, valid_from=FEBRUARY)

    assert store.write(OLD, valid_from=JANUARY) == "created"

    assert store.held == [NEW]
    (was,) = store.facts("superseded")
    (now,) = store.facts()
    assert (was.text, was.superseded_by, was.valid_to) == (OLD, now.id, now.valid_from)


def test_what_is_to_come_leaves_what_holds_in_its_place(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    store.write(NEW, valid_from="2026-09-01")

    assert sorted(store.held) == sorted([OLD, NEW])


def test_what_is_over_already_makes_nothing_old(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    store.write(NEW, valid_from=FEBRUARY, valid_to="2026-02-25")

    assert OLD in store.held


def test_the_records_of_two_days_stand_beside_each_other(store: Store) -> None:
    store.write("The importer's notes were compacted on 2026-01-05", valid_from=JANUARY)

    assert store.write("The importer's notes were compacted on 2026-02-20", valid_from=FEBRUARY) != "superseded"
    assert len(store.held) == 2


def test_what_is_trusted_less_takes_the_place_of_nothing(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)

    assert store.write(NEW, valid_from=FEBRUARY, source={"actor": "tool"}) == "tension"
    assert sorted(store.held) == sorted([OLD, NEW])


def test_another_scope_is_left_alone(store: Store) -> None:
    session(store, "family")
    store.write(OLD, valid_from=JANUARY)
    store.write(NEW, valid_from=FEBRUARY, scope="session:family")

    assert sorted(store.held) == sorted([OLD, NEW])


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("people/omar", "projects/lantern", "superseded"),  # both name Lantern
        ("people/omar", "people/priya", "superseded"),
    ],
)
def test_facts_of_two_entities_meet_by_the_name_that_both_say(
    store: Store, first: str, second: str, expected: str
) -> None:
    store.write("Omar is the owner of Lantern", first, valid_from=JANUARY)

    assert store.write("Priya is the owner of Lantern now", second, valid_from=FEBRUARY) == expected
    assert store.held == ["Priya is the owner of Lantern now"]


def test_the_same_words_about_another_thing_are_left_alone(store: Store) -> None:
    store.write("The batch limit is 100 rows", "projects/exporter", valid_from=JANUARY)

    assert store.write("The batch limit is now 250 rows", IMPORTER, valid_from=FEBRUARY) == "created"
    assert len(store.held) == 2


def test_two_projects_that_are_worked_on_have_a_port_each(store: Store) -> None:
    for name in ("one", "two"):
        session(store, name, project=f"projects/{name}")
        source = {"actor": "user", "session": name}
        store.write(f"Staging runs on port {len(name) + len(store.held)}350", "people/mara", source=source)

    assert len(store.held) == 2


def test_a_change_that_may_mean_two_things_replaces_neither(store: Store) -> None:
    others = ["The importer's batch limit is 100", "The importer's retry limit is 5"]
    for text in others:
        store.write(text, valid_from=JANUARY)
    store.write("The importer's limit is now 250", valid_from=FEBRUARY)

    assert set(others) <= set(store.held)


def test_three_values_make_one_chain(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    store.write(NEW, valid_from=FEBRUARY)
    store.write(NEW.replace("250", "400"), valid_from=MARCH)

    (now,) = store.facts()
    with store.workspace.reading() as database:
        chain = database.lineage(now.lineage)
    assert [(fact.version, fact.status) for fact in chain] == [
        (1, Status.SUPERSEDED),
        (2, Status.SUPERSEDED),
        (3, Status.ACTIVE),
    ]


def test_a_value_that_waits_is_outdated_too(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY, candidate=True)
    store.write(NEW, valid_from=FEBRUARY)

    assert store.facts("candidate") == []
    assert store.held == [NEW]


def test_an_unsure_statement_of_a_change_is_worth_what_it_changes(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)

    assert store.write(NEW, valid_from=FEBRUARY, candidate=True) == "superseded"
    assert store.held == [NEW]


def test_an_unsure_statement_that_tells_of_no_change_waits(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    store.write(OLD.replace("100", "250"), valid_from=FEBRUARY, candidate=True)

    assert store.held == [OLD]


def test_what_somebody_said_holds_beside_it_stays(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    store.write(OLD.replace("100", "250"), valid_from=JANUARY)
    store.workspace.submit("review-answer", {"id": "tension-0001", "outcome": "both-true"})
    (_, second) = store.facts()
    store.workspace.submit("retract", {"id": second.id, "reason": "said by mistake"})

    store.write(OLD.replace("100", "250"), valid_from=FEBRUARY)

    assert len(store.held) == 2


def test_an_import_tells_again_what_was_decided_elsewhere(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    store.workspace.submit("write", {"entity": IMPORTER, "text": NEW, "valid_from": FEBRUARY}, actor=Actor.IMPORT)

    assert len(store.held) == 2


def read_in(note: str) -> dict[str, Any]:
    """Return the source of what was read in the note of a day."""
    return {"actor": "agent", "path": f"memory/main/main/{note}.md", "start": 0, "end": 10}


@pytest.mark.parametrize(
    ("said", "day", "begins", "was_wrong"),
    [
        ("The sandbox allows 400 calls a minute, no longer 250.", FEBRUARY, FEBRUARY, False),
        ("Correction: the sandbox allows 400 calls a minute", FEBRUARY, FEBRUARY, True),
        ("Correction: the sandbox allows 400 calls a minute", JANUARY, JANUARY, True),
    ],
)
def test_a_correction_that_is_read_has_the_day_on_which_it_was_said(
    store: Store, said: str, day: str, begins: str, *, was_wrong: bool
) -> None:
    old = "The sandbox allows 250 calls a minute"
    store.write(old, valid_from=JANUARY, source=read_in(JANUARY))

    store.write(said, valid_from=day, category="correction", source=read_in(day))

    (now,) = store.facts()
    (was,) = store.facts("superseded")
    assert (now.valid_from.date().isoformat(), was.was_wrong) == (begins, was_wrong)


def test_a_chain_over_two_entities_outlives_their_moves(store: Store) -> None:
    store.write("Omar is the owner of Lantern", "people/omar", valid_from=JANUARY)
    store.write("Priya is the owner of Lantern now", "projects/lantern", valid_from=FEBRUARY)
    store.workspace.submit("entity-add", {"path": "people/mara", "title": "Mara"})

    moves = [
        ("entity-merge", {"source": "people/omar", "into": "people/mara"}),
        ("entity-split", {"path": "people/omar"}),
        ("entity-archive", {"path": "projects/lantern"}),
        ("undo", {}),
    ]
    assert [store.workspace.submit(kind, args).status.value for kind, args in moves] == ["done"] * len(moves)

    (was,), (now,) = store.facts("superseded"), store.facts()
    assert (was.entity, was.superseded_by, now.entity) == ("people/omar", now.id, "projects/lantern")
    with store.workspace.reading() as database:
        assert broken(whole_state(database)) == []


def test_undo_gives_the_older_one_its_life_back(store: Store) -> None:
    store.write(OLD, valid_from=JANUARY)
    done = store.workspace.submit(
        "write", {"entity": IMPORTER, "text": NEW, "valid_from": FEBRUARY, CAN_BE_UNDONE: True}
    )

    assert store.workspace.submit("undo", {"id": done.command_id}).status.value == "done"
    assert store.held == [OLD]


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_statements_of_one_batch_meet_in_the_order_of_their_days(store: Store, order: tuple[int, ...]) -> None:
    """A first heartbeat reads the notes of years in any order, and records them together."""
    newest = NEW.replace("250", "400")
    said = [(OLD, JANUARY), (NEW, FEBRUARY), (newest, MARCH)]
    envelopes = [
        Envelope(
            id=f"b{number}",
            kind="write",
            at=NOW,
            actor=Actor.AGENT,
            args={"entity": IMPORTER, "text": said[number][0], "create": True, "valid_from": said[number][1]},
        )
        for number in order
    ]
    with store.workspace.writing("test") as recorder:
        recorder.record_together(envelopes)

    assert store.held == [newest]
    assert {fact.text for fact in store.facts("superseded")} == {OLD, NEW}


def test_a_correction_stands_where_what_it_replaces_stood(store: Store) -> None:
    store.write("The importer listens on port 8085", category="status", valid_from=JANUARY)
    said = "Correction: the importer does not listen on 8085 any more, it is on 8090"

    assert store.write(said, category="correction", valid_from=FEBRUARY) == "superseded"

    (held,) = store.facts()
    assert (held.text, held.category.value) == ("The importer listens on port 8090", "status")


@pytest.mark.parametrize("is_read_late", [False, True])
def test_what_is_told_of_last_week_is_newer_than_what_was_said_last_week(store: Store, *, is_read_late: bool) -> None:
    texts = ["Jonas is our contact, he approves the texts", "Jonas left us last week, Mira approves the texts now"]
    said = zip(texts, ("2026-02-10", "2026-02-17"), ("2026-02-10T14:00:00Z", "2026-02-09"), strict=True)
    writes: list[dict[str, Any]] = []
    for number, (text, day, begins) in enumerate(said):
        turn = {"id": f"turn/{number:0>32}", "text": text, "speaker": "user", "at": f"{day}T14:00:00Z"}
        store.workspace.submit("capture", {"session": "codex/importer", "turns": [turn]})
        source = {"actor": "user", "session": "codex/importer", "turn": turn["id"]}
        writes.append({"text": text, "source": source, "valid_from": begins})

    for write in writes[:: -1 if is_read_late else 1]:
        store.write(**write)

    assert store.held == [texts[1]]


PLAN = "The billing release 3.1 is planned for 3 April"


@pytest.mark.parametrize("moved_to", ["2026-04-10", "2026-03-20"])
def test_a_plan_that_is_moved_to_another_day_is_no_plan_for_the_first_one_any_more(store: Store, moved_to: str) -> None:
    day = dt.date.fromisoformat(moved_to)
    store.write(PLAN, valid_from="2026-04-03")
    store.write("The audit is planned for 3 April", valid_from="2026-04-03")

    store.write(f"Release 3.1 was moved to {day.day} {day:%B}", valid_from=moved_to)

    assert sorted(store.held) == [f"Release 3.1 was moved to {day.day} {day:%B}", "The audit is planned for 3 April"]
    (gone,) = store.facts("superseded")
    assert (gone.text, gone.valid_to) == (PLAN, gone.valid_from), "it never came"
    with store.workspace.reading() as database:
        assert broken(whole_state(database)) == []


def test_a_plan_that_is_read_after_it_was_moved_is_history(store: Store) -> None:
    told = {PLAN: ("2026-02-10", "2026-04-03"), "Release 3.1 slipped to 10 April": ("2026-02-17", "2026-04-10")}
    writes: list[dict[str, Any]] = []
    for number, (text, (day, begins)) in enumerate(told.items()):
        turn = {"id": f"turn/{number:0>32}", "text": text, "speaker": "user", "at": f"{day}T14:00:00Z"}
        store.workspace.submit("capture", {"session": "codex/importer", "turns": [turn]})
        source = {"actor": "user", "session": "codex/importer", "turn": turn["id"]}
        writes.append({"text": text, "source": source, "valid_from": begins})

    for write in reversed(writes):
        store.write(**write)

    assert store.held == ["Release 3.1 slipped to 10 April"]
    (gone,) = store.facts("superseded")
    assert gone.valid_to == gone.valid_from, "it never came"
    with store.workspace.reading() as database:
        assert broken(whole_state(database)) == []


def test_what_is_to_come_after_another_plan_lets_that_one_come(store: Store) -> None:
    store.write("The importer's batch limit is 100 from 3 April on", valid_from="2026-04-03")

    store.write("The importer's batch limit is raised to 250 on 10 April", valid_from="2026-04-10")

    assert len(store.held) == 2


@pytest.mark.parametrize("kind", [None, "group"])
def test_many_statements_of_another_scope_hide_none_of_this_one(store: Store, kind: str | None) -> None:
    session(store, "standup", kind=kind)
    where: dict[str, Any] = {"source": {"actor": "user", "session": "standup"}}
    store.write(OLD, valid_from=JANUARY, **where)
    waiting = {"entity": IMPORTER, "scope": "agent:ci", "candidate": True}
    said = (OLD.replace("100", str(number)) for number in range(1000, 1001 + MOST_OF_ONE_KEY))
    with store.workspace.writing("test") as recorder:
        recorder.record_together([store.workspace.envelope("write", {**waiting, "text": text}) for text in said])

    assert store.write(NEW, valid_from=FEBRUARY, **where) == "superseded"
