"""Changes in what is read of which nobody made a fact, though what they change is one: "staging now runs on 8200".

Whether a statement is worth keeping is judged by itself, and a statement that tells of a change is worth as much as
what it brings up to date: left out, it would leave what is over among the facts. What takes whose place is decided with
the command (see `services.commands.writes.renewals`); here it is only seen whether there seems to be such a fact.
"""

from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.missed.corrections import is_of_a_program
from engram.heartbeat.extraction.missed.spoken import spoken_statements
from engram.language.compare.updates.change_words import announces_change
from engram.language.compare.updates.renewal import is_renewed
from engram.language.compare.updates.renewal import is_same_statement_but_for_values
from engram.language.compare.updates.renewal import renewal_keys
from engram.language.names.spans import names_inside
from engram.language.text.statements import Statement
from engram.model.changes.state import State
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.handoff import HandoffFact
from engram.ports.database import SliceKeys

LoadSlice = Callable[[SliceKeys], State]

_CONFIDENCE: Final = 0.8  # of a change that no statement was made of
_LIVE: Final = frozenset({Status.ACTIVE, Status.CANDIDATE})


class _Told(NamedTuple):
    """A statement that tells of a change and became no fact."""

    row: NoteEntry | Turn
    statement: Statement
    words: str


class _Known(NamedTuple):
    """What a change may bring up to date."""

    entity: str
    text: str
    session: str | None
    scope: str


def find_missed_changes(batch: Batch, facts: Sequence[HandoffFact], load: LoadSlice) -> list[HandoffFact]:
    """Return the facts of a batch, and behind them the changes of known facts or of these of which none was made.

    `load` reads of the store what has some of these keys.
    """
    told = [*_told(batch, facts)]
    if not told:
        return list(facts)
    keys = frozenset((one.row.scope, key) for one in told for key in renewal_keys(one.words))
    sessions = frozenset(one.row.session for one in told if one.row.session)
    state = load(SliceKeys(renewals=keys, sessions=sessions))
    known = [_of_fact(fact) for fact in state.facts.values() if fact.status in _LIVE]
    rows = {row.id: row for row in batch.rows}
    known += [
        _Known(fact.entity, fact.fact, row.session, row.scope) for fact in facts if (row := rows.get(fact.entry or ""))
    ]
    met: dict[tuple[str, str], list[_Known]] = {}
    for one in known:
        for key in renewal_keys(one.text):
            met.setdefault((one.scope, key), []).append(one)
    return [*facts, *(fact for one in told if (fact := _missed(one, met, state.sessions)) is not None)]


def _told(batch: Batch, facts: Sequence[HandoffFact]) -> Iterator[_Told]:
    """Yield the statements of a batch that tell of a change and became no fact."""
    kept: dict[str, list[str]] = {}
    for fact in facts:
        kept.setdefault(fact.entry or "", []).append(fact.quote)
    for row in batch.rows:
        if is_of_a_program(row) or not announces_change(row.text):
            continue
        places = [row.text.find(quote) for quote in (*kept.get(row.id, ()), *kept.get("", ()))]
        for statement, words in spoken_statements(row.text):
            is_kept = any(statement.start <= at < statement.end for at in places)
            if not is_kept and announces_change(words) and renewal_keys(words):
                yield _Told(row, statement, words)


def _of_fact(fact: Fact) -> _Known:
    return _Known(fact.entity, fact.text, fact.source.session, fact.scope)


def _missed(
    told: _Told, met: Mapping[tuple[str, str], Sequence[_Known]], sessions: Mapping[str, Session]
) -> HandoffFact | None:
    """Return the fact that a change makes; None when nothing is known that it can mean, or more than one thing."""
    alike = dict.fromkeys(one for key in sorted(renewal_keys(told.words)) for one in met.get((told.row.scope, key), ()))
    old = [one for one in alike if is_renewed(one.text, told.words) and _is_of_one(told, one, sessions)]
    if not old or not all(is_same_statement_but_for_values(old[0].text, one.text) for one in old[1:]):
        return None
    return HandoffFact(
        entity=old[-1].entity,
        fact=told.words,
        confidence=_CONFIDENCE,
        quote=told.statement.text,
        entry=told.row.id,
    )


def _is_of_one(told: _Told, known: _Known, sessions: Mapping[str, Session]) -> bool:
    """Tell whether a change and a fact are of one thing: they name it, or are of one conversation or project."""
    if names_inside(told.words) & names_inside(known.text):
        return True
    if isinstance(told.row, NoteEntry):
        return False
    if told.row.session == known.session:
        return True
    mine, theirs = (sessions.get(name or "") for name in (told.row.session, known.session))
    return mine is not None and theirs is not None and mine.project == theirs.project
