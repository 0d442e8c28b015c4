"""What a person asked to forget, taken out of texts and of records of the journal. Pure.

A forgotten text is found whatever stands between its words: signs, spaces, line breaks, the escapes of JSON. One of a
few letters, such as "yes", is only taken out where it stands alone, for it stands in everything.
"""

import json
import re
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.language.compare.contradiction.compare import skeleton
from engram.language.matching.kept_expressions import kept
from engram.model.changes.record import RECORD_ADAPTER
from engram.model.changes.record import Record
from engram.model.commands.command import Outcome
from engram.model.vocabulary import ASKED

FORGOTTEN: Final = "[forgotten]"
"""What stands in the place of a text that was forgotten."""

_FEWEST_SIGNS: Final = 12  # word characters of a text that is looked for inside others; each sign of Han counts thrice
_WEIGHT_OF_HAN: Final = 3
_HAN: Final = kept("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_WORD: Final = re.compile(r"[^\W_]+")
_BETWEEN: Final = r"(?:\\[nrt]|\\u[0-9a-fA-F]{4}|[\W_]){0,40}?"
_LIKE_LATIN: Final = {
    "\u0130": "i",
    "\u0131": "i",
    "\u017f": "s",
    "\u212a": "k",
}  # equal to these when case does not count
_MOST_CHARS: Final = 4000  # of one text that is looked for; of a longer one its beginning
_FACT_KINDS: Final = frozenset({"fact_recorded", "fact_restored"})
_NO_HASH: Final = "0" * 64
_DECISION: Final = frozenset({"result", "asked_at"})  # fields by which the JSON of a decision is known


class Forgotten(NamedTuple):
    """All that is to go."""

    facts: frozenset[str] = frozenset()  # ids
    turns: frozenset[str] = frozenset()  # ids of turns whose whole text goes
    entries: frozenset[str] = frozenset()  # ids of note entries, likewise
    texts: tuple[str, ...] = ()  # wherever they stand
    moved: Mapping[str, str] = {}  # path of an entity -> the path in its place
    names: frozenset[str] = frozenset()  # titles and aliases of those entities, in small letters


class TextEraser:
    """Takes texts out of others."""

    def __init__(self, texts: Iterable[str]) -> None:
        """Take the texts that are to go."""
        found = {text.strip()[:_MOST_CHARS] for text in texts if _WORD.search(text)}
        long = sorted((text for text in found if is_long(text)), key=len, reverse=True)
        self._inside = re.compile("|".join(map(_pattern, long)), re.IGNORECASE) if long else None
        self._needles = {_needle(text) for text in long}
        self._alone = {_signs(text) for text in found if not is_long(text)}

    def erase(self, text: str) -> str:
        """Return a text without them; the same object when it has none."""
        if self._alone and _signs(text) in self._alone:
            return FORGOTTEN
        return self._inside.sub(FORGOTTEN, text) if self.is_in(text) and self._inside is not None else text

    def is_in(self, text: str) -> bool:
        """Tell whether one of the longer texts stands in a text."""
        if self._inside is None:
            return False
        folded = fold_latin(text)
        return any(needle in folded for needle in self._needles) and self._inside.search(text) is not None


def erase_lines(text: str, eraser: TextEraser) -> str:
    """Return a note or a log without the texts; a line that says nothing else goes altogether."""
    cleaned = eraser.erase(text)
    if cleaned != text and FORGOTTEN not in text:
        cleaned = "".join(line for line in cleaned.splitlines(keepends=True) if not _says_nothing(line))
    lines = cleaned.splitlines(keepends=True)
    kept = [line for line in lines if eraser.erase(line) is line]  # short texts stand alone in their line
    return cleaned if len(kept) == len(lines) else "".join(kept)


def forget_in(record: Record, forgotten: Forgotten, eraser: TextEraser) -> Record:
    """Return a record without what is to go; the same object when it holds none of it.

    What is left can be replayed: facts, turns and note entries keep their ids and their place in the history.
    """
    raw = record.model_dump(mode="json", exclude_none=True)
    cleaned = _RecordEraser(forgotten, eraser).clean(raw)
    return record if cleaned == raw else RECORD_ADAPTER.validate_json(json.dumps(cleaned))


class EntityMover:
    """Puts others in the place of the paths of entities, wherever they stand, and in the ids that were made of them."""

    def __init__(self, moved: Mapping[str, str]) -> None:
        """Take path -> the path in its place."""
        self._moved = moved
        paths = "|".join(map(re.escape, sorted(moved, key=len, reverse=True)))
        self._path = re.compile(rf"(?<![\w-])({paths})(?=-\d{{3,}}(?!\w)|[^\w-]|$)") if paths else None

    def move(self, text: str) -> str:
        """Return a text with the paths that are there instead."""
        return self._path.sub(lambda path: self._moved[path[1]], text) if self._path else text


class _RecordEraser:
    """Takes what is to go out of the JSON of a record."""

    def __init__(self, forgotten: Forgotten, eraser: TextEraser) -> None:
        self._forgotten = forgotten
        self._eraser = eraser
        self._mover = EntityMover(forgotten.moved)

    def clean(self, raw: Any) -> Any:
        if isinstance(raw, str):
            return self._string(raw)
        if isinstance(raw, list):
            return [self.clean(one) for one in raw]
        if not isinstance(raw, dict):
            return raw
        cleaned = {key: self.clean(value) for key, value in self._without_own_texts(raw).items()}
        return self._without_digest(raw, cleaned) if raw.keys() >= _DECISION else cleaned

    def _without_digest(self, raw: dict[str, Any], cleaned: dict[str, Any]) -> dict[str, Any]:
        """Return a decision without the digest of what was asked, if that may be what is to go.

        Of what was refused nothing else is kept that would tell.
        """
        result, details = cleaned["result"], cleaned["result"].get("details", {})
        is_about = result["status"] == Outcome.REFUSED or raw["result"].get("id") in self._forgotten.facts
        is_about = is_about or cleaned != raw
        if not is_about or ASKED not in details:
            return cleaned
        rest = {key: value for key, value in details.items() if key != ASKED}
        return {**cleaned, "result": {**result, "details": rest}}

    def _string(self, text: str) -> str:
        if text.casefold() in self._forgotten.names:
            return FORGOTTEN
        return self._mover.move(self._eraser.erase(text))

    def _without_own_texts(self, raw: dict[str, Any]) -> dict[str, Any]:
        kind = raw.get("kind")
        if kind in _FACT_KINDS:
            return {**raw, "fact": self._fact(raw["fact"])}
        if (
            kind == "observation_opened"
            and self._eraser.erase(raw["observation"]["text"]) != raw["observation"]["text"]
        ):
            return {**raw, "observation": {**raw["observation"], "words": []}}
        if kind == "turn_captured" and raw["turn"]["id"] in self._forgotten.turns:
            return {**raw, "turn": {**raw["turn"], "text": FORGOTTEN}}
        if kind == "note_recorded" and raw["entry"]["id"] in self._forgotten.entries:
            return {**raw, "entry": {**raw["entry"], "text": FORGOTTEN, "heading": [], "sha256": _NO_HASH}}
        if kind == "entity_created" and raw["entity"]["path"] in self._forgotten.moved:
            return {**raw, "entity": {**raw["entity"], "title": FORGOTTEN, "aliases": []}}
        return raw

    def _fact(self, fact: dict[str, Any]) -> dict[str, Any]:
        if fact["id"] in self._forgotten.facts:
            return _blank_fact(fact)
        text = self._eraser.erase(fact["text"])
        return fact if text == fact["text"] else {**fact, "skeleton": skeleton(text)}


def _blank_fact(fact: dict[str, Any]) -> dict[str, Any]:
    source = {key: fact["source"][key] for key in ("actor", "session", "turn") if key in fact["source"]}
    gone = {"attribute", "value", "tags", "reason"}
    kept = {key: value for key, value in fact.items() if key not in gone}
    return {**kept, "text": FORGOTTEN, "source": source, "fingerprint": fingerprint(FORGOTTEN), "skeleton": ""}


def _pattern(text: str) -> str:
    words = [_either_spelling(word) for word in _WORD.findall(text)]
    whole = _BETWEEN.join(words)
    return f"(?<![^\\W_]){whole}(?![^\\W_])" if not _HAN.search(text) else whole


def fold_latin(text: str) -> str:
    """Return a text in which no case of a Latin letter differs, also of those beyond ASCII that `re` takes for one."""
    for letter, latin in _LIKE_LATIN.items():
        text = text.replace(letter, latin)  # `translate` takes a second for a file of some megabytes
    return text.lower()


def _needle(text: str) -> str:
    """Return what stands in every text that this one stands in, folded: "" for one that has no word in plain letters.

    The expression takes ten times as long to say that a text is not there.
    """
    return max((fold_latin(word) for word in _WORD.findall(text) if word.isascii()), key=len, default="")


def _either_spelling(word: str) -> str:
    """Return the expression of a word, as it is written and as JSON escapes it."""
    escaped = json.dumps(word)[1:-1]
    return re.escape(word) if escaped == word else f"(?:{re.escape(word)}|{re.escape(escaped)})"


def is_long(text: str) -> bool:
    """Tell whether the words of a text are enough to tell it from what else is written."""
    signs = _signs(text)
    return len(signs) + (_WEIGHT_OF_HAN - 1) * len(_HAN.findall(signs)) >= _FEWEST_SIGNS


def _signs(text: str) -> str:
    return "".join(_WORD.findall(text)).casefold()


def _says_nothing(line: str) -> bool:
    return FORGOTTEN in line and not _WORD.search(line.replace(FORGOTTEN, ""))
