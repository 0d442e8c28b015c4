"""What all readers of transcripts share: the file they read, what they leave out, and how a message becomes a turn."""

import datetime as dt
import functools
import re
from collections import Counter
from collections.abc import Collection
from collections.abc import Iterator
from typing import Any
from typing import NamedTuple

from engram.base.text import has_control
from engram.base.text import replace_control
from engram.base.text import slugify
from engram.importers.instants import parse_instant
from engram.importers.transcripts.injected import said
from engram.importers.transcripts.injected import said_by_user
from engram.importers.transcripts.session_names import session_name
from engram.services.extract.turn_commands import MAX_TURN_CHARS
from engram.services.extract.turn_commands import BadLine
from engram.services.extract.turn_commands import RawTurn

USER = "user"
ASSISTANT = "assistant"
# Kinds of what is left out, as reports name them; see also `injected`.
TOOL_CALL = "tool_call"
TOOL_OUTPUT = "tool_output"
THINKING = "thinking"
SYSTEM = "system"
META = "meta"
SUMMARY = "summary"
SUBAGENT = "subagent"
ATTACHMENT = "attachment"
COPY = "copy"
BRANCH = "abandoned_branch"
EMPTY = "empty"
UNKNOWN = "unknown"
FOLDER = "folder"  # word of a source's state: the working directory as the program wrote it down

_MAX_NAME_CHARS = 500  # of an id or a speaker
_MAX_FOLDER_CHARS = 4096  # of a working directory: the longest that systems have
_TERMINAL = re.compile(r"\x1b\[[0-9;?]{0,40}[ -/]{0,4}[@-~]")  # colours and cursor moves that terminals leave behind


class FieldError(ValueError):
    """A field of a line is missing or wrong."""

    def __init__(self, field: str, why: str) -> None:
        """Take the field's name, empty for the line itself, and the reason."""
        super().__init__(why)
        self.field = field


class Source:
    """The file that a reader reads: what is known about it, what was left out, and what its later lines need."""

    def __init__(
        self,
        *,
        path: str | None,
        session: str | None,
        zone: dt.tzinfo,
        known_sessions: Collection[str] = (),
        own_agent: str = "",
        state: dict[str, str] | None = None,
    ) -> None:
        """Take the path as a hint, the session that the user chose, the zone of times without one, and the state.

        `known_sessions` are names in the store: a conversation that is kept under its own id already stays there.
        `own_agent` is the one that owns the workspace.
        """
        self.path = path
        self.session = session
        self.zone = zone
        self.left_out: Counter[str] = Counter()
        self.state: dict[str, str] = {} if state is None else state
        self.bad: list[BadLine] = []
        self.torn = False  # its last line is still being written, and waits
        self.place = 0  # of the line or conversation that is being read, from 1
        self._parse = functools.lru_cache(maxsize=4096, typed=True)(functools.partial(parse_instant, zone=zone))
        self.own_agent = own_agent
        self.kept_apart: set[str] = set()  # sessions in which others than the owner may have spoken
        self._known_sessions = known_sessions
        self._silos: dict[tuple[str, str | None, str], str] = {}

    def note(self, field: str, why: str) -> None:
        """Note that what is being read holds a bad field, or is bad as a whole when the field is empty."""
        self.bad.append(BadLine(self.place, field, why))

    def note_folder(self, folder: object) -> None:
        """Note the working directory, of which the first that is named counts."""
        if isinstance(folder, str) and 0 < len(folder) <= _MAX_FOLDER_CHARS:
            self.state.setdefault(FOLDER, folder)

    def silo(self, tool: str, project: str | None, external_id: str) -> str:
        """Return the session of a conversation: the one chosen, the one it has already, or a name made for it."""
        if self.session is not None:
            return self.session
        conversation = (tool, project, external_id)
        if conversation not in self._silos:
            full, plain = session_name(tool, project, printable(external_id)), slugify(external_id)
            is_plain = plain in self._known_sessions and full not in self._known_sessions
            self._silos[conversation] = plain if is_plain else full
        return self._silos[conversation]

    def turn(
        self, *, silo: str, role: str, text: str, key: str, ref: object, at: object, is_clean: bool = False
    ) -> Iterator[RawTurn]:
        """Yield the turn of a message, or nothing when nothing was said in it or a field is bad, which is noted.

        `key` is the same wherever the program repeats the message and no other's; `is_clean` spares the search for what
        a host adds to what a person typed.
        """
        plain = printable(text)
        words = said(plain, self.left_out) if is_clean or role != USER else said_by_user(plain, self.left_out)
        if not words:
            self.left_out[EMPTY] += not text.strip()
            return
        if len(words) > MAX_TURN_CHARS:
            self.note("text", f"is longer than {MAX_TURN_CHARS} characters")
            return
        try:
            said_at = None if at is None or at == "" else self.instant(at)
        except ValueError as problem:
            self.note("timestamp", str(problem))
            return
        yield RawTurn(silo, words, _ref(ref), role, said_at, printable(key))

    def instant(self, value: object) -> dt.datetime:
        """Return the instant that a value means; raise ValueError with a reason when it is none."""
        if not isinstance(value, str | int | float):
            raise ValueError("is neither a text nor a number")  # noqa: TRY004 - bad input, not a bad call
        return self._parse(value)


