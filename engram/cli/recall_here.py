"""`engram recall` answered in its own process: many questions, chosen hits, what always holds, and one question."""

import json
from collections.abc import Callable
from typing import Any

from engram.base.token_estimate import estimate_tokens
from engram.cli.footing import refuse_if_strict
from engram.cli.options import Invocation
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import MalformedInputError
from engram.services.commands.access_counts import GivenOut
from engram.services.context.standing_instructions import StandingQuery
from engram.services.context.standing_instructions import recall_standing
from engram.services.recall.candidates import Gatherer
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallQuery
from engram.services.recall.query import hit_json
from engram.services.recall.render import answer_text
from engram.services.recall.render import hits_lines
from engram.workspace import Workspace
from engram.workspace.asking import circumstances
from engram.workspace.asking import make_query
from engram.workspace.asking import read_place
from engram.workspace.asking import recalling
from engram.workspace.asking import remembering
from engram.workspace.asking import searching

_LINES_AT_A_TIME = 32  # questions between which writers get their turn


def answer_question(
    asked: Invocation, workspace: Workspace, given: dict[str, Any], shown: Callable[[str], str], *, strict: bool
) -> int:
    """Answer one question; `shown` returns what of its text is printed."""
    query = make_query(workspace, given)
    with recalling(workspace, query.query) as memory:
        answer = memory.answer(query)
        asked.emit(answer.as_json(), shown(answer_text(answer)))
        workspace.log_accesses([GivenOut(answer.hits, answer.tokens, query.query, query.session)])
        _refuse_if_strict([answer], strict=strict)
        asked.leave(0)  # closing the index would empty the page cache, for which the next question had to wait
    return 0


def answer_detail(asked: Invocation, workspace: Workspace, ids: tuple[str, ...], given: dict[str, Any]) -> int:
    """Print the whole text of chosen hits."""
    asker = make_query(workspace, {"query": "ids", **given})
    with recalling(workspace) as memory:
        hits = memory.detail(ids, asker)
    asked.emit({"hits": [hit_json(hit) for hit in hits]}, "\n".join(hits_lines(hits)))
    tokens = sum(estimate_tokens(hit.text) for hit in hits)
    workspace.log_accesses([GivenOut(hits, tokens, session=given.get("session"), door="detail")])
    return 0


def answer_place(asked: Invocation, workspace: Workspace, at: str, given: dict[str, Any]) -> int:
    """Print the lines around a place of a note."""
    hit = read_place(workspace, at, given)
    asked.emit({"hits": [hit_json(hit)]}, "\n".join(hits_lines([hit])))
    return 0


def answer_standing(asked: Invocation, workspace: Workspace, given: dict[str, Any], *, strict: bool) -> int:
    """Print what always holds; the index is not needed for it."""
    who = {name: given[name] for name in ("session", "agent", "budget") if name in given}
    query = StandingQuery(**who, limit=given.get("k"))
    with workspace.reading() as database:
        around = circumstances(workspace)
        Gatherer(None, database, around).check_session(query.session)
        answer = recall_standing(database, query, around, owner=workspace.settings.owner)
    asked.emit(answer.as_json(), answer_text(answer))
    workspace.log_accesses([GivenOut(answer.hits, answer.tokens, session=query.session, door="standing")])
    _refuse_if_strict([answer], strict=strict)
    return 0


def answer_lines(asked: Invocation, workspace: Workspace, text: str, given: dict[str, Any], *, strict: bool) -> int:
    """Answer each line in order, the index opened once; raise MalformedInputError when a line was bad, after all."""
    answers: list[RecallAnswer] = []
    lines = [line for line in text.split("\n") if line.strip()]
    with searching(workspace, None) as searched:  # many questions are worth waiting for the whole index
        for first in range(0, len(lines), _LINES_AT_A_TIME):
            with remembering(workspace, searched) as memory:
                given_out: list[GivenOut] = []
                for number, line in enumerate(lines[first : first + _LINES_AT_A_TIME], first + 1):
                    one = _answer_line(workspace, line, given, memory.answer)
                    _emit_line(asked, line, number, one)
                    if isinstance(one, RecallAnswer):
                        answers.append(one)
                        given_out.append(_given_out(line, given, one))
            workspace.log_accesses(given_out)
    if len(answers) < len(lines):
        raise MalformedInputError(
            f"{len(lines) - len(answers)} of {len(lines)} questions could not be asked; each says why",
            hint='lines are {"id": 1, "query": "what does Anna prefer"}',
        )
    _refuse_if_strict(answers, strict=strict)
    return 0


def _emit_line(asked: Invocation, line: str, number: int, one: RecallAnswer | EngramError) -> None:
    if isinstance(one, EngramError):
        words = {"line": number, "error": one.code, "message": one.message, "hint": one.hint}
        asked.emit_line({"id": _id_of(line), **words}, f"line {number}: {one.message}")
    else:
        asked.emit_line({"id": _id_of(line), **one.as_json()}, answer_text(one))


def _answer_line(
    workspace: Workspace, line: str, given: dict[str, Any], answer: Callable[[RecallQuery], RecallAnswer]
) -> RecallAnswer | EngramError:
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            return BadValueError("it is not an object", hint='such as {"id": 1, "query": "what does Anna prefer"}')
        fields.pop("id", None)
        return answer(make_query(workspace, {**given, **fields}))
    except ValueError as problem:
        return BadValueError(f"it is not JSON: {problem}", hint='such as {"id": 1, "query": "what does Anna prefer"}')
    except EngramError as problem:
        return problem


def _given_out(line: str, given: dict[str, Any], answer: RecallAnswer) -> GivenOut:
    fields = {**given, **json.loads(line)}
    return GivenOut(answer.hits, answer.tokens, fields["query"], fields.get("session"))


def _id_of(line: str) -> Any:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields.get("id") if isinstance(fields, dict) else None


def _refuse_if_strict(answers: list[RecallAnswer], *, strict: bool) -> None:
    for answer in answers:
        refuse_if_strict(answer.answer, answer.degraded, impaired=answer.impaired, strict=strict)
