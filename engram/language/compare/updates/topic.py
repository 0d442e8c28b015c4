"""What a statement of one value is about, and the value: "staging now runs on 8200" is about staging, running. Pure.

People who tell of a change seldom repeat the whole statement: they leave out what everybody knows. Two statements are
of one thing when the newer one says nothing that the older one does not say too, but for its value and what stands
behind it, and the older one has no qualification that the newer one leaves out ("for guests").
"""

import re
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.recurrence import is_logged
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import may_hold_value
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.slots.slots import kinds_of_technology
from engram.language.compare.slots.slots import same_value
from engram.language.compare.updates.change_words import blank_cues
from engram.language.compare.updates.change_words import other_stop_words
from engram.language.compare.updates.change_words import without_change_words
from engram.language.compare.updates.update_statement import content_terms
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import joined

MAX_CHARS: Final = 160  # of a statement; a longer one says more than one thing
_SHORT: Final = 100  # characters of a statement that another one can end as a whole
LED_BY: Final = 3  # terms at its beginning of which one at least names what a statement is about

_LEADS_TO: Final = (":", "：")  # at the end of what only leads to the next lines

_CHANGEABLE: Final = frozenset({NUMBER, DATE, VERSION})
_WORD: Final = re.compile(r"[^\W\d_][\w'’.+#-]{0,40}")
_COUNTED: Final = re.compile(r" ?([^\W\d_]{2,30})")  # right behind a number
_BEFORE: Final = re.compile(r"([^\W\d_]{1,30})[ \W]{0,2}$")  # right before it
_FEWEST_SHARED: Final = 2  # terms that two statements about a number have in common
_MOST_LEFT_OUT: Final = 1  # term of the older one that the newer one leaves out, besides what is counted
_CLAUSE_END: Final = re.compile(r"[,;]")
_NAMED: Final = "name"  # kind of what is held by somebody or something that has a name
_CAPITAL: Final = "[A-ZÀ-ÖØ-ÞА-ЯЁ]"
_LIKE_A_PORT: Final = re.compile(r"\d{4,5}")  # two of these seldom count anything


def leading_terms(text: str) -> tuple[str, ...]:
    """Return the first terms of a statement, by which it is found again; none of a longer one."""
    return () if len(text) > _SHORT else _terms(blank_cues(fold(without_change_words(text))))[:LED_BY]


class Topic(NamedTuple):
    """A statement without its value, and the value."""

    terms: tuple[str, ...]  # before the value and behind it, in order
    behind: frozenset[str]  # those that stand only behind it
    label: frozenset[str]  # terms of the word right before the value, as in "port 80"
    counted: frozenset[str]  # terms of the word right behind the value, as in "80 users"
    qualified: frozenset[str]  # terms that say of what, for whom or where
    kind: str  # of the value, with its unit
    value: str

    @property
    def leading(self) -> tuple[str, ...]:
        """The terms by which a statement is found again."""
        return self.terms[:LED_BY]


@lru_cache(maxsize=16384)  # a statement is compared with many
def find_topic(text: str) -> Topic | None:
    """Return what a statement is about; None when it is long, asks, denies, leads to a list, or has not one value."""
    if len(text) > MAX_CHARS or text.rstrip().endswith(_LEADS_TO) or is_logged(fold(text)):
        return None
    plain = without_change_words(text)
    folded = fold(plain)
    named = [(match, kinds) for match in _WORD.finditer(folded) if (kinds := kinds_of_technology(match[0].strip(".")))]
    if len(named) > 1 or not (named or may_hold_value(plain)):
        return None if named else _held_by_name(plain)
    tokens = tokenize(plain)
    if tokens.asks or tokens.negated or tokens.ceased:
        return None
    values = [token for token in tokens.items if token.kind in _CHANGEABLE]
    if len(named) == 1:
        (match, kinds), *_ = named
        return _topic(folded, match.span(), f"technology {kinds[0]}", match[0].strip("."))
    days = [token for token in values if token.kind == DATE]
    others = tuple(token.shown for token in values if token.kind != DATE)
    if len(days) == 1 and all(_names_a_thing(folded, number) for number in others):
        values = days  # of release 3.1 the day is told
    if len(values) != 1 or (at := folded.find(values[0].shown)) < 0:
        return None
    topic = _topic(folded, (at, at + len(values[0].shown)), f"{values[0].kind} {values[0].key}", values[0].value)
    return topic._replace(terms=(*topic.terms, *others)) if days and others else topic


