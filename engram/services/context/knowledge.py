"""What the store holds that may stand in one start block: facts with their origin, tier and project."""

import datetime as dt
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from functools import cached_property
from typing import Final

from engram.config.settings import Settings
from engram.model.conversation import Session
from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.start import WorkedOn
from engram.rules.life.decay import Calendar
from engram.rules.life.decay import tiers
from engram.rules.life.importance import salience
from engram.rules.origin import Origin
from engram.rules.origin import origin_mark
from engram.rules.origin import origin_of
from engram.rules.temporal import PLANNED
from engram.rules.temporal import has_begun
from engram.rules.temporal import holds_now
from engram.rules.temporal import standing
from engram.rules.temporal import written_begin
from engram.services.context.selection import Reader
from engram.services.context.selection import read_facts
from engram.services.recall.homes import Homes
from engram.services.recall.query import RecallContext
from engram.services.recall.validity.outdated import find_likely_now
from engram.services.recall.validity.outdated import find_outdated_now
from engram.services.recall.validity.said import Said
from engram.services.recall.validity.said import read_said
from engram.services.silo.folder import session_of_note
from engram.services.visibility import Caller
from engram.services.visibility import current_path
from engram.services.visibility import visible_scopes

_PROJECTS: Final = "projects/"
_PEOPLE: Final = "people/"
_MOST_COMPARED = 1000  # facts that one block looks through for what is over


class Knowledge:
    """The facts that one caller may see now. Made once for each block."""

    def __init__(
        self,
        database: FactDatabase,
        settings: Settings,
        caller: Caller,
        around: RecallContext,
        *,
        project: str | None,
        in_play: Sequence[str] = (),
    ) -> None:
        """Read the facts, of very many those that a block may show.

        `project` is the path of the one that is worked on, None when it is none or all; of very many facts more are
        read of entities `in_play` than of others.
        """
        self._database = database
        self.now: dt.datetime = around.now
        self.zone = settings.zone
        self.scopes = visible_scopes(caller)
        self._agent = caller.agent
        self.owner = current_path(database, settings.owner)
        self.project = current_path(database, project) if project else None
        sessions = database.list_sessions()
        self._sessions: Mapping[str, Session] = {one.name: one for one in sessions}
        self._homes = Homes(database, sessions, lambda: self.entities, self.project)
        calendar = Calendar(self.zone, database.active_days(self.zone))
        reader = Reader(self.scopes, self.now, self.owner, self._worked_on(), in_play)
        seen = read_facts(database, reader, calendar, settings.decay)
        self.planned = [fact for fact in seen if standing(fact, self.now) == PLANNED]
        self.usages: Mapping[str, Usage] = database.usages([fact.id for fact in seen]) if seen else {}
        self.tier_of = tiers(seen, self.usages, now=self.now, calendar=calendar, settings=settings.decay)
        self.current = self._weightiest(fact for fact in seen if holds_now(fact, self.now))

    def _worked_on(self) -> WorkedOn | None:
        if self.project is None:
            return None
        found = self.entities.get(self.project)
        names = (found.title, *found.aliases) if found else ()
        own = self._homes.sessions_of(self.project)
        others = self._homes.sessions - own
        return WorkedOn(
            self.project, tuple(sorted(name.lower() for name in names)), (*sorted(own),), (*sorted(others),)
        )

    @cached_property
    def ids(self) -> frozenset[str]:
        """Ids of the facts that may be named in the block."""
        return frozenset(fact.id for fact in (*self.current, *self.planned))

    def count_held(self) -> int:
        """Return how many facts hold now, read or not."""
        return self._database.count_held(self.scopes, self.now)

    @cached_property
    def entities(self) -> Mapping[str, Entity]:
        """Every entity by path. A title may be shown of those only of which a fact is shown."""
        return {one.path: one for one in self._database.list_entities()}

    def title(self, path: str) -> str:
        """Return what an entity is called."""
        found = self.entities.get(path)
        return found.title if found else path.partition("/")[2]

    def origin(self, fact: Fact) -> Origin:
        """Return whose words a fact is made of."""
        return origin_of(fact, self.usages.get(fact.id), self._sessions.get(fact.source.session or ""))

    def origin_mark(self, fact: Fact) -> str:
        """Return the words that tell where a fact comes from and since when it holds; no day when that is to come."""
        day = "" if not has_begun(fact, self.now) else written_begin(fact, self.zone)
        # What is said names a day, or holds from the very instant.
        is_named = fact.source.turn is not None and fact.valid_from.astimezone(self.zone).time() == dt.time()
        return origin_mark(fact, self.origin(fact), day, is_named=is_named)

    def _weightiest(self, facts: Iterable[Fact]) -> list[Fact]:
        """Return facts by what a line about them is worth now; of equal ones the newest first."""
        return sorted(facts, key=lambda fact: (-round(self._weight(fact), 2), -fact.valid_from.timestamp(), fact.id))

    def _weight(self, fact: Fact) -> float:
        return salience(fact, self.usages.get(fact.id), self.tier_of[fact.id])

    @cached_property
    def outdated(self) -> set[str]:
        """Ids of the facts that newer ones tell to be over, among the weightiest, or probably make out of date."""
        compared = [*self.current[:_MOST_COMPARED], *self.planned[:_MOST_COMPARED]]
        return {*find_outdated_now(compared, self.home, self.now, said=self._said), *self._replaced}

    @cached_property
    def _replaced(self) -> Mapping[str, Fact]:
        """Facts that newer ones probably make out of date, by id, each with the newest of those."""
        return find_likely_now([*self.current, *self.planned], self.home, self.now, self._said)

    @cached_property
    def _said(self) -> Said:
        return read_said(self._database, [*self.current, *self.planned])

    @cached_property
    def before(self) -> Mapping[str, Fact]:
        """The fact that each fact probably made out of date, by the id of the newer one."""
        by_id = {fact.id: fact for fact in (*self.current, *self.planned)}
        return {new.id: by_id[old] for old, new in self._replaced.items()}

    def is_of_another_agent(self, fact: Fact) -> bool:
        """Tell whether a fact was read in a note of another agent than the one that starts."""
        path, agent = fact.source.path, self._agent
        if path is None or agent is None or not path.startswith("memory/"):
            return False
        return session_of_note(path, agent) is not None and not path.startswith(f"memory/{agent}/")

    # --- projects ------------------------------------------------------------------------------------------------

    def is_person(self, path: str) -> bool:
        """Tell whether an entity is somebody other than the owner."""
        return path.startswith(_PEOPLE) and path != self.owner

    def home(self, fact: Fact) -> str | None:
        """Return the project that a fact belongs to, None when it belongs to none."""
        return self._homes.of(fact)

    def is_elsewhere(self, fact: Fact) -> bool:
        """Tell whether a fact belongs to another project than the one that is worked on."""
        return self.project is not None and self.home(fact) not in {None, self.project}

    def is_said_of_elsewhere(self, fact: Fact) -> bool:
        """Tell whether a fact is about another project, not only said while one worked on it."""
        if self.project is None:
            return False
        if fact.entity.startswith(_PROJECTS):
            return self.is_elsewhere(fact)
        named = self._homes.named(fact.text)
        return bool(named) and self.project not in named
