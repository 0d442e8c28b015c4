"""The parts of the context block, each as all that it could show: read from the store and from one silo's files."""

import datetime as dt
import re
import time
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Final

from engram.base.clock import local_day
from engram.base.counting import counted
from engram.base.text import is_archived
from engram.config.paths import SELF_FILE_TEXT
from engram.config.paths import Paths
from engram.config.settings import Settings
from engram.errors import MalformedInputError
from engram.language.fenced import barred
from engram.language.fenced import safe_lines
from engram.language.lexical import terms
from engram.language.notes import split_note
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.context import Item
from engram.rules.context import Part
from engram.rules.decay import HOT
from engram.rules.decay import Calendar
from engram.rules.decay import tiers
from engram.rules.ranking import named_entities
from engram.rules.temporal import visible
from engram.rules.temporal import written_begin
from engram.services.context_facts import Placed
from engram.services.context_facts import choose_of_one
from engram.services.context_facts import shelve_standing
from engram.services.decision_log import DECISIONS
from engram.services.handoffs import read_handoff
from engram.services.memory_file import read_memory
from engram.services.recall.candidates import SELF_FILE
from engram.services.recall.candidates import Gatherer
from engram.services.recall.query import Circumstances
from engram.services.recall.superseded import former_versions
from engram.services.silos import read_silo_file
from engram.services.silos import silo_folder
from engram.services.standing import StandingQuery
from engram.services.standing import is_instruction
from engram.services.standing import recall_standing
from engram.services.visibility import Caller
from engram.services.visibility import visible_scopes
from engram.services.working_memory import WORKING_MEMORY

_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_MOST_ENTITIES = 20  # in play: those that come first in the order of the texts
_MOST_STANDING = 100
_READ_CHARS = 40_000  # of the texts in which entities are looked for


