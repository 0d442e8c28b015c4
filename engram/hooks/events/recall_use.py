"""What was shown for prompts, and whether the reply used it. Light.

Until its reply is there, what a session was shown waits in a file of its own: ids, and prints of words. The log keeps
what came of it; see `engram.store.recall_log`.
"""

import json
import os
import time
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.disk.files import make_folder
from engram.base.disk.given_files import open_given
from engram.base.disk.home import at_home
from engram.base.disk.open_flags import NOFOLLOW
from engram.base.disk.own_files import open_own
from engram.base.disk.own_files import read_own
from engram.base.json_values import load_json
from engram.base.text import sha256_hex
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.errors import RefusedError
from engram.hooks.host import Event
from engram.store.access_log import AccessLog
from engram.store.recall_log import GIVEN
from engram.store.recall_log import NOTHING
from engram.store.recall_log import PROMPT
from engram.store.recall_log import REPLY
from engram.store.recall_log import RecallLog

_MOST_WAITING_BYTES = 64 * 1024  # of one session: replies that never come leave no more
_WAITS_S = 7 * 86_400.0  # for a reply
_TAIL_BYTES = 256 * 1024  # of a transcript: its last reply stands there
_ASSISTANTS = frozenset({"assistant", "model", "gemini"})  # as transcripts name who replied
_TEXTS = frozenset({"text", "output_text", "input_text"})  # parts that are words


class Hit(NamedTuple):
    """One memory that was shown."""

    id: str
    kind: str
    tokens: int
    words: tuple[str, ...]  # prints of the words that the prompt had not


def note_prompt(paths: Paths, event: Event, outcome: str, begun: float, reply: dict[str, Any] | None = None) -> None:
    """Log what was recalled for a prompt, and let it wait for the reply; what cannot be written is left.

    `begun` is when it was asked, of time.monotonic.
    """
    hits = reply["hits"] if reply else []
    if reply is not None:
        outcome = GIVEN if hits else NOTHING
    took_ms = round((time.monotonic() - begun) * 1000)
    row = {"v": 1, "at": to_iso(utc_now()), "kind": PROMPT, "outcome": outcome, "ms": took_ms}
    if reply is not None and hits:
        row |= {"tokens": reply["tokens"], "shown": [hit["id"] for hit in hits]}
    try:
        RecallLog(paths.recall_log).append(row)
        if hits:
            _let_wait(_waiting_file(paths, event.session), hits)
    except (OSError, RefusedError):
        return


def note_reply(paths: Paths, event: Event) -> None:
    """Log which of the memories that a session was shown its reply used, if it was shown any.

    A memory that was used counts as an access. Raises OSError when the log cannot be written.
    """
    file = _waiting_file(paths, event.session)
    if not file.exists():
        return
    reply = event.said or (_last_reply(at_home(event.transcript)) if event.transcript else "")
    hits = _take(file)
    if not reply or not hits:
        return
    from engram.language.terms import used_words  # noqa: PLC0415 - 14 ms, for replies that can have used something

    said = used_words.word_prints(reply)
    used = [hit for hit in hits if used_words.is_used(hit.words, said)]
    at = to_iso(utc_now())
    counts = {"tokens": sum(hit.tokens for hit in hits), "used_tokens": sum(hit.tokens for hit in used)}
    ids = {"shown": [hit.id for hit in hits], "used": [hit.id for hit in used]}
    RecallLog(paths.recall_log).append({"v": 1, "at": at, "kind": REPLY, **counts, **ids})
    if used and read_hook_choices(paths).logs_accesses:
        seen = [{"id": hit.id, "kind": hit.kind, "prints": []} for hit in used]
        row = {"v": 1, "at": at, "door": "used", "session": event.session, "question": None, "tokens": 0, "hits": seen}
        AccessLog(paths.accesses).append([row])


def _waiting_file(paths: Paths, session: str) -> Path:
    return paths.hooks / "shown" / f"{sha256_hex(session)[:32]}.jsonl"


def _let_wait(file: Path, hits: list[dict[str, Any]]) -> None:
    make_folder(file.parent)
    if not file.exists():
        _forget_old(file.parent)
    handle = open_own(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NOFOLLOW)
    try:
        if os.fstat(handle).st_size < _MOST_WAITING_BYTES:
            os.write(handle, b"".join(json.dumps(hit, separators=(",", ":")).encode() + b"\n" for hit in hits))
    finally:
        os.close(handle)


def _forget_old(folder: Path) -> None:
    """Remove what waits for replies that never came."""
    oldest = time.time() - _WAITS_S
    for entry in os.scandir(folder):
        if entry.stat().st_mtime < oldest:
            Path(entry.path).unlink(missing_ok=True)


def _take(file: Path) -> list[Hit]:
    """Return the memories that wait, each once, and remove the file; nothing when somebody else took it."""
    own = file.with_name(f"{file.name}.{os.getpid()}")
    try:
        file.rename(own)
        lines = read_own(own).splitlines()
        own.unlink()
    except FileNotFoundError:
        return []
    hits = [load_json(line) for line in lines]
    by_id = {hit["id"]: Hit(hit["id"], hit["kind"], hit["tokens"], tuple(hit["words"])) for hit in hits}
    return list(by_id.values())


def _last_reply(transcript: Path) -> str:
    """Return what was said since the last words of a person, by whoever replies in a transcript of any known form."""
    try:
        with open_given(transcript, takes_pipes=False) as handle:
            size = handle.seek(0, os.SEEK_END)
            handle.seek(max(0, size - _TAIL_BYTES))
            lines = handle.read().splitlines()[1 if size > _TAIL_BYTES else 0 :]
    except OSError:
        return ""
    said: list[str] = []
    for line in reversed(lines):
        who, text = _speech(line)
        if who == "user" and text:
            break
        if who in _ASSISTANTS:
            said.append(text)
    return "\n".join(reversed(said))


def _speech(line: bytes) -> tuple[str, str]:
    """Return who speaks in a line of a transcript, and the words; what tools say is nobody's."""
    try:
        row = load_json(line)
    except ValueError:
        return "", ""
    if not isinstance(row, dict):
        return "", ""
    inner = next((row[name] for name in ("message", "payload") if isinstance(row.get(name), dict)), row)
    who = inner.get("role") or row.get("type") or row.get("role")
    content = inner.get("content")
    parts = content if isinstance(content, list) else [{"type": "text", "text": content}]
    texts = [part.get("text") for part in parts if isinstance(part, dict) and part.get("type", "text") in _TEXTS]
    return str(who), "\n".join(text for text in texts if isinstance(text, str))
