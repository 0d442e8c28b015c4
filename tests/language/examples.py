"""The examples that stand beside every pattern in the data files: `# +` must be found, `# -` must not."""

import random
import re
import tomllib
from pathlib import Path
from typing import Any
from typing import NamedTuple

import engram.language

PATTERNS = Path(engram.language.PATTERNS)
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
    place: str  # file:line

    def __str__(self) -> str:
        name = self.entry.get("name") or self.entry.get("kind") or self.table
        return f"{self.place} {name} {'+' if self.found else '-'} {self.text}"


def read_examples(path: Path) -> list[Example]:
    """Return the examples of a data file with the entries that they stand behind, in order."""
    head, *sections = re.split(r"(?m)^(?=\[)", path.read_text("utf-8"))
    above = head.count("\n")
    found = []
    for section in sections:
        table, entry = _entry(section)
        for match in re.finditer(r"(?m)^ *# ([+-]) (.*)$", section):
            line = above + section.count("\n", 0, match.start()) + 1
            place = f"{path.relative_to(PATTERNS.parent)}:{line}"
            found.append(Example(table, entry, match[1] == "+", _filled(match[2]), place))
        above += section.count("\n")
    return found


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
