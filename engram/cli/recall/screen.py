"""An answer as a person reads it on a terminal: what is remembered, below it where that comes from, and what fits.

Light: a question that a warm process answers goes through here.
"""

import shutil
import unicodedata
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

import click

from engram.base.text import RECALLED_CLOSING
from engram.base.text import is_archived
from engram.cli.terminal.screen_lines import NOT_CONFIRMED
from engram.cli.terminal.screen_lines import from_home
from engram.services.facts.freshness_words import stale_words

_PROMPT_ROWS: Final = 2  # of the command above the answer and the prompt below it
_WIDE: Final = frozenset("WF")  # signs that take two columns
_NAMED: Final = frozenset({"fact", "candidate"})  # kinds whose ids commands take; others are read by their place
_DOUBTS: Final = {"trusted": None, "unverified": NOT_CONFIRMED}  # words of a trust, where a person has to know it


def screen_text(answer: Mapping[str, Any], text: str, *, fits: bool) -> str:
    """Return an answer as it is shown on a terminal.

    Args:
        answer: its JSON of the contract.
        text: the same as programs read it; its notes are shown as well, and all of it when there is no hit.
        fits: whether hits are left out for which the terminal has no room; the first one never is.
    """
    if not answer["hits"]:
        return text
    notes = text.partition(f"\n{RECALLED_CLOSING}\n")[2].splitlines()
    hits = [hit_lines(number, hit) for number, hit in enumerate(answer["hits"], 1)]
    columns, rows = shutil.get_terminal_size()
    shown = fit(hits, rows - _PROMPT_ROWS - rows_of(notes, columns), columns) if fits else hits
    left = len(hits) - len(shown)
    more = [f"{left} more: -k {len(hits)} shows them all, --detail ID the whole text of one"] if left else []
    return "\n".join([*(line for hit in shown for line in hit), *more, *notes])


def hit_lines(number: int, hit: Mapping[str, Any]) -> list[str]:
    """Return one hit: its text, what it replaced or what replaced it, and where it comes from."""
    mark = f"{number}. "
    first, *others = hit["text"].splitlines() or [""]
    lines = [mark + _visible(first), *(" " * len(mark) + _visible(line) for line in others)]
    lines += [f"{' ' * len(mark)}{name}: {_visible(hit[name])}" for name in ("was", "now") if hit[name]]
    lines += _stale(" " * len(mark), hit)
    return [*lines, click.style(" " * len(mark) + _visible(_origin(hit)), dim=True)]


def _stale(indent: str, hit: Mapping[str, Any]) -> list[str]:
    if "freshness" not in hit:
        return []
    words = stale_words(hit["freshness"])
    return [f"{indent}stale: {_visible(words)}"] if words else []


def fit(hits: Sequence[Sequence[str]], rows: int, columns: int) -> list[Sequence[str]]:
    """Return the first hits that fit into so many rows, at least one; a row is kept for the line that counts others."""
    if sum(rows_of(hit, columns) for hit in hits) <= rows:
        return [*hits]
    room = rows - 1
    shown: list[Sequence[str]] = []
    for hit in hits:
        room -= rows_of(hit, columns)
        if shown and room < 0:
            break
        shown.append(hit)
    return shown


def rows_of(lines: Sequence[str], columns: int) -> int:
    """Return how many rows of a terminal lines take."""
    return sum(max(1, -(-_width(line) // max(1, columns))) for line in lines)


def _origin(hit: Mapping[str, Any]) -> str:
    place = f"{hit['path']}:{hit['lines']}" if hit["path"] and hit["lines"] else hit["source"]
    said = f"said in {hit['session']}" if hit["session"] else from_home(place) if place else None
    doubt = _DOUBTS.get(hit["trust"], hit["trust"])
    name = hit["id"] if hit["kind"] in _NAMED else None
    put_away = "archived" if is_archived(hit["entity"]) else None
    kind = "candidate" if hit["kind"] == "candidate" else None
    return ", ".join(word for word in (name, kind, hit["date"], said, put_away, doubt) if word)


def _width(line: str) -> int:
    plain = click.unstyle(line)
    if plain.isascii():
        return len(plain)
    return sum(2 if unicodedata.east_asian_width(ch) in _WIDE else 1 for ch in plain)


def _visible(text: str) -> str:
    from engram.language.screen.fence import visible  # noqa: PLC0415 - 10 ms, and a pipe does without it

    return visible(text)
