"""What a hook does: reads the host's JSON, spools what is worth keeping, and gives the host's agent what it asks for.

Light, quiet, and it never fails its host: what goes wrong is a line in .engram/hooks.log. Heavy work is left to a
process of its own.
"""

import os
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING
from typing import NamedTuple

from engram.base.json_values import load_json
from engram.config.paths import Paths
from engram.config.paths import find_workspace
from engram.errors import EngramError
from engram.hooks import host as h
from engram.hooks.hosts import load_host
from engram.hooks.hosts import recognise
from engram.hooks.log import log
from engram.hooks.log import note_firing

if TYPE_CHECKING:
    from engram.hooks.events.agent_context import Asked

IN_RUN = "ENGRAM_CHILD_OF_RUN"  # environment variable of what a heartbeat starts
MAX_INPUT_BYTES = 4 * 1024 * 1024  # of the host's JSON; more is not a prompt

REFUSED = "refused"  # it could not be read or done; the log says why
IGNORED = "ignored"  # nothing is done at such an event
SHOWN = "shown"  # the agent was given something
LEFT = "left"  # work was left for later

_UNKNOWN_HOST = "unknown"
_PIECE = 1 << 20  # bytes that are read at a time of what is too long to be looked at


class Done(NamedTuple):
    """What became of one event."""

    outcome: str
    command_ids: tuple[str, ...] = ()  # of the commands that were spooled
    stdout: str = ""  # what the host asked for


def run_hook(event: str, raw: bytes, workspace_dir: str | None, host_name: str | None = None) -> Done | None:
    """Act on one event; return what became of it, or None where hooks have nothing to do.

    Nothing is kept of an agent that works for the heartbeat: its prompt holds what is in the memory already.
    """
    if os.environ.get(IN_RUN):
        return None
    try:
        paths = find_workspace(workspace_dir)
    except (EngramError, OSError, ValueError):
        return None  # hooks are installed for a whole machine; most folders have no workspace
    try:
        return _act(paths, event, raw, host_name)
    except Exception as problem:  # noqa: BLE001 - the process boundary of hooks
        log(paths, f"{event}: {type(problem).__name__}: {problem}")
        return Done(REFUSED)


def read_event() -> bytes:
    """Return standard input, or its beginning when it is too long; the rest is read, too: the host is writing it.

    Nothing when it cannot be read: no event is nothing, and the log will say so.
    """
    if sys.stdin is None or sys.stdin.isatty():
        return b""
    try:
        raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
        while len(raw) > MAX_INPUT_BYTES and sys.stdin.buffer.read(_PIECE):
            pass
    except OSError:
        return b""
    return raw


def _act(paths: Paths, event: str, raw: bytes, host_name: str | None) -> Done:
    act = _ACTS.get(event)
    if act is None:
        return Done(IGNORED)
    fields = _fields(raw)
    host = load_host(host_name) if host_name else recognise(fields)
    if host is not None and host.name == "claude-code" and "cursor_version" in fields:
        return Done(IGNORED)  # Cursor runs the entries of Claude Code, too; it has its own
    note_firing(paths, host.name if host else _UNKNOWN_HOST, event)
    heard = (host.read if host else h.read_plainly)(fields, os.environ)
    if host is not None and (heard.kind is not None or heard.main_of is not None):
        from engram.hooks.events.channel_sessions import of_the_workspace  # noqa: PLC0415 - few hosts have more than one conversation
        from engram.hooks.events.channel_sessions import tell_of_chat  # noqa: PLC0415 - as above

        heard = of_the_workspace(paths, heard)
        tell_of_chat(paths, host.name, heard)
    return act(paths, host, heard)


def _fields(raw: bytes) -> dict[str, object]:
    if len(raw) > MAX_INPUT_BYTES:
        raise ValueError(f"the host's JSON is larger than {MAX_INPUT_BYTES >> 20} MiB")
    fields = load_json(raw)
    if not isinstance(fields, dict):
        raise TypeError("the host's JSON is not an object")
    return fields


