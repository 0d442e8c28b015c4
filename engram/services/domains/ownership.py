"""Which domain or agent answers for which folder, and how the files of a folder stood when somebody looked last.

Ownership forbids nothing: it is what a report of writes by others is made of. What was seen lies in .engram/owned.json,
which may be lost: then the look begins anew.
"""

from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path

from pydantic import Field
from pydantic import ValidationError

from engram.errors import DamagedStateError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.model.domain import DomainRegistry
from engram.model.domain import Ownership
from engram.model.value import Instant
from engram.model.value import Value
from engram.ports.text_files import TextFiles


class SeenFolder(Value):
    """A folder as it stood when somebody looked last."""

    at: Instant
    files: dict[str, str] = Field(default_factory=dict)  # path relative to the workspace -> mark of its content
    tip: str = ""  # commit that the repository around it stood at; empty: there was none


class SeenFolders(Value):
    """What was seen of all owned folders."""

    folders: dict[str, SeenFolder] = Field(default_factory=dict)


def with_owner(registry: DomainRegistry, folders: Sequence[str], ownership: Ownership) -> DomainRegistry:
    """Return the registry in which these folders have this owner; raise RefusedError where one has another."""
    for folder in folders:
        known = registry.owners.get(folder)
        if known is not None and known.owner != ownership.owner:
            as_agent = " --agent" if known.agent else ""
            hint = f"engram domain own {known.domain or known.agent} {folder}{as_agent} --off takes it from them"
            raise RefusedError(f"{folder} is owned by {known.owner}", hint=hint)
    return registry.model_copy(update={"owners": {**registry.owners, **dict.fromkeys(folders, ownership)}})


def without_owner(registry: DomainRegistry, folders: Sequence[str], owner: str) -> DomainRegistry:
    """Return the registry in which these folders are nobody's; raise NotFoundError for one that is not the owner's."""
    for folder in folders:
        known = registry.owners.get(folder)
        if known is None or known.owner != owner:
            raise NotFoundError(f"{folder} is not owned by {owner}", hint="engram domain ownership lists them")
    kept = {key: one for key, one in registry.owners.items() if key not in folders}
    return registry.model_copy(update={"owners": kept})


def owner_of(owners: Mapping[str, Ownership], path: str) -> Ownership | None:
    """Return who answers for a file: the owner of the nearest folder above it."""
    above = [folder for folder in owners if path.startswith(f"{folder}/")]
    return owners[max(above, key=len)] if above else None


def load_seen(files: TextFiles) -> SeenFolders:
    """Return what was seen last, nothing when it was lost; raise DamagedStateError when it cannot be read."""
    try:
        return SeenFolders.model_validate_json(files.read(files.paths.owned_folders))
    except FileNotFoundError:
        return SeenFolders()
    except ValidationError as problem:
        path = files.paths.relative(files.paths.owned_folders)
        raise DamagedStateError(
            f"{path} is damaged: {problem.errors(include_url=False)[0]['msg']}",
            hint=f"rm {path}: what others wrote is looked for from then on",
        ) from problem


def save_seen(files: TextFiles, seen: SeenFolders) -> None:
    """Replace what was seen last."""
    files.make_folder(files.paths.state)
    files.write(files.paths.owned_folders, seen.model_dump_json(indent=1).encode() + b"\n")


def is_outside(folder: str) -> bool:
    """Tell whether an owned folder is none of the workspace's."""
    return Path(folder).is_absolute()