class Blocks(NamedTuple):
    """What a list of content blocks says."""

    text: str
    others: Counter[str]  # kinds of the other blocks


_TEXT_TYPES = frozenset(["", "text", "input_text", "output_text"])
_BLOCK_KINDS = {
    **dict.fromkeys(("tool_use", "server_tool_use", "mcp_tool_use", "toolCall", "functionCall"), TOOL_CALL),
    **dict.fromkeys(("tool_result", "toolResult", "web_search_tool_result", "functionResponse"), TOOL_OUTPUT),
    **dict.fromkeys(("thinking", "redacted_thinking", "reasoning"), THINKING),
    **dict.fromkeys(("image", "document", "input_image", "input_file", "file", "inlineData", "fileData"), ATTACHMENT),
}


def read_blocks(content: object) -> Blocks:
    """Return the text of a message's content: a text, or a list of blocks of which those with a text type count."""
    others: Counter[str] = Counter()
    if isinstance(content, str):
        return Blocks(content, others)
    texts: list[str] = []
    for block in content if isinstance(content, list) else []:
        if isinstance(block, str):
            texts.append(block)
        elif isinstance(block, dict):
            if isinstance(block.get("text"), str) and words_of(block, "type") in _TEXT_TYPES:
                texts.append(block["text"])
            else:
                others[_block_kind(block, block.get("type"))] += 1
    return Blocks("\n\n".join(texts), others)


def printable(text: str) -> str:
    """Return the text without terminal codes, and with a sign for each other character that the store refuses."""
    if not has_control(text):
        return text
    return replace_control(_TERMINAL.sub("", text))


def words_of(row: dict[str, Any], field: str) -> str:
    """Return a text field of a line, or an empty text when it is none."""
    value = row.get(field)
    return value if isinstance(value, str) else ""


def fields_of(row: dict[str, Any], field: str) -> dict[str, Any]:
    """Return an object in a line, or an empty one."""
    value = row.get(field)
    return value if isinstance(value, dict) else {}


def _block_kind(block: dict[str, Any], kind: object) -> str:
    if isinstance(kind, str):
        return _BLOCK_KINDS.get(kind, UNKNOWN)
    return next((_BLOCK_KINDS[name] for name in block if name in _BLOCK_KINDS), UNKNOWN)


def _ref(value: object) -> str | None:
    if not isinstance(value, str) or not value or len(value) > _MAX_NAME_CHARS or has_control(value):
        return None
    return value
