"""The verbs around facts: entities, sessions, notes, and what waits for a review."""

import datetime as dt
from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import get_args

from engram.api.opened import Opened
from engram.api.opened import or_raise
from engram.api.opened import require_list
from engram.api.opened import require_one_of
from engram.api.values import Moment
from engram.api.values import NoticedName
from engram.api.values import SectionName
from engram.base.text import require_plain
from engram.model.commands.command import CommandResult
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.operations.review import plan_settling
from engram.operations.review import settle
from engram.operations.review import take_back
from engram.services.facts.listing import entity_view
from engram.services.facts.listing import list_entity_views
from engram.services.facts.sources.sessions import SessionView
from engram.services.facts.sources.sessions import get_session
from engram.services.facts.sources.sessions import list_sessions
from engram.services.review import queue as review_queue
from engram.services.review.visible_queue import visible_queue
from engram.services.silo import daily_note
from engram.services.visibility import MAIN_SESSION


class Keeping(Opened):
    """Entities, sessions, notes and the review."""

    def entity_add(
        self, path: str, *, title: str | None = None, alias: Sequence[str] = (), dry_run: bool = False
    ) -> CommandResult:
        """Make an entity, such as people/boris, with its other names. Raises BadValueError, RefusedError."""
        require_list(alias=alias)
        return self._change("entity-add", {"path": path, "title": title, "aliases": list(alias)}, dry_run=dry_run)

    def entity_alias(self, path: str, name: str, *, dry_run: bool = False) -> CommandResult:
        """Give an entity another name. Raises UnknownEntityError, AmbiguousNameError, RefusedError."""
        return self._change("entity-alias", {"path": path, "alias": name}, dry_run=dry_run)

    def entity_rename(self, path: str, new: str, *, title: str | None = None, dry_run: bool = False) -> CommandResult:
        """Give an entity another path (people/anna-petrova) or name; the old ones go on finding it.

        Raises UnknownEntityError, AmbiguousNameError, BadValueError, and RefusedError for a name that is taken.
        """
        return self._change("entity-rename", {"path": path, "new": new, "title": title}, dry_run=dry_run)

    def entity_merge(self, source: str, into: str, *, dry_run: bool = False) -> CommandResult:
        """Make two entities one: `into` stays, with the names and facts of both; `tensions` are what excludes itself.

        Raises UnknownEntityError, AmbiguousNameError, RefusedError.
        """
        return self._change("entity-merge", {"source": source, "into": into}, dry_run=dry_run)

    def entity_split(
        self,
        path: str,
        to: str | None = None,
        *,
        facts: Sequence[str] = (),
        title: str | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Undo the latest merge into an entity; with `facts` and `to`: these become an entity of their own.

        Raises UnknownEntityError, UnknownFactError, AmbiguousNameError, BadValueError, and RefusedError when something
        was built on the merge since.
        """
        args = {"path": path, "to": to, "facts": list(facts) or None, "title": title}
        return self._change("entity-split", args, dry_run=dry_run)

    def entity_archive(self, path: str, *, dry_run: bool = False) -> CommandResult:
        """Put an entity away in archives/: recall finds it, marked; the start block leaves it out. Raises as others."""
        return self._change("entity-archive", {"path": path}, dry_run=dry_run)

    def entity_restore(self, path: str, *, dry_run: bool = False) -> CommandResult:
        """Bring an archived entity back to where it stood; raise RefusedError when another one stands there."""
        return self._change("entity-restore", {"path": path}, dry_run=dry_run)

    def undo(self, command_id: str | None = None, *, dry_run: bool = False) -> CommandResult:
        """Take back the last that this caller did with entities, or what a command did by its id.

        Raises UnknownCommandError, and RefusedError when there is nothing, or something was built on it since.
        """
        return self._change("undo", {"id": command_id}, dry_run=dry_run)

    def entity_list(self) -> list[dict[str, Any]]:
        """Return every entity by path: {"path", "title", "aliases", "created_at", "facts"}, the last a count."""
        with self._reading() as (at, database):
            return list_entity_views(database, at.now())

    def entity_show(self, path: str) -> dict[str, Any]:
        """Return one entity by path, title or alias: as in the list, with "related" and "active_facts".

        Raises UnknownEntityError, AmbiguousNameError.
        """
        with self._reading() as (at, database):
            return entity_view(database, path, at.now())

    def session_add(
        self,
        name: str,
        *,
        platform: str | None = None,
        external_id: str | None = None,
        kind: Literal["personal", "group"] | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Make a session: the silo of one conversation; of a `kind`, what is said in it stays in it.

        Raises BadValueError, RefusedError.
        """
        args = {"name": name, "platform": platform, "external_id": external_id, "kind": kind}
        return self._change("session-add", args, dry_run=dry_run)

    def session_open(self, name: str, *, dry_run: bool = False) -> CommandResult:
        """Let a session that is kept apart be open, with the facts stated in it; only where nobody else spoke in it.

        Raises BadValueError, UnknownSessionError, RefusedError.
        """
        return self._change("session-open", {"name": name}, dry_run=dry_run)

    def session_list(self) -> list[SessionView]:
        """Return every session by name, with its number of turns."""
        with self._reading() as (_, database):
            return list_sessions(database)

    def session_show(self, name: str) -> SessionView:
        """Return one session; raise UnknownSessionError."""
        with self._reading() as (_, database):
            return get_session(database, name)

    def note_add(
        self, text: str, *, session: str | None = None, section: SectionName = "events"
    ) -> daily_note.NoteReport:
        """Append one line to today's note of a session, else of the agent's main one; durable when this returns.

        Raises BadValueError, UnknownSessionError.
        """
        require_one_of("section", section, get_args(SectionName))
        with self._turn:
            at, place = self._workspace, self._note(session, None)
            return daily_note.add_note(at.files, place, text, now=at.now(), zone=at.settings.zone, section=section)

    def note_show(self, *, date: Moment | None = None, session: str | None = None) -> str:
        """Return the note of a day, else of today; raise NotFoundError when there is none, UnknownSessionError.

        Raises BadValueError for a text that names no day.
        """
        with self._turn:
            return daily_note.read_note(self._workspace.files, self._note(session, self._day("date", date)))

    def observe(
        self,
        text: str,
        *,
        category: NoticedName = "friction",
        entity: str | None = None,
        facts: Sequence[str] = (),
        session: str | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Note something for a review to settle; what was noticed before, also in other words, is counted there.

        `facts` are ids that it stands on. Raises BadValueError, UnknownEntityError, UnknownFactError.
        """
        args = {"text": text, "category": category, "entity": entity, "facts": list(facts), "session": session}
        return self._change("observe", args | {CAN_BE_UNDONE: True}, dry_run=dry_run)

    def tension_add(self, text: str, *, fact1: str, fact2: str, dry_run: bool = False) -> CommandResult:
        """Say that two facts exclude each other, and why. Raises UnknownFactError, RefusedError."""
        said = {"text": text, "fact1": fact1, "fact2": fact2, CAN_BE_UNDONE: True}
        return self._change("tension-add", said, dry_run=dry_run)

    def tension_list(self, *, status: str = "open") -> list[dict[str, Any]]:
        """Return tensions (open, resolved, all) with both sentences, their dates and sources, and their outcome."""
        require_one_of("status", status, ("open", "resolved", "all"))
        with self._reading() as (at, database):
            found = database.list_tensions(status)
            return [review_queue.describe_tension(database, one, at.settings, at.files) for one in found]

    def review_list(self, *, kind: str | None = None) -> list[dict[str, Any]]:
        """Return all that waits, in the order in which it is to be looked at, each with the outcomes it can have.

        `kind` is tension, quarantined, observation, names (two entities that may be one) or candidate; candidates are
        those of today. What tries to give orders to the agent is not shown.
        """
        require_one_of("kind", kind, ("tension", "quarantined", "observation", "names", "candidate"))
        with self._reading() as (at, database):
            brought = visible_queue(database, at.settings, None, at.now())
            waiting = [one for one in brought if kind in {None, one.kind}]
            return [review_queue.describe(database, one, at.settings, at.files) for one in waiting]

    def review_answer(
        self,
        item: str,
        outcome: str,
        *,
        keep: str | None = None,
        text: str | None = None,
        note: str | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Settle one thing that waits; `review_list` says which outcomes it can have, and `review_undo` undoes it.

        Args:
            item: id of the tension, the quarantined fact or the observation.
            outcome: what is so.
            keep: the fact or the observation that stays.
            text: what a merge or a promotion says.
            note: why.
            dry_run: return what would become of it, and change nothing.

        Raises:
            UnknownTensionError, UnknownObservationError, UnknownFactError, BadValueError, RefusedError.
        """
        said = {"id": item, "outcome": outcome, "keep": keep, "text": text, "note": note}
        args = {name: value for name, value in said.items() if value is not None}
        require_plain(args)
        with self._turn:
            if dry_run:
                return or_raise(plan_settling(self._workspace, args, actor=self._actor)[0])
            return or_raise(settle(self._workspace, args, actor=self._actor))

    def review_undo(self, item: str | None = None, *, dry_run: bool = False) -> CommandResult:
        """Take back the latest decision, or the one about this: everything is again as it was. Raises RefusedError."""
        if dry_run:
            return self._change("review-undo", {"id": item}, dry_run=True)
        require_plain({"id": item})
        with self._turn:
            return or_raise(take_back(self._workspace, item, actor=self._actor))

    # -- inside

    def _day(self, name: str, given: Moment | None) -> dt.date | None:
        """Return the day of the workspace's time zone that is meant."""
        if isinstance(given, dt.date) and not isinstance(given, dt.datetime):
            return given
        moment = self._instant(name, given)
        return None if moment is None else moment.astimezone(self._workspace.settings.zone).date()

    def _note(self, session: str | None, day: dt.date | None) -> daily_note.NotePlace:
        require_plain({"session": session})
        at = self._workspace
        if session is not None and session != MAIN_SESSION:
            with at.reading() as database:
                session = get_session(database, session).session.name
        place = daily_note.note_place(at.paths.memory, at.settings.agent, session, now=at.now(), zone=at.settings.zone)
        return place if day is None else place._replace(day=day)
