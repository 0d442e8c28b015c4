"""ChatGPT's data export: `conversations.json` (since 2025 also `conversations-000.json` ...), alone or in the zip.

An array of conversations, each with `conversation_id` or `id`, `mapping` (node id -> `parent`, `children`, `message`)
and `current_node`. A message has `author.role`, `content` (`content_type`, `parts`), `create_time` in seconds,
`recipient` and `metadata`. Edits and regenerated answers are branches of that tree; what stands on the screen is the
branch that ends at `current_node`, and only that one is kept. OpenAI documents the export, not its schema; this is as
observed between 2023 and February 2026.
"""

from collections.abc import Iterator
from typing import Any

from engram.importers.transcripts import reader
from engram.importers.transcripts.injected import INJECTED
from engram.importers.transcripts.reader import Source
from engram.importers.transcripts.reader import fields_of
from engram.importers.transcripts.reader import words_of
from engram.services.extract.turn_commands import RawTurn

NAME = "chatgpt"

_SPOKEN = frozenset(["text", "multimodal_text"])
_CONTENT_KINDS = {
    **dict.fromkeys(("thoughts", "reasoning_recap"), reader.THINKING),
    **dict.fromkeys(("user_editable_context", "model_editable_context"), INJECTED),
    **dict.fromkeys(("code",), reader.TOOL_CALL),
    **dict.fromkeys(
        ("execution_output", "tether_quote", "tether_browsing_display", "tether_browsing_code", "sonic_webpage"),
        reader.TOOL_OUTPUT,
    ),
    "system_error": reader.SYSTEM,
}


def recognise(row: dict[str, Any]) -> bool:
    """Tell whether an object is a conversation of this export."""
    return isinstance(row.get("mapping"), dict)


def read(row: dict[str, Any], source: Source) -> Iterator[RawTurn]:
    """Yield what was said in a conversation, on its current branch."""
    session = words_of(row, "conversation_id") or words_of(row, "id") or "main"
    mapping = fields_of(row, "mapping")
    nodes = {name: node for name, node in mapping.items() if isinstance(node, dict)}
    source.left_out[reader.UNKNOWN] += len(mapping) - len(nodes)
    source.left_out[reader.UNKNOWN] += sum(not isinstance(node.get("message"), dict | None) for node in nodes.values())
    branch = _branch(nodes, _leaf(row, nodes))
    current = set(branch)
    source.left_out[reader.BRANCH] += sum(
        name not in current and _is_spoken(fields_of(node, "message")) for name, node in nodes.items()
    )
    silo = source.silo(NAME, None, session)
    for name in branch:
        yield from _message(fields_of(nodes[name], "message"), silo, session, source)


def _leaf(row: dict[str, Any], nodes: dict[str, dict[str, Any]]) -> str:
    """Return the node on which the current branch ends: the one named, else the leaf that was said last."""
    named = words_of(row, "current_node")
    if named in nodes:
        return named
    leaves = [name for name, node in nodes.items() if not node.get("children")]
    return max(leaves, key=lambda name: _time(fields_of(nodes[name], "message")), default="")


def _branch(nodes: dict[str, dict[str, Any]], leaf: str) -> list[str]:
    """Return the names of the nodes from the root to that leaf."""
    names: dict[str, None] = {}
    while leaf in nodes and leaf not in names:
        names[leaf] = None
        leaf = words_of(nodes[leaf], "parent")
    return list(reversed(names))


def _message(message: dict[str, Any], silo: str, session: str, source: Source) -> Iterator[RawTurn]:
    if not message:
        return
    if (why := _why_not(message)) is not None:
        source.left_out[why] += 1
        return
    text = _text(fields_of(message, "content"), source)
    if not text:
        return
    name = words_of(message, "id")
    at = _time(message) or None
    key = f"{NAME} {name}" if name else f"{NAME} {session} {at}"
    role = words_of(fields_of(message, "author"), "role")
    yield from source.turn(silo=silo, role=role, text=text, key=key, ref=name, at=at, is_clean=True)


def _why_not(message: dict[str, Any]) -> str | None:
    """Return the kind of a message in which neither the user nor the assistant said something to the other."""
    role = words_of(fields_of(message, "author"), "role")
    kind = words_of(fields_of(message, "content"), "content_type")
    if role not in {reader.USER, reader.ASSISTANT}:
        return reader.TOOL_OUTPUT if role == "tool" else reader.SYSTEM
    if fields_of(message, "metadata").get("is_visually_hidden_from_conversation"):
        return INJECTED
    if kind not in _SPOKEN:
        return _CONTENT_KINDS.get(kind, reader.UNKNOWN)
    return reader.TOOL_CALL if words_of(message, "recipient") not in {"", "all"} else None


def _is_spoken(message: dict[str, Any]) -> bool:
    parts = fields_of(message, "content").get("parts")
    return bool(message) and _why_not(message) is None and isinstance(parts, list) and any(parts)


def _text(content: dict[str, Any], source: Source) -> str:
    """Return the words of a message's parts; a part of speech carries its transcription."""
    texts: list[str] = []
    parts = content.get("parts")
    source.left_out[reader.UNKNOWN] += not isinstance(parts, list)
    for part in parts if isinstance(parts, list) else []:
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict) and isinstance(part.get("text"), str):
            texts.append(part["text"])
        else:
            source.left_out[reader.ATTACHMENT] += 1
    return "\n\n".join(filter(str.strip, texts))


def _time(message: dict[str, Any]) -> float:
    at = message.get("create_time")
    try:
        return float(at) if isinstance(at, int | float) and not isinstance(at, bool) else 0.0
    except OverflowError:
        return 0.0
