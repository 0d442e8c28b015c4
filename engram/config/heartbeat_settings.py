"""The section about the heartbeat and its phases."""

from typing import Annotated

from pydantic import Field
from pydantic import model_validator

from engram.config.section import Section
from engram.config.words import AddressOrEmpty
from engram.config.words import AgentOrEmpty
from engram.config.words import ModelOrEmpty
from engram.config.words import VariableName


class PhaseSettings(Section):
    """How one phase of the heartbeat differs from the others."""

    enabled: bool = True
    """Whether it runs when no phase is asked for by name."""
    timeout_s: Annotated[float, Field(gt=0, le=86400)] | None = None
    """Seconds that it may take, in the place of heartbeat.timeout_s."""
    memory_mb: Annotated[int, Field(ge=128)] | None = None
    """Megabytes that it may use, in the place of heartbeat.memory_mb."""
    agent_command: tuple[str, ...] | None = None
    """Program and arguments, in the place of heartbeat.agent_command; an empty list: the built-in phase."""


class PhasesSettings(Section):
    """The phases of the heartbeat."""

    extraction: PhaseSettings = PhaseSettings()
    synthesis: PhaseSettings = PhaseSettings()
    domain_scan: PhaseSettings = PhaseSettings()
    maintenance: PhaseSettings = PhaseSettings()
    review: PhaseSettings = PhaseSettings()

    def of(self, name: str) -> PhaseSettings:
        """Return the settings of a phase by its name, such as domain-scan."""
        found: PhaseSettings = getattr(self, name.replace("-", "_"))
        return found


class HeartbeatSettings(Section):
    """How the heartbeat runs its phases."""

    timeout_s: Annotated[float, Field(gt=0, le=86400)] = 300.0
    """Seconds that one phase may take."""
    memory_mb: Annotated[int, Field(ge=128)] = 2048
    """Megabytes of memory that one phase may use."""
    agent_command: tuple[str, ...] = ()
    """Program and arguments for phases that have a template; empty: what heartbeat.agent says."""
    agent: AgentOrEmpty = ""
    """claude, codex, gemini, ollama:MODEL or http: the model that reads for the phases; empty: the built-in phase."""
    agent_model: ModelOrEmpty = ""
    """Model that claude, codex, gemini or http is asked for; empty: the program's own choice."""
    agent_url: AddressOrEmpty = ""
    """Address of a service for http, such as https://api.openai.com/v1; for ollama, empty: this machine."""
    agent_key_variable: VariableName = "ENGRAM_AGENT_KEY"
    """Environment variable that holds the key of that service; without it the key ring (extra keyring) is asked."""
    agent_environment: tuple[VariableName, ...] = ()
    """Environment variables that the program of heartbeat.agent gets besides its own; of the others it gets none."""
    agent_daily_tokens: Annotated[int, Field(ge=0)] = 200_000
    """Tokens that heartbeat.agent may use on one day, read and written; then the built-in phase goes on; 0: any."""
    agent_daily_cost: Annotated[float, Field(ge=0)] = 1.0
    """Dollars that heartbeat.agent may cost on one day, as far as its program tells; 0: any."""
    embedding_s: Annotated[float, Field(ge=0, le=86400)] = 50.0
    """Seconds from its beginning until which a run embeds, the newest texts first; the next one goes on."""
    agent_tokens: Annotated[int, Field(ge=2000, le=1_000_000)] = 15_000
    """Tokens that a prompt for an agent may have, by a careful estimate; what has no room waits for the next run."""
    report: bool = True
    """Write a report of a run that changed something into the daily note."""
    lease_s: Annotated[float, Field(ge=1, le=86400)] = 120.0
    """Seconds that a run may stand still, such as while a laptop sleeps, before another may take over."""
    alert_command: tuple[str, ...] = ()
    """Program and arguments that get new alerts as JSON on standard input, again when it failed; empty: none."""
    phases: PhasesSettings = PhasesSettings()

    @model_validator(mode="after")
    def _has_an_address(self) -> "HeartbeatSettings":
        if self.agent == "http" and not self.agent_url:
            raise ValueError("agent is http, but no address is set (engram config heartbeat.agent_url URL)")
        return self
