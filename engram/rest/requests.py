"""What requests take: one model each, whose names are those of the command line; the description is made of them."""

from typing import Annotated
from typing import Literal

from pydantic import AfterValidator
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import Field

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import has_control
from engram.model.vocabulary import Abstraction
from engram.model.vocabulary import Category

_MOST_CHARS = 20_000  # of a note or a handoff; what is longer is a file
_MOST_NAMES = 50  # of one list
_MOST_TURNS = 500  # of one request

Status = Literal["active", "planned", "ended", "superseded", "retracted", "pending", "candidate", "quarantined", "all"]
ReviewKind = Literal["tension", "quarantined", "observation", "names", "candidate", "proposal"]


def _plain(text: str) -> str:
    if has_control(text):
        raise ValueError("it holds a control character or broken UTF-8")
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_plain)]
Statement = Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS), AfterValidator(_plain)]
Prose = Annotated[str, Field(min_length=1, max_length=_MOST_CHARS), AfterValidator(_plain)]
Names = Annotated[list[Name], Field(max_length=_MOST_NAMES)]
Moment = Annotated[Name | None, Field(description="Such as 2026-02-24, monday, 24h, or an instant in ISO 8601.")]


class Request(BaseModel):
    """What a request takes; nothing else."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class Nothing(Request):
    """Nothing."""


class RecallRequest(Request):
    """A question."""

    query: Annotated[Statement, Field(description="The question, in plain words of any language.")]
    k: Annotated[int | None, Field(ge=1, le=1000, description="Hits at most; else the setting recall.limit.")] = None
    entity: Annotated[Name | None, Field(description="Only facts of this one: path, title or alias.")] = None
    category: Annotated[Category | None, Field(description="Only facts of this kind.")] = None
    tag: Annotated[Name | None, Field(description="Only facts with this label.")] = None
    path: Annotated[
        Name | None, Field(description="Only what stands in this file or folder, or fits a pattern with *.")
    ] = None
    recent_days: Annotated[
        int | None, Field(ge=1, le=36_500, description="Said, or true, in the last so many days; instead of since.")
    ] = None
    min_score: Annotated[float | None, Field(ge=0, le=1, description="Only hits of at least this score.")] = None
    project: Annotated[Name | None, Field(description="Nothing of other projects than this.")] = None
    space: Annotated[
        Literal["all", "notes", "ops", "self"],
        Field(description="notes: facts; ops: daily notes and conversations; self: MEMORY.md and its like."),
    ] = "all"
    since: Moment = None
    until: Moment = None
    as_of: Annotated[Name | None, Field(description="What was true in the world then.")] = None
    as_known: Annotated[Name | None, Field(description="What was believed then.")] = None
    budget: Annotated[int | None, Field(ge=0, le=1_000_000, description="Tokens that the hits may take.")] = None
    by: Annotated[Literal["item", "session"], Field(description="What is ranked.")] = "item"
    index: Annotated[bool, Field(description="Ids and first lines only.")] = False
    explain: Annotated[bool, Field(description="With the scores of the legs, and why others were dropped.")] = False


class DetailQuery(Request):
    """Which hits to read whole."""

    id: Annotated[list[Name], Field(min_length=1, max_length=_MOST_NAMES, description="Ids of hits.")]


class FactsQuery(Request):
    """Which facts to list."""

    entity: Annotated[Name | None, Field(description="Path, title or alias.")] = None
    category: Category | None = None
    tag: Name | None = None
    status: Status = "active"
    tier: Literal["hot", "warm", "cold"] | None = None
    since: Moment = None
    as_of: Annotated[Name | None, Field(description="What was true in the world then.")] = None
    as_known: Annotated[Name | None, Field(description="What was believed then.")] = None
    limit: Annotated[int | None, Field(ge=1, description="Only the newest so many; else all.")] = None


class Change(Request):
    """A change, which can be planned first."""

    dry_run: Annotated[bool, Field(description="Answer with the plan and change nothing.")] = False


class WriteRequest(Change):
    """A fact."""

    entity: Annotated[Name, Field(description="Whom or what it is about: path, title or alias.")]
    fact: Annotated[Statement, Field(description="One statement that stands on its own.")]
    category: Category | None = None
    confidence: Annotated[float | None, Field(ge=0, le=1)] = None
    abstraction: Abstraction | None = None
    tags: Names = []
    related: Annotated[Names, Field(description="Paths of other entities: edges of the graph.")] = []
    attribute: Annotated[Name | None, Field(description="Name of a slot, such as employer.")] = None
    value: Annotated[Name | None, Field(description="What stands in the slot.")] = None
    source: Annotated[Name | None, Field(description="Where it comes from, in words.")] = None
    session: Annotated[Name | None, Field(description="In which it was said.")] = None
    scope: Annotated[
        Name | None, Field(description="shared, experience (lessons for every agent), session:NAME or agent:NAME.")
    ] = None
    valid_from: Moment = None
    valid_to: Moment = None
    supersedes: Annotated[Names, Field(description="Ids of facts that it replaces.")] = []
    candidate: Annotated[bool, Field(description="Unsure: it waits until it is said again or confirmed.")] = False
    create: Annotated[bool, Field(description="Make the entity when it is unknown.")] = False
    title: Annotated[Name | None, Field(description="Of the entity when it is made.")] = None


class CorrectRequest(Change):
    """What is right instead."""

    fact: Statement
    category: Category | None = None
    confidence: Annotated[float | None, Field(ge=0, le=1)] = None
    value: Annotated[Name | None, Field(description="What stands in the slot.")] = None


class RetractRequest(Change):
    """Why."""

    reason: Statement


class FeedbackRequest(Change):
    """Whether a fact helped."""

    verdict: Literal["useful", "wrong"]


class UndoRequest(Change):
    """What to take back."""

    id: Annotated[Name | None, Field(description="Of the command; else the latest of this door.")] = None


class EntitiesQuery(Request):
    """Which entities to list."""

    limit: Annotated[int | None, Field(ge=1, description="Only those with the most facts.")] = None


class EntityRequest(Change):
    """An entity to be made."""

    path: Annotated[Name, Field(description="people/NAME, projects/NAME or archives/NAME.")]
    title: Annotated[Name | None, Field(description="Name as people write it.")] = None
    aliases: Annotated[Names, Field(description="Other names.")] = []


class ContextQueryRequest(Request):
    """What the work that begins is about."""

    question: Annotated[Statement | None, Field(description="Whom it names is in play.")] = None
    budget: Annotated[int | None, Field(ge=0, le=1_000_000, description="Tokens of the whole block.")] = None
    project: Annotated[Name | None, Field(description="Project that is worked on; facts of others are left out.")] = (
        None
    )


class NoteRequest(Request):
    """A line for today's note."""

    text: Prose
    section: Literal["events", "decisions", "learnings", "threads", "next"] = "events"


