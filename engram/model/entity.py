"""The entity: a person, a project or an archived one, with its names; and the path that an entity has left."""

from engram.model.value import Instant
from engram.model.value import Value


class Entity(Value):
    """One node of the graph."""

    path: str  # people/anna, projects/billing, archives/old-thing
    title: str  # as people write it
    aliases: tuple[str, ...] = ()  # other names, as written
    created_at: Instant
    next_number: int = 1  # number of the next fact born under this path; never goes down
    archived_from: str | None = None  # where it stood before it was archived


class Redirect(Value):
    """A path that an entity has left: its name still finds the entity, and the numbers born there stay taken."""

    path: str
    to: str  # where it went; may have been left since, too
    next_number: int = 1  # as it was
