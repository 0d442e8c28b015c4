"""Our entries in a host's configuration, as text: put in, found again, taken out. Pure.

An entry is known by its command, which runs `hooks run EVENT --host HOST`.
"""

import re
from collections.abc import Mapping
from typing import Any

from engram.hooks.host import Host
from engram.hooks.installation import json_text

_OURS = re.compile(r"\bhooks run [a-z-]+ --host ([a-z-]+)\b")
BLOCK_OPENING = "<!-- engram: begin -->"
BLOCK_CLOSING = "<!-- engram: end -->"
_BLOCK = re.compile(rf"\n?{re.escape(BLOCK_OPENING)}\n.*?{re.escape(BLOCK_CLOSING)}\n?", re.DOTALL)


def with_entries(text: str, host: Host, commands: Mapping[str, str]) -> str:
    """Return a configuration with our entries, in the place of those that were there.

    `commands` are shell commands by our names of events. Raises ValueError for a text that is no such configuration.
    """
    if not text.strip():
        text = "{}\n"
        for key, value in host.first.items():
            text = json_text.insert(text, [key], value)
    bare = without_entries(text, host, keep_empty=True)
    for event, name in host.events.items():
        bare = _with_list(bare, name)
        bare = json_text.insert(bare, ["hooks", name], host.entry(event, commands[event]))
    return bare


def _with_list(text: str, name: str) -> str:
    hooks = _member(json_text.parse(text), "hooks")
    if hooks is None:
        text = json_text.insert(text, ["hooks"], {})
    elif hooks.kind != "object":
        raise ValueError('"hooks" is no object')
    hooks = _member(json_text.parse(text), "hooks")
    if hooks is None or hooks.child(name) is None:
        text = json_text.insert(text, ["hooks", name], [])
    return text


def without_entries(text: str, host: Host, *, keep_empty: bool = False) -> str:
    """Return a configuration without our entries, nor the lists that hold nothing but them; the rest stays as it is.

    Raises ValueError for a text that is no JSON.
    """
    while (place := _find_ours(text, host.name)) is not None:
        name, number = place
        found = _list(text, name)
        text = json_text.remove(text, found, number)
        if not keep_empty and not _list(text, name).children:
            text = _without_member(text, ("hooks",), name)
            if not _hooks(text).children:
                text = _without_member(text, (), "hooks")
    return text


def commands_in(text: str, host: Host) -> dict[str, str]:
    """Return our commands in a configuration, by our names of events; raise ValueError for what is no JSON."""
    found: dict[str, str] = {}
    root = json_text.parse(text).plain() if text.strip() else {}
    hooks = root.get("hooks") if isinstance(root, dict) else None
    for event, name in host.events.items():
        entries = hooks.get(name) if isinstance(hooks, dict) else None
        for entry in entries if isinstance(entries, list) else ():
            command = _command_of(entry)
            if command is not None and _is_ours(command, host.name):
                found[event] = command
    return found


def commands_in_handler(text: str, host: Host) -> dict[str, str]:
    """Return the commands of a handler that was made for a host without entries, by our names of events."""
    begin = text.find("const COMMANDS = {")
    end = text.find("};", begin)
    if begin < 0 or end < 0:
        return {}
    by_name = json_text.parse(text[begin + len("const COMMANDS = ") : end + 1]).plain()
    return {event: by_name[name] for event, name in host.events.items() if name in by_name}


def with_block(text: str, words: str) -> str:
    """Return instructions with our marked block at the end, in the place of one that was there."""
    bare = without_block(text)
    gap = "" if not bare else "\n" if bare.endswith("\n") else "\n\n"
    return f"{bare}{gap}{BLOCK_OPENING}\n{words.strip()}\n{BLOCK_CLOSING}\n"


def without_block(text: str) -> str:
    """Return instructions without our marked block; the rest stays as it is."""
    return _BLOCK.sub("", text)


def _find_ours(text: str, host: str) -> tuple[str, int] | None:
    hooks = _member(json_text.parse(text), "hooks")
    for named in hooks.children if hooks is not None and hooks.kind == "object" else ():
        if named.node.kind != "array" or named.key is None:
            continue
        for number, item in enumerate(named.node.children):
            command = _command_of(item.node.plain())
            if command is not None and _is_ours(command, host):
                return named.key, number
    return None


def _command_of(entry: Any) -> str | None:
    """Return the command of an entry that runs nothing else: as Cursor writes it, or a group of one."""
    if not isinstance(entry, dict):
        return None
    inner = entry.get("hooks")
    if isinstance(inner, list) and len(inner) == 1 and isinstance(inner[0], dict):
        entry = inner[0]
    command = entry.get("command")
    return command if isinstance(command, str) else None


def _is_ours(command: str, host: str) -> bool:
    found = _OURS.search(command)
    return found is not None and found[1] == host


def _hooks(text: str) -> json_text.Node:
    found = _member(json_text.parse(text), "hooks")
    if found is None:
        raise ValueError('"hooks" is gone')
    return found


def _list(text: str, name: str) -> json_text.Node:
    found = _hooks(text).child(name)
    if found is None:
        raise ValueError(f"hooks.{name} is gone")
    return found


def _member(root: json_text.Node, key: str) -> json_text.Node | None:
    if root.kind != "object":
        raise ValueError("it is no JSON object")
    return root.child(key)


def _without_member(text: str, path: tuple[str, ...], key: str) -> str:
    container = json_text.parse(text)
    for step in path:
        inner = container.child(step)
        if inner is None:
            return text
        container = inner
    place = next(number for number, one in enumerate(container.children) if one.key == key)
    return json_text.remove(text, container, place)