class Sources:
    """What one block is made of; made once for each."""

    def __init__(
        self, database: FactDatabase, paths: Paths, settings: Settings, caller: Caller, now: dt.datetime
    ) -> None:
        """Take what is read; raise BadValueError for a session that can have no folder."""
        self._database = database
        self._paths = paths
        self._settings = settings
        self._caller = caller
        self._now = now
        self._today = local_day(now, settings.zone)
        self._folder = silo_folder(settings.agent, caller.session)
        self._scopes = visible_scopes(caller)
        self._around = Circumstances(
            now=now, zone=settings.zone, decay=settings.decay, clock=time.monotonic, agent=settings.agent
        )

    def parts(self, question: str) -> list[Part]:
        """Return the parts in their order; `question` names what is to be in play besides. Raises RefusedError."""
        limits = self._settings.context
        standing = self._standing()
        handoff = self._handoff()
        working = self._lines_of(f"{self._folder}/{WORKING_MEMORY}", "working-memory")
        decisions = self._entries(f"{self._folder}/{DECISIONS}", "decision")
        today, yesterday = self._notes(self._today), self._notes(self._today - dt.timedelta(days=1))
        texts = [question, *(item.text for items in (handoff[1], working, today, yesterday) for item in items)]
        facts = self._facts(texts, {item.id for item in standing})
        return [
            Part("standing", "## What always holds", standing, limits.standing),
            Part("memory", f"## {SELF_FILE}", self._self_lines(), limits.memory),
            Part("handoff", f"## Handoff{handoff[0]}", handoff[1], limits.handoff),
            Part("working_memory", "## Working memory", working, limits.working_memory),
            Part("decisions", "## Recent decisions", decisions, limits.decisions, newest_last=True),
            Part("facts", "## What is known of those in play", facts, limits.facts),
            Part("today", f"## Notes of today, {self._today}", today, limits.notes, newest_last=True),
            Part("yesterday", "## Notes of yesterday", yesterday, limits.notes, newest_last=True),
        ]

    # --- facts ---------------------------------------------------------------------------------------------------

    def _standing(self) -> list[Item]:
        asked = StandingQuery(session=self._caller.session, agent=self._caller.agent, limit=_MOST_STANDING)
        answer = recall_standing(self._database, asked, self._around, owner=self._settings.owner)
        ids = tuple(hit.id for hit in answer.hits)
        found = {fact.id: fact for fact in self._database.list_facts(FactFilter(ids=ids))} if ids else {}
        facts = [found[hit.id] for hit in answer.hits]
        placed = shelve_standing(facts, {fact.id for fact in facts if is_instruction(fact)})
        return [self._on_shelf(one, "", self._standing_line(one.fact)) for one in placed]

    def _facts(self, texts: Iterable[str], shown: set[str]) -> list[Item]:
        """Return what is hot about the entities that the texts name, and is not shown already."""
        of_one = {path: [fact for fact in self._known(path) if fact.id not in shown] for path in self._in_play(texts)}
        facts = [fact for known in of_one.values() for fact in known]
        if not facts:
            return []
        calendar = Calendar(self._settings.zone, self._database.active_days(self._settings.zone))
        usages = self._database.usages([fact.id for fact in facts])
        tier_of = tiers(facts, usages, now=self._now, calendar=calendar, settings=self._settings.decay)
        former = former_versions(self._database, {fact.id: fact for fact in facts}, self._scopes)
        titles = {one.path: one.title for one in self._database.list_entities()}
        items = []
        for path, known in of_one.items():
            chosen = choose_of_one([fact for fact in known if tier_of[fact.id] == HOT], usages, tier_of)
            items += [self._on_shelf(one, titles[path], self._fact_line(one.fact, former)) for one in chosen.facts]
            items += [self._more(path, titles[path], chosen.more)] if chosen.more else []
        return items

    def _in_play(self, texts: Iterable[str]) -> list[str]:
        names = Gatherer(None, self._database, self._around).names(self._caller)
        found: dict[str, None] = {}
        room = _READ_CHARS
        for text in texts:
            found |= dict.fromkeys(sorted(named_entities(terms(text[:room]), names)))
            room -= len(text)
            if room <= 0 or len(found) >= _MOST_ENTITIES:
                break
        return [path for path in found if not is_archived(path)][:_MOST_ENTITIES]

    def _known(self, path: str) -> list[Fact]:
        facts = self._database.list_facts(FactFilter(entity=path, scopes=self._scopes))
        seen = [one for one in facts if one.trust != Trust.QUARANTINED and visible(one, as_of=self._now, as_known=None)]
        return sorted(seen, key=lambda fact: (fact.valid_from, fact.id), reverse=True)

    def _standing_line(self, fact: Fact) -> str:
        return f"- {fact.text} ({fact.id}, {written_begin(fact, self._settings.zone)})"

    def _fact_line(self, fact: Fact, former: Mapping[str, Fact]) -> str:
        since = written_begin(fact, self._settings.zone)
        marks = [fact.id, since, *(["unverified"] if fact.trust == Trust.UNVERIFIED else [])]
        before = former.get(fact.id)
        was = f'; was "{before.text}", until {since}' if before is not None else ""
        return f"- {fact.text} ({', '.join(marks)}{was})"

    def _on_shelf(self, one: Placed, title: str, line: str) -> Item:
        item = self._item(line, one.fact.id, "fact", one.fact.text)
        return item._replace(heading=self._heading(f"{title}: {one.shelf}" if title else one.shelf))

    def _more(self, path: str, title: str, count: int) -> Item:
        item = self._item(f"And {count} more: engram facts --entity {path}", f"{path}#more", "more", "")
        return item._replace(heading=self._heading(title))

    def _heading(self, words: str) -> str:
        return barred(f"[{next(self._safe(words), '')}]")

    # --- files ---------------------------------------------------------------------------------------------------

    def _self_lines(self) -> list[Item]:
        text = read_memory(self._paths) if self._caller.sees_self else ""
        if text.strip() == SELF_FILE_TEXT.strip():
            return []
        return self._line_items(text, SELF_FILE, "self")

    def _handoff(self) -> tuple[str, list[Item]]:
        handoff = read_handoff(self._paths, self._folder)
        if handoff is None:
            return "", []
        days = handoff.age_days(self._now)
        age = (
            "nobody knows when"
            if days is None
            else "less than a day old"
            if not days
            else f"{counted(days, 'day')} old"
        )
        return f" (version {handoff.version}, {age})", self._line_items(handoff.text, handoff.path, "handoff")

    def _lines_of(self, path: str, kind: str) -> list[Item]:
        return self._line_items(read_silo_file(self._paths, path), path, kind)

    def _line_items(self, text: str, path: str, kind: str) -> list[Item]:
        """Return the lines that say something, without comments and the first heading, which is the file's title."""
        plain = _COMMENT.sub("", text).strip()
        title, _, rest = plain.partition("\n")
        body = rest if title.startswith("# ") else plain
        safe = enumerate(safe_lines(body, self._settings.screen.patterns), 1)
        return [Item((barred(line),), f"{path}#{number}", kind, line) for number, line in safe if line.strip()]

    def _notes(self, day: dt.date) -> list[Item]:
        places = [f"{self._folder}/{day}.md"]
        if self._caller.is_owner:
            places.append(f"memory/{day}.md")  # of no session
        return [item for path in places for item in self._entries(path, "note")]

    def _entries(self, path: str, kind: str) -> list[Item]:
        """Return the entries of a note, each under the heading that it stands under."""
        try:
            entries = split_note(read_silo_file(self._paths, path).encode())
        except MalformedInputError:
            return []  # a NUL: doctor and the heartbeat tell of it
        return [self._entry(f"{path}#{one.line}", kind, one.text, one.headings) for one in entries]

    def _entry(self, key: str, kind: str, text: str, headings: tuple[str, ...]) -> Item:
        item = self._item(text, key, kind, text)
        inner = headings[1:]  # the first is the file's title
        return item._replace(heading=self._heading(inner[-1]) if inner else "")

    def _item(self, shown: str, key: str, kind: str, text: str) -> Item:
        return Item(tuple(barred(line) for line in self._safe(shown) if line.strip()), key, kind, text)

    def _safe(self, text: str) -> Iterator[str]:
        return safe_lines(text, self._settings.screen.patterns)
