"""The part of the state that a decision needs to see, read from the tables."""

import json
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Protocol

from engram.model.changes.state import State
from engram.model.commands.command import CommandResult
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.ports.database import SliceKeys
from engram.rules.writes.comparable import FEW_FACTS
from engram.rules.writes.comparable import MOST_OF_ONE_KEY
from engram.store.database.tables import rows

MOST_TURNS = 5  # of a session, up to one or the newest ones: they tell what was said last
MOST_MENTIONING = 40  # facts in which words of a correction stand, those with the most of them
MOST_SAID = 60  # facts of a session, the newest ones, that something said there may take back


class Select(Protocol):
    """Asks one query of `queries.sql` by its name."""

    def __call__(self, name: str, **parameters: Any) -> Sequence[Mapping[str, Any]]:
        """Return its rows."""
        ...


def load_slice(select: Select, keys: SliceKeys) -> State:
    """Return the part of the state that the keys name."""
    state = State()
    for row in select(
        "entities_by_name",
        paths=sorted(name.casefold() for name in keys.names),
        names=sorted(" ".join(name.split()).casefold() for name in keys.names),
    ):
        state.put_entity(rows.entity_of(row))
    _load_redirects(select, state, keys)
    _load_whole(select, state, keys.whole)
    _load_named(select, state, keys.fact_ids)
    for row in select("facts_of_scopes", scopes=sorted(keys.scopes)) if keys.scopes else ():
        state.put_fact(rows.fact_of(row))
    _load_comparable(select, state, keys)
    _load_renewable(select, state, keys)
    _load_mentioning(select, state, keys)
    for row in select("facts_made_of", ids=sorted(keys.made_of)) if keys.made_of else ():
        state.put_fact(rows.fact_of(row))
    if keys.with_plans:
        _load_plans(select, state)
    _load_said(select, state, keys)
    _load_use(select, state, keys)
    return state


def load_touched(select: Select, keys: SliceKeys) -> State:
    """Return just the rows of these keys: all that folding records asks for, of which a journal to replay has many."""
    state = State()
    paths = sorted(keys.names)
    for row in select("entities_at", paths=paths) if paths else ():
        state.put_entity(rows.entity_of(row))
    for row in select("redirects_at", paths=paths) if paths else ():
        state.redirects[row["path"]] = rows.redirect_of(row)
    ids = sorted(keys.fact_ids)
    for row in select("facts_by_full_id", ids=ids) if ids else ():
        state.put_fact(rows.fact_of(row))
    for row in select("usages_by_id", ids=ids) if ids else ():
        state.usages[row["fact_id"]] = rows.usage_of(row)
    for row in select("tensions_by_id", ids=sorted(keys.tension_ids)) if keys.tension_ids else ():
        state.tensions[row["id"]] = rows.tension_of(row)
    for row in select("sessions_by_name", names=sorted(keys.sessions)) if keys.sessions else ():
        state.sessions[row["name"]] = rows.session_of(row)
    _load_reviews(select, state, keys)
    _load_undoables(select, state, keys)
    _load_numbers(select, state)
    return state


def _load_redirects(select: Select, state: State, keys: SliceKeys) -> None:
    """Load the paths that entities have left, of those that the keys name, and the entities where they lead."""
    names = {" ".join(name.split()).casefold() for name in keys.names}
    for row in select("every_entity") if keys.everybody else ():
        state.put_entity(rows.entity_of(row))
    asked = names or keys.everybody
    found = select("redirects_by_name", names=[] if keys.everybody else sorted(names)) if asked else ()
    while found:
        for row in found:
            state.redirects[row["path"]] = rows.redirect_of(row)
        further = {one.to for one in state.redirects.values()} - state.redirects.keys() - state.entities.keys()
        for row in select("entities_by_name", paths=sorted(further), names=[]) if further else ():
            state.put_entity(rows.entity_of(row))
        further -= state.entities.keys()
        found = select("redirects_by_name", names=sorted(further)) if further else ()


def _load_whole(select: Select, state: State, names: frozenset[str]) -> None:
    """Load all that is said of some entities, and all that names them; also of a path at which none stands yet."""
    paths = sorted({path for name in names for path in (name, *state.find_entities(name))})
    if not paths:
        return
    for row in select("facts_around", paths=paths):
        state.put_fact(rows.fact_of(row))
    for row in select("observations_around", paths=paths):
        state.observations[row["id"]] = rows.observation_of(row)
    for row in select("pairs_around", paths=paths):
        state.tensions[row["id"]] = rows.tension_of(row)


