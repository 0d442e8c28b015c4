"""Sessions: which there are and what came of them; one with its turns and what became of each."""

from typing import Any

from engram.services.facts.sources.session_turns import OUTCOMES
from engram.services.facts.sources.session_turns import TurnQuery
from engram.services.facts.sources.session_turns import session_list
from engram.services.facts.sources.session_turns import session_turns
from engram.web.asked import Asked
from engram.web.asked import Page


def sessions(page: Page, asked: Asked) -> dict[str, Any]:
    """Return {"sessions"}, or with a name in the path that session's turns.

    Parameters of a session: `outcome`, `since` (ordinal of the first turn), `most`.
    """
    with page.workspace.reading() as database:
        if not asked.rest:
            return {"sessions": session_list(database, page.caller)}
        outcome = asked.one_of("outcome", ("", *OUTCOMES))
        since, most = asked.number("since", 0, 0, 10**9), asked.number("most", 50, 1, 200)
        return session_turns(database, TurnQuery(asked.rest, outcome, since, most), page.moment())
