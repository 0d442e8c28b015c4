"""The parts of the context block in their order, each as all that it could show.

Who the owner is and how they want to work, the project of the working directory, promises and dates ahead, handoff,
what other agents handed over and answered, working memory, decisions, people of the project, what else is in use, and
the notes of two days. A fact stands in the first part that wants it. Without a project all projects are among what else
is in use.
"""

import datetime as dt
import functools
import time
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.clock import local_day
from engram.config.paths import SELF_FILE
from engram.config.settings import Settings
from engram.language.terms.terms import terms
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.sent_handoff import SentHandoff
from engram.ports.database import FactDatabase
from engram.ports.text_files import TextFiles
from engram.rules.context import Item
from engram.rules.context import Part
from engram.rules.life.decay import HOT
from engram.rules.origin import OWNERS
from engram.services.context.ahead import is_ahead
from engram.services.context.ahead import is_long_overdue
from engram.services.context.ahead import order_ahead
from engram.services.context.fact_items import FactItems
from engram.services.context.fair_order import ranks_of_sources
from engram.services.context.fair_order import ranks_on_pages
from engram.services.context.fair_order import with_ranks
from engram.services.context.files import SiloFiles
from engram.services.context.files import Wording
from engram.services.context.in_play import Naming
from engram.services.context.knowledge import Knowledge
from engram.services.context.orders import Orders
from engram.services.context.shelves import WHO
from engram.services.context.shelves import Placed
from engram.services.context.shelves import by_case
from engram.services.context.shelves import lay_out_owner
from engram.services.context.shelves import lay_out_page
from engram.services.context.shelves import plain_shelf
from engram.services.context.shelves import standing_shelf
from engram.services.context.shelves import without_restated
from engram.services.context.standing_instructions import may_stand
from engram.services.recall.query import RecallContext
from engram.services.silo.inbox import read_inbox
from engram.services.visibility import Caller

_MOST_FACTS = 300  # of one part: more than any block has room for, and reading words takes 1 ms each
_READ_CHARS = 40_000  # of what the work is about
_NO_ORDERS: Final = "an agent's words, not confirmed"  # beside what nobody but an agent stands by
_NOTED: Final = "## What agents noted of them, or another memory kept: not confirmed"


class Silo(NamedTuple):
    """What the files of a silo could show that may bring somebody into play."""

    age: str  # of the handoff, in words
    handoff: list[Item]
    working: list[Item]
    today: list[Item]
    yesterday: list[Item]

    def texts(self) -> list[str]:
        """Return the words, those of the handoff first."""
        return [item.text for items in (self.handoff, self.working, self.today, self.yesterday) for item in items]


