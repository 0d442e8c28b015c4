"""The question whether two entities are one: its id, and what an answer to it asks for. Pure."""

from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.model.changes.settlement import Verdict

_BETWEEN: Final = "+"  # no path holds it


def pair_id(goes: str, stays: str) -> str:
    """Return the id of the question about two paths, as people/mira+people/meera."""
    return f"{goes}{_BETWEEN}{stays}"


def read_pair(text: str) -> tuple[str, str] | None:
    """Return the paths of the entity that goes and of the one that stays; None for what is no id of a pair."""
    goes, between, stays = text.partition(_BETWEEN)
    is_pair = bool(between) and parse_entity_path(goes) is not None and parse_entity_path(stays) is not None
    return (goes, stays) if is_pair else None


def merging_args(answer: Mapping[str, Any]) -> dict[str, str] | None:
    """Return the arguments of `entity-merge` when an answer of a review says that two entities are one, else None.

    Raises BadValueError for a `keep` that is neither of them.
    """
    pair = read_pair(str(answer.get("id", "")).strip().casefold())
    if pair is None or answer.get("outcome") != Verdict.MERGE:
        return None
    goes, stays = pair
    kept = str(answer.get("keep") or stays).strip().casefold()
    if kept not in pair:
        raise BadValueError(f"{kept} is neither of the two", hint=f"--keep {stays} or --keep {goes}", field="keep")
    return {"source": goes if kept == stays else stays, "into": kept}
