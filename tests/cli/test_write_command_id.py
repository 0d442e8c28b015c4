"""An id of one's own, used by two processes at the same moment: each is told what became of what it said itself."""

import threading
import time

from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.conftest import Answer
from tests.conftest import Engram

WORDS = ("write", "--entity", "people/anna", "--create", "--command-id", "own-1", "--json", "--wait", "30", "--fact")


def _at_once(workspace: Workspace, engram: Engram, texts: tuple[str, ...]) -> list[Answer]:
    """Write each text in a process of its own, all with one id and all before the store is free."""
    answers: dict[int, Answer] = {}

    def write(number: int, text: str) -> None:
        answers[number] = engram(*WORDS, text)

    with workspace.locks.named("store", "test").hold(wait_s=1):
        threads = [threading.Thread(target=write, args=one) for one in enumerate(texts)]
        for number, thread in enumerate(threads, 1):
            thread.start()
            while len(workspace.spool.waiting()) < number:
                time.sleep(0.01)
    for thread in threads:
        thread.join()
    return [answers[number] for number in range(len(texts))]


def test_of_two_that_say_different_things_under_one_id_each_hears_of_its_own(
    workspace: Workspace, engram_process: Engram
) -> None:
    first, second = _at_once(workspace, engram_process, ("Anna likes tea", "Anna likes jazz"))

    assert (first.code, first.json["status"]) == (0, "created")
    assert (second.code, second.json["status"]) == (4, "refused")
    assert "used before, for something else" in second.json["reason"]
    with workspace.reading() as database:
        assert [fact.text for fact in database.list_facts(FactFilter())] == ["Anna likes tea"]


def test_two_that_say_the_same_under_one_id_hear_of_the_same_fact(workspace: Workspace, engram_process: Engram) -> None:
    first, second = _at_once(workspace, engram_process, ("Anna likes tea", "Anna likes tea"))

    assert (first.code, second.code) == (0, 0)
    assert first.json["id"] == second.json["id"] == "people/anna-001"
    with workspace.reading() as database:
        assert len(database.list_facts(FactFilter())) == 1
