"""What recall is asked and what it answers: the shapes of the contract."""

import datetime as dt
from collections.abc import Callable
from typing import Annotated
from typing import Any
from typing import Final
from typing import Literal
from typing import NamedTuple
from typing import Self

from pydantic import Field

from engram.config.sections.memory import DecaySettings
from engram.model.document import CANDIDATE
from engram.model.document import FACT
from engram.model.document import Hit
from engram.model.value import Instant
from engram.model.value import Value
from engram.model.vocabulary import Category
from engram.ports.index import SearchFilter
from engram.services.recall.other_agents import OtherAgents
from engram.services.recall.workplaces import NOWHERE
from engram.services.recall.workplaces import Workplaces
from engram.services.visibility import OWN_SCOPE
from engram.services.visibility import Caller
from engram.services.visibility import visible_scopes

FOUND: Final = "found"  # there are hits
NOTHING_KNOWN: Final = "nothing_known"  # no candidate at all
WITHHELD: Final = "withheld"  # only candidates that may not be shown, or that the budget cut
DEGRADED: Final = "degraded"  # nothing found, and the index is behind or cannot be used

Space = Literal["notes", "ops", "self", "all"]

MOST_HITS: Final = 1000  # of one answer
_FACTS = (FACT,)
_RAW = ("note", "turn")
_OWN = ("self",)


class RecallQuery(Value):
    """One question and how it is to be answered."""

    query: Annotated[str, Field(min_length=1)]  # the question, in any language
    limit: Annotated[int, Field(ge=1, le=MOST_HITS)] = 10  # hits at most
    entity: str | None = None  # path, title or alias: only facts of that entity
    category: Category | None = None  # only facts of this kind
    tag: str | None = None  # only facts with this label
    path: str | None = None  # only what stands in this file, below this folder, or fits this pattern
    min_score: Annotated[float, Field(ge=0, le=1)] | None = None  # of a hit as it is shown
    project: str | None = None  # path, title, alias or folder: nothing that belongs to another project
    space: Space = "all"  # facts; note entries and turns; MEMORY.md and its like; all of it
    session: str | None = None  # who asks: sees its private scope, and of raw text only its own
    folder: str | None = None  # where who asks works, absolute: what its project's facts name is looked for there
    agent: str | None = None  # who asks; None: the agent of the session, else the workspace's own
    as_of: Instant | None = None  # what is true in the world then
    as_known: Instant | None = None  # what was believed then
    since: Instant | None = None  # said or valid from then on
    until: Instant | None = None  # said or valid before then
    budget: Annotated[int, Field(ge=0)] | None = None  # tokens that the hits' texts may take
    index_only: bool = False  # ids and first lines only
    explain: bool = False  # with the scores of the legs, and every dropped candidate with its exit
    scopes: tuple[str, ...] = ()  # scopes to see besides shared and the session's own
    by: Literal["item", "session"] = "item"  # what is ranked
    surely: bool = False  # nothing unless it is surely about the question: for what nobody asked the memory
    caller: Caller | None = None  # who asks, once the store was asked: what is given here is not believed

    def asker(self) -> Caller:
        """Return who asks, as far as it is known."""
        return self.caller or Caller(self.session, self.agent)

    def visible_scopes(self) -> tuple[str, ...]:
        """Return the scopes that the asker may see."""
        return visible_scopes(self.asker(), self.scopes)

    def searched_scopes(self) -> tuple[str, ...]:
        """Return the scopes of what is searched: those that the asker may see, and that of MEMORY.md when it is."""
        return (*self.visible_scopes(), *((OWN_SCOPE,) if self.wants_self() else ()))

    def asked_by(self, caller: Caller) -> Self:
        """Return the question as this caller asks it."""
        return self.model_copy(update={"caller": caller, "session": caller.session, "agent": caller.agent})

    def asks_for_the_past(self) -> bool:
        """Tell whether what is no longer live may be part of the answer."""
        return self.as_of is not None or self.as_known is not None

    def wants_self(self) -> bool:
        """Tell whether MEMORY.md and its like are searched: they have no dates and no entities."""
        narrowed = (
            self.entity
            or self.category
            or self.tag
            or self.since
            or self.until
            or self.asks_for_the_past()
            or self.by == "session"
        )
        return self.space in {"self", "all"} and not narrowed and self.asker().sees_self

    def wants_graph(self) -> bool:
        """Tell whether facts are proposed because of the entities that the question names."""
        return self.space in {"notes", "all"} and not self.entity and not self.asks_for_the_past() and self.by == "item"

    def filters(self, *, wide: bool) -> list[SearchFilter]:
        """Return what to search; `wide` includes what may not be shown, to say that it exists.

        Only the owner hears that there is something in other scopes; to others it does not exist.
        """
        common = SearchFilter(
            entity=self.entity or "",
            scopes=() if wide and self.asker().is_owner else self.searched_scopes(),
            since=self.since.timestamp() if self.since else None,
            until=self.until.timestamp() if self.until else None,
            live_only=not wide and not self.asks_for_the_past(),
        )
        moments = [moment.timestamp() for moment in (self.as_of, self.as_known) if moment is not None]
        facts = common._replace(kinds=_FACTS, said_by=self.as_of.timestamp() if self.as_of else None)
        raw = common._replace(kinds=_RAW, session=self.session or "", said_by=min(moments, default=None))
        own = [common._replace(kinds=_OWN)] if self.wants_self() else []  # of no session, whichever asks
        stated = facts if self.asks_for_the_past() else common._replace(kinds=(*_FACTS, CANDIDATE))
        if self.space == "all" and not self.session and not moments:
            return [common._replace(kinds=(*stated.kinds, *_RAW, *(_OWN if own else ())))]
        return {"notes": [facts], "ops": [raw], "self": own, "all": [stated, raw, *own]}[self.space]


