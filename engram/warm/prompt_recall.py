"""What is recalled unasked for a prompt: what is relevant and says more than the prompt and the session say already.

Before it stand the orders for a case that the prompt meets, and what was learnt from the error that it meets again.
"""

import datetime as dt
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.base.clock import local_day
from engram.base.project import find_project
from engram.base.text import fingerprint
from engram.base.tokens.estimate import estimate_tokens
from engram.errors import BadValueError
from engram.errors import UnknownSessionError
from engram.language.screen.recall_echo import blank_recalled
from engram.language.screen.recall_echo import prints_of
from engram.language.signal.detector import is_small_talk
from engram.language.terms.used_words import own_word_prints
from engram.model.document import Hit
from engram.operations.answers.ask import circumstances
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.rules.recall.ranking import fit_budget
from engram.services.commands.access_counts import RecallReceipt
from engram.services.context.unasked import met_lessons
from engram.services.context.unasked import met_orders
from engram.services.recall.homes import homes_of
from engram.services.recall.presentation.render import answer_text
from engram.services.recall.query import FOUND
from engram.services.recall.query import RecallAnswer
from engram.services.visibility import current_path
from engram.services.visibility import identify
from engram.store.recall_log import RecallLog
from engram.store.recall_log import Uses
from engram.store.recall_log import uses_by_id
from engram.warm.warm_store import WarmWorkspace

DOOR: Final = "prompt"  # of the access log: what nobody asked for proves no use
_FIRST_QUESTION = "what is known of {known}"
_TURN = "turn"
_MORE = 3  # hits that are asked for beyond those that are shown: some say only what the prompt says


def answer_prompt(workspace: WarmWorkspace, options: Mapping[str, Any]) -> tuple[dict[str, Any], Callable[[], None]]:
    """Return {"text", "tokens", "hits"} for a prompt, and what is to be done once it is sent; empty when nothing helps.

    `options`: `query`, the prompt; `session`; `chat`, whether the session is one that is kept apart; `project`, the
    folder that is worked in: what belongs to another project is left out, unless the prompt names that one; `k` and
    `budget`, hits and tokens at most. Each of `hits` has `id`, `kind`, `tokens`, and `words`: prints of the words by
    which its use will be known. What waits in the spool is not applied before, as it would take too long and the prompt
    itself is in there; only notes that are new to the index have it applied, because what waits can keep their session
    apart.

    Raises what recall raises, but for a session that is not known yet: it sees facts alone.
    """
    prompt = blank_recalled(str(options.get("query", ""))).strip()
    session, k = options.get("session"), options.get("k", 1)
    if not isinstance(k, int):
        raise BadValueError("k: is no number", hint="engram recall --help")
    asks = bool(prompt) and not is_small_talk(prompt)
    project = _worked_on(workspace, options.get("project"), prompt) if asks else None
    folder = options.get("project") if project else None  # which, unlike a path, names also what nothing is known of
    asked = {"query": prompt, "k": k + _MORE, "budget": options.get("budget"), "surely": True, "project": folder}
    answer = _answer(workspace, asked, session, chat=bool(options.get("chat"))) if asks else None
    shown = _shown(workspace, answer, prompt, session, k) if answer else []
    first = _fitting(_met(workspace, prompt, session, project), options.get("budget")) if answer else []
    shown = [*first, *_beside(first, shown, options.get("budget"))][: max(k, len(first))]
    if answer is None or not shown:
        return {"text": "", "tokens": 0, "hits": []}, lambda: None
    # Nobody asked: in which time the prompt was looked for is no news to its agent.
    text = answer_text(answer._replace(hits=shown, cut=[], degraded=[], probably_unknown=False, asked_days=None))
    given = RecallReceipt(shown, estimate_tokens(text), prompt, session, DOOR)
    hits = [_as_json(hit, prompt) for hit in shown]
    return {"text": text, "tokens": given.tokens, "hits": hits}, lambda: workspace.answers.note([given])


def warm_up(workspace: WarmWorkspace) -> None:
    """Load all that a question needs, by asking one about somebody who is known; raises what recall raises."""
    with workspace.reading(applies=False) as database:
        known = next((entity.title for entity in database.list_entities()), "")
    answer_prompt(workspace, {"query": _FIRST_QUESTION.format(known=known), "k": 1})


