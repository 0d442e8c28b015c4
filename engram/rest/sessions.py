"""Notes, handoffs, decisions and turns of the session that the server was started for, else of the agent's main one."""

from typing import Any

from engram.api.opened import or_raise
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.importers.transcripts import json_lines
from engram.importers.transcripts.reader import FieldError
from engram.importers.transcripts.reader import Source
from engram.operations.inbox import ANSWER
from engram.operations.inbox import SEND
from engram.operations.inbox import answering
from engram.operations.inbox import sending
from engram.operations.inbox import show_inbox
from engram.operations.inbox import told_of_stranger
from engram.operations.notes import note_line
from engram.operations.notes import noting_session
from engram.rest import requests
from engram.rest.call import WAIT_S
from engram.rest.call import Call
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import capture_commands
from engram.services.extract.turn_commands import make_turns
from engram.services.silo.decision_log import Decision
from engram.services.silo.decision_log import list_decisions
from engram.services.silo.decision_log import log_decision
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import read_handoff
from engram.services.silo.handoff import write_handoff
from engram.services.visibility import Caller


def add_note(call: Call, said: requests.NoteRequest) -> dict[str, Any]:
    """Append one line to today's note; the day is that of the workspace's time zone."""
    noted = note_line(call.workspace, _session(call), said.text, said.section)
    report = noted.report
    shown = {"path": noted.path, "section": said.section, "line": report.line}
    return {"status": "done", **shown, "redactions": list(report.redactions)}


def show_handoff(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Show the current version of the handoff."""
    found = read_handoff(call.workspace.files, _folder(call))
    if found is None:
        raise NotFoundError("nothing was handed over yet", hint="engram handoff write TEXT")
    return found.shown(call.workspace.now())


def put_handoff(call: Call, said: requests.TextRequest) -> dict[str, Any]:
    """Write a new version of the handoff; the ones before are kept."""
    now = call.workspace.now()
    return write_handoff(call.workspace.files, _folder(call), said.text, now=now).shown(now)


def send_handoff(call: Call, said: requests.SendRequest) -> dict[str, Any]:
    """Leave something for another agent, which is shown it at its start until it accepts or rejects."""
    args = sending(call.workspace, _agent(call), said.to, said.text)
    found = call.change(SEND, args, dry_run=said.dry_run)
    return found if said.dry_run else told_of_stranger(call.workspace, found, said.to)


def inbox(call: Call, said: requests.InboxQuery) -> dict[str, Any]:
    """List what waits for the agent that the server was started for (for anybody, for a person), and recent answers."""
    return show_inbox(call.workspace, _agent(call), every=said.all)


def accept(call: Call, said: requests.AcceptRequest) -> dict[str, Any]:
    """Take on what was handed over; who sent it is told."""
    args = answering(call.workspace, _agent(call), call.about, "accept", said.reason)
    return call.change(ANSWER, args, dry_run=said.dry_run)


def reject(call: Call, said: requests.RetractRequest) -> dict[str, Any]:
    """Do not take on what was handed over, and say why; who sent it is told."""
    args = answering(call.workspace, _agent(call), call.about, "reject", said.reason)
    return call.change(ANSWER, args, dry_run=said.dry_run)


def add_decision(call: Call, said: requests.DecisionRequest) -> dict[str, Any]:
    """Append one decision to the log."""
    workspace = call.workspace
    zone, by = workspace.settings.zone, said.by or call.door.agent or ""
    folder = _folder(call)
    return _decision(log_decision(workspace.files, folder, said.text, said.tags, now=workspace.now(), zone=zone, by=by))


def show_decisions(call: Call, said: requests.DecisionsQuery) -> dict[str, Any]:
    """List decisions, oldest first."""
    found = list_decisions(call.workspace.files, _folder(call), tag=said.tag or "", last=said.last)
    return {"decisions": [_decision(one) for one in found]}


def capture(call: Call, said: requests.TurnsRequest) -> dict[str, Any]:
    """Capture turns of a conversation, exactly once by content; of an agent all are its own words."""
    own = _session(call)
    source = Source(path=None, session=own, zone=call.workspace.settings.zone)
    raw = [_turn(source, number, turn) for number, turn in enumerate(said.turns, 1)]
    if own is not None and any(turn.session != own for turn in raw):
        raise RefusedError("this server captures for another session", hint="leave out session")
    turns = make_turns(raw, path=None)
    workspace, actor = call.workspace, call.door.actor
    results = [
        or_raise(workspace.submit("capture", args, actor=actor, wait_s=WAIT_S)) for args in capture_commands(turns)
    ]
    new, known = (sum(int(one.details.get(name, 0)) for one in results) for name in ("captured", "known"))
    sessions = sorted({turn.session for turn in turns})
    return {"captured": new, "known": known, "sessions": sessions, "commands": [one.command_id for one in results]}


def _turn(source: Source, number: int, turn: requests.TurnRequest) -> RawTurn:
    try:
        [read] = json_lines.read(turn.model_dump(exclude_none=True), source)
    except FieldError as problem:
        raise BadValueError(f"turn {number}: {problem}", hint="/openapi.json says what a turn holds") from problem
    return read


def _agent(call: Call) -> Caller | None:
    """Return which agent sends or answers; None: a person, who answers for any."""
    return None if call.is_person else call.asker()


def _session(call: Call) -> str | None:
    asker = call.asker()
    with call.workspace.reading() as database:
        return noting_session(database, asker)


def _folder(call: Call) -> str:
    return silo_folder(call.workspace.settings.agent, _session(call))


def _decision(found: Decision) -> dict[str, Any]:
    return {**found._asdict(), "tags": list(found.tags)}
