"""Promises of which a text says that they are kept, though nobody made a fact of it: "Ordered the disk today".

What was done today is routine, and hardly worth keeping by itself; it is when somebody owed it. Which promise is over
by it is decided where facts are shown (see `services.recall.validity.outdated`); here it is only seen whether there is
one.
"""

from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.corrections import is_of_a_program
from engram.heartbeat.extraction.missed.spoken import spoken_statements
from engram.language.signal.kept_promises import Deed
from engram.language.signal.kept_promises import read_promise
from engram.language.signal.kept_promises import says_it_is_done
from engram.language.text.statements import Statement
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.handoff import HandoffFact
from engram.model.vocabulary import Category
from engram.services.recall.validity.outdated import promised

_CONFIDENCE: Final = 0.8  # of a kept promise that no statement was made of
_STRUCK: Final = "~~"
_TO_DO: Final = "[ ]"
_MARK_CHARS: Final = 12  # before a statement: emphasis, checkbox


class _Owed(NamedTuple):
    entity: str
    deed: Deed


def find_kept_promises(batch: Batch, facts: Sequence[HandoffFact], known: Sequence[Fact]) -> list[HandoffFact]:
    """Return the facts of a batch, and behind them what says that a promise is kept and became no fact.

    What waits as a candidate and says so is believed. `known` are facts of the store, among them promises.
    """
    owed = [_Owed(fact.entity, deed) for fact in known if (deed := promised(fact)) is not None]
    given = [_Owed(fact.entity, deed) for fact in facts if (deed := _given(fact)) is not None]
    if not owed and not given:
        return list(facts)
    all_owed = list(dict.fromkeys([*owed, *given]))
    settled = [fact.model_copy(update={"candidate": False}) if _keeps(fact, all_owed) else fact for fact in facts]
    return [*settled, *_missed(batch, settled, all_owed)]


def _given(fact: HandoffFact) -> Deed | None:
    """Return what a promise of the same batch says will be done."""
    return read_promise(fact.fact) if fact.category == Category.COMMITMENT else None


def _keeps(fact: HandoffFact, owed: Sequence[_Owed]) -> bool:
    return fact.candidate and any(says_it_is_done(fact.fact, one.deed) for one in owed)


def _missed(batch: Batch, facts: Sequence[HandoffFact], owed: Sequence[_Owed]) -> Iterator[HandoffFact]:
    quotes: dict[str, list[str]] = {}
    for fact in facts:
        quotes.setdefault(fact.entry or "", []).append(fact.quote)
    for row in batch.rows:
        if is_of_a_program(row):
            continue
        places = [row.text.find(quote) for quote in (*quotes.get(row.id, ()), *quotes.get("", ()))]
        for statement, words in spoken_statements(row.text):
            if any(statement.start <= at < statement.end for at in places) or not _is_said(row, statement):
                continue
            about = {one.entity for one in owed if says_it_is_done(words, one.deed)}
            if len(about) == 1:
                yield HandoffFact(
                    entity=about.pop(),
                    fact=words,
                    category=Category.MILESTONE,
                    confidence=_CONFIDENCE,
                    quote=statement.text,
                    entry=row.id,
                )


def _is_said(row: NoteEntry | Turn, statement: Statement) -> bool:
    """Tell whether nothing takes a statement back: it is not struck out, and no task."""
    mark = row.text[max(0, statement.start - _MARK_CHARS) : statement.start].rpartition("\n")[2]
    return _STRUCK not in mark and _TO_DO not in mark
