"""What life/ should say, and which of its files say something else.

Tiers are those of the day of the last journal record: the files are made of the journal and the settings alone, so
deleting life/ and writing it anew gives the same bytes. Where `decay.clock` is `wall`, days go by without a record:
the heartbeat notes in the mirror's state the day that it has seen begin, and only with that note time goes on.
"""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.clock import local_day
from engram.base.text import sha256_hex
from engram.config.settings import Settings
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.ports.database import NO_FACTS
from engram.ports.database import EntityCounts
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.journal import Journal
from engram.ports.mirror import Mirror
from engram.ports.mirror import MirrorState
from engram.ports.mirror import TierBasis
from engram.rules.edits.plan import plan_edits
from engram.rules.edits.reader import EditedFile
from engram.rules.edits.reader import EditPlan
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import Demotion
from engram.rules.life.decay import Reckoning
from engram.rules.life.decay import find_demotions
from engram.rules.life.decay import in_summary
from engram.rules.life.decay import is_too_many
from engram.rules.life.decay import is_usual_step
from engram.rules.life.decay import shapes_tiers
from engram.rules.life.decay import tiers
from engram.rules.life.mirror import INDEX
from engram.rules.life.mirror import files_of
from engram.rules.life.mirror import has_files
from engram.rules.life.mirror import is_shown
from engram.rules.life.mirror import render_index
from engram.rules.life.mirror import render_items
from engram.rules.life.mirror import render_summary
from engram.services.mirror.beside import stand_beside
from engram.services.mirror.changed_entities import touched_entities

MIRROR_LIMIT = 500  # versions of one entity that a write renders at once; beyond, the heartbeat does
FORMAT = "5"  # of the files; another one renders them all
_ROT = "it is not what was written, and nobody has written to it since: the disk changed it"
_READ_AT_ONCE = 4_000  # versions, some 10 kB of memory each


class Difference(NamedTuple):
    """A file of life/ that is not what we know to have written last."""

    name: str  # relative to life/
    kind: str  # missing, unwritten (never there), edited, damaged, stale (an older version), current (not yet noted so)
    plan: EditPlan = EditPlan()  # what it asks for
    content: bytes = b""  # what was read


class Weighed(NamedTuple):
    """What became of the tiers since the files were written."""

    demotions: list[Demotion]
    is_held: bool  # more would leave the summaries than may at once


