"""Domains: the scopes given to subagents, what is known of their files, and what they propose."""

from enum import StrEnum
from typing import Annotated
from typing import Literal

from pydantic import AfterValidator
from pydantic import Field

from engram.base.text import slug_problem
from engram.model.value import Instant
from engram.model.value import Value

_DAY_S = 86_400


class DomainType(StrEnum):
    """What a domain is for."""

    DEV_PROJECT = "dev-project"  # a codebase
    CRON_TASK = "cron-task"  # a job that comes again
    TOPIC_THREAD = "topic-thread"  # a conversation about one topic
    META = "meta"  # the work on the memory or on the agent itself
    PEER_DIRECT = "peer-direct"  # a direct conversation with one person, to which it is bound
    GROUP_DIRECT = "group-direct"  # a conversation that others read along, to which it is bound


CADENCES_S = {
    DomainType.DEV_PROJECT: 7 * _DAY_S,
    DomainType.CRON_TASK: _DAY_S,
    DomainType.TOPIC_THREAD: 14 * _DAY_S,
    DomainType.META: 30 * _DAY_S,
    DomainType.PEER_DIRECT: 14 * _DAY_S,
    DomainType.GROUP_DIRECT: 14 * _DAY_S,
}  # seconds within which a domain of a type shows life, unless it says otherwise


class Role(StrEnum):
    """Who writes."""

    MAIN = "main"  # the main agent: decisions and the workflow
    SUBAGENT = "subagent"  # the domain's own agent: status and changelog


class DomainFile(StrEnum):
    """The files of a domain."""

    DECISIONS = "decisions.md"
    WORKFLOW = "workflow.md"
    STATUS = "status.md"
    CHANGELOG = "changelog.md"


WRITERS = {
    DomainFile.DECISIONS: Role.MAIN,  # a subagent may append proposals
    DomainFile.WORKFLOW: Role.MAIN,
    DomainFile.STATUS: Role.SUBAGENT,
    DomainFile.CHANGELOG: Role.SUBAGENT,
}


class FileBase(Value):
    """The state of a file when it was last written or looked at."""

    size: Annotated[int, Field(ge=0)]  # bytes
    sha256: str  # of these bytes


class ProposalStatus(StrEnum):
    """What became of a proposal."""

    OPEN = "open"
    ACCEPTED = "accepted"
    REJECTED = "rejected"


class Proposal(Value):
    """Something that a subagent asks the main agent or a person to decide."""

    id: str  # domain name, '-', eight hexadecimal characters of the text
    domain: str
    text: str  # without secrets
    file: DomainFile  # where it was found first
    found_at: Instant
    status: ProposalStatus = ProposalStatus.OPEN
    decided_at: Instant | None = None
    note: str | None = None  # why it was decided so
    announced: bool = False  # the heartbeat has said that it waits


class Spawning(Value):
    """How the heartbeat runs the subagent of a domain, and what that has taken."""

    next_at: Instant  # from when on it is due
    pace_s: Annotated[int, Field(ge=1)]  # seconds from a run to the next one, as they are now
    agent: str = ""  # who is asked, such as claude:haiku; empty: whom the settings name
    last_id: str = ""  # of the run that was noted last
    last_at: Instant | None = None  # when that was
    runs: Annotated[int, Field(ge=0)] = 0  # that came to an end
    took_s: float = 0.0  # of all of them
    tokens: Annotated[int, Field(ge=0)] = 0  # likewise, by a careful estimate where a program does not tell
    cost_usd: float = 0.0  # likewise, as far as its program tells


class SpawnState(StrEnum):
    """How far a run of a subagent has come."""

    WAITING = "waiting"
    RUNNING = "running"
    ANSWERED = "answered"  # the answer is kept, and not applied yet


class SpawnEntry(Value):
    """One run of one subagent that is not over."""

    id: str  # of the run
    domain: str
    state: SpawnState = SpawnState.WAITING
    begun_at: Instant | None = None
    mark: str = ""  # in the environment of its processes
    answer: str = ""  # its hand-off block; empty: it gave none that can be used
    problem: str = ""  # why it gave none
    took_s: float = 0.0
    tokens: int = 0
    cost_usd: float = 0.0


class SpawnQueue(Value):
    """What waits to be run, runs, or waits to be applied."""

    v: Literal[1] = 1  # format version
    entries: dict[str, SpawnEntry] = Field(default_factory=dict)  # by domain: one at most of each

    def with_entry(self, entry: SpawnEntry) -> "SpawnQueue":
        """Return the queue in which this entry stands, in place of an earlier state of it."""
        return self.model_copy(update={"entries": {**self.entries, entry.domain: entry}})

    def without(self, domain: str) -> "SpawnQueue":
        """Return the queue without the entry of a domain."""
        return self.model_copy(update={"entries": {k: one for k, one in self.entries.items() if k != domain}})


def _require_folder_name(name: str) -> str:
    if why := slug_problem(name):
        raise ValueError(f"the name of a domain is no folder's: {why}")
    return name


class Domain(Value):
    """The scope of one subagent."""

    name: Annotated[str, AfterValidator(_require_folder_name)]  # of its folder in memory/domains/, or in a silo's
    type: DomainType
    created_at: Instant
    active_at: Instant  # last sign of life: a status, a changelog entry, or its making
    cadence_s: Annotated[int, Field(ge=60)]  # seconds within which a sign of life is expected
    entity: str | None = None  # path of the entity that it is about
    description: str = ""
    bindings: tuple[str, ...] = ()  # keys of chat threads, such as telegram:4711
    archived: bool = False
    subagent_at: Instant | None = None  # last write by the subagent through a command that no scan has seen yet
    alerted_at: Instant | None = None  # last alert that it shows no life
    spawning: Spawning | None = None  # None: the heartbeat does not run its subagent
    base: dict[DomainFile, FileBase] = Field(default_factory=dict)


class Ownership(Value):
    """Who answers for a folder: a domain or an agent. It forbids nobody anything."""

    domain: str | None = None  # name; of the two just one is set
    agent: str | None = None
    authors: tuple[str, ...] = ()  # names and addresses in git that are the owner's, too
    since_at: Instant  # when it became the owner's

    @property
    def owner(self) -> str:
        """The owner in words."""
        return f"domain {self.domain}" if self.domain else f"agent {self.agent}"


class DomainRegistry(Value):
    """All domains and all proposals of a workspace."""

    v: Literal[1] = 1  # format version
    domains: dict[str, Domain] = Field(default_factory=dict)  # by name
    proposals: dict[str, Proposal] = Field(default_factory=dict)  # by id
    owners: dict[str, Ownership] = Field(default_factory=dict)  # by folder: in the workspace relative, else absolute

    def with_domain(self, domain: Domain) -> "DomainRegistry":
        """Return the registry in which this domain stands, in place of an earlier state of it."""
        return self.model_copy(update={"domains": {**self.domains, domain.name: domain}})

    def with_proposal(self, proposal: Proposal) -> "DomainRegistry":
        """Return the registry in which this proposal stands, in place of an earlier state of it."""
        return self.model_copy(update={"proposals": {**self.proposals, proposal.id: proposal}})