def _worked_on(workspace: WarmWorkspace, folder: object, prompt: str) -> str | None:
    """Return the path of the project of a folder; None where it is none's, or the prompt names another one."""
    if not isinstance(folder, str) or (project := find_project(folder)) is None:
        return None
    with workspace.reading(applies=False) as database:
        path = current_path(database, project.path)
        return path if homes_of(database, path).named(prompt) <= {path} else None


def _answer(workspace: WarmWorkspace, asked: Mapping[str, Any], session: object, *, chat: bool) -> RecallAnswer:
    """Answer as the session may see it; as one that the store does not know yet may: facts alone.

    A chat is always known, and never sees what is another's.
    """
    with recalling(workspace, str(asked["query"]), applies=False) as memory:
        try:
            return memory.answer(make_query(workspace, {**asked, "session": session}))
        except UnknownSessionError:
            if chat:
                raise
            return memory.answer(make_query(workspace, {**asked, "space": "notes"}))


def _shown(workspace: WarmWorkspace, answer: RecallAnswer, prompt: str, session: object, k: int) -> list[Hit]:
    """Return the hits that are worth their tokens, best first."""
    if answer.answer != FOUND or answer.probably_unknown:
        return []
    said = _statements(prompt)
    today = local_day(workspace.now(), workspace.settings.zone)
    fresh = [hit for hit in answer.hits if not _is_echo(hit, said) and not _is_near(hit, session, today)]
    uses = _uses(workspace)
    return [hit for place, hit in enumerate(fresh) if not place or not uses.get(hit.id, Uses()).is_unused()][:k]


def _met(workspace: WarmWorkspace, prompt: str, session: object, project: str | None) -> list[Hit]:
    """Return the orders and lessons whose case a prompt meets, without those that say only what it says."""
    with workspace.reading(applies=False) as database:
        around = circumstances(workspace)
        caller = identify(database, around.agent, str(session) if session else None)
        orders = met_orders(database, prompt, caller, around, project)
        lessons = met_lessons(database, prompt, caller, around)
    said = _statements(prompt)
    return [hit for hit in (*orders, *lessons) if not _is_echo(hit, said)]


def _fitting(hits: list[Hit], budget: object) -> list[Hit]:
    costs = {hit.id: estimate_tokens(hit.text) for hit in hits}
    kept, _ = fit_budget(costs, budget if isinstance(budget, int) else None)
    return [hit for hit in hits if hit.id in kept]


def _beside(first: list[Hit], hits: list[Hit], budget: object) -> list[Hit]:
    """Return the other hits that the budget has room for."""
    ids = {hit.id for hit in first}
    left = budget - sum(estimate_tokens(hit.text) for hit in first) if isinstance(budget, int) else None
    return _fitting([hit for hit in hits if hit.id not in ids], left) if first else hits


def _statements(prompt: str) -> set[str]:
    return {fingerprint(prompt), *prints_of(prompt)}


def _is_echo(hit: Hit, said: set[str]) -> bool:
    """Tell whether a hit says nothing but what the prompt says."""
    return fingerprint(hit.text) in said or (bool(prints := prints_of(hit.text)) and set(prints) <= said)


def _is_near(hit: Hit, session: object, today: dt.date) -> bool:
    """Tell whether a hit was said in this very session, today or yesterday: its agent has read it."""
    if hit.kind != _TURN or hit.session != session or hit.date is None:
        return False
    return hit.date >= (today - dt.timedelta(days=1)).isoformat()


def _uses(workspace: WarmWorkspace) -> dict[str, Uses]:
    """Return what replies made of what was shown; nothing when the log cannot be read."""
    try:
        return uses_by_id(RecallLog(workspace.paths.recall_log).rows())
    except OSError:
        return {}


def _as_json(hit: Hit, prompt: str) -> dict[str, Any]:
    words = own_word_prints(hit.text, prompt)
    return {"id": hit.id, "kind": hit.kind, "tokens": estimate_tokens(hit.text), "words": words}
