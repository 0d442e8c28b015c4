"""The state that folding the journal gives, or the slice of it that a decision needs."""

from collections import defaultdict

from engram.base.text import parse_entity_path
from engram.model.command import CommandResult
from engram.model.conversation import NoteEntry
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.model.observation import Observation
from engram.model.settlement import Settlement
from engram.model.tension import Tension


class State:
    """Tables by key. Only `rules.fold` and the database adapter's loader write into it."""

    def __init__(self) -> None:
        """Begin empty."""
        self.entities: dict[str, Entity] = {}
        self.facts: dict[str, Fact] = {}
        self.usages: dict[str, Usage] = {}
        self.tensions: dict[str, Tension] = {}
        self.observations: dict[str, Observation] = {}
        self.settlements: dict[str, Settlement] = {}
        self.sessions: dict[str, Session] = {}
        self.turns: dict[str, Turn] = {}
        self.notes: dict[str, NoteEntry] = {}
        self.commands: dict[str, CommandResult] = {}
        self.watermarks: dict[tuple[str, str], Watermark] = {}
        self.facts_of: dict[str, set[str]] = defaultdict(set)
        self.paths_of_name: dict[str, set[str]] = defaultdict(set)
        self.turn_counts: dict[str, int] = {}
        self.tension_count = 0
        self.observation_count = 0
        self.settlement_count = 0

    def put_fact(self, fact: Fact) -> None:
        """Insert or replace a version."""
        self.facts[fact.id] = fact
        self.facts_of[fact.entity].add(fact.id)

    def put_entity(self, entity: Entity) -> None:
        """Insert or replace an entity and its names."""
        if (before := self.entities.get(entity.path)) is not None:
            for name in _names(before):
                self.paths_of_name[name].discard(entity.path)
        self.entities[entity.path] = entity
        for name in _names(entity):
            self.paths_of_name[name].add(entity.path)

    def find_entities(self, name: str) -> list[str]:
        """Return the paths that a path, title, alias or bare slug can mean, sorted; empty when unknown."""
        parsed = parse_entity_path(name)
        if parsed is not None:
            path = "/".join(parsed)
            return [path] if path in self.entities else []
        return sorted(self.paths_of_name.get(" ".join(name.split()).casefold(), ()))


def _names(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.title, *entity.aliases, entity.path.partition("/")[2])}
