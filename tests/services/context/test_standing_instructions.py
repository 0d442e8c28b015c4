"""What always holds for whoever asks: which facts, in which order, and what a budget leaves out."""

import datetime as dt
import time
from typing import Any

import pytest

from engram.base.tokens.estimate import estimate_tokens
from engram.ports.database import FactFilter
from engram.services.context.standing_instructions import StandingQuery
from engram.services.context.standing_instructions import recall_standing
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallContext
from engram.workspace import Workspace
from tests.making import NOW

OWNER = "people/anna"
ORDER = "Never deploy on Fridays"
WISH = "Anna prefers green tea"


class Memory:
    """A workspace that is asked what always holds."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def write(self, text: str, category: str = "preference", entity: str = OWNER, **fields: Any) -> str:
        args = {"entity": entity, "text": text, "category": category, "create": True, **fields}
        result = self.workspace.submit("write", args)
        assert result.id, result
        return result.id

    def ask(self, *, now: dt.datetime = NOW, owner: str = OWNER, **fields: Any) -> RecallAnswer:
        settings = self.workspace.settings
        around = RecallContext(now=now, zone=settings.zone, decay=settings.decay, clock=time.perf_counter)
        with self.workspace.reading() as database:
            return recall_standing(database, StandingQuery(**fields), around, owner=owner)

    def texts(self, **fields: Any) -> list[str]:
        return [hit.text for hit in self.ask(**fields).hits]


@pytest.fixture
def memory(workspace: Workspace) -> Memory:
    return Memory(workspace)


@pytest.mark.parametrize(
    ("fields", "stands"),
    [
        ({"text": WISH}, True),
        ({"text": WISH, "entity": "people/boris"}, True),
        ({"text": ORDER}, True),
        ({"text": "Use tabs, not spaces", "category": "correction"}, True),
        ({"text": "The bank is in Riga", "category": "correction"}, False),
        ({"text": "Anna ran a marathon", "category": "milestone"}, False),
        ({"text": "We decided to use DuckDB", "category": "decision"}, False),
        ({"text": "The team meets at nine", "category": "context", "tags": ["instruction"]}, True),
        ({"text": "The team meets at nine", "category": "context", "tags": ["team"]}, False),
        ({"text": "Anna leads the team", "category": "context", "attribute": "role", "value": "lead"}, True),
        ({"text": "Boris leads", "category": "context", "entity": "people/boris", "attribute": "role"}, False),
        ({"text": "Anna works on billing", "category": "context", "attribute": "editor"}, False),
    ],
)
def test_preferences_orders_and_who_the_owner_is_stand(memory: Memory, fields: dict[str, Any], stands: bool) -> None:
    memory.write(**fields)

    assert memory.texts() == ([fields["text"]] if stands else [])


def test_nobody_is_the_owner_of_a_workspace_without_one(memory: Memory) -> None:
    memory.write("Anna leads the team", "context", attribute="role", value="lead")

    assert memory.texts(owner="") == []


@pytest.mark.parametrize(
    "fields",
    [
        {"trust": "unverified"},
        {"trust": "quarantined"},
        {"source": {"actor": "tool"}},
        {"scope": "session:other"},
        {"valid_to": "2026-03-01"},
        {"valid_from": "2026-03-09"},
    ],
)
def test_what_may_not_be_shown_is_withheld(memory: Memory, fields: dict[str, Any]) -> None:
    memory.write(WISH, **fields)

    answer = memory.ask()

    assert (answer.hits, answer.answer) == ([], "withheld")


@pytest.mark.parametrize(
    ("source", "kind", "stands"),
    [
        ({"actor": "user", "turn": "turn/1", "session": "demo"}, None, True),
        ({"actor": "user", "turn": "turn/1", "session": "demo"}, "group", False),
        ({"actor": "import", "label": "imported from mem0: notes.json"}, None, False),
        ({"actor": "agent", "turn": "turn/1", "session": "demo"}, None, False),
    ],
)
def test_the_owners_own_words_stand_with_their_trust_as_in_a_start_block(
    memory: Memory, source: dict[str, str], kind: str | None, *, stands: bool
) -> None:
    memory.workspace.submit("session-add", {"name": "demo", "kind": kind} if kind else {"name": "demo"})
    memory.write(ORDER, trust="unverified", source=source, scope="shared")

    assert [(hit.text, hit.trust) for hit in memory.ask().hits] == ([(ORDER, "unverified")] if stands else [])


def test_a_session_sees_its_own(memory: Memory) -> None:
    memory.write(WISH, scope="session:demo")

    assert memory.texts(session="demo") == [WISH]


def test_what_gave_its_place_to_another_does_not_stand(memory: Memory) -> None:
    old = memory.write(WISH)
    memory.write("Anna prefers black coffee", supersedes=[old])

    assert memory.texts() == ["Anna prefers black coffee"]


def test_orders_come_first_and_of_each_the_weightiest(memory: Memory) -> None:
    def later(days: int) -> None:
        memory.workspace.now = lambda: NOW + dt.timedelta(days=days)

    memory.write("Anna prefers long walks")
    memory.write("Answer in English, always")
    for day in range(1, 21):  # the store is used every day
        later(day)
        memory.write(f"It rained on day {day}", "status", entity="projects/weather")
    memory.write("Anna prefers short meetings", confidence=0.6)
    memory.write("Anna prefers tea", confidence=0.8)
    later(21)
    memory.write("Anna prefers dark mode", confidence=0.8)
    memory.write("Use tabs, not spaces", confidence=0.5)

    assert memory.texts(now=NOW + dt.timedelta(days=21)) == [
        "Answer in English, always",
        "Use tabs, not spaces",
        "Anna prefers long walks",
        "Anna prefers dark mode",
        "Anna prefers tea",
        "Anna prefers short meetings",
    ]


def test_whole_facts_within_the_budget_and_a_receipt_of_the_others(memory: Memory) -> None:
    texts = (ORDER, WISH, "Anna prefers dark mode, whatever the hour of the day", "Anna likes jam")
    for text in texts:
        memory.write(text)
    order, wish, long, short = map(estimate_tokens, texts)

    answer = memory.ask(budget=order + wish + long - 1)

    assert [hit.text for hit in answer.hits] == [ORDER, WISH, "Anna likes jam"]
    assert answer.tokens == order + wish + short
    assert answer.cut == [{"id": "people/anna-003", "kind": "fact", "tokens": long}]


def test_a_limit_leaves_a_receipt_too(memory: Memory) -> None:
    memory.write(ORDER)
    memory.write(WISH)

    answer = memory.ask(limit=1)

    assert ([hit.text for hit in answer.hits], [one["id"] for one in answer.cut]) == ([ORDER], ["people/anna-002"])


def test_a_budget_for_nothing_withholds(memory: Memory) -> None:
    memory.write(ORDER)

    assert (memory.ask(budget=0).answer, memory.ask(budget=0).tokens) == ("withheld", 0)


def test_a_private_version_in_the_same_words_is_shown_once(memory: Memory) -> None:
    memory.write(WISH)
    memory.write(WISH, scope="session:demo")

    assert memory.texts(session="demo") == [WISH]


def test_the_answer_has_the_keys_of_recall(memory: Memory) -> None:
    memory.write(ORDER)
    memory.write(WISH)
    shown = memory.ask().as_json()

    assert shown.keys() >= {"hits", "answer", "tokens", "cut", "index_lag", "degraded", "took_ms"}
    assert (shown["answer"], [hit["score"] for hit in shown["hits"]]) == ("found", [1.0, 0.5])
    assert shown["hits"][0].items() >= {"kind": "fact", "date": "2026-03-02", "entity": OWNER, "tier": "hot"}.items()


def test_an_empty_store_knows_nothing(memory: Memory) -> None:
    assert memory.ask().answer == "nothing_known"


# --- when an order holds, who gave it, and what excludes it ----------------------------------------------------------


def test_an_order_is_told_with_its_case_its_end_and_who_gave_it(memory: Memory) -> None:
    memory.write("Before a release, run the audit", "instruction")
    memory.write("No schema changes until the release", "instruction", source={"actor": "user", "label": "Boris"})
    memory.write("Never merge to main until Friday", "instruction")

    told = {hit.text: hit.order for hit in memory.ask().hits}

    assert told == {
        "Before a release, run the audit": {"when": "before a release", "until": None, "by": "a person", "against": []},
        "No schema changes until the release": {"when": None, "until": "the release", "by": "Boris", "against": []},
        "Never merge to main until Friday": {"when": None, "until": "2026-03-06", "by": "a person", "against": []},
    }


def test_an_order_until_a_day_stands_no_longer_than_that(memory: Memory) -> None:
    memory.write("Never merge to main until Friday", "instruction")

    assert memory.texts(now=NOW + dt.timedelta(days=4)) != []
    assert memory.texts(now=NOW + dt.timedelta(days=5)) == []


def test_an_order_that_a_heartbeat_read_in_a_note_has_the_end_that_was_read_there(memory: Memory) -> None:
    text = "Without my word no file of a day before today is ever made"  # the note said `today`, the name of a variable
    place = {"actor": "agent", "session": "main", "path": "memory/2026-03-01.md", "start": 0, "end": 60}
    written = memory.write(text, "instruction", source={**place, "sha256": "0" * 64})

    with memory.workspace.reading() as database:
        assert [fact.valid_to for fact in database.list_facts(FactFilter()) if fact.id == written] == [None]


@pytest.mark.parametrize(
    "text",
    [
        "Always answer within two days",  # each time, so no day ends it
        "Always submit the timesheet by Friday",
        'Never say "until Friday" to customers',  # what is not to be said is no end
    ],
)
def test_no_day_ends_an_order_that_holds_each_time(memory: Memory, text: str) -> None:
    memory.write(text, "instruction")

    assert memory.texts(now=NOW + dt.timedelta(days=30)) == [text]


@pytest.mark.parametrize("fields", [{}, {"category": "preference", "tags": ["instruction"]}])
def test_the_writer_of_an_order_learns_until_when_it_holds_whatever_its_category(
    memory: Memory, fields: dict[str, Any]
) -> None:
    args = {"entity": OWNER, "text": "Never merge to main until Friday", "create": True, **fields}
    result = memory.workspace.submit("write", args)

    assert result.reason == "it holds until 2026-03-06, as its words say"


@pytest.mark.parametrize(
    ("told", "fields", "stands"),
    [
        ("The release is out", {}, False),
        ("The release is not out yet", {}, True),
        ("The release is out", {"source": {"actor": "agent"}}, True),  # an agent's word ends no person's order
        ("The release is out", {"entity": "projects/other"}, True),  # another project's
    ],
)
def test_an_order_until_an_event_stands_until_a_person_says_that_it_has_happened(
    memory: Memory, told: str, fields: dict[str, Any], stands: bool
) -> None:
    memory.write("No schema changes until the release", "instruction")
    memory.workspace.now = lambda: NOW + dt.timedelta(hours=1)
    memory.write(told, "status", **fields)

    texts = memory.texts(now=NOW + dt.timedelta(hours=2))

    assert texts == (["No schema changes until the release"] if stands else [])


def test_an_order_by_its_tag_is_ended_by_its_event_too(memory: Memory) -> None:
    memory.write("No schema changes until the release", "context", tags=["instruction"])
    memory.workspace.now = lambda: NOW + dt.timedelta(hours=1)
    memory.write("The release is out", "status")

    assert memory.texts(now=NOW + dt.timedelta(hours=2)) == []


def test_of_orders_that_exclude_each_other_both_stand_and_say_so(memory: Memory) -> None:
    one = memory.write("Always squash commits", "instruction")
    other = memory.write("Never squash commits", "instruction")

    against = {hit.id: hit.order["against"] for hit in memory.ask().hits if hit.order}

    assert against == {one: [other], other: [one]}


def test_whom_an_agent_names_gave_no_order_that_a_person_only_confirmed(memory: Memory) -> None:
    source = {"actor": "agent", "label": "Boris, by mail"}
    order = memory.write("Until the release, no schema changes", "instruction", source=source)
    memory.workspace.submit("confirm", {"id": order})

    assert [hit.order and hit.order["by"] for hit in memory.ask().hits] == ["an agent, confirmed by a person"]


def test_an_agents_words_never_become_an_order(memory: Memory) -> None:
    memory.write("Until the release, no schema changes", "instruction", source={"actor": "agent"})

    assert memory.texts() == []
