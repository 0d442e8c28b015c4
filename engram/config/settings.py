"""The settings of a workspace: every one has a default, an unknown key is an error that names it."""

import tomllib
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from engram.config.heartbeat_settings import HeartbeatSettings
from engram.config.memory_settings import ContradictionSettings
from engram.config.memory_settings import DecaySettings
from engram.config.memory_settings import DomainSettings
from engram.config.memory_settings import NoteSettings
from engram.config.memory_settings import ReviewSettings
from engram.config.memory_settings import ScreenSettings
from engram.config.memory_settings import StoreSettings
from engram.config.memory_settings import SynthesisSettings
from engram.config.recall_settings import ContextSettings
from engram.config.recall_settings import EmbeddingSettings
from engram.config.recall_settings import HookSettings
from engram.config.recall_settings import IndexSettings
from engram.config.recall_settings import RecallSettings
from engram.config.section import Section
from engram.config.words import EntityOrEmpty
from engram.config.words import FolderName
from engram.config.words import ZoneName
from engram.errors import SettingsError


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
    recall: RecallSettings = RecallSettings()
    context: ContextSettings = ContextSettings()
    embeddings: EmbeddingSettings = EmbeddingSettings()
    index: IndexSettings = IndexSettings()
    contradiction: ContradictionSettings = ContradictionSettings()
    screen: ScreenSettings = ScreenSettings()
    heartbeat: HeartbeatSettings = HeartbeatSettings()
    notes: NoteSettings = NoteSettings()
    domains: DomainSettings = DomainSettings()
    review: ReviewSettings = ReviewSettings()
    synthesis: SynthesisSettings = SynthesisSettings()
    hooks: HookSettings = HookSettings()

    @property
    def zone(self) -> ZoneInfo:
        """The time zone as an object."""
        return ZoneInfo(self.timezone)


def load_settings(path: Path) -> Settings:
    """Read engram.toml; raise SettingsError that names the key and why it cannot be."""
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path} is not valid TOML: {problem}", hint=f"mend {path} by hand") from problem
    return parse_settings(raw, str(path))


def parse_settings(raw: dict[str, Any], where: str) -> Settings:
    """Check a table of settings; raise SettingsError that names the first bad key."""
    try:
        return Settings.model_validate(raw)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        key = ".".join(str(part) for part in first["loc"])
        what = "is not a setting" if first["type"] == "extra_forbidden" else first["msg"].removeprefix("Value error, ")
        raise SettingsError(f"{where}: {key}: {what}", key=key) from problem
