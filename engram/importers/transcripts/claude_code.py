"""Claude Code's transcripts: `<config>/projects/<folder>/<session>.jsonl`, as versions 1.0 to 2.1 write them.

One object per line. `user` and `assistant` lines carry `uuid`, `sessionId`, `timestamp`, `cwd` and `message` with the
content of the API; a `uuid` stays when a resumed or forked session repeats the line in another file. Everything else
(`system`, `summary`, `progress`, snapshots) is the program's own. What a subagent and the agent that sent it told each
other (`isSidechain`) was said by no person. The format is documented by observation only.
"""

from collections.abc import Iterator
from typing import Any

from engram.importers.transcripts import reader
from engram.importers.transcripts.injected import INJECTED
from engram.importers.transcripts.injected import NOTICE
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.reader import fields_of
from engram.importers.transcripts.reader import read_blocks
from engram.importers.transcripts.reader import words_of
from engram.importers.transcripts.session_names import project_of
from engram.services.extract.turn_commands import RawTurn

NAME = "claude-code"

_SPOKEN = frozenset([reader.USER, reader.ASSISTANT])
_META_TYPES = frozenset(
    [
        *("file-history-snapshot", "progress", "queue-operation", "attachment", "ai-title", "custom-title", "mode"),
        *(
            "last-prompt",
            "agent-name",
            "agent-color",
            "agent-setting",
            "tag",
            "pr-link",
            "permission-mode",
            "checkpoint",
        ),
        *("worktree-state", "content-replacement", "marble-origami-commit", "bridge-session", "speculation-accept"),
    ]
)
_SYNTHETIC = "<synthetic>"  # the model of what the program says in the assistant's place, such as an API error


def recognise(row: dict[str, Any]) -> bool:
    """Tell whether a file's line is one of this program."""
    if words_of(row, "type") in _SPOKEN and isinstance(row.get("message"), dict):
        return "sessionId" in row or "uuid" in row
    if row.get("type") == "summary":
        return "leafUuid" in row or "leafUuids" in row
    return ("sessionId" in row and isinstance(row.get("type"), str)) or row.get("type") == "file-history-snapshot"


def read(row: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    """Yield what was said in a line."""
    source.note_folder(row.get("cwd"))
    if "project" not in source.state and (project := project_of(row.get("cwd"))):
        source.state["project"] = project
    kind = words_of(row, "type")
    if kind in _SPOKEN:
        yield from _said(row, kind, fields_of(row, "message").get("content"), source)
    elif kind == "attachment" and (prompt := _queued_prompt(row)) is not None:
        yield from _said(row, reader.USER, prompt, source)
    elif kind in {"system", "summary"}:
        source.left_out[reader.SYSTEM if kind == "system" else reader.SUMMARY] += 1
    else:
        source.left_out[reader.META if kind in _META_TYPES else reader.UNKNOWN] += 1


def _said(row: dict[str, Any], role: str, content: object, source: Source) -> Iterator[RawTurn]:
    text, others = read_blocks(content)
    source.left_out.update(others)
    if (why := _why_not(row)) is not None:
        source.left_out[why] += 1
        return
    if not text and others:
        return
    session = words_of(row, "sessionId") or source.state.get("session") or "main"
    source.state["session"] = session
    uuid = words_of(row, "uuid")
    key = f"{NAME} {uuid}" if uuid else f"{NAME} {session} {row.get('timestamp')}"
    silo = source.silo(NAME, source.state.get("project"), session)
    yield from source.turn(silo=silo, role=role, text=text, key=key, ref=uuid, at=row.get("timestamp"))


def _why_not(row: dict[str, Any]) -> str | None:
    """Return the kind of a line that holds nothing that the user or the assistant said, else None."""
    if row.get("isSidechain"):
        return reader.SUBAGENT
    if row.get("isCompactSummary"):
        return reader.SUMMARY
    if row.get("isMeta") or row.get("isVisibleInTranscriptOnly"):
        return INJECTED
    is_notice = row.get("isApiErrorMessage") or fields_of(row, "message").get("model") == _SYNTHETIC
    return NOTICE if is_notice else None


def _queued_prompt(row: dict[str, Any]) -> object | None:
    """Return what the user typed while the assistant was at work, when a line holds that."""
    held = fields_of(row, "attachment")
    is_prompt = held.get("type") == "queued_command" and held.get("commandMode", "prompt") == "prompt"
    return held.get("prompt") if is_prompt else None
