"""The examples that stand beside every pattern in the data files: `# +` must be found, `# -` must not."""

import random
import re
import tomllib
from pathlib import Path
from typing import Any
from typing import NamedTuple

import engram.language

PATTERNS = Path(engram.language.__file__).with_name("patterns")
_ALPHABETS = {
    "R": "ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789",
    "L": "ABCDEFGHIJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz",
    "H": "0123456789abcdef",
    "U": "ABCDEFGHIJKLMNPQRSTUVWXYZ234567",
    "D": "123456789",
}


class Example(NamedTuple):
    """One example of a pattern."""

    table: str  # rule, guards, secret, smalltalk
    entry: dict[str, Any]  # the pattern's own data
    found: bool  # whether the pattern must find it
    text: str  # with random text filled in

    def __str__(self) -> str:
        name = self.entry.get("name") or self.entry.get("kind") or self.table
        return f"{name} {'+' if self.found else '-'} {self.text[:40]}"


def read_examples(path: Path) -> list[Example]:
    """Return the examples of a data file with the entries that they stand behind, in order."""
    text = path.read_text("utf-8")
    sections = re.split(r"(?m)^(?=\[)", text)[1:]
    return [
        Example(table, entry, mark == "+", _filled(words))
        for section in sections
        for table, entry in [_entry(section)]
        for mark, words in re.findall(r"(?m)^ *# ([+-]) (.*)$", section)
    ]


def patterns_without_both(path: Path) -> list[str]:
    """Return the names of the patterns that lack a positive or a negative example."""
    text = path.read_text("utf-8")
    sections = [section for section in re.split(r"(?m)^(?=\[)", text)[1:] if re.search(r"(?m)^pattern = ", section)]
    return [
        str(_entry(section)[1].get("name", section[:40]))
        for section in sections
        if not re.search(r"(?m)^# \+ ", section) or not re.search(r"(?m)^# - ", section)
    ]


def _entry(section: str) -> tuple[str, dict[str, Any]]:
    data = tomllib.loads(section)
    table, value = next(iter(data.items()))
    if isinstance(value, list):
        return table, value[0]
    inner = next(iter(value.values()), None)
    if table == "guards" and isinstance(inner, dict):
        return table, {"name": next(iter(value)), **inner}
    return table, {"name": table, **value}


def _filled(words: str) -> str:
    source = random.Random(7)
    pick = lambda match: "".join(source.choice(_ALPHABETS[match[1]]) for _ in range(int(match[2])))  # noqa: E731
    return re.sub(r"\{([RLHUD])(\d+)\}", pick, words.replace("\\n", "\n"))