class MirrorView:
    """What life/ should say, read from one state of the database."""

    def __init__(
        self, database: FactDatabase, journal: Journal, settings: Settings, state: MirrorState | None = None
    ) -> None:
        """Read positions, entities and counts; facts are read when an entity is rendered.

        Of the mirror's state count the day up to which the wall clock went on, and up to when time brought facts in.
        """
        state = state or MirrorState()
        self.position = database.position()
        recorded_at = _recorded_at(journal, self.position)
        is_later = state.held_at is not None and state.position == self.position
        self.holding_at = state.held_at if is_later and state.held_at else recorded_at  # what is shown holds then
        self._counts = database.entity_counts(self.holding_at)
        self._known = {entity.path: entity for entity in database.list_entities()}
        self.entities = {
            path: one for path, one in self._known.items() if _is_in_files(one, self._counts.get(path, NO_FACTS))
        }
        self._left = {redirect.path: redirect.to for redirect in database.list_redirects()}
        self.made_with = sha256_hex(f"{FORMAT} {settings.timezone}")
        self.at = _as_of(recorded_at, state.turned_on, settings)
        self.today = TierBasis(at=self.at, decay=settings.decay)
        self.basis = self.today  # by which tiers are computed
        self.day = local_day(self.at, settings.zone) if self.position else dt.date.min
        self.weighed = f"{self.day} {shapes_tiers(settings.decay)}"
        self._calendar = Calendar(settings.zone, database.active_days(settings.zone))
        self._read: dict[str, list[Fact]] = {}
        self._usages: dict[str, Usage] = {}
        self._database = database
        self._journal = journal
        self._settings = settings

    def changed_since(self, state: MirrorState) -> set[str]:
        """Return the paths of entities whose files may differ since that state, those that are gone included."""
        if state.made_with != self.made_with or state.position > self.position:
            return set(self.entities) | {name.rpartition("/")[0] for name in state.files if name != INDEX}
        turned = self._turned(state.held_at, self.holding_at)
        return {*state.behind, *touched_entities(self._database, self._journal, state.position), *turned}

    def let_time_pass(self, now: dt.datetime) -> set[str]:
        """Show what holds now, and return the entities of which something began or ended since what is shown."""
        turned = self._turned(self.holding_at, now)
        if turned:
            self.holding_at = now
            self._counts = self._database.entity_counts(now)
        return turned

    def _turned(self, before: dt.datetime | None, after: dt.datetime) -> set[str]:
        if before is None or before == after:
            return set()
        return set(self._database.turned_entities(min(before, after), max(before, after)))

    def keep_tiers(self, state: MirrorState) -> None:
        """Render by the tiers of the files where only a thorough refresh may let facts go: see `mirroring.refresh`."""
        basis = state.basis
        if basis is not None and (state.held or shapes_tiers(basis.decay) != shapes_tiers(self.today.decay)):
            self.basis = basis

    def weigh(self, state: MirrorState) -> "Weighed":
        """Return what leaves the hot and the warm tier since the basis of the files."""
        if state.basis is None:
            return Weighed([], is_held=False)
        before = Reckoning(state.basis.at, state.basis.decay)
        after = Reckoning(self.today.at, self.today.decay)
        is_usual = is_usual_step(before, after, self._calendar)
        found: list[Demotion] = []
        standing = 0
        for path in self.reading_ahead(sorted(self.entities)):
            shown = [fact for fact in self.facts(path) if is_shown(fact, self.holding_at)]
            usages = self._usages_of(path, shown)
            found += find_demotions(shown, usages, self._calendar, before, after)
            if not is_usual:
                then = tiers(shown, usages, now=before.at, calendar=self._calendar, settings=before.settings)
                standing += sum(in_summary(fact, usages.get(fact.id), then[fact.id]) for fact in shown)
        leaving = sum(one.leaves_summary for one in found)
        return Weighed(found, is_held=not is_usual and is_too_many(leaving, standing, after.settings))

    def is_large(self, path: str) -> bool:
        """Tell whether an entity has more versions than a write may wait for."""
        return self._counts.get(path, NO_FACTS).versions > MIRROR_LIMIT

    def reading_ahead(self, paths: Sequence[str]) -> Iterator[str]:
        """Yield entities in their order, with their facts read: those of some thousand versions at once.

        A query for each costs milliseconds, and all at once the memory.
        """
        for portion in self._portions(paths):
            if len(portion) > 1 and not set(portion) <= self._read.keys():
                self._read = {path: [] for path in portion}
                for fact in self._database.list_facts(FactFilter(status="all", entities=tuple(portion))):
                    self._read[fact.entity].append(fact)
                self._usages = self._database.usages(one.id for facts in self._read.values() for one in facts)
            yield from portion

    def _portions(self, paths: Iterable[str]) -> Iterator[list[str]]:
        portion, versions = list[str](), 0
        for path in paths:
            portion.append(path)
            versions += self._counts.get(path, NO_FACTS).versions
            if versions >= _READ_AT_ONCE:
                yield portion
                portion, versions = [], 0
        if portion:
            yield portion

    def facts(self, path: str) -> list[Fact]:
        """Return every version of every fact of an entity."""
        if path in self._read:
            return self._read[path]
        return self._database.list_facts(FactFilter(entity=path, status="all"))

    def render(self, entity: Entity, facts: Sequence[Fact], *, with_items: bool = True) -> dict[str, bytes]:
        """Return the files of one entity by name; without its items where only tiers may have changed."""
        usages = self._usages_of(entity.path, facts)
        basis = self.basis
        at_tier = tiers(facts, usages, now=basis.at, calendar=self._calendar, settings=basis.decay)
        summary, items = files_of(entity)
        around: dict[str, Any] = {"at": self.holding_at, "zone": self._settings.zone}
        beside = stand_beside(self._database, facts, usages, at_tier, **around)
        shown = {summary: render_summary(entity, facts, usages, at_tier, **around, beside=beside)}
        return {**shown, items: render_items(entity, facts, usages)} if with_items else shown

    def _usages_of(self, path: str, facts: Iterable[Fact]) -> Mapping[str, Usage]:
        return self._usages if path in self._read else self._database.usages(fact.id for fact in facts)

    def index(self) -> bytes:
        """Return life/index.md."""
        return render_index(list(self.entities.values()), {path: one.shown for path, one in self._counts.items()})

    def left_behind(self, mirror: Mirror, state: MirrorState) -> Iterator[list[Difference]]:
        """Yield the files that somebody edited where an entity has none any more, by folder: it left, for one."""
        folders = {name.rpartition("/")[0] for name in state.files if name != INDEX} - self.entities.keys()
        for path in sorted(folders):
            now = self._stands_at(path)
            if now is None:
                continue
            there = self._known[now].model_copy(update={"path": path})
            edited = [one for one in self._differences(mirror, state, there, now) if one.kind in {"edited", "damaged"}]
            if edited:
                yield edited

    def _stands_at(self, path: str) -> str | None:
        seen = set()
        while path in self._left and path not in seen:
            seen.add(path)
            path = self._left[path]
        return path if path in self._known else None

    def differences(self, mirror: Mirror, state: MirrorState, path: str) -> Iterator[Difference]:
        """Yield the files of an entity that are not as last written."""
        return self._differences(mirror, state, self.entities[path], path)

    def _differences(self, mirror: Mirror, state: MirrorState, entity: Entity, path: str) -> Iterator[Difference]:
        """Yield those of the files in an entity's folder; its facts are those of the entity at `path`."""
        found = {name: mirror.read(name) for name in files_of(entity)}
        for name in [name for name, content in found.items() if content is None]:
            yield Difference(name, "missing" if name in state.files else "unwritten")
        changed = {
            name: content
            for name, content in found.items()
            if content is not None and sha256_hex(content) != state.files.get(name)
        }
        if not changed:
            return
        facts = self.facts(path)
        expected = self.render(entity, facts)
        for name, content in changed.items():
            if content == expected[name]:
                yield Difference(name, "current", content=content)
                continue
            if name in state.stamps and mirror.stamp(name) == state.stamps[name]:
                yield Difference(name, "damaged", EditPlan(damage=_ROT), content)
                continue
            file = EditedFile(name, content, expected[name], mirror.kept_name(name, content))
            plan = plan_edits(file, entity, facts)
            yield Difference(name, _kind_of(plan), plan, content)


def _is_in_files(entity: Entity, counts: EntityCounts) -> bool:
    return has_files(entity, shared=counts.shared, versions=counts.versions)


def _kind_of(plan: EditPlan) -> str:
    if plan.damage:
        return "damaged"
    return "stale" if plan.is_empty else "edited"


def _as_of(recorded_at: dt.datetime, turned_on: dt.date | None, settings: Settings) -> dt.datetime:
    """Return the instant that tiers are of: the last record's, or noon of a later day that has turned."""
    if settings.decay.clock != "wall" or turned_on is None or recorded_at.year == dt.MINYEAR:
        return recorded_at
    return max(recorded_at, dt.datetime.combine(turned_on, dt.time(12), settings.zone).astimezone(dt.UTC))


def _recorded_at(journal: Journal, position: int) -> dt.datetime:
    """Return when the record at that position was decided; the first instant of the calendar before the first."""
    for record, _ in journal.read(max(position - 1, 0)):
        return record.at
    return dt.datetime.min.replace(tzinfo=dt.UTC)
