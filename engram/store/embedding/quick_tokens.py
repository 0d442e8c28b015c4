"""A few texts as token numbers, without the second that a large vocabulary takes to load.

A tokenizer of the kind Unigram (the e5 family: 250,000 pieces, 17 MB) chooses among the pieces of its vocabulary that
occur in the text, by their scores. So a tokenizer with only those pieces gives the same tokens. The pieces lie in a
file of SQLite, made once from `tokenizer.json`, where the few hundred that a text may need are looked up.
"""

import contextlib
import json
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from tokenizers import Tokenizer

from engram.base.ids import new_id

_FORMAT = 1  # of the file: another number means another file
_SCHEMA = """
CREATE TABLE pieces (piece TEXT PRIMARY KEY, id INTEGER NOT NULL, score REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
"""


class _Facts(NamedTuple):
    rest: str  # tokenizer.json without its vocabulary
    unknown: str  # the piece that stands for what no piece covers
    lowest: str  # the piece of the lowest score, from which the price of an unknown piece is reckoned
    longest: int  # characters of the longest piece


class QuickTokenizer:
    """Token numbers of single texts; see the module's first lines."""

    def __init__(self, table: Path) -> None:
        """Take a file that `make_table` wrote. Raises sqlite3.Error when it is none."""
        self._table = table
        facts = dict(_ask(table, "SELECT name, value FROM facts"))
        self._facts = _Facts(facts["rest"], facts["unknown"], facts["lowest"], int(facts["longest"]))

    def encode(self, text: str, longest: int) -> list[int]:
        """Return the numbers of the text's tokens, those around it included, cut to `longest`."""
        words = self._tokenizer([(self._facts.unknown, 0.0)]).encode(text, add_special_tokens=False).tokens
        parts = {self._facts.unknown, self._facts.lowest} | self._parts(words)
        query = "SELECT piece, id, score FROM pieces WHERE piece IN (SELECT value FROM json_each(?))"
        pieces = {piece: (number, score) for piece, number, score in _ask(self._table, query, json.dumps(list(parts)))}
        tokenizer = self._tokenizer([(piece, score) for piece, (_, score) in pieces.items()])
        tokenizer.enable_truncation(longest)
        unknown, _ = pieces[self._facts.unknown]
        added = {token.content: number for number, token in tokenizer.get_added_tokens_decoder().items()}
        added = {content: pieces[content][0] if content in pieces else self._number(content) for content in added}
        return [
            added[token] if token in added else pieces.get(token, (unknown, 0.0))[0]
            for token in tokenizer.encode(text).tokens
        ]

    def _tokenizer(self, pieces: Sequence[tuple[str, float]]) -> Tokenizer:
        skeleton = json.loads(self._facts.rest)
        skeleton["model"]["vocab"] = list(pieces)
        skeleton["model"]["unk_id"] = next(
            place for place, (piece, _) in enumerate(pieces) if piece == self._facts.unknown
        )
        return Tokenizer.from_str(json.dumps(skeleton))

    def _parts(self, words: Sequence[str]) -> set[str]:
        longest = self._facts.longest
        return {
            word[start:end]
            for word in words
            for start in range(len(word))
            for end in range(start + 1, min(start + longest, len(word)) + 1)
        }

    def _number(self, content: str) -> int:
        ((number,),) = _ask(self._table, "SELECT id FROM pieces WHERE piece = ?", content)
        return int(number)


def table_name(digest: str) -> str:
    """Return the name of the file that belongs to a model."""
    return f"{digest}-pieces-{_FORMAT}.sqlite"


def make_table(tokenizer_json: Path, table: Path) -> bool:
    """Write the file of pieces, whole or not at all; False when the tokenizer is of another kind."""
    content: dict[str, Any] = json.loads(tokenizer_json.read_text(encoding="utf-8"))
    model = content["model"]
    vocabulary = model.get("vocab")
    if model.get("type") != "Unigram" or model.get("unk_id") is None or model.get("byte_fallback") or not vocabulary:
        return False
    facts = {
        "unknown": vocabulary[model["unk_id"]][0],
        "lowest": min(vocabulary, key=lambda entry: entry[1])[0],
        "longest": str(max(len(piece) for piece, _ in vocabulary)),
    }
    added = [(token["content"], token["id"], 0.0) for token in content.get("added_tokens", [])]
    facts["rest"] = json.dumps(content | {"model": model | {"vocab": []}, "truncation": None, "padding": None})
    table.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = table.with_name(f".tmp-{new_id()}")
    try:
        with contextlib.closing(sqlite3.connect(temporary)) as connection, connection:
            connection.executescript(_SCHEMA)
            rows = [(piece, number, score) for number, (piece, score) in enumerate(vocabulary)]
            connection.executemany("INSERT OR IGNORE INTO pieces VALUES (?, ?, ?)", sorted([*rows, *added]))
            connection.executemany("INSERT INTO facts VALUES (?, ?)", facts.items())
        temporary.replace(table)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _ask(table: Path, query: str, *values: str) -> list[Any]:
    with contextlib.closing(sqlite3.connect(f"{table.as_uri()}?mode=ro&immutable=1", uri=True)) as connection:
        return connection.execute(query, values).fetchall()
