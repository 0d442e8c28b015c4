"""The section about the heartbeat and its phases."""

from typing import Annotated

from pydantic import AfterValidator
from pydantic import Field
from pydantic import model_validator

from engram.base.spans import parse_span
from engram.config.sections.section import Section
from engram.config.words import AddressOrEmpty
from engram.config.words import AgentOrEmpty
from engram.config.words import ModelOrEmpty
from engram.config.words import VariableName


def _pace(text: str) -> str:
    shortest, longest = map(parse_span, (text.partition("..")[0], text.partition("..")[2]))
    if not shortest or not longest or shortest > longest:
        raise ValueError(f"{text!r} is not two spans, the shorter first, such as 1h..30d")
    return text


class PhaseSettings(Section):
    """How one phase of the heartbeat differs from the others."""

    enabled: bool = True
    """Whether it runs when no phase is asked for by name."""
    timeout_s: Annotated[float, Field(gt=0, le=86400)] | None = None
    """Seconds that it may take, in the place of heartbeat.timeout_s."""
    agent: AgentOrEmpty | None = None
    """Model that reads for it, such as claude:haiku, in the place of heartbeat.agent; empty: the built-in phase."""
    agent_command: tuple[str, ...] | None = None
    """Program and arguments, in the place of heartbeat.agent_command; an empty list: the built-in phase."""


class PhasesSettings(Section):
    """The phases of the heartbeat."""

    extraction: PhaseSettings = PhaseSettings()
    synthesis: PhaseSettings = PhaseSettings()
    domain_scan: PhaseSettings = PhaseSettings()
    domain_spawn: PhaseSettings = PhaseSettings()
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
    """claude, codex, gemini, ollama or http, such as claude:haiku: who reads for the phases; empty: nobody."""
    agent_model: ModelOrEmpty = ""
    """Model that claude, codex, gemini or http is asked for where no `:MODEL` says so; empty: its own choice."""
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
    agent_batch: Annotated[int, Field(ge=0, le=100_000)] = 0
    """Tokens of unread text below which an agent is not asked on the day it was written; 0: it reads at once."""
    domains_at_once: Annotated[int, Field(ge=1, le=16)] = 1
    """Subagents of domains that one run has at work at the same time."""
    domain_pace: Annotated[str, AfterValidator(_pace)] = "1h..30d"
    """The shortest and the longest time between two runs of a domain's subagent; one that finds work comes sooner."""
    report: bool = True
    """Write a report of a run that changed something into the daily note."""
    lease_s: Annotated[float, Field(ge=1, le=86400)] = 120.0
    """Seconds that a run may stand still, such as while a laptop sleeps, before another may take over."""
    alert_command: tuple[str, ...] = ()
    """Program and arguments that get new alerts as JSON on standard input, again when it failed; empty: none."""
    phases: PhasesSettings = PhasesSettings()

    @property
    def pace_bounds_s(self) -> tuple[int, int]:
        """The shortest and the longest time between two runs of a domain's subagent, in seconds."""
        shortest, _, longest = self.domain_pace.partition("..")
        return parse_span(shortest) or 0, parse_span(longest) or 0

    @model_validator(mode="after")
    def _has_an_address(self) -> "HeartbeatSettings":
        if self.agent == "http" and not self.agent_url:
            raise ValueError("agent is http, but no address is set (engram config heartbeat.agent_url URL)")
        return self
