"""The entity: a person, a project or an archived one, with its names."""

from engram.model.value import Instant
from engram.model.value import Value


class Entity(Value):
    """One node of the graph."""

    path: str  # people/anna, projects/billing, archives/old-thing
    title: str  # as people write it
    aliases: tuple[str, ...] = ()  # other names, as written
    created_at: Instant
    next_number: int = 1  # number of the next fact born under this path; never goes down
