"""Pairs of an older and a newer statement that `train_changes.py` learns from, read from chains, lists and notes."""

import itertools
import json
import random
import zlib
from collections import Counter
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram.language.compare.updates.likely_features import Rarity
from engram.language.compare.updates.likely_features import change_features
from engram.language.compare.updates.likely_words import list_pair_words

CHATS = Path(__file__).with_name("judge_chats")
PAIRS = Path(__file__).with_name("change_pairs")
HOMES = Path(__file__).with_name("change_homes")
PARTS = 9  # into which people are divided
TOLD = "told-"  # how lists begin that tell of changes in passing; the others hold more that is said of one thing
MOST_OF_ONE = 400  # pairs of one agent that are learned from

_Place = tuple[int, int]  # chat in the chain, turn in the chat


class Statement(NamedTuple):
    """A marked statement of a chain."""

    place: _Place
    chat: str
    quote: str


_Changed = tuple[Statement, Statement]  # the older one, and the one that made it out of date


class Pair(NamedTuple):
    """An older and a newer statement of one chain that share something."""

    group: str  # the person, or "other"
    home: str
    old: int  # where it stands in the home, in the order in which it was said
    new: int
    is_change: bool
    is_learned: bool  # of many that are none only some are
    features: dict[str, float]
    words: list[str]


def read_statements(chats: Sequence[dict[str, Any]]) -> list[Statement]:
    """Return what is marked in a chain of chats, in order."""
    found = []
    for number, chat in enumerate(chats):
        places = {turn["id"]: place for place, turn in enumerate(chat["turns"])}
        marks = (mark for mark in chat["facts"] if mark["turn"] in places)
        found += [Statement((number, places[mark["turn"]]), chat["id"], mark["quote"]) for mark in marks]
    return sorted(found)


def read_changes(file: Path, statements: Sequence[Statement]) -> set[tuple[Statement, Statement]]:
    """Return which statements of a chain made which out of date."""

    def find(chat: str, quote: str) -> Statement | None:
        of_chat = (one for one in statements if one.chat == chat)
        return next((one for one in of_chat if quote in one.quote or one.quote in quote), None)

    rows = [row for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()) if row["over"]]
    found = ((find(row["old_chat"], row["old_quote"]), find(row["new_chat"], row["new_quote"])) for row in rows)
    return {(old, new) for old, new in found if old is not None and new is not None}


def list_pairs(
    group: str, home: str, said: Sequence[str], is_compared: Callable[[int, int], bool], changes: set[tuple[int, int]]
) -> Iterator[Pair]:
    """Yield the pairs of statements of a home that share something."""
    rarity = Rarity(said)
    for old, new in itertools.combinations(range(len(said)), 2):
        if is_compared(old, new) and (features := change_features(said[new], said[old], rarity)):
            words = list_pair_words(said[new], said[old])
            yield Pair(group, home, old, new, (old, new) in changes, is_learned=True, features=features, words=words)


def list_chain(group: str, home: str, statements: Sequence[Statement], changes: set[_Changed]) -> list[Pair]:
    """Return the pairs of a chain that were not said in one chat."""
    over = {
        (old, new)
        for old, new in itertools.combinations(range(len(statements)), 2)
        if (statements[old], statements[new]) in changes
    }
    chats = [one.place[0] for one in statements]
    said = [one.quote for one in statements]
    return [*list_pairs(group, home, said, lambda old, new: chats[old] != chats[new], over)]


def read_chains(chats: Path, pairs: Path) -> tuple[list[Pair], Counter[str]]:
    """Return the pairs of every chain that has a file of changes, and how many changes each has in all."""
    found: list[Pair] = []
    counts: Counter[str] = Counter()
    for file in sorted(pairs.glob("*.jsonl")):
        rows = (chats / file.name).read_text(encoding="utf-8").splitlines()
        statements = read_statements([json.loads(row) for row in rows])
        changes = read_changes(file, statements)
        counts[file.stem] = len(changes)
        found += list_chain(file.stem, file.stem, statements, changes)
    return found, counts


def read_homes(folder: Path) -> tuple[list[Pair], Counter[str]]:
    """Return the pairs of lists of statements, `said` in order and `over` as places, and how many changes each has."""
    found: list[Pair] = []
    counts: Counter[str] = Counter()
    for file in sorted(folder.glob("*.jsonl")):
        group = file.stem if file.stem.startswith(TOLD) else f"home {file.stem}"
        for home in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            over = {(old, new) for old, new in home["over"]}
            counts[group] += len(over)
            found += list_pairs(group, f"{group} {home['id']}", home["said"], lambda _old, _new: True, over)
    return found, counts


def read_others(data: Path) -> list[Pair]:
    """Return pairs of statements of one agent's notes of different days, in which hardly anything changes."""
    found: list[Pair] = []
    notes: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in map(json.loads, (data / "notes.jsonl").read_text(encoding="utf-8").splitlines()):
        notes[row["agent"]].append(row)
    for agent, rows in sorted(notes.items()):
        marks = [
            (place, row["file"], mark) for place, row in enumerate(sorted(rows, key=_day)) for mark in row["facts"]
        ]
        statements = [Statement((place, at), note, mark["quote"]) for at, (place, note, mark) in enumerate(marks)]
        found += _some(list_chain(_part(agent), agent, statements, set()))
    return found


def _some(pairs: Sequence[Pair]) -> list[Pair]:
    """Return the pairs, of which many a part that is the same every time is learned from: all are rivals."""
    places = random.Random(len(pairs)).sample(range(len(pairs)), min(len(pairs), MOST_OF_ONE))
    learned = frozenset(places)
    return [pair._replace(is_learned=place in learned) for place, pair in enumerate(pairs)]


def _part(name: str) -> str:
    return f"other {zlib.crc32(name.encode()) % PARTS}"


def _day(row: dict[str, Any]) -> tuple[str, str]:
    return str(row.get("date") or ""), row["file"]


def read_told(folder: Path) -> tuple[list[Pair], Counter[str]]:
    """Return the pairs of all chains and lists in a folder, and how many changes each person told."""
    chains, in_chains = read_chains(folder / CHATS.name, folder / PAIRS.name)
    lists, in_lists = read_homes(folder / HOMES.name)
    return [*chains, *lists], in_chains + in_lists
