"""What is given out is noted once, whoever asks and however; and who asks is known before anything is read."""

from collections.abc import Callable

import pytest

from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.errors import UnknownSessionError
from engram.operations.answers.ask import answer_standing
from engram.operations.answers.ask import find_caller
from engram.operations.answers.ask import log_answers
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import read_details
from engram.operations.answers.ask import recalling
from engram.operations.answers.start import start_block
from engram.services.context.block import ContextQuery
from engram.services.context.standing_instructions import StandingQuery
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith


def learn(workspace: Workspace) -> None:
    said = {"entity": "people/anna", "text": "Anna prefers tea", "category": "preference", "create": True}
    workspace.submit("write", said)


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(learn)


def ask(workspace: Workspace) -> None:
    query = make_query(workspace, {"query": "what does Anna prefer"})
    with recalling(workspace, query.query) as memory:
        log_answers(workspace, [(query, memory.answer(query))])


WAYS: dict[str, Callable[[Workspace], object]] = {
    "recall": ask,
    "detail": lambda workspace: read_details(workspace, ["people/anna-001"], {}),
    "standing": lambda workspace: answer_standing(workspace, StandingQuery()),
    "context": lambda workspace: start_block(workspace, ContextQuery(caller=find_caller(workspace))),
}


@pytest.mark.parametrize("door", WAYS)
def test_what_is_given_out_is_noted_once_by_the_way_it_went(known: Workspace, door: str) -> None:
    WAYS[door](known)

    assert [(row["door"], [hit["id"] for hit in row["hits"]]) for row in known.answers.accesses.rows()] == [
        (door, ["people/anna-001"])
    ]


def test_what_nobody_is_shown_is_not_noted(known: Workspace) -> None:
    with pytest.raises(NotFoundError):
        read_details(known, ["people/anna-002"], {})
    with pytest.raises(UnknownSessionError):
        answer_standing(known, StandingQuery(session="nobody"))

    assert known.answers.accesses.rows() == []


def test_who_asks_from_a_session_of_which_nothing_is_known_is_refused(known: Workspace) -> None:
    with pytest.raises(UnknownSessionError):
        find_caller(known, "nobody")


def test_a_question_without_its_text_is_told_what_is_missing_and_what_to_give(workspace: Workspace) -> None:
    with pytest.raises(BadValueError, match=r"^query is missing$") as refused:
        make_query(workspace, {"limit": 3})

    assert refused.value.hint == "give query: the question, in plain words"