class Sources:
    """What one block is made of; made once for each."""

    def __init__(
        self,
        database: FactDatabase,
        files: TextFiles,
        settings: Settings,
        caller: Caller,
        now: dt.datetime,
        *,
        question: str,
        project: str | None = None,
    ) -> None:
        """Read files and facts; `question` names what is to be in play besides.

        Raises BadValueError for a session that can have no folder, RefusedError for a file that is a link.
        """
        around = RecallContext(
            now=now, zone=settings.zone, decay=settings.decay, clock=time.monotonic, agent=settings.agent
        )
        self._database = database
        self._caller = caller
        self._limits = settings.context.shares
        self._wording = Wording(settings)
        self._files = SiloFiles(files, settings, caller, self._wording)
        self._today = local_day(now, settings.zone)
        self._silo = self._read_silo(now)
        naming = Naming(database, caller, around)
        self._asked = naming.in_play([question]) if question.strip() else []
        self._in_play = [*self._asked, *naming.in_play(self._silo.texts())]
        self.known = Knowledge(database, settings, caller, around, project=project, in_play=self._in_play)
        # ids of facts that have a part, or want none
        self._shown = {
            *self.known.outdated,
            *(fact.id for fact in self.known.current if is_long_overdue(fact, self.known)),
        }
        self._items = FactItems(database, self.known, self._wording, Orders(database, settings.zone))
        self._about = frozenset(terms("\n".join([question, *self._silo.texts()])[:_READ_CHARS]))

    def parts(self) -> list[Part]:
        """Return the parts in their order. Raises RefusedError."""
        limits, silo, asked = self._limits, self._silo, self._asked
        inbox, answers = self._inbox()
        standing, noted = self._owner(asked)
        ahead = self._ahead(asked)
        project = self._project()
        people = self._people()
        decisions = [*with_ranks(self._files.decisions()), *self._decisions(asked)]
        facts = self._others(self._in_play, asked)
        return [
            Part("standing", "## Who you work for, and how they want it", standing, limits.standing, grows=True),
            Part("memory", f"## {SELF_FILE}", self._files.memory(), limits.memory),
            Part("noted", _NOTED, noted, limits.standing, grows=True),
            Part("project", "## This project", project, limits.project, grows=True),
            Part("ahead", "## Promises and dates ahead", ahead, limits.ahead),
            Part("handoff", f"## Handoff{silo.age}: {_NO_ORDERS}", silo.handoff, limits.handoff),
            Part("inbox", f"## Waiting for you, from other agents: {_NO_ORDERS}", inbox, limits.handoff),
            Part("answers", f"## Answers to what you handed over: {_NO_ORDERS}", answers, limits.handoff),
            Part("working_memory", f"## Working memory: {_NO_ORDERS}", silo.working, limits.working_memory),
            Part("decisions", "## Recent decisions", decisions, limits.decisions, newest_last=True, grows=True),
            Part("people", "## People of this project", people, limits.people, grows=True),
            Part("facts", "## What else is in use", facts, limits.facts, grows=True),
            Part(
                "today", f"## Notes of today, {self._today}: {_NO_ORDERS}", silo.today, limits.notes, newest_last=True
            ),
            Part("yesterday", f"## Notes of yesterday: {_NO_ORDERS}", silo.yesterday, limits.notes, newest_last=True),
        ]

    def _read_silo(self, now: dt.datetime) -> Silo:
        age, handoff = self._files.handoff(now)
        today, yesterday = (self._files.notes(self._today - dt.timedelta(days=days)) for days in (0, 1))
        return Silo(age, handoff, self._files.working_memory(), today, yesterday)

    def _inbox(self) -> tuple[list[Item], list[Item]]:
        """Return what other agents handed over and what waits for an answer, and what became of what was sent."""
        known = self.known
        found = read_inbox(self._database, self._caller, known.now, known.zone)
        waiting = [self._handed(one, f"from {one.sender}", one.text) for one in found.waiting]
        return waiting, [self._handed(one, _answered(one), one.reason or one.text) for one in found.answers]

    def _handed(self, one: SentHandoff, about: str, text: str) -> Item:
        day = local_day(one.sent_at, self.known.zone)
        said = "\n  ".join(text.splitlines())  # so that no line of it passes for another handoff
        return self._wording.item(f"- {one.id}, {day}, {about}: {said}", one.id, "inbox", text, is_persons=False)

    # --- parts of facts --------------------------------------------------------------------------------------------

    def _owner(self, asked: Iterable[str]) -> tuple[list[Item], list[Item]]:
        """Return what holds for whoever works for the owner, but for what holds in one project only.

        What the owner said comes first; what agents or other memories noted is nobody's instruction and
        stands by itself.
        """
        known, wanted = self.known, set(asked)
        standing = []
        candidates = [fact for fact in self._left() if fact.entity == known.owner or may_stand(fact, known.owner)]
        for fact in candidates[: 2 * _MOST_FACTS]:
            is_owner = fact.entity == known.owner if known.owner else fact.entity.startswith("people/")
            shelf = standing_shelf(fact, known.origin(fact), is_owner=is_owner, has_home=known.home(fact) is not None)
            if shelf is None or (known.project and fact.entity == known.project):
                continue
            says_who = shelf == WHO and fact.category == Category.IDENTITY  # also one who leads another project
            if says_who or fact.entity in wanted or not known.is_said_of_elsewhere(fact):
                standing.append((fact, by_case(shelf, fact, self._about, self._today)))
        is_noted = {fact.id for fact, _ in standing if known.origin(fact) not in OWNERS}
        said = self._once([one for one in standing if one[0].id not in is_noted])
        noted = self._once([one for one in standing if one[0].id in is_noted])
        return self._of_owner(lay_out_owner(said)), self._of_owner(lay_out_owner(noted))

    def _of_owner(self, page: Sequence[Placed]) -> list[Item]:
        known = self.known
        of_owner = [one for one in page if not one.fact.entity.startswith("projects/")]
        return self._items.of_page(
            [*of_owner, *sorted((one for one in page if one not in of_owner), key=lambda one: one.fact.entity)],
            lambda one: one.shelf if one in of_owner else _on_page(known.title(one.fact.entity), one),
        )

    def _project(self) -> list[Item]:
        """Return the page of the project, with what was said in its folder about nobody else."""
        known = self.known
        if known.project is None:
            return []
        own = [fact for fact in self._left() if not known.is_person(fact.entity) and known.home(fact) == known.project]
        name = known.title(known.project)
        return self._items.of_page(self._page(own), functools.partial(_on_page, name))

    def _ahead(self, asked: Iterable[str]) -> list[Item]:
        """Return promises that are overdue, then what has a day to come, the nearest first, and those without a day."""
        known = self.known
        planned = [fact for fact in known.planned if fact.id not in self._shown]
        found = [fact for fact in [*self._left(), *planned] if is_ahead(fact, known) and self._is_for(fact, asked)]
        ahead = order_ahead(found, known)
        facts = ahead.facts[:_MOST_FACTS]
        self._shown |= {*ahead.overdue, *(fact.id for fact in facts)}
        return [self._items.of_fact(fact, day=ahead.day_of[fact.id]) for fact in facts]

    def _people(self) -> list[Item]:
        """Return what is known of the people of the project."""
        known = self.known
        if known.project is None:
            return []
        about = [fact for fact in self._left() if known.is_person(fact.entity) and self._is_of_project(fact)]
        return self._by_entity(about, [])

    def _is_of_project(self, fact: Fact) -> bool:
        return self.known.project in fact.related or self.known.home(fact) == self.known.project

    def _decisions(self, asked: Iterable[str]) -> list[Item]:
        """Return what was decided lately about what has no page here, oldest first as in the log.

        Every conversation and note has its turn, and of one the weightiest are taken first; notes of other agents come
        last.
        """
        known = self.known
        recent = [
            fact
            for fact in self._left()
            if fact.category == Category.DECISION and known.tier_of[fact.id] == HOT and self._is_for(fact, asked)
        ]
        kept = without_restated(recent)
        ranks = ranks_of_sources(kept, known.is_of_another_agent)
        own_last = sorted(kept, key=lambda fact: (not known.is_of_another_agent(fact), fact.valid_from, fact.id))
        facts = sorted(own_last[-_MOST_FACTS:], key=lambda fact: (fact.valid_from, fact.id))
        self._shown |= {fact.id for fact in recent}
        placed = [Placed(fact, "", ranks[fact.id]) for fact in facts]
        return self._items.of_page(placed, lambda one: known.title(one.fact.entity))

    def _others(self, in_play: Sequence[str], asked: Iterable[str]) -> list[Item]:
        """Return what is in use of everything else, those first that are in play, what other agents noted last."""
        known = self.known
        hot = [fact for fact in self._left() if known.tier_of[fact.id] == HOT and self._is_for(fact, asked)]
        hot.sort(key=known.is_of_another_agent)
        first = set(in_play)
        return self._by_entity([fact for fact in hot if fact.entity in first] + hot[:_MOST_FACTS], in_play)

    def _is_for(self, fact: Fact, asked: Iterable[str]) -> bool:
        """Tell whether a fact is no matter of another project, unless that one is asked about."""
        return fact.entity in asked or not self.known.is_elsewhere(fact)

    # --- choosing --------------------------------------------------------------------------------------------------

    def _left(self) -> list[Fact]:
        """Return the facts that no part has yet, weightiest first."""
        return [fact for fact in self.known.current if fact.id not in self._shown]

    def _once(self, facts: Iterable[tuple[Fact, str]]) -> list[tuple[Fact, str]]:
        """Return facts that a part takes, none that says what another one says, and remember all of them."""
        shelf_of = {fact.id: (fact, shelf) for fact, shelf in facts}
        self._shown |= shelf_of.keys()
        kept = without_restated([fact for fact, _ in shelf_of.values()])[:_MOST_FACTS]
        return [shelf_of[fact.id] for fact in kept]

    def _page(self, facts: Iterable[Fact]) -> list[Placed]:
        shelves = ((fact, plain_shelf(fact, self.known.origin(fact))) for fact in facts)
        return lay_out_page(
            self._once((fact, by_case(shelf, fact, self._about, self._today)) for fact, shelf in shelves)
        )

    def _by_entity(self, facts: Iterable[Fact], first: Iterable[str]) -> list[Item]:
        """Return facts by whom they are about, the first ones first, else those of whom the weightiest is known."""
        of_one: dict[str, dict[str, Fact]] = {path: {} for path in first}
        for fact in facts:
            of_one.setdefault(fact.entity, {})[fact.id] = fact
        placed = []
        for about in of_one.values():
            page = self._page([*about.values()][:_MOST_FACTS])
            ranks = ranks_on_pages(page, _MOST_FACTS)
            placed += [one._replace(rank=ranks[one.fact.id]) for one in page]
        return self._items.of_page(placed, lambda one: _on_page(self.known.title(one.fact.entity), one))


def _answered(one: SentHandoff) -> str:
    return f"{one.status.value} by {one.answered_by}"


def _on_page(title: str, one: Placed) -> str:
    return f"{title}: {one.shelf}"
