"""Rearranging entities: what stood where before, and what stands there now, so that it can be taken back."""

from enum import StrEnum

from engram.model.changes.settlement import FactLife
from engram.model.entity import Entity
from engram.model.value import Value


class Verb(StrEnum):
    """How entities were rearranged."""

    MOVE = "move"  # an entity goes to another path, or has other names: rename, archive, restore
    MERGE = "merge"  # one entity goes into another
    SPLIT = "split"  # some facts of an entity become an entity of their own
    UNMERGE = "unmerge"  # what was merged stands apart again
    UNSPLIT = "unsplit"  # what was split stands together again
    NAMES = "names"  # an entity that was added, or an alias that was given, is taken back


class Place(Value):
    """What stands at a path: an entity, the way to one that left, or nothing."""

    entity: Entity | None = None
    to: str | None = None  # where the entity went that stood here


class EntityStep(Value):
    """What becomes of one path."""

    path: str
    was: Place
    now: Place


class FactPlace(Value):
    """Where a fact stands in the graph."""

    entity: str  # path
    related: tuple[str, ...] = ()  # paths
    life: FactLife | None = None  # None: the step leaves its life alone


class FactStep(Value):
    """What becomes of one fact; its id, its text and its chain stay."""

    id: str
    was: FactPlace
    now: FactPlace


class NoticedPlace(Value):
    """About whom an observation is, and the fact that it suggests."""

    entity: str | None = None
    suggested: str | None = None


class NoticedStep(Value):
    """What becomes of one observation."""

    id: str
    was: NoticedPlace
    now: NoticedPlace


class PairStep(Value):
    """What becomes of a pair of statements of which somebody said that both hold: see model.tension.Tension.pair."""

    id: str  # of the tension
    was: tuple[str, ...]
    now: tuple[str, ...]


class Rearrangement(Value):
    """One act: every step of it."""

    verb: Verb
    path: str  # of the entity that it is about, afterwards
    former: str | None = None  # the path that it took the entity or the facts from
    entities: tuple[EntityStep, ...] = ()
    facts: tuple[FactStep, ...] = ()
    noticed: tuple[NoticedStep, ...] = ()
    pairs: tuple[PairStep, ...] = ()
