"""What an adapter says about its host: how to read its events, what its stdout means, and where its configuration lies.

Light: `hooks run` loads this and one adapter.
"""

import json
from collections.abc import Callable
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.text import RECALLED_CLOSING
from engram.base.text import RECALLED_OPENING
from engram.base.text import slugify
from engram.importers.transcripts.session_names import project_of
from engram.importers.transcripts.session_names import session_name

SESSION_START = "session-start"
USER_PROMPT = "user-prompt"
POST_TOOL = "post-tool"
PRE_COMPACT = "pre-compact"
STOP = "stop"
SESSION_END = "session-end"
SUBAGENT_START = "subagent-start"
SUBAGENT_STOP = "subagent-stop"
EVENTS = (SESSION_START, USER_PROMPT, POST_TOOL, PRE_COMPACT, STOP, SESSION_END, SUBAGENT_START, SUBAGENT_STOP)

GROUP = "group"  # the kind of a chat that is kept apart: others than the owner write or read in it
NO_SESSION = "main"  # where prompts of a host without session ids go

Fields = Mapping[str, Any]  # the host's JSON object


class Event(NamedTuple):
    """One event in our words, whoever the host is."""

    session: str  # the silo that it belongs to
    prompt: str | None = None  # what the user typed
    transcript: str | None = None  # path of the host's file of the conversation
    subagent: str | None = None  # its id, to tell two of one kind apart
    keys: tuple[str, ...] = ()  # names under which a domain may be known: the subagent's kind and name, chat threads
    said: str | None = None  # the last message of a subagent
    turn: str | None = None  # the host's own id of the turn: the same for whoever hears of it twice
    kind: str | None = None  # GROUP for what others than the owner may have written or will read; None: the owner's
    main_of: str | None = None  # the agent whose main session it is, for a host that has several agents
    speaker: str | None = None  # what others in a GROUP see as the name of who wrote; no proof of who it is
    by_agent: bool = False  # it happened within a subagent: no person typed it
    folder: str | None = None  # where the host works: the project's folder, as it is written


class Places(NamedTuple):
    """Where one level of a host's configuration lies."""

    config: Path  # JSON, in which `hooks` holds the entries; for a host without, the folder of the hook's files
    skill: Path | None = None  # where SKILL.md goes, for a host that reads skills
    instructions: Path | None = None  # the file that the host's agent always reads


class Host(NamedTuple):
    """One host."""

    name: str
    title: str
    events: Mapping[str, str]  # our event -> the host's name of it: what is installed
    listens: frozenset[str]  # our events after which the host's agent reads what a hook prints
    recognises: Callable[[Fields], bool]
    read: Callable[[Fields, Mapping[str, str]], Event]  # the host's JSON and the environment
    reply: Callable[[str, str], str]  # our event and the words for the agent -> stdout
    places: Callable[[str, Path, Path, Mapping[str, str]], Places]  # level, project, home, environment
    entry: Callable[[str, str], Any]  # our event and the shell command -> one item of the host's configuration
    sample: Callable[[str, str], dict[str, Any]]  # our event and a transcript's path -> JSON as the host sends it
    first: Mapping[str, Any] = {}  # what a configuration file that is made anew holds besides
    files: Callable[[Mapping[str, str]], dict[str, str]] | None = None  # commands -> files, for a host without entries
    note: str = ""  # what the user has to do besides
    has_transcripts: bool = True  # of a form that `engram capture` reads
    program: str = ""  # by which the host is known to be on a machine; empty: it is called as the host


def words(fields: Fields, *names: str) -> str | None:
    """Return the first of these fields that holds text."""
    return next((value for name in names if isinstance(value := fields.get(name), str) and value.strip()), None)


def silo(tool: str, folder: object, external_id: str | None) -> str:
    """Return the session of a host's conversation, as `engram capture` calls it too."""
    return session_name(tool, project_of(folder), external_id) if external_id else NO_SESSION


def read_plainly(fields: Fields, _environment: Mapping[str, str]) -> Event:
    """Read an event of a host that is not known: a prompt and a session are all that is taken."""
    session = fields.get("session_id")
    return Event(slugify(str(session or "")) or NO_SESSION, prompt=words(fields, "prompt"))


def read_coding_turn(tool: str, folder: object, fields: Fields, turn: str) -> Event:
    """Read an event in the fields that Claude Code and Codex share; `turn` is the field with the id of a turn."""
    subagent, kind = words(fields, "agent_id"), words(fields, "agent_type")
    return Event(
        session=silo(tool, folder, words(fields, "session_id")),
        prompt=words(fields, "prompt"),
        transcript=words(fields, "transcript_path"),
        subagent=subagent,
        keys=(kind,) if kind else (),
        said=words(fields, "last_assistant_message"),
        turn=words(fields, turn),
        by_agent=subagent is not None,
        folder=folder if isinstance(folder, str) else None,
    )


def additional_context(name: str, text: str, **more: Any) -> str:
    """Return the reply of Claude Code, Codex and Gemini CLI that shows a text to the agent; `name` is theirs."""
    shown = {"hookEventName": name, "additionalContext": text}
    return json.dumps({"hookSpecificOutput": shown, **more}, ensure_ascii=False)


def shortened(text: str, most_chars: int) -> str:
    """Return a text of at most so many characters, cut after a whole line; a fence that is open there is closed.

    What follows a fence without an end would be taken for data, and the data before it for part of what follows.
    """
    if len(text) <= most_chars:
        return text
    said = f"(cut here: {len(text)} characters, of which the host shows {most_chars})"
    kept = text[: most_chars - len(said) - len(RECALLED_CLOSING) - 2].rpartition("\n")[0].split("\n")
    is_open = sum(line.startswith(RECALLED_OPENING) for line in kept) > kept.count(RECALLED_CLOSING)
    return "\n".join([*kept, *([RECALLED_CLOSING] if is_open else []), said])


def matcher_group(command: str, **more: Any) -> dict[str, Any]:
    """Return the entry of Claude Code, Codex and Gemini CLI: a group of one command, without a matcher."""
    return {"hooks": [{"type": "command", "command": command, **more}]}