def _load_undoables(select: Select, state: State, keys: SliceKeys) -> None:
    found = [
        *(select("undoables_by_id", ids=sorted(keys.undoable_ids)) if keys.undoable_ids else ()),
        *(select("undoables_of_kind", kinds=sorted(keys.undoable_kinds)) if keys.undoable_kinds else ()),
        *(select("undoables_latest", actors=sorted(keys.undoable_latest)) if keys.undoable_latest else ()),
    ]
    state.undoables.update((row["id"], rows.undoable_of(row)) for row in found)


def _load_named(select: Select, state: State, fact_ids: frozenset[str]) -> None:
    for name in ("full", "short"):
        ids = sorted(key for key in fact_ids - state.facts.keys() if ("/" in key) == (name == "full"))
        for row in select(f"facts_by_{name}_id", ids=ids) if ids else ():
            state.put_fact(rows.fact_of(row))
    wanted = sorted({fact.entity for fact in state.facts.values()} - set(state.entities))
    for row in select("entities_by_name", paths=wanted, names=[]) if wanted else ():
        state.put_entity(rows.entity_of(row))


def _load_plans(select: Select, state: State) -> None:
    """Load what is to end where one of the loaded facts begins."""
    ids = sorted(fact.id for fact in state.facts.values() if fact.status == Status.ACTIVE)
    for row in select("facts_to_end", ids=ids) if ids else ():
        state.put_fact(rows.fact_of(row))


def _load_comparable(select: Select, state: State, keys: SliceKeys) -> None:
    wanted = [
        {"entity": path, "fingerprint": fingerprint, "skeleton": skeleton, "attribute": attribute or None}
        for name, fingerprint, skeleton, attribute in keys.statements
        for path in state.find_entities(name)
    ]
    if wanted:
        for row in select("facts_to_compare", keys=json.dumps(wanted), few=FEW_FACTS):
            state.put_fact(rows.fact_of(row))
    slots = [f"{path}\n{attribute}" for name, attribute in keys.histories for path in state.find_entities(name)]
    for row in select("facts_before", slots=sorted(slots)) if slots else ():
        state.put_fact(rows.fact_of(row))


def _load_renewable(select: Select, state: State, keys: SliceKeys) -> None:
    """Load the facts that statements under these keys may bring up to date, and who said them where."""
    if not keys.renewals:
        return
    met_under = [{"scope": scope, "key": key} for scope, key in sorted(keys.renewals)]
    found = select("facts_to_renew", wanted=json.dumps(met_under), most=MOST_OF_ONE_KEY)
    _put_with_origins(select, state, [rows.fact_of(row) for row in found])


def _load_mentioning(select: Select, state: State, keys: SliceKeys) -> None:
    """Load the facts in which words of a correction stand, wherever they are filed, and who said them where."""
    for scope, phrases in sorted(keys.mentions):
        found = select("facts_mentioning", scope=scope, phrases=list(phrases), most=MOST_MENTIONING)
        _put_with_origins(select, state, [rows.fact_of(row) for row in found])


def _put_with_origins(select: Select, state: State, facts: Sequence[Fact]) -> None:
    """Put facts into the state, with the entities that they are about, and the turns and sessions they come from."""
    for fact in facts:
        state.put_fact(fact)
    turns = sorted({fact.source.turn for fact in facts if fact.source.turn} - state.turns.keys())
    for row in select("turns_by_id", ids=turns) if turns else ():
        state.turns[row["id"]] = rows.turn_of(row)
    sessions = sorted({fact.source.session for fact in facts if fact.source.session} - state.sessions.keys())
    for row in select("sessions_by_name", names=sessions) if sessions else ():
        state.sessions[row["name"]] = rows.session_of(row)
    wanted = sorted({fact.entity for fact in facts} - state.entities.keys())
    for row in select("entities_by_name", paths=wanted, names=[]) if wanted else ():
        state.put_entity(rows.entity_of(row))


