"""JSON as text: items are put in and taken out, and every other byte stays, with order, indentation and comments.

Reads JSON with `//` and `/* */` comments and trailing commas, as editors write settings. What is put in stands on lines
of its own, in the indentation of the text.
"""

import json
import re
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

_BLANK = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_INDENT = re.compile(r"^([ \t]+)\S", re.MULTILINE)
_DECODER = json.JSONDecoder()
_MOST_DEPTH = 100


class Node(NamedTuple):
    """A value and where it stands."""

    start: int
    end: int  # exclusive
    value: Any  # of a scalar, else None
    kind: str  # object, array or scalar
    children: "tuple[Child, ...]" = ()

    def child(self, key: str) -> "Node | None":
        """Return the value of an object's key; raise ValueError when it stands there twice."""
        found = [one.node for one in self.children if one.key == key]
        if len(found) > 1:
            raise ValueError(f"{key!r} stands there twice")
        return found[0] if found else None

    def plain(self) -> Any:
        """Return the value as Python has it."""
        if self.kind == "object":
            return {one.key: one.node.plain() for one in self.children}
        return [one.node.plain() for one in self.children] if self.kind == "array" else self.value


class Child(NamedTuple):
    """A member of an object or an item of an array."""

    start: int  # of the key, else of the value
    key: str | None
    node: Node


def parse(text: str) -> Node:
    """Return the value that a text holds; raise ValueError that names the place when it holds none."""
    node = _value(text, _skip(text, 0), 0)
    if (end := _skip(text, node.end)) != len(text):
        raise ValueError(f"there is more behind the value, {_where(text, end)}")
    return node


def insert(text: str, path: Sequence[str], value: Any) -> str:
    """Return the text with a value as the last item of the array, or the member `path[-1]` of the object, at the path.

    `path` leads from the root by keys. Raises ValueError when what is there is of another kind.
    """
    root = parse(text)
    container = root
    for depth, key in enumerate(path):
        inner = container.child(key) if container.kind == "object" else None
        if inner is None:
            if container.kind != "object" or depth != len(path) - 1:
                raise ValueError(f"there is no object at {'.'.join(path[:depth]) or 'the top'}")
            return _put(text, container, depth, f"{json.dumps(key, ensure_ascii=False)}: ", value)
        container = inner
    if container.kind != "array":
        raise ValueError(f"{'.'.join(path)} is no list")
    return _put(text, container, len(path), "", value)


def remove(text: str, container: Node, place: int) -> str:
    """Return the text without one child of an object or array."""
    children = container.children
    own = children[place]
    if place > 0:
        return text[: children[place - 1].node.end] + text[own.node.end :]
    if len(children) > 1:
        return text[: own.start] + text[children[1].start :]
    before, after = text[container.start + 1 : own.start], text[own.node.end : container.end - 1]
    if before.strip() or after.strip(" \t\r\n,"):
        return text[: own.start] + text[own.node.end :]
    return text[: container.start + 1] + text[container.end - 1 :]


def _put(text: str, container: Node, depth: int, before: str, value: Any) -> str:
    unit = _unit(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    indent = newline + unit * (depth + 1)
    shown = before + json.dumps(value, ensure_ascii=False, indent=unit).replace("\n", indent)
    if container.children:
        last = container.children[-1].node.end
        return f"{text[:last]},{indent}{shown}{text[last:]}"
    inside = text[container.start + 1 : container.end - 1].rstrip()
    return f"{text[: container.start + 1]}{inside}{indent}{shown}{newline}{unit * depth}{text[container.end - 1 :]}"


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _value(text: str, at: int, depth: int) -> Node:
    if depth > _MOST_DEPTH:
        raise ValueError("it is nested too deeply")
    opening = text[at : at + 1]
    if opening == "{":
        return _container(text, at, depth, "object", "}")
    if opening == "[":
        return _container(text, at, depth, "array", "]")
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError as problem:
        raise ValueError(f"it is not JSON, {_where(text, at)}") from problem
    return Node(at, end, value, "scalar")


def _container(text: str, start: int, depth: int, kind: str, closing: str) -> Node:
    children: list[Child] = []
    at = _skip(text, start + 1)
    while text[at : at + 1] != closing:
        begin, key = at, None
        if kind == "object":
            named = _value(text, at, depth + 1)
            at = _skip(text, named.end)
            if not isinstance(named.value, str) or text[at : at + 1] != ":":
                raise ValueError(f"it is not JSON, {_where(text, at)}")
            key, at = named.value, _skip(text, at + 1)
        node = _value(text, at, depth + 1)
        children.append(Child(begin, key, node))
        at = _skip(text, node.end)
        if text[at : at + 1] == ",":
            at = _skip(text, at + 1)
        elif text[at : at + 1] != closing:
            raise ValueError(f"it is not JSON, {_where(text, at)}")
    return Node(start, at + 1, None, kind, tuple(children))


def _skip(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return found.end() if found else at


def _where(text: str, at: int) -> str:
    return f"line {text.count(chr(10), 0, at) + 1}"