def is_same_topic(new: Topic, old: Topic) -> bool:
    """Tell whether the newer statement gives another value of the very thing that the older one is about."""
    if new.kind != old.kind or same_value(new.value, old.value):
        return False
    mine, theirs = frozenset(new.terms), frozenset(old.terms)
    shared, left_out = mine & theirs, theirs - mine - old.label - old.counted
    added = mine - theirs if new.counted else mine - theirs - new.behind
    if added or left_out & old.qualified:
        return False
    if new.kind.startswith("technology"):
        return bool(shared) and not left_out - load_lexicon().usage - _of_data()
    if new.kind == _NAMED:
        return bool(shared) and not left_out
    if new.kind.startswith(DATE):
        left_out -= _of_plans()
        return bool(shared) and len(left_out) <= (_MOST_LEFT_OUT if len(shared) >= _FEWEST_SHARED else 0)
    is_port = _LIKE_A_PORT.fullmatch(new.value) and _LIKE_A_PORT.fullmatch(old.value)
    is_enough = len(shared) >= _FEWEST_SHARED and new.counted <= old.counted | old.label
    return len(left_out) <= _MOST_LEFT_OUT and (bool(shared) if is_port else is_enough)


def _held_by_name(plain: str) -> Topic | None:
    """Return of "our plumber is Jost" what it is about, and the name; None when anything else is said."""
    folded = fold(plain)
    blanked = blank_cues(folded)
    if len(folded) == len(plain):  # by its capital a name is told
        plain = "".join(was if kept == one else " " for was, one, kept in zip(plain, folded, blanked, strict=True))
    found = _held().fullmatch(" ".join(plain.split()))
    tokens = tokenize(plain)
    if found is None or tokens.asks or tokens.negated or tokens.ceased:
        return None
    return Topic(
        terms=_terms(fold(found["what"])),
        behind=frozenset(),
        label=frozenset(),
        counted=frozenset(),
        qualified=frozenset(term for word in _qualified().findall(folded) for term in _terms(word)),
        kind=_NAMED,
        value=fold(found["name"]),
    )


@cache
def _held() -> re.Pattern[str]:
    """Return what says who or what one certain thing is, and nothing else."""
    definite, named_by = joined("changes", "definite"), joined("changes", "named_by")
    name = rf"{_CAPITAL}[\w'’-]*\.?(?: (?:{_CAPITAL}[\w'’-]*)){{0,2}}"
    return re.compile(
        rf"(?i:{definite})(?:(?<=['’])| )(?P<what>[^,.;:!?]{{2,80}}?) (?i:{named_by}) (?P<name>{name}) ?[.!]?"
    )


def is_of_another(new: str, old: str) -> bool:
    """Tell whether the first clauses say that one certain thing is somebody else: "our plumber is Jost, he comes"."""
    newer, older = (find_topic(_CLAUSE_END.split(text, maxsplit=1)[0]) for text in (new, old))
    return newer is not None and older is not None and newer.kind == _NAMED and is_same_topic(newer, older)


def _names_a_thing(folded: str, number: str) -> bool:
    """Tell whether a number stands right behind a word, as the name of one of many: "release 3.1"."""
    return re.search(rf"[^\W\d_]{{3,30}} {re.escape(number)}(?![\w.])", folded) is not None


def _topic(folded: str, place: tuple[int, int], kind: str, value: str) -> Topic:
    plain = blank_cues(folded)
    ending = _endings().match(plain, place[1])
    last = plain[ending.end() if ending else place[1] :]
    before, behind = _terms(plain[: place[0]]), _terms(last)
    label, counted = _BEFORE.search(folded[: place[0]]), _COUNTED.match(last)
    return Topic(
        terms=tuple(dict.fromkeys((*before, *behind))),
        behind=frozenset(behind) - frozenset(before),
        label=frozenset(_terms(label[1]) if label else ()),
        counted=frozenset(_terms(counted[1]) if counted and kind.startswith(NUMBER) else ()),
        qualified=frozenset(term for word in _qualified().findall(folded) for term in _terms(word)),
        kind=kind,
        value=value,
    )


def _terms(folded: str) -> tuple[str, ...]:
    foreign = other_stop_words()
    said = " ".join(word for word in _joints().sub(" ", folded).split() if word not in foreign)
    return tuple(dict.fromkeys(content_terms(said)))


@cache
def _qualified() -> re.Pattern[str]:
    """Return what finds the word that says of what, for whom or where."""
    words, articles = joined("changes", "qualifying"), joined("changes", "articles")
    return re.compile(rf"(?<!\w)(?:{words}) (?:(?:{articles}) )?([^\W\d_][\w'’-]{{1,40}})")


@cache
def _joints() -> re.Pattern[str]:
    """Return what stands between words that stand for themselves."""
    return re.compile(rf"{joined('changes', 'joints')}|(?<=\w)-(?=\w)")


@cache
def _endings() -> re.Pattern[str]:
    """Return what hangs on a number and is no word."""
    return re.compile(rf"(?:{joined('changes', 'endings')})(?!\w)")


def _of_data() -> frozenset[str]:
    return _listed("of_data")


def _of_plans() -> frozenset[str]:
    return _listed("of_plans")


@cache
def _listed(name: str) -> frozenset[str]:
    listed = (data.get(name, "").split() for data in read_languages("changes").values())
    return frozenset(term for words in listed for word in words for term in content_terms(word))