def _load_said(select: Select, state: State, keys: SliceKeys) -> None:
    """Load what was said lately in sessions in which something is corrected, and who said it.

    Also the turns of whatever else may be corrected: a conversation may be read long after it was held.
    """
    if not keys.said_in:
        return
    said = [rows.fact_of(row) for row in select("facts_said_in", sessions=sorted(keys.said_in), most=MOST_SAID)]
    for fact in said:
        if fact.id not in state.facts:
            state.put_fact(fact)
    turns = sorted({fact.source.turn for fact in state.facts.values() if fact.source.turn} - state.turns.keys())
    for row in select("turns_by_id", ids=turns):
        state.turns[row["id"]] = rows.turn_of(row)
    for row in select("last_turns", sessions=sorted(keys.said_in), ids=sorted(keys.turn_ids), most=MOST_TURNS):
        state.turns[row["id"]] = rows.turn_of(row)
    wanted = sorted({fact.entity for fact in said} - set(state.entities))
    for row in select("entities_by_name", paths=wanted, names=[]) if wanted else ():
        state.put_entity(rows.entity_of(row))


def _load_use(select: Select, state: State, keys: SliceKeys) -> None:
    if keys.fact_ids or state.facts:
        live = {fact.id for fact in state.facts.values() if fact.status == Status.ACTIVE}
        short = {fact_id for fact_id in state.facts if fact_id.partition("/")[2] in keys.fact_ids}
        found = select("usages_by_id", ids=sorted(keys.fact_ids | short | live))
        state.usages.update((row["fact_id"], rows.usage_of(row)) for row in found)
    for row in select("open_tensions_of_facts", ids=sorted(state.facts)) if state.facts else ():
        state.tensions[row["id"]] = rows.tension_of(row)
    for row in select("tensions_by_id", ids=sorted(keys.tension_ids)) if keys.tension_ids else ():
        state.tensions[row["id"]] = rows.tension_of(row)
    for row in select("commands_by_id", ids=sorted(keys.command_ids)) if keys.command_ids else ():
        result = CommandResult.model_validate_json(row["result"])
        state.commands[result.command_id] = result
    for row in select("sessions_by_name", names=sorted(keys.sessions)) if keys.sessions else ():
        state.sessions[row["name"]] = rows.session_of(row)
    _load_texts(select, state, keys)
    _load_reviews(select, state, keys)
    _load_undoables(select, state, keys)
    _load_numbers(select, state)


def _load_reviews(select: Select, state: State, keys: SliceKeys) -> None:
    for row in select("observations_by_id", ids=sorted(keys.observation_ids)) if keys.observation_ids else ():
        state.observations[row["id"]] = rows.observation_of(row)
    for fingerprint, words in keys.noticed:
        for row in select("observations_like", fingerprint=fingerprint, words=list(words)):
            state.observations[row["id"]] = rows.observation_of(row)
    for row in select("settlements_by_id", ids=sorted(keys.settlement_ids)) if keys.settlement_ids else ():
        state.settlements[row["id"]] = rows.settlement_of(row)
    for row in select("settlements_of", ids=sorted(keys.settled_of)) if keys.settled_of else ():
        state.settlements[row["id"]] = rows.settlement_of(row)
    for row in select("handoffs_by_id", ids=sorted(keys.handoff_ids)) if keys.handoff_ids else ():
        state.handoffs[row["id"]] = rows.handoff_of(row)
    said = [(path, key[1]) for key in keys.statements for path in state.find_entities(key[0])]
    sides = sorted({f"{path}\n{fingerprint}" for path, fingerprint in said})
    for row in select("tensions_of_pairs", sides=sides) if sides else ():
        state.tensions[row["id"]] = rows.tension_of(row)


def _load_numbers(select: Select, state: State) -> None:
    found = select("numbers")[0]
    state.tension_count, state.observation_count = found["tensions"], found["observations"]
    state.settlement_count, state.undoable_count = found["settlements"], found["undoables"]
    state.handoff_count = found["handoffs"]


def _load_texts(select: Select, state: State, keys: SliceKeys) -> None:
    for row in select("turns_by_id", ids=list(keys.turn_ids)) if keys.turn_ids else ():
        state.turns[row["id"]] = rows.turn_of(row)
    for row in select("notes_by_id", ids=list(keys.note_ids)) if keys.note_ids else ():
        state.notes[row["id"]] = rows.note_of(row)
    if keys.turn_ids:
        found = select("turn_counts", names=sorted(keys.sessions))
        state.turn_counts = {row["session"]: row["count_star()"] for row in found}
