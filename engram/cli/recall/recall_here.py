"""`engram recall` answered in its own process: many questions, chosen hits, what always holds, and one question."""

from collections.abc import Callable
from typing import Any

from engram.base.json_values import load_json
from engram.cli.invocation.asked import Invocation
from engram.cli.recall.strictness import refuse_if_strict
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import MalformedInputError
from engram.operations.answers.ask import answer_standing as ask_standing
from engram.operations.answers.ask import log_answers
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import read_details
from engram.operations.answers.ask import read_place
from engram.operations.answers.ask import recalling
from engram.operations.answers.ask_many import answer_in_turns
from engram.operations.answers.combined import answer_combined as ask_combined
from engram.services.context.standing_instructions import StandingQuery
from engram.services.recall.answer import Recall
from engram.services.recall.presentation.render import answer_text
from engram.services.recall.presentation.render import hits_lines
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallQuery
from engram.services.recall.query import hit_json
from engram.warm.warm_store import keep_warm
from engram.workspace import Workspace


def answer_question(
    asked: Invocation,
    workspace: Workspace,
    given: dict[str, Any],
    shown: Callable[[dict[str, Any], str], str],
    *,
    strict: bool,
) -> int:
    """Answer one question; `shown` returns what is printed of it."""
    query = make_query(workspace, given)
    with recalling(workspace, query.query) as memory:
        answer = memory.answer(query)
        asked.emit(answer.as_json(), shown(answer.as_json(), answer_text(answer)))
        log_answers(workspace, [(query, answer)])
        _refuse_if_strict([answer], strict=strict)
        asked.leave(0)  # closing the index would empty the page cache, for which the next question had to wait
    return 0


def answer_combined(asked: Invocation, workspace: Workspace, given: dict[str, Any], *, strict: bool) -> int:
    """Print what the session has before it, and the answer of the memory."""
    found = ask_combined(workspace, make_query(workspace, given))
    asked.emit(found.as_json(), found.text())
    _refuse_if_strict([found.long], strict=strict)
    return 0


def answer_detail(asked: Invocation, workspace: Workspace, ids: tuple[str, ...], given: dict[str, Any]) -> int:
    """Print the whole text of chosen hits."""
    hits = read_details(workspace, ids, given)
    asked.emit({"hits": [hit_json(hit) for hit in hits]}, "\n".join(hits_lines(hits)))
    return 0


def answer_place(asked: Invocation, workspace: Workspace, at: str, given: dict[str, Any]) -> int:
    """Print the lines around a place of a note."""
    hit = read_place(workspace, at, given)
    asked.emit({"hits": [hit_json(hit)]}, "\n".join(hits_lines([hit])))
    return 0


def answer_standing(asked: Invocation, workspace: Workspace, given: dict[str, Any], *, strict: bool) -> int:
    """Print what always holds; the index is not needed for it."""
    who = {name: given[name] for name in ("session", "agent", "budget") if name in given}
    answer = ask_standing(workspace, StandingQuery(**who, limit=given.get("k")))
    asked.emit(answer.as_json(), answer_text(answer, stands=True))
    _refuse_if_strict([answer], strict=strict)
    return 0


def answer_lines(asked: Invocation, workspace: Workspace, text: str, given: dict[str, Any], *, strict: bool) -> int:
    """Answer each line in order; raise MalformedInputError when a line was bad, after all."""
    answers: list[RecallAnswer] = []
    lines = [line for line in text.split("\n") if line.strip()]

    def answer(memory: Recall, line: str) -> tuple[RecallQuery, RecallAnswer] | EngramError:
        return _answer_line(workspace, line, given, memory.answer)

    numbered = enumerate(lines, 1)
    with keep_warm(workspace) as warm:
        for said in answer_in_turns(warm, lines, answer):
            for one, (number, line) in zip(said, numbered, strict=False):
                _emit_line(asked, number, line, one)
            good = [one for one in said if not isinstance(one, EngramError)]
            log_answers(workspace, good)
            answers += [answer for _, answer in good]
    if len(answers) < len(lines):
        raise MalformedInputError(
            f"{len(lines) - len(answers)} of {len(lines)} questions could not be asked; each says why",
            hint='lines are {"id": 1, "query": "what does Anna prefer"}',
        )
    _refuse_if_strict(answers, strict=strict)
    return 0


def _emit_line(asked: Invocation, number: int, line: str, said: tuple[RecallQuery, RecallAnswer] | EngramError) -> None:
    if isinstance(said, EngramError):
        words = {"line": number, "error": said.code, "message": said.message, "hint": said.hint}
        asked.emit_line({"id": _id_of(line), **words}, f"line {number}: {said.message}")
    else:
        asked.emit_line({"id": _id_of(line), **said[1].as_json()}, answer_text(said[1]))


def _answer_line(
    workspace: Workspace, line: str, given: dict[str, Any], answer: Callable[[RecallQuery], RecallAnswer]
) -> tuple[RecallQuery, RecallAnswer] | EngramError:
    try:
        fields = load_json(line)
        if not isinstance(fields, dict):
            return BadValueError("it is not an object", hint='such as {"id": 1, "query": "what does Anna prefer"}')
        fields.pop("id", None)
        query = make_query(workspace, {**given, **fields})
        return query, answer(query)
    except ValueError as problem:
        return BadValueError(f"it is not JSON: {problem}", hint='such as {"id": 1, "query": "what does Anna prefer"}')
    except EngramError as problem:
        return problem


def _id_of(line: str) -> Any:
    try:
        fields = load_json(line)
    except ValueError:
        return None
    return fields.get("id") if isinstance(fields, dict) else None


def _refuse_if_strict(answers: list[RecallAnswer], *, strict: bool) -> None:
    for answer in answers:
        refuse_if_strict(answer.answer, answer.degraded, impaired=answer.impaired, strict=strict)
