"""Hits as they are given out: a candidate with what the store says of it now, and what it said before."""

import datetime as dt
from typing import Final

from engram.base.clock import local_day
from engram.model.document import CANDIDATE
from engram.model.document import FACT
from engram.model.document import OF_STORE
from engram.model.document import Document
from engram.model.document import Hit
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.rules.origin import source_words
from engram.rules.recall.ranking import shown_score
from engram.rules.review_queue import WITHHELD
from engram.rules.temporal import written_begin
from engram.services.recall.query import RecallQuery
from engram.services.recall.retrieval.candidate_set import CandidateSet
from engram.services.recall.validity.superseded import SupersededStatement
from engram.services.visibility import may_see

_FIRST_LINE_CHARS: Final = 120  # of a text in an answer that gives first lines only


def make_hit(
    pool: CandidateSet,
    key: str,
    score: float,
    zone: dt.tzinfo,
    asked: RecallQuery | None = None,
    text: str | None = None,
) -> Hit:
    """Return one candidate as a hit.

    Args:
        pool: that holds it.
        key: its id.
        score: fused, 0 and up.
        zone: of the workspace, for its day.
        asked: the question; None: chosen by its id.
        text: what is shown, when that is more or less than its own text.
    """
    document, fact = pool.documents[key], pool.facts.get(key)
    place = pool.documents.get(pool.place_of.get(key, ""), document)
    waits = fact is not None and fact.status == Status.CANDIDATE
    return Hit(
        id=key,
        kind=(CANDIDATE if waits else FACT) if fact is not None else document.kind,
        text=first_line(document.text) if asked and asked.index_only else text or document.text,
        score=shown_score(score),
        state=None if asked and asked.asks_for_the_past() else pool.to_mark.get(key),
        overdue_since=None if asked and asked.asks_for_the_past() else pool.overdue.get(key),
        date=_date(document, fact, zone),
        entity=fact.entity if fact else document.entity,
        source=source_words(fact.source) if fact else _place_of(document),
        tier=None if waits else pool.tiers.get(key),
        trust=fact.trust if fact else document.trust,
        path=place.path or document.path,
        lines=place.lines,
        ref=document.ref,
        session=document.session,
        legs=pool.legs_of(key) if asked and asked.explain else None,
    )


def is_for(document: Document, who: RecallQuery) -> bool:
    """Tell whether a document, whatever became of it, may be shown to who asks."""
    caller = who.asker()
    if document.kind == "self":
        return caller.sees_self
    session, raw = document.session, document.kind not in OF_STORE
    return may_see(caller, document.scope, session, raw=raw, besides=who.scopes)


def harmless(hit: Hit) -> Hit:
    """Return a hit without its words when it is quarantined: they are for a person, in the review."""
    if hit.trust != Trust.QUARANTINED:
        return hit
    return hit.model_copy(update={"text": WITHHELD})


def with_history(hit: Hit, former: Fact | None, retired: SupersededStatement | None) -> Hit:
    """Return a hit with what it said before, or, of raw text, with what holds today."""
    if former is not None:
        return hit.model_copy(update={"was": former.text})
    if retired is not None:
        now = retired.now.text if retired.now else f"no longer held: {retired.fact.text}"
        return hit.model_copy(update={"now": now})
    return hit


def first_line(text: str) -> str:
    """Return the first line of a text that is not blank, cut to 120 characters with an ellipsis."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return line if len(line) <= _FIRST_LINE_CHARS else line[: _FIRST_LINE_CHARS - 1].rstrip() + "…"


def _place_of(document: Document) -> str | None:
    """Return where a text stands: of a turn the conversation, else the file."""
    if document.kind == "turn":
        return document.session or document.path
    return document.path or document.session


def _date(document: Document, fact: Fact | None, zone: dt.tzinfo) -> str | None:
    if fact is not None:
        return written_begin(fact, zone)
    return local_day(document.at, zone).isoformat() if document.at else None
