"""An answer with all that became of the question: the score of each leg, and why every other candidate was left out."""

from typing import Any
from typing import Final

from engram.errors import BadValueError
from engram.operations.pages.explanation import explain_answer
from engram.web.asked import Asked
from engram.web.asked import Page

_OPTIONS: Final = ("as_of", "as_known", "since", "until", "entity", "project", "space")
_MOST_HITS: Final = 50


def ask(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `explain_answer` does for the question `q`; other parameters are called as options of recall are."""
    question = asked.text("q").strip()
    if not question:
        raise BadValueError("q: there is no question")
    given: dict[str, Any] = {name: said for name in _OPTIONS if (said := asked.text(name))}
    settings = page.workspace.settings.recall
    given["k"] = asked.number("k", settings.limit, 1, _MOST_HITS)
    if page.caller is not None:
        given |= {"session": page.caller.session, "agent": page.caller.agent}
    return explain_answer(page.workspace, {"query": question, **given})
