"""One answer of both memories: what a session has before it, and what is remembered about the question."""

from typing import Any
from typing import NamedTuple

from engram.base.tokens.estimate import estimate_tokens
from engram.language.screen.fence import fence
from engram.operations.answers.ask import find_caller
from engram.operations.answers.ask import log_answers
from engram.operations.answers.ask import recalling
from engram.services.context.short_term import ShortTerm
from engram.services.context.short_term import short_term
from engram.services.recall.presentation.render import answer_text
from engram.services.recall.query import MOST_HITS
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallQuery
from engram.workspace import Workspace


class Combined(NamedTuple):
    """What is asked for with `combined`."""

    short: ShortTerm
    long: RecallAnswer  # without what stands in the short-term part

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the contract."""
        return {"short_term": self.short.as_json(), "long_term": self.long.as_json()}

    def text(self) -> str:
        """Return it as people and agents read it: two fenced parts."""
        lines = self.short.lines()
        if not lines:
            return answer_text(self.long)
        return "\n".join([*fence("this session, right now", lines), answer_text(self.long)])


def answer_combined(workspace: Workspace, asked: RecallQuery) -> Combined:
    """Answer a question from the memory, beside what the session that asks has before it.

    What stands in the short-term part is no hit besides, and turns there take no place of one. Raises what recall
    raises.
    """
    workspace.store.apply_waiting()
    caller = find_caller(workspace, asked.session, asked.agent)
    with workspace.reading() as database:
        short = short_term(database, workspace.files, workspace.settings, caller, workspace.now())
    more = min(asked.limit + len(short.turns), MOST_HITS)
    with recalling(workspace, asked.query) as memory:
        answer = memory.answer(asked.model_copy(update={"limit": more}))
    shown, notes = {turn.id for turn in short.turns}, set(short.note_paths)
    kept = [hit for hit in answer.hits if hit.id not in shown and not (hit.kind == "note" and hit.path in notes)]
    kept = kept[: asked.limit]
    answer = answer._replace(hits=kept, tokens=sum(estimate_tokens(hit.text) for hit in kept))
    log_answers(workspace, [(asked, answer)])
    return Combined(short, answer)
