"""What the Python door takes and gives beside the values of the model."""

import datetime as dt
from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import TypedDict

from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.value import Instant
from engram.model.vocabulary import Standing

Moment = str | dt.date | dt.datetime
"""An aware instant, a day of the workspace's time zone, or a text as `--since` takes it: 2026-02-24, 24h, today."""

ActorName = Literal["user", "agent", "tool"]
CategoryName = Literal[
    "relationship",
    "milestone",
    "status",
    "preference",
    "context",
    "decision",
    "correction",
    "instruction",
    "identity",
    "commitment",
    "lesson",
]
AbstractionName = Literal["episode", "pattern", "principle"]
TrustName = Literal["trusted", "unverified", "quarantined"]
StatusName = Literal[
    "active", "planned", "ended", "superseded", "retracted", "pending", "candidate", "quarantined", "all"
]
TierName = Literal["hot", "warm", "cold"]
SectionName = Literal["events", "decisions", "learnings", "threads", "next"]
VerdictName = Literal["useful", "wrong"]
NoticedName = Literal["friction", "surprise", "quality", "pattern"]


class FactView(Fact):
    """A fact as it is shown: with its tier and its use."""

    status: Standing  # type: ignore[assignment]  # at the time of asking: what is active may be planned, or have ended
    due_on: str | None = None  # of a promise that is owed: the day, week, month or year by which, as it was said
    overdue_since: str | None = None  # the same where it has passed
    outdated_by: str | None = None  # id of a newer fact that tells this one to be over
    tier: TierName  # at the time of asking
    access_count: int = 0
    last_accessed_at: Instant | None = None
    pinned: bool = False  # kept in the summary whatever the tier
    useful_count: int = 0  # how often it was said to be useful
    wrong_count: int = 0  # how often it was said to be wrong
    rated_confidence: float  # its confidence after what was said of it; `confidence` is as it was stated
    confirm_count: int = 0  # how often the same statement came again
    last_confirmed_at: Instant | None = None
    confirmed_by: tuple[Source, ...] = ()  # the latest sources that said it again, oldest first


class ShownFact(FactView):
    """One fact that was asked for, with what it was made of."""

    made_of: tuple[dict[str, Any], ...] = ()  # its parts, see `services.facts.parts.parts_of`


class WriteFields(TypedDict, total=False):
    """What may be said of a fact besides its entity and its statement: the options of `engram write`."""

    category: CategoryName | None  # None: context
    confidence: float | None  # 0 to 1; None: 0.9
    abstraction: AbstractionName | None  # None: episode
    tags: Sequence[str]  # labels
    related: Sequence[str]  # paths of other entities: edges of the graph
    attribute: str | None  # name of a slot, such as employer
    value: str | None  # what stands in the slot
    source: str | None  # where it comes from, in words
    session: str | None  # in which it was said
    trust: TrustName | None  # None: by the actor
    scope: str | None  # shared (None), experience (lessons for every agent), session:NAME or agent:NAME
    valid_from: Moment | None  # true in the world from
    valid_to: Moment | None  # true in the world until, excluded
    supersedes: Sequence[str]  # ids of facts that this one replaces
    derived_from: Sequence[str]  # ids of facts and observations that it was made of
    candidate: bool  # unsure: let it wait until it is said again or confirmed
    create: bool  # make the entity when it is unknown
    title: str | None  # of the entity when it is made


class RecallOptions(TypedDict, total=False):
    """How a question is answered: the options of `engram recall`."""

    k: int | None  # hits at most, 1 to 1000; None: setting recall.limit
    entity: str | None  # only facts of this one: path, title or alias
    category: CategoryName | None  # only facts of this kind
    tag: str | None  # only facts with this label
    path: str | None  # only what stands in this file or folder, or fits this pattern
    recent_days: int | None  # said, or true, in the last so many days; instead of since
    min_score: float | None  # only hits of at least this score, 0 to 1
    project: str | None  # nothing of other projects than this: name, path or absolute folder
    space: Literal["notes", "ops", "self", "all"] | None  # facts; raw text; MEMORY.md and its like; None: all
    session: str | None  # who asks: with its private facts, and of raw text only its own
    agent: str | None  # who asks, with its private memory; None: the agent of the session, else the workspace's own
    as_of: Moment | None  # what was true in the world then
    as_known: Moment | None  # what was believed then
    since: Moment | None  # said, or true, from then on
    until: Moment | None  # said, or true, until then; a day is included whole
    budget: int | None  # whole hits that fit into so many tokens
    by: Literal["item", "session"] | None  # what is ranked; None: item
    index: bool  # ids and first lines only
    explain: bool  # with the scores of the legs, and why others were dropped
