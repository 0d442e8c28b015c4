"""What the tools take: one model each; its JSON schema is what a host is shown. Names are the command line's."""

from typing import Annotated
from typing import Literal
from typing import Self

from pydantic import AfterValidator
from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import Field
from pydantic import model_validator

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import has_control
from engram.model.vocabulary import Abstraction
from engram.model.vocabulary import Category

_MOST_CHARS = 20_000  # of a note; what is longer is a file
_MOST_NAMES = 50  # of one list


def _plain(text: str) -> str:
    if has_control(text):
        raise ValueError("it holds a control character or broken UTF-8")
    return text


Name = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_plain)]
Statement = Annotated[str, Field(min_length=1, max_length=MAX_FACT_CHARS), AfterValidator(_plain)]
Prose = Annotated[str, Field(min_length=1, max_length=_MOST_CHARS), AfterValidator(_plain)]
Names = Annotated[list[Name], Field(max_length=_MOST_NAMES)]


class Arguments(BaseModel):
    """Of one tool."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class RecallArguments(Arguments):
    """Of `memory_recall`."""

    query: Annotated[Statement | None, Field(description="The question, in plain words of any language.")] = None
    at: Annotated[
        Name | None,
        Field(description="No query: the lines around PATH:LINE, as hits name it, memory/main/2026-02-24.md:12."),
    ] = None
    limit: Annotated[int, Field(ge=1, le=100, description="Hits at most.")] = 10
    budget: Annotated[int, Field(ge=50, le=50_000, description="Tokens that the hits may take.")] = 600
    entity: Annotated[Name | None, Field(description="Only facts of this person or project.")] = None
    project: Annotated[
        Name | None, Field(description="Nothing of other projects than this: name, path or folder; . is here.")
    ] = None
    space: Annotated[
        Literal["all", "notes", "ops", "self"],
        Field(description="notes: facts; ops: daily notes and conversations; self: MEMORY.md, USER.md and the like."),
    ] = "all"
    since: Annotated[Name | None, Field(description="Said, or true, from then on, such as 2026-02-24.")] = None
    until: Annotated[Name | None, Field(description="Said, or true, until then.")] = None
    as_of: Annotated[Name | None, Field(description="What was true in the world then.")] = None
    combined: Annotated[bool, Field(description="Also this session's last turns, working memory, today's note.")] = (
        False
    )

    @model_validator(mode="after")
    def _ask_one_thing(self) -> Self:
        if self.query is None and self.at is None:
            raise ValueError("query is missing, or at, which names a place to read")
        if self.query is not None and self.at is not None:
            raise ValueError("it takes a query, or a place as at, and not both")
        return self


class ShowArguments(Arguments):
    """Of `memory_show`."""

    id: Annotated[Name, Field(description="As recall shows it, such as people/anna-001.")]


class RememberArguments(Arguments):
    """Of `memory_remember`."""

    entity: Annotated[
        Name,
        Field(description="Whom or what it is about: people/anna, projects/billing, a name; me is the user."),
    ]
    fact: Annotated[Statement, Field(description="One statement that stands on its own.")]
    category: Annotated[Category | None, Field(description="What kind of statement.")] = None
    confidence: Annotated[float | None, Field(ge=0, le=1, description="How sure.")] = None
    abstraction: Annotated[
        Abstraction | None, Field(description="A single event, a pattern of several, or a principle to go by.")
    ] = None
    attribute: Annotated[Name | None, Field(description="Name of a slot, such as employer.")] = None
    value: Annotated[Name | None, Field(description="What stands in the slot.")] = None
    tags: Annotated[Names, Field(description="Labels.")] = []
    related: Annotated[Names, Field(description="Paths of other entities that it connects to.")] = []
    supersedes: Annotated[Names, Field(description="Ids of facts that it replaces.")] = []
    valid_from: Annotated[Name | None, Field(description="True in the world from this day.")] = None
    source: Annotated[Name | None, Field(description="Where it comes from.")] = None
    candidate: Annotated[bool, Field(description="Unsure: it waits until it is said again or confirmed.")] = False
    create: Annotated[bool, Field(description="Make a new entity although one has a like name.")] = False
    private: Annotated[bool, Field(description="Only for this session or agent, not for all.")] = False
    experience: Annotated[bool, Field(description="A lesson for the pool that every agent reads; not private.")] = False


class CorrectArguments(Arguments):
    """Of `memory_correct`."""

    id: Annotated[Name, Field(description="The fact that is wrong.")]
    fact: Annotated[Statement, Field(description="What is right.")]
    category: Annotated[Category | None, Field(description="What kind of statement; else as before.")] = None
    value: Annotated[Name | None, Field(description="What stands in the slot.")] = None


class ForgetArguments(Arguments):
    """Of `memory_forget_request`."""

    what: Annotated[Statement, Field(description="Id of a fact, or in words what is to be forgotten.")]
    reason: Annotated[Statement | None, Field(description="Why, and who asked.")] = None


class ContextArguments(Arguments):
    """Of `memory_context`."""

    query: Annotated[Statement | None, Field(description="What the work is about.")] = None
    budget: Annotated[int | None, Field(ge=100, le=50_000, description="Tokens at most.")] = None
    project: Annotated[
        Name | None, Field(description="Project that is worked on, by name or folder; all: every one.")
    ] = None


class NoteArguments(Arguments):
    """Of `memory_note`."""

    text: Annotated[Prose, Field(description="What happened.")]
    section: Annotated[
        Literal["events", "decisions", "learnings", "threads", "next", "handoff"],
        Field(description="handoff: takes the place of what the next session reads first; the others append a line."),
    ] = "events"
    to: Annotated[
        Name | None,
        Field(description="Makes it a handoff to another agent, which is shown it until it accepts or rejects."),
    ] = None


class ReviewArguments(Arguments):
    """Of `memory_review`."""

    id: Annotated[Name | None, Field(description="What to settle; leave out to list what waits.")] = None
    outcome: Annotated[
        Literal[
            "supersede",
            "both-true",
            "merge",
            "wrong-source",
            "dissolve",
            "promote",
            "dismiss",
            "keep",
            "two",
            "accept",
            "reject",
        ]
        | None,
        Field(description="One of those that the thing lists."),
    ] = None
    keep: Annotated[
        Name | None, Field(description="Id of the fact or observation, or path of the entity, that stays.")
    ] = None
    text: Annotated[Statement | None, Field(description="What a merge or a promotion says.")] = None
    entity: Annotated[Name | None, Field(description="With promote: whom the fact is about.")] = None
    note: Annotated[Statement | None, Field(description="Why.")] = None
    limit: Annotated[int, Field(ge=1, le=50, description="Things listed at most.")] = 5


class DomainArguments(Arguments):
    """Of `memory_domain`."""

    name: Annotated[Name | None, Field(description="Domain, or a key bound to it; leave out to list them.")] = None
    say: Annotated[
        Literal["status", "log", "propose"] | None,
        Field(description="Report into it: its status, an entry of its log, or a proposal."),
    ] = None
    text: Annotated[Prose | None, Field(description="What to report.")] = None


class StatusArguments(Arguments):
    """Of `memory_status`."""

    command_id: Annotated[Name | None, Field(description="What became of this command.")] = None