class TextRequest(Request):
    """A text."""

    text: Prose


class SendRequest(Change):
    """A handoff with an addressee."""

    to: Annotated[Name, Field(description="Agent that is shown it at its start until it answers.")]
    text: Prose


class InboxQuery(Request):
    """Which handoffs to list."""

    all: Annotated[bool, Field(description="Also older answers, and what was answered or taken back.")] = False


class AcceptRequest(Change):
    """A word to who sent it."""

    reason: Statement | None = None


class DecisionRequest(Request):
    """A decision."""

    text: Prose
    tags: Annotated[Names, Field(description="Words to find it by.")] = []
    by: Annotated[Name | None, Field(description="Agent or person who decided; else the server's agent.")] = None


class DecisionsQuery(Request):
    """Which decisions to list."""

    last: Annotated[int | None, Field(ge=1, description="Only the last so many.")] = None
    tag: Name | None = None


class TurnRequest(Request):
    """One utterance of a conversation."""

    text: Annotated[str, Field(min_length=1)]
    id: Annotated[Name | None, Field(description="That its program gave it.")] = None
    session: Annotated[Name | None, Field(description="Which conversation; else that of the server.")] = None
    speaker: Annotated[Name | None, Field(description="Who said it.")] = None
    at: Annotated[Name | None, Field(description="When, in any of the usual spellings of a time.")] = None


class TurnsRequest(Request):
    """A conversation, or what is new of it."""

    turns: Annotated[list[TurnRequest], Field(min_length=1, max_length=_MOST_TURNS)]


class ReviewQuery(Request):
    """Which of all that waits to show."""

    kind: ReviewKind | None = None
    limit: Annotated[int | None, Field(ge=1, description="Things at most.")] = None
    all: Annotated[bool, Field(description="More than the setting review.daily_limit allows for today.")] = False


class NextQuery(Request):
    """Which kind of thing to show."""

    kind: ReviewKind | None = None


class AnswerRequest(Change):
    """How something that waits is settled."""

    outcome: Annotated[
        Literal[
            "supersede",
            "both-true",
            "merge",
            "wrong-source",
            "dissolve",
            "promote",
            "dismiss",
            "release",
            "keep",
            "reject",
            "two",
        ],
        Field(description="One of those that the thing lists."),
    ]
    keep: Annotated[Name | None, Field(description="The fact, observation or entity that stays.")] = None
    text: Annotated[Statement | None, Field(description="What a merge or a promotion says.")] = None
    note: Annotated[Statement | None, Field(description="Why.")] = None
    entity: Annotated[Name | None, Field(description="With promote: whom the fact is about.")] = None
    create: Annotated[bool, Field(description="With promote: make the entity when it is unknown.")] = False
