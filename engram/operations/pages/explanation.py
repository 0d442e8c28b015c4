"""A question with all that became of it: hits, the score of each leg, and why every other candidate was left out."""

from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.model.document import Hit
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.workspace import Workspace

_MOST_CHARS: Final = 300  # of a candidate that was left out


def explain_answer(workspace: Workspace, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer to a question as `engram recall --explain` gives it, every dropped candidate with its words.

    Those are under `known`: {"kind", "text", "entity", "date", "trust"}, or None where they are not for the asker.
    Nothing is logged as given out: a person looks at what an agent would be told.

    Args:
        workspace: what is known.
        given: the options of recall by name; `explain` is set here.

    Raises:
        BadValueError: for an option that cannot be.
        UnknownSessionError: when there is no such session.
    """
    query = make_query(workspace, {**given, "explain": True})
    with recalling(workspace, query.query) as memory:
        answer = memory.answer(query)
        told = answer.explain or {"dropped": []}
        known = {hit.id: hit for hit in memory.known([one["id"] for one in told["dropped"]], query)}
    dropped = [{**one, "known": _known(known.get(one["id"]))} for one in told["dropped"]]
    return {**answer.as_json(), "explain": {**told, "dropped": dropped}}


def _known(hit: Hit | None) -> dict[str, Any] | None:
    """Return what tells a candidate from others; of a long text the beginning."""
    if hit is None:
        return None
    is_long = len(hit.text) > _MOST_CHARS
    return {
        "kind": hit.kind,
        "text": f"{hit.text[: _MOST_CHARS - 1].rstrip()}…" if is_long else hit.text,
        "entity": hit.entity,
        "date": hit.date,
        "trust": hit.trust,
    }
