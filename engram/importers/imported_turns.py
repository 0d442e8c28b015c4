"""The conversations of a source: its sessions, and what was said in them, with a remark on what could not be taken."""

from collections.abc import Sequence

from engram.importers.memories.items import Effect
from engram.importers.memories.items import Remark
from engram.importers.recorder import ImportRecorder
from engram.model.commands.command import Outcome
from engram.model.conversation import Session
from engram.model.conversation import Turn
from engram.model.fact import Actor
from engram.services.extract.turn_commands import capture_commands
from engram.services.imports import ledger
from engram.workspace import Workspace

_OPEN = "open"  # a session of no kind


def record_sessions(workspace: Workspace, recorder: ImportRecorder, sessions: Sequence[Session]) -> list[Remark]:
    """Make the sessions that are not here; one that is stays of the kind that it has here, which is said."""
    known = recorder.sessions()
    fresh = [one.model_dump(mode="json", exclude={"created_at"}) for one in sessions if one.name not in known]
    given = [{name: value for name, value in one.items() if value is not None} for one in fresh]
    results = recorder.record(
        [
            workspace.envelope(
                "session-add",
                args,
                actor=Actor.IMPORT,
                command_id=ledger.command_id(recorder.entry.format, "session", args),
            )
            for args in given
        ]
    )
    source = recorder.entry.source
    refused = [
        Remark(source, "", f"a session was not made: {result.reason}")
        for result in results
        if result.status == Outcome.REFUSED
    ]
    there = [(one, known[one.name]) for one in sessions if one.name in known]
    return [*refused, *(_another_kind(source, one, here) for one, here in there if one.kind != here.kind)]


def _another_kind(source: str, there: Session, here: Session) -> Remark:
    is_here, is_there = here.kind or _OPEN, there.kind or _OPEN
    reason = f"session {here.name} is {is_here} here and {is_there} in the source: it stays {is_here}"
    return Remark(source, "", reason, Effect.CHANGED)


def record_turns(
    workspace: Workspace, recorder: ImportRecorder, turns: Sequence[Turn]
) -> tuple[dict[str, int], list[Remark]]:
    """Capture the turns that are not stored; return how many were and how many are known, and remarks on the rest."""
    known = recorder.known_turns([turn.id for turn in turns])
    commands = list(capture_commands([turn for turn in turns if turn.id not in known]))
    ids = [
        ledger.command_id(recorder.entry.format, "turns", [turn["id"] for turn in args["turns"]]) for args in commands
    ]
    results = recorder.record(
        [
            workspace.envelope("capture", args, actor=Actor.IMPORT, command_id=command_id)
            for args, command_id in zip(commands, ids, strict=True)
        ]
    )
    refused = [
        (len(args["turns"]), args["session"], result.reason)
        for args, result in zip(commands, results, strict=True)
        if result.status == Outcome.REFUSED
    ]
    captured = sum(int(one.details.get("captured", 0)) for one in results if one.command_id in recorder.fresh)
    counts = {"captured": captured, "known": len(turns) - captured - sum(count for count, _, _ in refused)}
    source = recorder.entry.source
    return counts, [Remark(source, "", f"{count} turns of session {name!r}: {why}") for count, name, why in refused]
