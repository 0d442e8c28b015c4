"""Regular expressions, compiled when they are first needed: the hook path pays for each one."""

import re
from collections.abc import Callable
from functools import cache
from functools import lru_cache

_PIECE = r"[\w ',-]+(?![*+?{])|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:[:=!]|<[=!]|P<\w+>)|[*+?]|\{\d+(?:,\d*)?\}|(?s:.)"
_WITHOUT_WIDTH = frozenset({"^", "$", r"\b", r"\B", r"\A", r"\Z"})
_AT_EDGE = r"\\b([^\W_])(?![*+?{])"  # an edge of a word and its first letter
_MOST_WORDS = 60  # of which one must stand in a match; more are not worth looking for one by one
_MOST_LISTED = 600  # the same where they are looked up all at once

_EMPTY = frozenset({""})
_Finder = Callable[[str], re.Match[str] | None]


@lru_cache(maxsize=2000)
def compiled(source: str) -> re.Pattern[str]:
    """Compile an expression once."""
    return re.compile(source)


def stands_in(script: str, text: str) -> bool:
    """Tell whether a text holds a character of a script, given as a class of characters such as `[а-я]`.

    Of a text in ASCII most scripts are denied at once: the class of a large one takes a millisecond to compile.
    """
    if text.isascii() and not _names_ascii(script):
        return False
    return compiled(script).search(text) is not None


@cache
def _names_ascii(script: str) -> bool:
    return any(ch.isascii() and ch not in "[]-" for ch in script)


class Alternatives:
    """An expression taken apart at its outermost bars: each part is compiled and tried only where it can match.

    The same is found as by the whole expression. A part is left out where none of the words stands that every match
    of it has to hold; these are read off the expression.
    """

    __slots__ = ("_parts", "_source")

    def __init__(self, source: str) -> None:
        """Keep the expression; it is taken apart when it is first used."""
        self._source = source
        self._parts: list[Part] | None = None

    @property
    def parts(self) -> "list[Part]":
        """What stands between the outermost bars, in order."""
        return self._parts or self._take_apart()

    def found_in(self, text: str) -> bool:
        """Tell whether the expression matches somewhere in the text."""
        for part in self._parts or self._take_apart():  # noqa: SIM110 - a plain loop is quicker than any()
            if part.is_possible_in(text) and part.found_in(text):
                return True
        return False

    def end_in(self, text: str) -> int:
        """Return where a match at the beginning of the text ends, or -1 when there is none."""
        for part in self._parts or self._take_apart():
            match = part.match(text) if part.is_possible_in(text) else None
            if match:
                return match.end()
        return -1

    def _take_apart(self) -> "list[Part]":
        self._parts = [Part(pieces) for pieces in _split(_pieces_of(self._source))]
        return self._parts


class Part:
    """One alternative of an expression."""

    __slots__ = ("_match", "_pieces", "_search", "_source", "_words")

    def __init__(self, pieces: list[str]) -> None:
        """Read the words off that every match holds."""
        self._pieces = pieces
        self._source = "".join(pieces)
        self._words: tuple[str, ...] | None = None
        self._search: _Finder | None = None
        self._match: _Finder | None = None

    @property
    def source(self) -> str:
        """The expression."""
        return self._source

    def alternatives(self) -> "list[Part]":
        """Return the part taken apart once more, where only looks ahead stand before the alternatives that end it."""
        looks = self._pieces[: _end_of_looks(self._pieces)]
        rest = self._pieces[len(looks) :]
        if not looks or rest[:1] != ["(?:"] or _end_of_group(rest, 0) < len(rest):
            return [self]
        return [Part(looks + inner) for inner in _split(rest[1:-1])]

    def required(self, most_joined: int = 1) -> list[frozenset[str]]:
        """Return sets of literal texts: of each set one stands in whatever the part matches.

        What stands side by side is in one set too, joined in every way, unless that makes more than `most_joined`.
        """
        return list(dict.fromkeys(_Reader(self._pieces, _MOST_LISTED, most_joined).read_sequence()))

    def is_possible_in(self, text: str) -> bool:
        """Tell whether one of the words stands in the text that every match holds."""
        words = self._words
        if words is None:
            words = self._words = tuple(_Reader(self._pieces).read_group())
        for word in words:  # a plain loop: this is the hottest line of the detector
            if word in text:
                return True
        return not words

    def found_in(self, text: str) -> bool:
        """Tell whether the part matches somewhere in the text."""
        if self._search is None:
            expression = re.compile(_quicker(self._pieces))
            is_anchored = self._source.startswith("^")  # a search would try the other places in vain
            self._search = expression.match if is_anchored else expression.search
        return self._search(text) is not None

    def match(self, text: str) -> re.Match[str] | None:
        """Match the part from the beginning of the text."""
        if self._match is None:
            self._match = re.compile(self._source).match
        return self._match(text)


def _quicker(pieces: list[str]) -> str:
    """Return an expression that is found in the same texts.

    It begins with a letter, which is looked for at once, not with an edge; and looks far ahead come last, since what
    they are there for is rare.
    """
    source = "".join(pieces)
    begun = compiled(_AT_EDGE).match(source)
    if begun:
        return f"{begun[1]}(?<!\\w{begun[1]}){source[begun.end() :]}"
    end = _end_of_looks(pieces)
    looks, rest = "".join(pieces[:end]).removeprefix("^"), "".join(pieces[end:])
    return f"{'^' * (pieces[:1] == ['^'])}(?={rest}){looks}" if ".{" in looks else source


