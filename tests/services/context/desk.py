"""A workspace at which an agent starts: what tests of the start block fill and ask."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from engram.base.project import Project
from engram.services.context.block import ContextAnswer
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import note_place
from engram.services.silo.decision_log import log_decision
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import write_handoff
from engram.services.silo.working_memory import set_working_memory
from engram.services.visibility import identify
from engram.workspace import Workspace
from tests.making import NOW

HOUR = dt.timedelta(hours=1)
DAY = dt.timedelta(days=1)
TURN = f"turn/{'0' * 32}"


class Desk:
    """A workspace at which an agent starts."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.paths = workspace.paths
        self.files = workspace.files
        self.settings = workspace.settings

    def write(self, text: str, entity: str = "people/anna", **fields: Any) -> str:
        """Record a fact, life/ untouched, and return its id."""
        args = {"entity": entity, "text": text, "create": True, **fields}
        with self.workspace.writing("test") as recorder:
            (result,) = recorder.record([self.workspace.envelope("write", args)])
        assert result.id, result
        return result.id

    def write_all(self, texts: Iterable[str], entity: str = "people/anna", **fields: Any) -> None:
        """Write a fact for each text, as `write` does, but open the store once."""
        given = [{"entity": entity, "text": text, "create": True, **fields} for text in texts]
        with self.workspace.writing("test") as recorder:
            results = recorder.record([self.workspace.envelope("write", args) for args in given])
        assert all(result.id for result in results), results

    def at(self, now: dt.datetime) -> None:
        """Let another time have come for what is written from here on."""
        self.workspace.now = lambda: now

    def note(self, text: str, *, now: dt.datetime = NOW, session: str | None = None, section: str = "events") -> None:
        zone = self.settings.zone
        place = note_place(self.paths.memory, "main", session, now=now, zone=zone)
        add_note(self.files, place, text, now=now, zone=zone, section=section)

    def start(
        self, *, session: str | None = None, agent: str | None = None, now: dt.datetime = NOW, **fields: Any
    ) -> ContextAnswer:
        with self.workspace.reading() as database:
            caller = identify(database, "main", session, agent)
            asked = ContextQuery(caller=caller, **fields)
            return load_context(database, self.files, self.settings, asked, now=now)

    def fill(self) -> None:
        self.write("Never deploy on Fridays", category="preference")
        self.write("Billing runs on PostgreSQL 16", "projects/billing", category="status")
        self.paths.self_file.write_text("# Memory\n\nAnna is the owner <!-- engram:people/anna-009 -->\n")
        folder = silo_folder("main", None)
        write_handoff(self.files, folder, "Reports are half done", now=NOW - 2 * DAY)
        set_working_memory(self.files, folder, "branch: reports")
        log_decision(self.files, folder, "We use DuckDB", now=NOW - DAY, zone=dt.UTC)
        self.note("Met the Billing team")
        self.note("Wrote the plan", now=NOW - DAY)

    def held(self, session: str, project: str | None = None, kind: str | None = None) -> str:
        """Have a conversation, in the folder of a project or not; return its session."""
        where = Project(f"projects/{project}", project).as_args() if project else {}
        turn = {"id": f"turn/{session.encode().hex():0>32}"[:37], "session": session, "speaker": "user", "text": "Hi"}
        kinds = {"kind": kind} if kind else {}
        self.workspace.submit("capture", {"session": session, "turns": [turn], **kinds, **where})
        return session

    def said(self, text: str, session: str, entity: str = "people/anna", **fields: Any) -> str:
        """Write what the owner said in a conversation, as the heartbeat does that has read it."""
        source = {"actor": "user", "session": session, "turn": TURN}
        return self.write(text, entity, source=source, trust="unverified", **fields)
