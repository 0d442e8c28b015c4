"""Why a fact was put forward, or why it was not: its use, how often it came again, and what is in the way."""

import datetime as dt
from typing import Any

from engram.ports.database import FactDatabase
from engram.rules.life.promotion import ASKED_LEAST
from engram.rules.life.promotion import DAYS_LEAST
from engram.rules.life.promotion import QUESTIONS_LEAST
from engram.rules.life.promotion import WINDOW_DAYS
from engram.rules.life.promotion import Use
from engram.services.facts.listing import get_fact
from engram.services.synthesis.promotion import read_surroundings
from engram.services.synthesis.promotion import reasons_against
from engram.services.synthesis.promotion import repetition_of
from engram.services.synthesis.promotion import why_proposed
from engram.services.synthesis.uses import uses_of
from engram.workspace import Workspace


def explain_promotion(workspace: Workspace, fact_id: str) -> dict[str, Any]:
    """Return {"id", "text", "by_use", "by_repetition", "against", "proposed"} of one fact.

    `by_use` has what counted in the last 90 days beside what is enough, `by_repetition` what `repetition_of` returns.
    `against` is in words; `proposed` lists the observations that put it forward, with what became of them.

    Raises:
        UnknownFactError, AmbiguousNameError: for the id.
    """
    settings, now = workspace.settings, workspace.now()
    with workspace.reading() as database:
        fact = get_fact(database, fact_id)
        against = reasons_against(fact, read_surroundings(database, workspace.files, settings, now))
        repeated = repetition_of(database, fact, settings.zone)
        proposed = _proposed(database, fact.id)
    since = now - dt.timedelta(days=WINDOW_DAYS)
    use = uses_of(workspace.answers.accesses.rows(), {fact.id}, since=since, zone=settings.zone).get(fact.id, Use())
    return {
        "id": fact.id,
        "text": fact.text,
        "by_use": {
            **use._asdict(),
            "least": Use(ASKED_LEAST, QUESTIONS_LEAST, DAYS_LEAST)._asdict(),
            "window_days": WINDOW_DAYS,
            "is_enough": use.is_enough(),
            "said": use.said_of_least(),
        },
        "by_repetition": repeated,
        "against": against,
        "proposed": proposed,
    }


def _proposed(database: FactDatabase, fact_id: str) -> list[dict[str, Any]]:
    found = [one for one in database.list_observations("all") if one.suggestion is not None and fact_id in one.facts]
    return [
        {
            "id": one.id,
            "target": one.suggestion.target,
            "to_be": one.suggestion.abstraction.value,
            "status": one.status.value,
            "why": why_proposed(database, one),
        }
        for one in found
        if one.suggestion is not None
    ]
