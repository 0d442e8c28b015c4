"""Which statements say what another one before them says already, in nearly the same words."""

import datetime as dt
import re
from collections import defaultdict
from collections.abc import Collection
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.matching.kept_expressions import kept
from engram.language.terms.terms import terms
from engram.language.text.markdown_notes import strip_markdown
from engram.model.document import Document
from engram.rules.notes.rollup import KINDS
from engram.rules.recall.ranking import is_repeated

_LEAST_WORDS = 8  # of a text; in a shorter one a single word makes the difference
_LEAST_STEMS = 3  # of a statement about one thing that may restate another one
_ALIKE = 0.75  # share of all their stems that two such statements have in common
_MOST_OTHER = 0.1  # share of words, of both texts together, that may differ
_FEWEST_TOLD = 3  # words of a line that a roll-up may tell again
_WORD = re.compile(r"\w+")
_LEAST_RETOLD = 3  # words of a note's line that a roll-up may retell
_ROLLED_UP = re.compile(rf"(?:.*/)?({'|'.join(KINDS)})/[^/]+\.md")
_CAPITAL = re.compile(r"(?<=[\w,;] )[^\W\d_a-zа-яё][\w'’-]*")  # not where a sentence begins
_RUN = kept(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts that tell nothing by capitals
_STOPS = r"\s,;:!?()\[\]{}\"«»“”„。、・「」『』《》【】"
_SIGN_OR_WORD = kept(rf"[\u3040-\u30ff\u3400-\u9fff]|[^{_STOPS}\u3040-\u30ff\u3400-\u9fff]+")
_CLOCK = re.compile(r"^\d{1,2}:\d{2}(?=\s)")  # before a line of a daily note


def find_repeated(documents: Sequence[Document], enough: int) -> set[str]:
    """Return the ids of those that say the same as one before them, up to the place where `enough` others have come.

    The same words in the same place count (`rules.recall.ranking.is_repeated`), and so does long raw text that differs
    in a word or two, unless what differs is a number, a negation or a name of something. A line of a roll-up goes
    where the line or fact of that day stands that it retells: the week has it from the note, the month from the week.
    """
    repeated: set[str] = set()
    places: set[tuple[str, str, str]] = set()
    kept: list[_Words] = []
    told: dict[dt.datetime, list[_Told]] = defaultdict(list)  # what is kept of each day
    for document in documents:
        if len(kept) >= enough:
            break
        said = fingerprint(bare_line(document))
        words = _Words(tuple(said.split()), document.text)
        again = is_repeated(document, said, places)
        is_long = document.kind != "fact" and len(set(words.all)) >= _LEAST_WORDS
        this = _told(document)
        same_day = told[document.at] if this and document.at else []
        if this and any(_retells(this, other) for other in same_day):
            repeated.add(document.id)
        elif this and (retold := [other for other in same_day if _retells(other, this)]):
            repeated |= {other.id for other in retold}  # this takes the place of the first of them
            same_day[:] = [other for other in same_day if other not in retold] + [this]
        elif again or (is_long and any(_says_the_same(words, other) for other in kept)):
            repeated.add(document.id)
        else:
            kept.append(words)
            same_day += [this] if this else []
    return repeated


class _Told(NamedTuple):
    """A fact, or a line of a note or a roll-up."""

    id: str
    distance: int  # from what was said: a fact or a note 0, a week 1, a month 2
    words: frozenset[str]


def bare_line(document: Document) -> str:
    """Return what a text says: a line of a note without its bullet and the time of day that it begins with."""
    return bare_note(document.text) if document.kind == "note" else document.text


def bare_note(line: str) -> str:
    """Return a line of a note without its bullet and the time of day that it begins with."""
    return _CLOCK.sub("", strip_markdown(line)).strip()


def _told(document: Document) -> _Told | None:
    if document.kind not in {"note", "fact"}:
        return None
    rolled_up = _ROLLED_UP.fullmatch(document.path or "") if document.kind == "note" else None
    words = words_of(bare_line(document))
    return _Told(document.id, 1 + KINDS.index(rolled_up[1]) if rolled_up else 0, frozenset(words))


def _retells(one: _Told, other: _Told) -> bool:
    """Tell whether one line retells the other, of the same day, which is nearer to what was said."""
    is_same = one.words <= other.words or other.words <= one.words
    return one.distance > other.distance and is_same and len(other.words) >= _LEAST_RETOLD


def is_rolled_up(document: Document) -> bool:
    """Tell whether a text stands in a roll-up of notes: whatever it says was said elsewhere."""
    return _ROLLED_UP.fullmatch(document.path or "") is not None


def tells_again(text: str, lines: Collection[tuple[str, ...]]) -> bool:
    """Tell whether a line is one of these lines, given as words, perhaps behind its heading and a colon.

    Nothing but the same words in the same order is the same: one more number is another version.
    """
    return any(words in lines for words in ways_to_tell(text))


def ways_to_tell(text: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of a line, and those behind each heading and colon in it, as far as they still tell something."""
    said = text
    while said:
        if len(words := words_of(said)) >= _FEWEST_TOLD:
            yield words
        said = said.partition(":")[2]


def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text in order, folded."""
    return tuple(_WORD.findall(fingerprint(text)))


def find_restated(texts: Mapping[str, str]) -> set[str]:
    """Return the ids of the statements about one thing that say no more than one before them; `texts` by id, in order.

    Most of their words are the same, and what differs is no number and no negation.
    """
    restated: set[str] = set()
    kept: list[tuple[frozenset[str], frozenset[str]]] = []
    holding: dict[str, list[int]] = defaultdict(list)  # the places in `kept` by stem
    for key, text in texts.items():
        words, stems = frozenset(_SIGN_OR_WORD.findall(fingerprint(text))), frozenset(terms(text))
        # One that is alike lacks few of the stems: it has one at least of the rarest few and one more.
        rarest = sorted(stems, key=lambda stem: len(holding.get(stem, ())))[: int(len(stems) * (1 - _ALIKE)) + 1]
        near = {place for stem in rarest for place in holding.get(stem, ())}
        if any(_restates(words, stems, *kept[place]) for place in near):
            restated.add(key)
            continue
        for stem in stems:
            holding[stem].append(len(kept))
        kept.append((words, stems))
    return restated


def _restates(
    words: frozenset[str], stems: frozenset[str], others: frozenset[str], other_stems: frozenset[str]
) -> bool:
    fewest = min(len(stems), len(other_stems))
    common = len(stems & other_stems)
    is_alike = common >= _ALIKE * len(stems | other_stems)
    if fewest < _LEAST_STEMS or not (is_alike or common == len(stems)):
        return False
    return not any(is_telling(word) for word in words ^ others)


class _Words(NamedTuple):
    """The words of a text."""

    all: tuple[str, ...]  # folded, in order
    text: str


def _names_in(text: str) -> frozenset[str]:
    """Return the words, folded, that are written like names: with a capital within a sentence."""
    return frozenset(found[0].casefold() for found in _CAPITAL.finditer(text))


def _says_the_same(one: _Words, other: _Words) -> bool:
    """Tell whether two texts differ in no more than a word or two that tell nothing, and have the rest in one order."""
    words, others = frozenset(one.all), frozenset(other.all)
    if abs(len(words) - len(others)) > _MOST_OTHER * (len(words) + len(others)):
        return False
    different = words ^ others
    if len(different) > _MOST_OTHER * len(words | others):
        return False
    names = _names_in(one.text) | _names_in(other.text)
    if any(is_telling(word) or _RUN.search(word) or word in names for word in different):
        return False
    return _without(one.all, different) == _without(other.all, different)


def _without(words: Sequence[str], left_out: Collection[str]) -> list[str]:
    return [word for word in words if word not in left_out]


def is_telling(word: str) -> bool:
    """Tell whether a word that stands in one text only makes it another statement."""
    return not word.isalpha() or word.isnumeric() or word in load_lexicon().negation