class RecallContext(NamedTuple):
    """When and where a question is asked, and what is missing."""

    now: dt.datetime  # the instant of asking
    zone: dt.tzinfo  # the workspace's, for days
    decay: DecaySettings  # when facts leave the hot and the warm tier
    clock: Callable[[], float]  # monotonic seconds
    agent: str = ""  # the one that owns the workspace
    self_text: str = ""  # of MEMORY.md
    has_notes: Callable[[str], bool] = lambda _session: False  # whether notes of a session lie in its folder
    threshold: float = 0.0  # share of the question below which nothing is brought; 0: everything is
    graph: bool = True  # whether the entities that a question names propose facts
    behind: int = 0  # journal records that the index has not taken in
    degraded: tuple[str, ...] = ()  # what else is missing, in words
    workplaces: Workplaces = NOWHERE  # where what hits name would lie
    engine: str | None = None  # what searches: qdrant-edge in a folder, or a qdrant server; None: there is none


class AskedDays(NamedTuple):
    """The days that a question asks about by its words: what was said then comes before the like of it."""

    words: str  # of the question
    first: dt.date | None  # None: no beginning
    last: dt.date | None  # included; None: no end

    def as_json(self) -> dict[str, str | None]:
        """Return the JSON shape of the contract."""
        first, last = (day.isoformat() if day else None for day in (self.first, self.last))
        return {"words": self.words, "first": first, "last": last}


class RecallAnswer(NamedTuple):
    """What recall says."""

    hits: list[Hit]  # best first
    answer: str  # found, nothing_known, withheld, degraded
    tokens: int  # that the hits' texts take
    cut: list[dict[str, Any]]  # receipts {"id", "kind", "tokens"} of what the budget cut
    index_lag: int  # journal records that the index had not taken in
    degraded: list[str]  # what was missing, in words
    took_ms: float  # of this question
    impaired: bool  # index behind or unusable, or without the model that is set: what --strict refuses
    probably_unknown: bool = False  # the hits, if any, are about the question but probably do not answer it
    asked_days: AskedDays | None = None  # for which the words of the question were taken
    other_agents: OtherAgents | None = None  # what they wrote about it, of which only the owner hears
    explain: dict[str, Any] | None = None  # with --explain
    model: str | None = None  # by whose vectors was searched; None: by words alone
    engine: str | None = None  # what searched, in JSON `index`; None: no index

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the contract."""
        shown = self._asdict()
        shown["hits"] = [hit_json(hit) for hit in self.hits]
        shown["asked_days"] = self.asked_days.as_json() if self.asked_days else None
        shown["index"] = shown.pop("engine")
        del shown["impaired"]
        if self.other_agents is None:
            del shown["other_agents"]
        else:
            shown["other_agents"] = self.other_agents.as_json()
        if self.explain is None:
            del shown["explain"]
        return shown


def hit_json(hit: Hit) -> dict[str, Any]:
    """Return a hit's JSON: every key, but legs that nobody asked for, freshness and orders where there is none."""
    shown = hit.model_dump(mode="json")
    for name in ("legs", "freshness", "order"):
        if shown[name] is None:
            del shown[name]
    return shown
