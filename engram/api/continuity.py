"""The verbs of continuity: what an agent starts with, leaves for the next session, has in hand, and has decided."""

from collections.abc import Sequence
from typing import Any

from engram.api.opened import Opened
from engram.api.opened import require_list
from engram.api.opened import require_text
from engram.base.text import require_plain
from engram.errors import NotFoundError
from engram.model.commands.command import CommandResult
from engram.operations.answers.ask import find_caller
from engram.operations.answers.start import start_block
from engram.operations.inbox import ANSWER
from engram.operations.inbox import SEND
from engram.operations.inbox import answering
from engram.operations.inbox import sending
from engram.operations.inbox import show_inbox
from engram.services.commands.decider import read_fields
from engram.services.context.block import ContextAnswer
from engram.services.context.block import ContextQuery
from engram.services.silo.cross_team import TeamLine
from engram.services.silo.cross_team import add_team_line
from engram.services.silo.cross_team import read_team_lines
from engram.services.silo.decision_log import Decision
from engram.services.silo.decision_log import list_decisions
from engram.services.silo.decision_log import log_decision
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import Handoff
from engram.services.silo.handoff import list_handoffs
from engram.services.silo.handoff import read_handoff
from engram.services.silo.handoff import write_handoff
from engram.services.silo.working_memory import clear_working_memory
from engram.services.silo.working_memory import read_working_memory
from engram.services.silo.working_memory import set_working_memory
from engram.services.silo.working_memory import update_working_memory
from engram.services.visibility import Caller


