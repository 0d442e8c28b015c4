"""The plain part of TOML that data files on the hook path keep to: read before a parser of TOML is even imported."""

import re
from typing import Any

from engram.base.toml_values import load_toml

# Lines of comment; a header; a key with a literal text, a text without escapes on one line, a number, true or false.
_ENTRY = (
    r"(?:[ \t]*(?:#[^\n]*)?\n)+|\[(?P<table>[\w.]+)\]\n|\[\[(?P<item>\w+)\]\]\n|"
    r"(?P<key>\w+) = (?:'''(?P<literal>(?s:.*?))'''|\"(?P<text>[^\"\\\n]*)\"|"
    r"(?P<number>\d+\.\d+)|(?P<flag>true|false))[ \t]*(?:#[^\n]*)?\n"
)


def read_plain_tables(source: str) -> dict[str, Any]:
    """Return what a TOML text says; whatever is not of the plain part, or is wrong, is left to `tomllib`.

    That a table or key stands twice is not noticed: the last one counts.
    Raises tomllib.TOMLDecodeError when the text is no TOML.
    """
    data: dict[str, Any] = {}
    table = data
    end = 0
    for entry in re.compile(_ENTRY).finditer(source):
        if entry.start() != end:
            break
        end = entry.end()
        if entry["item"]:
            table = {}
            data.setdefault(entry["item"], []).append(table)
        elif entry["table"]:
            table = data
            for name in entry["table"].split("."):
                table = table.setdefault(name, {})
        elif entry["key"]:
            table[entry["key"]] = _value(entry)
    return data if end == len(source) else load_toml(source)


def _value(entry: re.Match[str]) -> str | float | bool:
    if entry["flag"]:
        return entry["flag"] == "true"
    if entry["number"]:
        return float(entry["number"])
    literal = entry["literal"]
    return str(entry["text"]) if literal is None else literal.removeprefix("\n")