def split_alternatives(source: str) -> list[str]:
    """Return the parts of an expression between its outermost bars, in order."""
    return ["".join(pieces) for pieces in _split(_pieces_of(source))]


def required_words(source: str) -> frozenset[str]:
    """Return literal texts of which one stands in whatever the expression matches; none when there is no such set."""
    return _Reader(_pieces_of(source)).read_group()


def _pieces_of(source: str) -> list[str]:
    return compiled(_PIECE).findall(source)


def _end_of_looks(pieces: list[str]) -> int:
    """Return the place behind the looks ahead with which an expression begins, and the sign of the beginning."""
    place = int(pieces[:1] == ["^"])
    while place < len(pieces) and pieces[place] in {"(?!", "(?="}:
        place = _end_of_group(pieces, place)
    return place


def _end_of_group(pieces: list[str], place: int) -> int:
    """Return the place behind the bracket that closes the group which opens at a place."""
    depth = 0
    while True:
        depth += (pieces[place][0] == "(") - (pieces[place] == ")")
        place += 1
        if not depth:
            return place


def _split(pieces: list[str]) -> list[list[str]]:
    parts: list[list[str]] = [[]]
    depth = 0
    for piece in pieces:
        if piece == "|" and not depth:
            parts.append([])
            continue
        depth += (piece[0] == "(") - (piece == ")")
        parts[-1].append(piece)
    return parts


class _Reader:
    """Reads the pieces of an expression once, from left to right."""

    def __init__(self, pieces: list[str], most_words: int = _MOST_WORDS, most_joined: int = 1) -> None:
        self._pieces = pieces
        self._place = 0
        self._most_words = most_words
        self._most_joined = most_joined

    def read_group(self) -> frozenset[str]:
        """Return the required words up to the end of the group: those of every alternative, or none."""
        return self._read_alternatives()[0]

    def read_sequence(self) -> list[frozenset[str]]:
        """Return the sets of words of which one each is required, up to the next bar or the end of the group."""
        return self._read_run()[0]

    def _read_alternatives(self) -> tuple[frozenset[str], frozenset[str]]:
        """Return the required words of a group, and all texts that it can match; none where there is no such set."""
        required: list[frozenset[str]] = []
        matched: list[frozenset[str]] = []
        while not required or self._next() == "|":
            self._place += bool(required)
            found, texts = self._read_run()
            required.append(_best(found))
            matched.append(texts)
        self._place += 1  # the closing bracket
        return self._all_of(required), self._all_of(matched)

    def _all_of(self, alternatives: list[frozenset[str]]) -> frozenset[str]:
        words = frozenset[str]().union(*alternatives)
        return words if all(alternatives) and len(words) <= self._most_words else frozenset()

    def _read_run(self) -> tuple[list[frozenset[str]], frozenset[str]]:
        """Return the sets of required words of an alternative, and all the texts that it can match, or none."""
        found: list[frozenset[str]] = []
        run = _EMPTY  # the texts that stand here, whatever stood before them
        is_whole = True
        while (piece := self._next()) not in {"", "|", ")"}:
            self._place += 1
            if piece in _WITHOUT_WIDTH:
                continue
            if len(piece) > 1 and piece[0] not in "\\[(":  # several letters are never repeated
                run = frozenset([before + piece for before in run])
                continue
            words, texts = self._read_piece(piece)
            least, is_repeated = self._read_repetition()
            if texts and least and len(run) * len(texts) <= self._most_joined:
                found += [run, texts] if len(texts) > 1 else []  # each alone is looked up more surely
                run = frozenset([before + text for before in run for text in texts])
                if not is_repeated:
                    continue
                words = frozenset()
            found += [run, words if least else frozenset()]
            run = _EMPTY
            is_whole = False
        found.append(run)
        return [words for words in found if words and "" not in words], run if is_whole else frozenset()

    def _read_piece(self, piece: str) -> tuple[frozenset[str], frozenset[str]]:
        """Return the required words of one piece, and all the texts that it can match, or none."""
        if piece[0] == "(":
            words, texts = self._read_alternatives()
            if piece in {"(?=", "(?!", "(?<=", "(?<!"}:
                return frozenset(), _EMPTY
            return (words, texts) if piece in {"(", "(?:"} or piece.startswith("(?P<") else (frozenset(), frozenset())
        texts = frozenset(_literals(piece))
        return texts, texts

    def _read_repetition(self) -> tuple[int, bool]:
        """Return how often at least what was just read must stand, and whether it may stand otherwise than once."""
        sign = self._next()
        if sign[:1] not in {"*", "+", "?", "{"} or sign == "{":
            return 1, False
        self._place += 1
        if self._next() in {"?", "+"}:
            self._place += 1  # lazy or possessive
        return int(sign[1:-1].partition(",")[0]) if sign[0] == "{" else int(sign == "+"), True

    def _next(self) -> str:
        return self._pieces[self._place] if self._place < len(self._pieces) else ""


def _literals(piece: str) -> list[str]:
    """Return the texts of which a piece stands for one, or none when there are many."""
    if piece[0] == "[":
        signs = piece[1:-1]
        return [] if signs[0] == "^" or "\\" in signs or "-" in signs else list(signs)
    if piece[0] == "\\":
        return [] if piece[1].isalnum() else [piece[1]]
    return [] if piece == "." else [piece]


def _best(found: list[frozenset[str]]) -> frozenset[str]:
    """Return the set that says most, or none: its shortest word is the longest."""
    return max(found, key=lambda words: min(map(len, words)), default=frozenset())
