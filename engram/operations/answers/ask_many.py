"""Many questions to a workspace, some at a time: between two turns others have the index and the store.

Turn: some of the questions, for which index and database are held. The answers of a turn are given back when both are
free again, so whoever prints them to a slow reader keeps nobody waiting.
"""

import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import TypeVar

from engram.operations.answers.ask import remembering
from engram.operations.answers.held_index import CATCH_UP_S
from engram.operations.answers.held_index import searching
from engram.services.recall.answer import Recall
from engram.workspace import Workspace

_MOST_AT_A_TIME = 32  # questions of a turn
_TURN_S = 2.0  # of a turn, after which it ends: well below what others wait, and well above what opening anew takes

Question = TypeVar("Question")
Answer = TypeVar("Answer")


def answer_in_turns(
    workspace: Workspace, questions: Sequence[Question], answer: Callable[[Recall, Question], Answer]
) -> Iterator[list[Answer]]:
    """Answer each question in order; yield the answers of one turn after the other.

    Args:
        workspace: a warm one keeps its index open from turn to turn, until another process asks for it.
        questions: the index is wholly brought up to date before the first, which is worth it for many.
        answer: answers one question; what it raises ends all.

    An index that could not be had in time is looked for again at each turn, without waiting.
    """
    budget_s: float | None = None
    wait_s: float | None = None
    done = 0
    while done < len(questions):
        with searching(workspace, budget_s, wait_s=wait_s) as searched, remembering(workspace, searched) as memory:
            answers = _answered(memory, questions[done : done + _MOST_AT_A_TIME], answer)
            wait_s = 0.0 if searched.vectors is None else None
        budget_s = CATCH_UP_S
        done += len(answers)
        yield answers


def _answered(
    memory: Recall, questions: Sequence[Question], answer: Callable[[Recall, Question], Answer]
) -> list[Answer]:
    """Answer at least the first of the questions, and then others until the turn is over."""
    over = time.monotonic() + _TURN_S
    answers: list[Answer] = []
    for question in questions:
        answers.append(answer(memory, question))
        if time.monotonic() >= over:
            break
    return answers
