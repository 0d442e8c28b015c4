"""An older statement that was read after its correction: recall shows the newer one and what it said before."""

import datetime as dt
import zlib

import pytest

from engram.workspace import Workspace
from tests.services.test_recall import Memory

OLD = "The sandbox allows 250 calls a minute for each key"
NEW = "The sandbox allows 400 calls a minute, no longer 250."
QUESTION = "how many calls does the sandbox allow"
PARCELS = "projects/parcels"


@pytest.fixture
def memory(workspace: Workspace) -> Memory:
    found = Memory(workspace)
    found.write(NEW, PARCELS, category="correction", valid_from="2026-02-20")
    found.write(OLD, PARCELS, category="status", valid_from="2026-01-05")
    return found


def test_what_a_correction_tells_to_be_over_is_shown_as_what_was(memory: Memory) -> None:
    (hit,) = memory.ask(QUESTION).hits

    assert (hit.text, hit.was) == (NEW, OLD)


def test_the_words_of_what_is_over_lead_to_what_holds(memory: Memory) -> None:
    """The question has all words of the older statement and few of the newer one."""
    memory.write(
        "We moved the parcels from Nomad to Kubernetes.", PARCELS, category="decision", valid_from="2026-02-20"
    )
    memory.write("Each service starts under Nomad", PARCELS, category="status", valid_from="2026-01-05")

    texts = memory.texts("does each service start under Nomad")

    assert texts[0] == "We moved the parcels from Nomad to Kubernetes."
    assert "Each service starts under Nomad" not in texts


def test_explained_it_is_outdated(memory: Memory) -> None:
    explained = memory.ask(QUESTION, explain=True).explain

    assert explained is not None
    assert [one["exit"] for one in explained["dropped"]] == ["outdated"]


@pytest.mark.parametrize(
    "moment", [{"as_of": dt.datetime(2026, 2, 1, tzinfo=dt.UTC)}, {"as_known": dt.datetime(2026, 3, 3, tzinfo=dt.UTC)}]
)
def test_a_question_about_the_past_is_answered_by_what_held_then(
    memory: Memory, moment: dict[str, dt.datetime]
) -> None:
    assert OLD in memory.texts(QUESTION, **moment)


def test_raw_text_that_says_what_is_over_leaves_or_says_what_holds(memory: Memory) -> None:
    memory.say(OLD, session="first")
    memory.say(f"{OLD}, and the mirror in Oslo is only read, which is why the nightly copy waits", session="second")

    hits = memory.ask(QUESTION).hits

    assert [hit.text for hit in hits if hit.text == OLD] == []
    assert [hit.now for hit in hits if hit.kind == "turn"] == [NEW]


def test_what_still_holds_of_a_turn_that_left_is_shown(memory: Memory) -> None:
    memory.say(OLD, session="first")
    turn = f"turn/first-0-{zlib.crc32(OLD.encode())}"
    said_there = {"actor": "user", "turn": turn, "session": "first"}
    memory.write("The sandbox counts the calls of each key", PARCELS, category="status", source=said_there)

    assert "The sandbox counts the calls of each key" in memory.texts(QUESTION)


def test_of_a_chain_the_last_one_is_shown(memory: Memory) -> None:
    newest = "The sandbox allows 600 calls a minute for each key, no longer 400."
    memory.write(newest, PARCELS, category="correction", valid_from="2026-02-27")

    assert memory.texts(QUESTION) == [newest]


def test_another_project_makes_nothing_old(memory: Memory) -> None:
    memory.write(OLD, "projects/atlas", category="status", valid_from="2026-01-05")

    assert memory.texts(QUESTION) == [NEW, OLD]


def test_what_strangers_say_hides_no_trusted_words(memory: Memory) -> None:
    """A stranger who says a thing and takes it back has not taken it back for the owner, who said the same."""
    said = "The mirror of the archive stands in Oslo"
    doubted = {"source": {"actor": "tool", "label": "a page"}}
    memory.say(said, session="first", trust="trusted")
    memory.write(said, PARCELS, category="status", valid_from="2026-01-05", **doubted)
    moved = "We moved the mirror of the archive from Oslo to Bergen."
    memory.write(moved, PARCELS, category="decision", valid_from="2026-02-20", **doubted)

    hits = memory.ask("where does the mirror of the archive stand").hits

    assert [(hit.text, hit.trust, hit.now) for hit in hits if hit.kind == "turn"] == [(said, "trusted", None)]
