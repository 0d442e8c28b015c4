"""What an index knows of itself: how far it stands, and whose vectors it holds."""

import json
from collections.abc import Callable
from collections.abc import Mapping
from typing import Annotated
from typing import Any
from typing import NamedTuple

from pydantic import Field
from pydantic import ValidationError

from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.model.value import Value
from engram.ports.index import REBUILD
from engram.ports.index import Embedder

FORMAT = 2  # of the points, the payload and the term weights; another number means: rebuild


class Model(Value):
    """An embedding model whose vectors the points have, or will have."""

    name: str
    vector: str  # name of its vector in the engine
    dimensions: Annotated[int, Field(gt=0)]
    recipe: dict[str, Any] = Field(default_factory=dict)  # the settings that chose it


class State(Value):
    """Kept beside the points; moves after they are flushed."""

    format: int = FORMAT
    position: Annotated[int, Field(ge=0)] = 0  # journal position that the points stand for
    head_hash: str = ""  # of the journal line there
    serving: Model | None = None  # whose vectors are searched
    coming: Model | None = None  # whose vectors are being made beside them
    filled: str = ""  # name of the vector that no document lacks; empty as soon as documents come
    shard: str = "shard"  # folder of the points, where they lie in one
    notes: str = ""  # mark of the list of notes that the points stand for; empty: nobody knows which those are
    unembedded: int = 0  # documents without a vector, when that was last counted
    given: int = 0  # vectors that came since the last optimisation
    merged: int = 0  # documents that the last optimisation merged


class Recipes(NamedTuple):
    """How the present model was chosen, and how to have a former one again."""

    present: Mapping[str, Any] = {}
    remake: Callable[[Mapping[str, Any]], Embedder | None] = lambda _recipe: None


DAMAGED = b"damaged"  # in the place of a state: the index is to be made anew


def read_state(raw: bytes, where: str) -> State:
    """Read a kept state; raise DegradedIndexError when it is damaged or of another format."""
    try:
        found = json.loads(raw)
        if isinstance(found, dict) and isinstance(found.get("format"), int) and found["format"] != FORMAT:
            raise DegradedIndexError(
                f"the index has format {found['format']}, this Engram reads {FORMAT}", hint=REBUILD
            )
        return State.model_validate_json(raw)
    except (ValidationError, ValueError) as problem:
        raise DegradedIndexError(f"{where} is damaged", hint=REBUILD) from problem


def write_state(state: State) -> bytes:
    """Return the state as it is kept."""
    return state.model_dump_json().encode()


def model_of(embedder: Embedder, recipe: Mapping[str, Any]) -> Model:
    """Return how a model is known in an index: models of different names never share vectors."""
    vector = f"dense_{sha256_hex(embedder.name)[:12]}"
    return Model(name=embedder.name, vector=vector, dimensions=embedder.dimensions, recipe=dict(recipe))


def roles_beside(state: State, model: Model) -> dict[str, Model | None]:
    """Return whose vectors are searched and whose are being made once the settings name a model.

    It serves when none does; else it comes, and the one that serves goes on until all its vectors are there.
    """
    serving, coming = state.serving, state.coming
    if serving is None or serving.name == model.name:
        return {"serving": serving or model, "coming": None}
    return {"serving": serving, "coming": coming if coming and coming.name == model.name else model}