def _prompt(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    from engram.hooks.events.prompts import Taken  # noqa: PLC0415 - only for this event
    from engram.hooks.events.prompts import take_prompt  # noqa: PLC0415 - as above

    if event.by_agent:
        return Done(IGNORED)  # what an agent tells another was said by no person
    told = host if host is not None and h.USER_PROMPT in host.listens else None
    asked = _ask(paths, event) if told else None
    try:
        taken = take_prompt(paths, event)
    except OSError as problem:  # what is known can be told all the same where nothing can be written
        log(paths, f"{h.USER_PROMPT}: {problem}")
        taken = Taken(REFUSED)
    return Done(*taken, _recalled(paths, told, event, asked) if told and asked else "")


def _ask(paths: Paths, event: h.Event) -> "Asked | None":
    """Begin to recall for a prompt; what goes wrong is a line in the log."""
    from engram.hooks.events.agent_context import ask_for  # noqa: PLC0415 - only for those who are told something

    try:
        return ask_for(paths, event)
    except (OSError, ValueError) as problem:
        log(paths, f"{h.USER_PROMPT}: {problem}")
        return None


def _recalled(paths: Paths, host: h.Host, event: h.Event, asked: "Asked") -> str:
    from engram.hooks.events.agent_context import recalled_for  # noqa: PLC0415 - as above

    try:
        text = recalled_for(paths, event, asked)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        log(paths, f"{h.USER_PROMPT}: {problem}")
        return ""
    return host.reply(h.USER_PROMPT, text) if text else ""


def _session_start(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    from engram.hooks.background.deferred_requests import has_requests  # noqa: PLC0415 - only for this event
    from engram.hooks.background.deferred_requests import start_taking_in  # noqa: PLC0415 - as above

    if has_requests(paths):  # what took them in last time was ended before it was done
        start_taking_in(paths)
    done = _only_shown(paths, host, h.SESSION_START, event)
    if host is not None and h.USER_PROMPT in host.listens and not event.by_agent:
        from engram.hooks.events.agent_context import start_ahead  # noqa: PLC0415 - as above

        try:
            start_ahead(paths)
        except OSError as problem:
            log(paths, f"{h.SESSION_START}: {problem}")
    return done


def _subagent_start(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    return _only_shown(paths, host, h.SUBAGENT_START, event)


def _only_shown(paths: Paths, host: h.Host | None, name: str, event: h.Event) -> Done:
    stdout = _shown(paths, host, name, event)
    return Done(SHOWN if stdout else IGNORED, stdout=stdout)


def _shown(paths: Paths, host: h.Host | None, name: str, event: h.Event) -> str:
    """Return what the host shows its agent; a host that would not, or is not known, is told nothing."""
    if host is None or name not in host.listens:
        return ""
    from engram.hooks.events import agent_context  # noqa: PLC0415 - only for those who are told something

    sources = {
        h.SESSION_START: agent_context.context_for,
        h.SUBAGENT_START: agent_context.domain_context_for,
    }
    try:
        text = sources[name](paths, event)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        log(paths, f"{name}: {problem}")
        return ""
    return host.reply(name, text) if text else ""


def _transcript(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    from engram.hooks.background.deferred_requests import leave_transcript  # noqa: PLC0415 - only for these events
    from engram.hooks.background.deferred_requests import start_taking_in  # noqa: PLC0415 - as above

    if host is None or not host.has_transcripts or event.transcript is None or event.by_agent:
        return Done(IGNORED)
    if not leave_transcript(paths, host=host.name, transcript=event.transcript, session=event.session):
        return Done(IGNORED)  # nothing was said yet
    start_taking_in(paths)
    return Done(LEFT)


def _reply(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """See whether the reply used what was recalled for it, and have the transcript taken in."""
    from engram.hooks.events.recall_use import note_reply  # noqa: PLC0415 - only for these events

    if not event.by_agent:
        try:
            note_reply(paths, event)
        except (OSError, ValueError, KeyError, TypeError) as problem:
            log(paths, f"what the reply used: {problem}")
    return _transcript(paths, host, event)


def _subagent_stop(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    from engram.hooks.background.deferred_requests import leave_status  # noqa: PLC0415 - only for this event
    from engram.hooks.background.deferred_requests import start_taking_in  # noqa: PLC0415 - as above
    from engram.hooks.events.agent_context import domain_of  # noqa: PLC0415 - as above

    domain = domain_of(paths, event) if host else None
    if domain is None:
        return Done(IGNORED)
    leave_status(
        paths,
        domain=domain,
        subagent=event.subagent or event.keys[0],
        said=event.said or "",
        session=event.session if event.kind else None,
    )
    start_taking_in(paths)
    return Done(LEFT)


_ACTS: dict[str, Callable[[Paths, h.Host | None, h.Event], Done]] = {
    h.SESSION_START: _session_start,
    h.USER_PROMPT: _prompt,
    h.PRE_COMPACT: _transcript,
    h.STOP: _reply,
    h.SESSION_END: _reply,
    h.SUBAGENT_START: _subagent_start,
    h.SUBAGENT_STOP: _subagent_stop,
}
"""What is done at which event; after the use of a tool, nothing is: what a tool says is no person's word."""
