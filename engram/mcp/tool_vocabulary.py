"""What the commands say, said for who calls tools: options are arguments, and lists come from another tool.

The services speak to people at a command line. Nothing is said otherwise here than there, only in other names.
"""

import re
from typing import Any

from engram.mcp.arguments import Arguments

_ARGUMENTS = frozenset(name for tool in Arguments.__subclasses__() for name in tool.model_fields)
_INSTEAD = {  # a command of people -> what a caller of tools can do; the longest first
    "engram entity list shows what there is; write with --create to make it": (
        "memory_recall finds what there is; memory_remember with a path such as people/anna makes it"
    ),
    "engram observe --list": "memory_review without arguments lists what waits",
    "engram tension list --status all": "memory_review without arguments lists what waits",
    "engram domain list shows what there is": "memory_domain without arguments lists them",
    "engram review undo takes it back": "a person can take it back (engram review undo)",
    "engram facts --status all": "memory_recall finds the ids",
    "engram review list": "memory_review without arguments lists what waits",
    "engram entity list": "memory_recall finds what there is",
    "engram history": "memory_show",
    "engram correct": "memory_correct",
    "engram show": "memory_show",
    "engram status": "memory_status",
}
_BY_WORDS = re.compile(r"engram recall .{1,2000} finds the id by these words", re.DOTALL)
_OPTION = re.compile(r"(?<![\w-])--([a-z]+(?:-[a-z]+)*)")


def in_tool_words(text: str) -> str:
    """Return a sentence of a command for who calls tools."""
    text = _BY_WORDS.sub(_INSTEAD["engram facts --status all"], text)
    for said, instead in _INSTEAD.items():
        text = text.replace(said, instead)
    return _OPTION.sub(_argument, text)


def slim_schema(arguments: type[Arguments]) -> dict[str, Any]:
    """Return the JSON schema of a tool as a host shows it to a model, who reads it in every conversation.

    Without titles, which repeat the names, without references, and without the null that only says that an argument may
    be left out, which `required` says; null is taken all the same.
    """
    whole = arguments.model_json_schema()
    whole.pop("description", None)  # the host is told of the tool itself
    return _slim(whole, whole.pop("$defs", {}))


def _slim(schema: dict[str, Any], shared: dict[str, Any]) -> dict[str, Any]:
    if "$ref" in schema:
        schema = {**shared[schema["$ref"].rpartition("/")[2]], **schema}
    if "anyOf" in schema:
        [only] = [one for one in schema["anyOf"] if one != {"type": "null"}]
        schema = {**_slim(only, shared), **schema}
    left_out = {"title", "$ref", "anyOf", *(["default"] if schema.get("default", 0) in (None, []) else [])}
    slim = {name: one for name, one in schema.items() if name not in left_out}
    if "properties" in slim:
        slim["properties"] = {name: _slim(one, shared) for name, one in slim["properties"].items()}
    if "items" in slim:
        slim["items"] = _slim(slim["items"], shared)
    return slim


def _argument(option: re.Match[str]) -> str:
    name = option[1].replace("-", "_")
    return name if name in _ARGUMENTS else option[0]
