"""The text of engram.toml with a setting in it: comments and order stay. Pure."""

from typing import Any

import tomlkit
import tomlkit.items

from engram.config.retired_keys import SUCCESSORS
from engram.config.retired_keys import remove_key


def with_value(text: str, key: str, value: Any) -> str:
    """Return the text with a value for a key such as recall.budget."""
    document = document_of(text)
    _put(document, key, value)
    return text_of(document)


def document_of(text: str) -> tomlkit.TOMLDocument:
    """Return the text as a document that can be changed."""
    return tomlkit.parse(text)


def text_of(document: tomlkit.TOMLDocument) -> str:
    """Return the text of a document, with comments and order as they were."""
    return tomlkit.dumps(document)


def _put(document: Any, key: str, value: Any) -> None:
    """Put a value into the text of a file; what stands there under a former name of the setting goes."""
    for former, present in SUCCESSORS.items():
        if f"{present}.".startswith(f"{key}."):
            remove_key(document, former)
    if isinstance(value, dict):
        remove_key(document, key)
        for name, one in value.items():
            _put(document, f"{key}.{name}", one)
        return
    *sections, name = key.split(".")
    table = document
    for section in sections:
        if section not in table:
            table[section] = tomlkit.inline_table() if isinstance(table, tomlkit.items.InlineTable) else tomlkit.table()
        table = table[section]
    table[name] = value
