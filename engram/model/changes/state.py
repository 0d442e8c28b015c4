"""The state that folding the journal gives, or the slice of it that a decision needs."""

from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator

from engram.base.self_names import is_self_name
from engram.base.text import parse_entity_path
from engram.model.changes.settlement import Settlement
from engram.model.changes.undoable import Undoable
from engram.model.commands.command import CommandResult
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.model.entity import Entity
from engram.model.entity import Redirect
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Usage
from engram.model.observation import Observation
from engram.model.sent_handoff import SentHandoff
from engram.model.tension import Tension


class State:
    """Tables by key. Only `rules.fold` and the database adapter's loader write into it."""

    def __init__(self) -> None:
        """Begin empty."""
        self.entities: dict[str, Entity] = {}
        self.redirects: dict[str, Redirect] = {}
        self.undoables: dict[str, Undoable] = {}
        self.facts: dict[str, Fact] = {}
        self.usages: dict[str, Usage] = {}
        self.tensions: dict[str, Tension] = {}
        self.observations: dict[str, Observation] = {}
        self.settlements: dict[str, Settlement] = {}
        self.handoffs: dict[str, SentHandoff] = {}
        self.sessions: dict[str, Session] = {}
        self.turns: dict[str, Turn] = {}
        self.notes: dict[str, NoteEntry] = {}
        self.commands: dict[str, CommandResult] = {}
        self.watermarks: dict[tuple[str, str], Watermark] = {}
        self.facts_of: dict[str, set[str]] = defaultdict(set)
        self._alike: dict[tuple[str, str], set[str]] = defaultdict(set)
        self._to_end: dict[str, Fact] = {}
        self.paths_of_name: dict[str, set[str]] = defaultdict(set)
        self.turn_counts: dict[str, int] = {}
        self.tension_count = 0
        self.observation_count = 0
        self.settlement_count = 0
        self.handoff_count = 0
        self.undoable_count = 0

    def put_fact(self, fact: Fact) -> None:
        """Insert or replace a version."""
        if (known := self.facts.get(fact.id)) is not None and known.entity != fact.entity:
            self.facts_of[known.entity].discard(fact.id)
        self.facts[fact.id] = fact
        self.facts_of[fact.entity].add(fact.id)
        for mark in _marks_of(fact):
            self._alike[fact.entity, mark].add(fact.id)
        if fact.status == Status.ACTIVE and fact.superseded_by is not None:
            self._to_end[fact.id] = fact
        else:
            self._to_end.pop(fact.id, None)

    def facts_to_end(self) -> list[Fact]:
        """Return the active facts that end where a planned one begins."""
        return [*self._to_end.values()]

    def facts_alike(self, entity: str, fingerprint: str, skeleton: str, attributes: Iterable[str]) -> Iterator[Fact]:
        """Yield the facts of an entity with that fingerprint, that skeleton or one of these attributes, each once."""
        marks = [f"={fingerprint}", f"~{skeleton}", *(f".{one}" for one in attributes)]
        for fact_id in set[str]().union(*(self._alike.get((entity, mark), ()) for mark in marks)):
            if (fact := self.facts[fact_id]).entity == entity:
                yield fact

    def put_entity(self, entity: Entity) -> None:
        """Insert or replace an entity and its names; its path leads nowhere else any more."""
        self.drop_place(entity.path)
        self.entities[entity.path] = entity
        for name in _names_of(entity):
            self.paths_of_name[name].add(entity.path)

    def put_redirect(self, redirect: Redirect) -> None:
        """Let a path lead to another one; the entity that stood there does so no longer."""
        self.drop_place(redirect.path)
        self.redirects[redirect.path] = redirect

    def drop_place(self, path: str) -> None:
        """Let nothing stand at a path."""
        self.redirects.pop(path, None)
        if (known := self.entities.pop(path, None)) is not None:
            for name in _names_of(known):
                self.paths_of_name[name].discard(path)

    def number_at(self, path: str) -> int:
        """Return the number of the next fact that could be born under a path."""
        place = self.entities.get(path) or self.redirects.get(path)
        return place.next_number if place is not None else 1

    def resolve(self, path: str) -> str | None:
        """Return the path of the entity that stands at a path, or went from there; None when there is none."""
        seen = set()
        while path in self.redirects and path not in seen:
            seen.add(path)
            path = self.redirects[path].to
        return path if path in self.entities else None

    def find_entities(self, name: str) -> list[str]:
        """Return the paths that a path, title, alias or bare slug can mean, sorted; empty when unknown.

        What an entity is called now comes before what it was called at a path that it has left. "Me" and the like mean
        whoever was given that name, whatever project or import is called so: its path means that one.
        """
        parsed = parse_entity_path(name)
        if parsed is not None:
            path = self.resolve("/".join(parsed))
            return [path] if path is not None else []
        folded = " ".join(name.split()).casefold()
        if now := self.paths_of_name.get(folded):
            own = [path for path in now if _is_own_name(folded, self.entities[path])] if is_self_name(folded) else []
            return sorted(own or now)
        left = (self.resolve(path) for path in self.redirects if path.partition("/")[2] == folded)
        return sorted({path for path in left if path is not None})


def _is_own_name(folded: str, entity: Entity) -> bool:
    return folded in {alias.casefold() for alias in entity.aliases}


def _marks_of(fact: Fact) -> Iterator[str]:
    """Yield what tells the facts that are alike; of one fact it never changes, but for the entity."""
    yield f"={fact.fingerprint}"
    yield f"~{fact.skeleton}"
    if fact.attribute:
        yield f".{fact.attribute}"


def _names_of(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.title, *entity.aliases, entity.path.partition("/")[2])}
