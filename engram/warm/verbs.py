"""What can be asked at the warm door: the same questions as at the command line, with the same answers."""

from collections.abc import Callable
from typing import Any

from engram.errors import EngramError
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.services.commands.access_counts import RecallReceipt
from engram.services.recall.presentation.render import answer_text
from engram.warm.prompt_recall import answer_prompt
from engram.warm.protocol import PROMPT
from engram.warm.warm_store import WarmWorkspace

Reply = tuple[dict[str, Any], Callable[[], None]]
"""The reply, and what is to be done once it is sent."""


class Refused(Exception):  # noqa: N818 - it is no error: the client answers by itself
    """This server does not answer that."""


def recall(workspace: WarmWorkspace, options: dict[str, Any]) -> Reply:
    """Answer one question; `options` are those of `engram recall --jsonl`."""
    _refuse_if_off(workspace)
    query = make_query(workspace, options)
    with recalling(workspace, query.query) as memory:
        answer = memory.answer(query)
    given = RecallReceipt(answer.hits, answer.tokens, query.query, query.session)
    reply = {"answer": answer.as_json(), "text": answer_text(answer), "impaired": answer.impaired}
    return reply, lambda: workspace.answers.note([given])


def prompt(workspace: WarmWorkspace, options: dict[str, Any]) -> Reply:
    """Answer what a hook asks for a prompt; see `answer_prompt`."""
    _refuse_if_off(workspace)
    return answer_prompt(workspace, options)


def _refuse_if_off(workspace: WarmWorkspace) -> None:
    if not workspace.settings.recall.warm:
        raise Refused("recall.warm is off")


def error_words(problem: EngramError) -> dict[str, Any]:
    """Return an error as JSON."""
    words = {"code": problem.code, "message": problem.message, "hint": problem.hint}
    return {**words, "details": problem.details}


VERBS: dict[str, Callable[[WarmWorkspace, dict[str, Any]], Reply]] = {"recall": recall, PROMPT: prompt}
