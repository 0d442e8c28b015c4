"""The owner of a workspace: whom "I" means. There always is one, unless the settings say `nobody`."""

from pathlib import Path
from typing import NamedTuple

from engram.base.self_names import SELF_NAMES
from engram.config.person import OWNER_UNKNOWN
from engram.config.person import named_persons
from engram.config.settings_file import change_setting
from engram.config.settings_file import is_read_only
from engram.config.settings_file import written_setting
from engram.config.words import NOBODY
from engram.errors import RefusedError
from engram.model.commands.command import CommandResult
from engram.ports.database import SliceKeys
from engram.services.extract.subject.attribution import is_harmless_name
from engram.workspace import Workspace

CHANGE_IT = "engram config owner people/NAME"


class Owner(NamedTuple):
    """An entity's path and how it was chosen."""

    path: str
    title: str | None = None  # of an entity that is made; None: as its path says
    found: str = "as engram.toml says"


def guess_owner(folder: Path) -> Owner:
    """Return who works in a folder, as git or the login name them, else `people/owner`.

    A service account ("root", "runner") is nobody's name, and its page would look like one about a machine.
    """
    for person in named_persons(folder):
        if person.title is None or is_harmless_name(person.title):
            return Owner(f"people/{person.slug}", person.title, person.found)
    return Owner(f"people/{OWNER_UNKNOWN.slug}", OWNER_UNKNOWN.title, OWNER_UNKNOWN.found)


def choose_owner(workspace: Workspace) -> Owner:
    """Return the owner of a workspace that has none: the person whom "me" means there already, else the guess.

    Somebody known under the guessed name is that person, whatever the path.
    """
    guess = guess_owner(workspace.paths.root)
    names = [*SELF_NAMES, *filter(None, [guess.title])]
    with workspace.reading() as database:
        known = database.load_slice(SliceKeys(names=frozenset({guess.path, *names})))
    if guess.path in known.entities:
        return guess
    for name in names:
        paths = known.find_entities(name)
        if len(paths) == 1 and paths[0].startswith("people/"):
            return Owner(paths[0], found=guess.found if name == guess.title else f"whom {name!r} means already")
    return guess


def name_owner(workspace: Workspace, owner: Owner) -> CommandResult | None:
    """Make the owner's entity and give it the names "I", "me" and so on; None when it has them already."""
    args = {"path": owner.path, "title": owner.title}
    _, changes = workspace.plan("owner", args)
    return workspace.submit("owner", args) if changes else None


def has_owner(workspace: Workspace) -> bool:
    """Tell whether the settings say who the owner is, also when they say that nobody is."""
    return bool(workspace.settings.owner) or written_setting(workspace.paths, "owner") == NOBODY


def settle_owner(workspace: Workspace) -> str | None:
    """Give the workspace an owner if it has none, with entity and names; return what was done, None when nothing was.

    Raises RefusedError, before anything is done, when engram.toml is not ours to change; OSError when it cannot be
    written.
    """
    if has_owner(workspace):
        path = workspace.settings.owner
        result = name_owner(workspace, Owner(path)) if path else None
        return f'"me" means {path} now, who is the owner' if result else None
    if is_read_only(workspace.paths):
        raise RefusedError(
            'nobody is the owner, and engram.toml may not be written: what "I" means is not known',
            hint='put owner = "people/NAME" into it, or owner = "nobody"',
        )
    owner = choose_owner(workspace)
    name_owner(workspace, owner)
    change_setting(workspace.paths, "owner", owner.path, dry_run=False)
    workspace.settings = workspace.settings.model_copy(update={"owner": owner.path})
    return f"the owner is {owner.path} now, {owner.found}; another: {CHANGE_IT}"