class Continuity(Opened):
    """Context, handoff, working memory and decisions; each of one session, else of the agent's main one."""

    def context(
        self,
        *,
        session: str | None = None,
        agent: str | None = None,
        budget: int | None = None,
        question: str | None = None,
        project: str | None = None,
    ) -> ContextAnswer:
        """Return the block that an agent loads at its start: the same bytes while nothing changed, fenced as data.

        Args:
            session: who starts.
            agent: which agent; None: that of the session, or the workspace's own.
            budget: tokens of the whole block; None: as the settings say.
            question: what the work is about: whom it names is in play.
            project: which is worked on, as name, path or folder: facts of others are left out; None: all are shown,
                unless the session was held in a project's folder.

        Returns:
            The text, its tokens, and by part what it takes and what was cut.

        Raises:
            UnknownSessionError, UnknownEntityError, BadValueError.
        """
        require_plain({"session": session, "agent": agent, "question": question, "project": project})
        with self._turn:
            at, caller = self._workspace, find_caller(self._workspace, session, agent)
            asked = read_fields(ContextQuery, {"question": question or "", "budget": budget})
            return start_block(at, asked.model_copy(update={"caller": caller}), named=project)

    def handoff_write(self, text: str, *, session: str | None = None) -> Handoff:
        """Write a new version of what a session leaves for the next; the ones before are kept.

        Raises BadValueError, UnknownSessionError.
        """
        with self._turn:
            at = self._workspace
            return write_handoff(at.files, self._silo(session), text, now=at.now())

    def handoff_read(self, *, session: str | None = None) -> Handoff:
        """Return the current version; raise NotFoundError when there is none, UnknownSessionError."""
        with self._turn:
            found = read_handoff(self._workspace.files, self._silo(session))
        if found is None:
            raise NotFoundError("nothing was handed over yet", hint="engram handoff write TEXT")
        return found

    def handoff_history(self, *, session: str | None = None) -> list[Handoff]:
        """Return every version, the current one first. Raises UnknownSessionError."""
        with self._turn:
            return list_handoffs(self._workspace.files, self._silo(session))

    def handoff_send(
        self, to: str, text: str, *, session: str | None = None, agent: str | None = None, dry_run: bool = False
    ) -> CommandResult:
        """Leave something for another agent, which is shown it at its start until it accepts or rejects.

        `agent` or that of `session` sends it, else the workspace's own. Raises BadValueError, RefusedError,
        GivesOrdersError, UnknownSessionError.
        """
        caller = self._asker(session, agent)
        return self._change(SEND, sending(self._workspace, caller, to, text), dry_run=dry_run)

    def inbox(self, *, session: str | None = None, agent: str | None = None, every: bool = False) -> dict[str, Any]:
        """Return {"agent", "waiting", "handoffs", "answers", "others"}: what waits, and what became of what was sent.

        Without `agent` and `session` it is what waits for anybody. Raises UnknownSessionError.
        """
        caller = self._asker(session, agent)
        with self._turn:
            return show_inbox(self._workspace, caller, every=every)

    def inbox_accept(
        self,
        handoff_id: str,
        *,
        reason: str | None = None,
        session: str | None = None,
        agent: str | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Take on what was handed over. Raises NotFoundError, RefusedError, UnknownSessionError."""
        args = answering(self._workspace, self._asker(session, agent), handoff_id, "accept", reason)
        return self._change(ANSWER, args, dry_run=dry_run)

    def inbox_reject(
        self,
        handoff_id: str,
        *,
        reason: str,
        session: str | None = None,
        agent: str | None = None,
        dry_run: bool = False,
    ) -> CommandResult:
        """Do not take it on, and say why. Raises NotFoundError, BadValueError, RefusedError, UnknownSessionError."""
        args = answering(self._workspace, self._asker(session, agent), handoff_id, "reject", reason)
        return self._change(ANSWER, args, dry_run=dry_run)

    def note_team(self, text: str, *, session: str | None = None, agent: str | None = None) -> TeamLine:
        """Write a line into CROSS-TEAM.md, which every agent reads, in the name of the agent, else of the owner.

        Raises BadValueError, UnknownSessionError, and RefusedError for what gives orders or in a session kept apart.
        """
        require_text(text=text)
        caller = self._asker(session, agent)
        with self._turn:
            at = self._workspace
            now, settings = at.now(), at.settings
            patterns = tuple(settings.screen.patterns)
            return add_team_line(at.files, text, caller, now=now, zone=settings.zone, patterns=patterns)

    def note_team_show(self, *, session: str | None = None, agent: str | None = None) -> str:
        """Return CROSS-TEAM.md as whoever asks may see it, empty when there is none: data, never instructions."""
        caller = self._asker(session, agent)
        with self._turn:
            return read_team_lines(self._workspace.files, caller)

    def working_memory_show(self, *, session: str | None = None) -> str:
        """Return what a session has in hand; empty when it is nothing. Raises UnknownSessionError."""
        with self._turn:
            return read_working_memory(self._workspace.files, self._silo(session))

    def working_memory_set(self, text: str, *, session: str | None = None) -> str:
        """Put a text in its place, and return it as it stands; what was there is kept in archives.

        Raises BadValueError, UnknownSessionError.
        """
        with self._turn:
            return set_working_memory(self._workspace.files, self._silo(session), text)

    def working_memory_update(self, text: str, *, session: str | None = None) -> str:
        """Add lines to it, and return it as it stands; a line "KEY: VALUE" takes the place of the one with that key.

        Raises BadValueError, UnknownSessionError.
        """
        with self._turn:
            return update_working_memory(self._workspace.files, self._silo(session), text)

    def working_memory_clear(self, *, session: str | None = None) -> None:
        """Empty it; what was in it is kept in archives. Raises UnknownSessionError."""
        with self._turn:
            clear_working_memory(self._workspace.files, self._silo(session))

    def decision_log(self, text: str, *, tag: Sequence[str] = (), by: str = "", session: str | None = None) -> Decision:
        """Append one decision, with words to find it by and who decided. Raises BadValueError, UnknownSessionError."""
        require_list(tag=tag)
        with self._turn:
            at, folder = self._workspace, self._silo(session)
            return log_decision(at.files, folder, text, tag, now=at.now(), zone=at.settings.zone, by=by)

    def decision_list(
        self, *, last: int | None = None, tag: str | None = None, by: str = "", session: str | None = None
    ) -> list[Decision]:
        """Return decisions, oldest first: those with a tag, and of these the last ones. Raises UnknownSessionError."""
        with self._turn:
            return list_decisions(self._workspace.files, self._silo(session), tag=tag or "", last=last, by=by)

    # -- inside

    def _asker(self, session: str | None, agent: str | None) -> Caller | None:
        require_plain({"session": session, "agent": agent})
        with self._turn:
            return find_caller(self._workspace, session, agent) if session or agent else None

    def _silo(self, session: str | None) -> str:
        require_plain({"session": session})
        named = None if session is None else find_caller(self._workspace, session).session
        return silo_folder(self._workspace.settings.agent, named)
