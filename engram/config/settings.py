"""The settings of a workspace: every one has a default, an unknown key is an error that names it."""

import functools
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from engram.base.disk.own_files import read_own_text
from engram.base.toml_values import load_toml
from engram.config.kept_settings import refuse_emptied
from engram.config.retired_keys import EMPTY_SECTIONS
from engram.config.retired_keys import drop_retired_keys
from engram.config.retired_keys import find_retired
from engram.config.retired_keys import iter_retired_values
from engram.config.sections.heartbeat import HeartbeatSettings
from engram.config.sections.journal import JournalSettings
from engram.config.sections.memory import BackupSettings
from engram.config.sections.memory import DecaySettings
from engram.config.sections.memory import ReviewSettings
from engram.config.sections.memory import ScreenSettings
from engram.config.sections.memory import StoreSettings
from engram.config.sections.memory import SynthesisSettings
from engram.config.sections.recall import SHARES
from engram.config.sections.recall import ContextSettings
from engram.config.sections.recall import ContextShares
from engram.config.sections.recall import EmbeddingSettings
from engram.config.sections.recall import HookSettings
from engram.config.sections.recall import IndexSettings
from engram.config.sections.recall import RecallSettings
from engram.config.sections.section import Section
from engram.config.words import EntityOrEmpty
from engram.config.words import FolderName
from engram.config.words import ZoneName
from engram.errors import SettingsError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


class Settings(Section):
    """Everything in engram.toml."""

    agent: FolderName = "main"
    """Name of the agent that owns the workspace; its notes lie in memory/AGENT/."""
    owner: EntityOrEmpty = ""
    """Entity of the person whose first person is meant, such as people/anna; empty: found out; nobody: none at all."""
    timezone: ZoneName = "UTC"
    """Time zone of day boundaries, from the IANA list."""
    decay: DecaySettings = DecaySettings()
    store: StoreSettings = StoreSettings()
    journal: JournalSettings = JournalSettings()
    recall: RecallSettings = RecallSettings()
    context: ContextSettings = ContextSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    index: IndexSettings = IndexSettings()
    backup: BackupSettings = BackupSettings()
    screen: ScreenSettings = ScreenSettings()
    heartbeat: HeartbeatSettings = HeartbeatSettings()
    review: ReviewSettings = ReviewSettings()
    synthesis: SynthesisSettings = SynthesisSettings()
    hooks: HookSettings = HookSettings()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone as an object."""
        return ZoneInfo(self.timezone)


def load_settings(path: Path) -> Settings:
    """Read engram.toml; raise SettingsError that names the key and why it cannot be, or for a file that was emptied."""
    try:
        text = read_own_text(path)
        found = _settings_in(text, str(path))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path} is not valid TOML: {problem}", hint=f"mend {path} by hand") from problem
    if found is None:
        refuse_emptied(path)
        return Settings()
    return found


@functools.lru_cache(maxsize=16)
def _settings_in(text: str, where: str) -> Settings | None:
    """Return what a text says, None when it says nothing; a process reads the same file with every call."""
    raw = load_toml(text)
    return parse_settings(raw, where) if raw else None


def parse_settings(raw: dict[str, Any], where: str) -> Settings:
    """Check a table of settings, retired keys included; raise SettingsError that names the first bad key."""
    try:
        return Settings.model_validate(drop_retired_keys(raw))
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        key = _as_written(raw, ".".join(str(part) for part in first["loc"]))
        raise SettingsError(f"{where}: {key}: {_mistake(key, first)}", key=key) from problem


def _as_written(raw: dict[str, Any], key: str) -> str:
    """Return the key under which the file has a value: a setting's former name, or one in a section that is no more."""
    if key in EMPTY_SECTIONS and isinstance(raw.get(key), dict):
        return next(f"{key}.{name}" for name in raw[key] if find_retired(f"{key}.{name}") is None)
    former = [one.retired.key for one in iter_retired_values(raw) if one.has_effect and one.retired.successor == key]
    return former[0] if former else key


def _mistake(key: str, problem: "ErrorDetails") -> str:
    if problem["type"] != "extra_forbidden":
        return problem["msg"].removeprefix("Value error, ")
    if key.startswith(f"{SHARES}."):
        return f"is not a part of the block; the parts are {', '.join(ContextShares.model_fields)}"
    return "is not a setting"
