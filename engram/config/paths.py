"""Where everything lies in a workspace. Light: the hook path passes here."""

import functools
import os
from pathlib import Path

from engram.errors import NoWorkspaceError
from engram.errors import RefusedError
from engram.errors import link_refused

SETTINGS_FILE = "engram.toml"
HOME_WORKSPACE = "engram"
"""Folder below somebody's home where `engram setup` makes a workspace, and where one is looked for last."""
SELF_FILE = "MEMORY.md"
"""What every session loads, at the root of a workspace; an observation can become a line of it."""
SELF_FILE_TEXT = """# Memory

What every session should know. Curated by people and agents; Engram never overwrites it.
"""
"""What MEMORY.md says until somebody writes into it."""


def config_folder() -> Path:
    """Return the folder of a person's own settings, outside of every workspace; it may not be there yet."""
    given = os.environ.get("XDG_CONFIG_HOME", "")
    base = Path(given) if given.startswith("/") else Path.home() / ".config"
    return base / "engram"


class Paths:
    """The layout of one workspace; nothing here touches the disk but `projections`."""

    def __init__(self, root: Path) -> None:
        """Take the workspace folder."""
        self.root = root
        self.settings = root / SETTINGS_FILE
        self.self_file = root / SELF_FILE
        self.life = root / "life"
        self.memory = root / "memory"
        self.domains = self.memory / "domains"
        self.ops = root / "ops"
        self.ontology = root / "references" / "ontology.toml"
        self.state = root / ".engram"
        self.format = self.state / "format"
        self.kept_settings = self.state / "settings.toml"
        self.journal = self.state / "journal"
        self.replica = self.state / "replica.json"
        self.spool = self.state / "spool"
        self.encryption = self.state / "encryption.json"
        self.runs = self.state / "runs"
        self.locks = self.state / "locks"
        self.heartbeat_lock = self.locks / "heartbeat.lock"
        self.forgetting = self.state / "forgetting.json"
        self.edits = self.state / "edits"
        self.mirror_state = self.state / "mirror.json"
        self.accesses = self.state / "accesses"
        self.alerts = self.state / "alerts.jsonl"
        self.schedule = self.state / "schedule.json"
        self.setup = self.state / "setup.json"
        self.agent_spending = self.state / "agent_spending.json"
        self.maintenance_state = self.state / "maintenance.json"
        self.signed_head = self.state / "signed-head.json"
        self.backup_state = self.state / "backups.json"
        self.domain_registry = self.state / "domains.json"
        self.cards = self.state / "cards.json"
        self.owned_folders = self.state / "owned.json"
        self.spawn_queue = self.state / "domain_runs.json"
        self.project_folders = self.state / "project-folders.json"
        self.hooks = self.state / "hooks"
        self.hooks_log = self.state / "hooks.log"
        self.hook_choices = self.hooks / "choices.json"
        self.recall_log = self.hooks / "recalls.jsonl"
        self.warm_starting = self.hooks / "warm-starting"
        self.warm_address = self.state / "warm.json"
        self.mcp_token = self.state / "mcp-token"

    @property
    def is_encrypted(self) -> bool:
        """Whether what is written into the state now is encrypted."""
        return self.projections != self.state

    @property
    def projections(self) -> Path:
        """Folder of what is made anew from the journal: that of the state, in memory while the store is encrypted."""
        if not os.path.exists(self.encryption):  # noqa: PTH110 - every command asks, several times
            return self.state
        from engram.config.memory_folder import projections_of  # noqa: PLC0415 - most stores are not encrypted

        return projections_of(self.encryption, self.state)

    @property
    def database(self) -> Path:
        """The file of the database."""
        return self.projections / "engram.duckdb"

    @property
    def index(self) -> Path:
        """The folder of the index."""
        return self.projections / "index"

    @property
    def indexed_notes(self) -> Path:
        """The list of the notes that the index holds."""
        return self.projections / "indexed-notes.json"

    @property
    def embedding_cache(self) -> Path:
        """The folder of the vectors that are kept."""
        return self.projections / "cache"

    def of_silo(self, folder: str) -> "Paths":
        """Return the same layout with the domains of a silo, a folder of the workspace, instead of those of all."""
        own = Paths.__new__(Paths)
        own.__dict__.update(self.__dict__)
        own.domains = self.root / folder / "domains"
        own.domain_registry = own.domains / ".registry.json"
        return own

    def folders(self) -> list[Path]:
        """Return every folder that a workspace has, parents first."""
        life = [self.life / kind for kind in ("people", "projects", "archives")]
        ops = [self.ops / "observations", self.ops / "tensions"]
        return [self.life, *life, self.memory, self.ops, *ops, *self.private_folders()]

    def private_folders(self) -> list[Path]:
        """Return the folders of machine state, which only the owner may read (mode 0700)."""
        index = [] if self.is_encrypted else [self.index]
        return [self.state, self.journal, self.spool, *index, self.runs, self.locks, self.edits]

    def relative(self, path: Path) -> str:
        """Write a path as people read it: relative to the workspace when it is inside, with forward slashes."""
        try:
            return path.relative_to(self.root).as_posix()
        except ValueError:
            return str(path)


def find_workspace(explicit: str | None) -> Paths:
    """Return the paths of the workspace: the one named, else ENGRAM_WORKSPACE, else the nearest parent, else ~/engram.

    Raises NoWorkspaceError when there is none, RefusedError when its state is a link or holds one.
    """
    named = explicit or os.environ.get("ENGRAM_WORKSPACE")
    if named:
        root = Path(os.path.expanduser(named)).resolve()  # noqa: PTH111 - see base.disk.home
        if not (root / SETTINGS_FILE).is_file():
            raise NoWorkspaceError(f"{root} is not an Engram workspace: it has no {SETTINGS_FILE}", path=str(root))
        return _checked(_paths_of(root))
    here = Path.cwd()
    for folder in (here, *here.parents, Path.home() / HOME_WORKSPACE):
        if (folder / SETTINGS_FILE).is_file():
            return _checked(_paths_of(folder))
    raise NoWorkspaceError(
        f"neither {here} nor a folder above it nor ~/{HOME_WORKSPACE} holds {SETTINGS_FILE}", path=str(here)
    )


@functools.lru_cache(maxsize=16)
def _paths_of(root: Path) -> Paths:
    """Return the layout, of which nothing changes: a process asks for that of the same folder with every call."""
    return Paths(root)


def _checked(paths: Paths) -> Paths:
    """Return the paths when what is written by path, the engines' files included, leads nowhere else."""
    refuse_state_links(paths)
    return paths


def refuse_state_links(paths: Paths) -> None:
    """Raise RefusedError when the folder of state is a link or holds one, which would be written through, or a pipe."""
    if os.path.islink(paths.state):  # noqa: PTH114 - every hook passes here
        raise link_refused(paths.relative(paths.state))
    try:
        with os.scandir(paths.state) as entries:
            odd = next((entry for entry in entries if _is_odd(entry)), None)
    except (FileNotFoundError, NotADirectoryError, PermissionError):  # whoever needs it says so
        return
    if odd is None:
        return
    shown = paths.relative(paths.state / odd.name)
    if odd.is_symlink():
        raise link_refused(shown)
    raise RefusedError(f"{shown} is no file", hint=f"take {shown} away")


def _is_odd(entry: os.DirEntry[str]) -> bool:
    """Tell whether it is neither file nor folder: one that went away meanwhile may look as if it were."""
    if entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False):
        return False
    return os.path.lexists(entry.path)
