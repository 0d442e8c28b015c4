"""Which known statement a correction takes back, and what holds instead. Pure: statements in, a judgement out.

Nearest is, in this order: what cannot hold beside the correction, or says the very words that it calls wrong; what
speaks of all that the correction speaks of and has one value of the same kind; and, for a bare "no, Thursday", what was
said right before it. When several are as near, nobody knows which one is meant, and all stay.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.names import ChangeableName
from engram.language.compare.corrections.names import bare_name
from engram.language.compare.corrections.names import find_names_like
from engram.language.compare.corrections.restatement import put_words
from engram.language.compare.corrections.values import find_changeable
from engram.language.compare.corrections.values import is_same
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.topic import is_of_another
from engram.language.compare.updates.update_statement import content_terms
from engram.language.compare.updates.update_statement import telling_words
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison
from engram.services.extract.correction.reach import is_near_enough
from engram.services.extract.correction.reach import is_of_another_one
from engram.services.extract.correction.reach import may_mean_elsewhere
from engram.services.extract.correction.reach import names_another
from engram.services.extract.correction.reach import says_more
from engram.services.extract.correction.replacement import Replacement
from engram.services.extract.correction.replacement import besides
from engram.services.extract.correction.replacement import end_of_main
from engram.services.extract.correction.replacement import find_replacement
from engram.services.extract.correction.topic import heads_of_compounds
from engram.services.extract.correction.topic import terms_of
from engram.services.extract.correction.topic import topic_of
from engram.services.extract.lines.evidence import name_key

MOST_DOUBTED = 3  # statements of which one may be meant; more are no help to anybody

_TOLD = DISPUTED | {"value"}  # kinds of a comparison by which a statement of the entity may be meant
_PROGRAMS = frozenset({"assistant", "agent", "ai", "bot", "model", "system", "tool"})
_ASKED = ("?", "？")
_MOSTLY = 0.5  # share of a correction's words that a statement of its entity must hold


class Certainty(StrEnum):
    """Whether it is known what a correction takes back."""

    SURE = "sure"  # these, and nothing else
    UNSURE = "unsure"  # one of these, perhaps
    NONE = "none"  # nothing that is known


class Correctable(NamedTuple):
    """A statement that a correction may take back."""

    id: str  # of the fact
    text: str
    comparison: Comparison  # how the correction stands to it by its words
    of_entity: bool = True  # it is about the entity that the correction is about
    said_here: bool = False  # it was said in the same conversation
    is_last: bool = False  # nothing was said between it and the correction, as far as is known
    is_corrected: bool = False  # it took the place of another one
    partly: bool = False  # the correction excludes one clause of it only
    about: str = ""  # path of the entity that it is about
    is_elsewhere: bool = (
        False  # of another entity, and from another conversation: only its own words tell that it is meant
    )


class Corrected(NamedTuple):
    """What a correction takes back."""

    certainty: Certainty
    ids: tuple[str, ...] = ()  # of the statements
    repeats: tuple[str, ...] = ()  # of the statement that says so already: the correction was made before
    text: str = ""  # what is right, as a statement that reads by itself; empty: what was said stays as it is


class _Rank(StrEnum):
    """How near a statement is; the first ones are nearest."""

    EXCLUDED = "0"  # both cannot hold
    NAMED = "1"  # it says what the correction calls wrong, or all that the correction speaks of
    DENIED = "2"  # it says what the correction calls wrong, and some of what it speaks of
    ALIKE = "3"  # it is of the entity, and says half of what the correction speaks of
    LAST = "4"  # it only has a value of the same kind, and was said a moment ago


class _Match(NamedTuple):
    known: Correctable
    rank: _Rank
    share: float  # of the correction's words that it holds, 0 to 1
    text: str  # what holds instead; see `Corrected`
    is_doubtful: bool = False  # something else in it may be meant as well


def find_corrected(correction: Correction, known: Sequence[Correctable]) -> Corrected:
    """Return what a correction takes back of the known statements, which are given oldest first.

    A correction that may only stress something new (see `Correction.sure`) is never unsure: it takes back what it must
    mean, or nothing.
    """
    said = any(fingerprint(one.text) == fingerprint(correction.text) for one in known)  # and was no correction then
    again = next((one for one in reversed(known) if _says_so(correction, one)), None)
    name = None if correction.wrong else bare_name(correction)
    tried = (_match(correction, one) if name is None else _match_name(name, one) for one in known)
    matches = [match for match in tried if match is not None]
    if said or not (again or matches):
        return Corrected(Certainty.NONE)
    if again is not None:
        return Corrected(Certainty.SURE, repeats=(again.id,), text=again.text)
    rank = min(match.rank for match in matches)
    nearest = [match for match in matches if match.rank == rank]
    if rank == _Rank.EXCLUDED:
        return _certain(nearest)
    if rank == _Rank.LAST:
        return _last_said(correction, nearest)
    narrowed = [match for match in nearest if match.known.said_here] or nearest
    most = max(match.share for match in narrowed)
    narrowed = [match for match in narrowed if match.share == most]
    is_sure = len(narrowed) == 1 and (rank == _Rank.NAMED or (rank == _Rank.DENIED and not narrowed[0].is_doubtful))
    return _certain(narrowed) if is_sure else _doubt(correction, narrowed)


def _certain(matches: Sequence[_Match]) -> Corrected:
    return Corrected(Certainty.SURE, tuple(match.known.id for match in matches), text=matches[-1].text)


def _doubt(correction: Correction, matches: Sequence[_Match]) -> Corrected:
    if not correction.sure or not 0 < len(matches) <= MOST_DOUBTED:
        return Corrected(Certainty.NONE)
    return Corrected(Certainty.UNSURE, tuple(match.known.id for match in matches), text=_own_words(correction))


def _last_said(correction: Correction, matches: Sequence[_Match]) -> Corrected:
    """Judge a bare value: it can only be meant for what was said right before it, and there for one statement."""
    asks = correction.statement.rstrip().endswith(_ASKED)
    if not correction.is_meant or (asks and not correction.sure):
        return Corrected(Certainty.NONE)
    if len(matches) == 1 and matches[0].is_doubtful:
        return Corrected(Certainty.UNSURE, (matches[0].known.id,), text=matches[0].text)
    return _certain(matches) if len(matches) == 1 else _doubt(correction, matches)


def has_topic(correction: Correction) -> bool:
    """Tell whether a correction says what it is about: "the limit is 64", not "64"."""
    said = correction.before + correction.behind if correction.wrong else correction.statement
    for value in reversed(find_changeable(said)):
        said = said[: value.start] + " " + said[value.end :]
    return bool(terms_of(said) - telling_words(fold(said)))


def can_mean(correction: Correction, text: str) -> bool:
    """Tell whether a correction can mean a statement at all, however both compare: what it calls wrong stands there.

    One that calls nothing wrong can mean whatever it compares with.
    """
    return not correction.wrong or find_replacement(correction, text) is not None


def is_of_somebody(speaker: str | None) -> bool:
    """Tell whether a turn is of a person, by the name of its speaker: what a program says in between ends no talk."""
    return (speaker or "").casefold() not in _PROGRAMS


# --- one statement -----------------------------------------------------------------------------------------------


def _match(correction: Correction, known: Correctable) -> _Match | None:
    change = find_replacement(correction, known.text)
    if known.comparison.kind == "same" or (known.partly and change is None):
        return None  # what else it says may still hold
    if correction.right and fold(correction.statement) in fold(known.text):
        return None  # it was taken down together with the correction
    if change is not None and correction.wrong and is_of_another_one(correction, change, known.text):
        return None
    kind = known.comparison.kind if known.of_entity and (change or not correction.wrong) else "none"
    if kind in EXCLUDING or kind in _TOLD:
        text = _own_words(correction)
        if change and (_is_of(correction, change, known) or _says_more(correction, change, known)):
            text = _restated(correction, change, known.text)
        rank = _Rank.EXCLUDED if kind in EXCLUDING else _Rank.NAMED
        return _Match(known, rank, known.comparison.similarity, text)
    if change is None:
        is_of_it = known.of_entity and is_of_another(correction.statement, known.text)
        return _Match(known, _Rank.ALIKE, 1.0, _own_words(correction)) if is_of_it else None
    return _match_words(correction, change, known)


def _match_words(correction: Correction, change: Replacement, known: Correctable) -> _Match | None:
    """Return how a statement is meant that has what a correction can change, by the words that both have in common."""
    topic = topic_of(correction, change)
    exact = topic & terms_of(known.text)
    shared = exact | heads_of_compounds(correction.statement, topic - exact, known.text)
    share = len(exact) / len(topic) if topic else 0.0
    if known.is_elsewhere and not may_mean_elsewhere(correction, shared, known.text):
        return None
    restated = _restated(correction, change, known.text)
    if (topic and shared == topic) or (not topic and correction.wrong):
        return _Match(known, _Rank.NAMED, share, restated)
    if not topic:
        return _Match(known, _Rank.LAST, share, restated) if known.said_here and known.is_last else None
    if correction.wrong and exact and not names_another(correction, topic, known.text, known.about):
        text = restated if _says_more(correction, change, known) else _own_words(correction)
        is_near = is_near_enough(correction, topic, shared, known.text)
        return _Match(known, _Rank.DENIED, share, text, is_doubtful=not is_near)
    alike = known.of_entity and share >= _MOSTLY
    return _Match(known, _Rank.ALIKE, share, _own_words(correction)) if alike else None


def _match_name(name: ChangeableName, known: Correctable) -> _Match | None:
    """Return how a bare name, such as "no, it's Postgres", is meant for what was said right before it."""
    if known.partly or not (known.said_here and known.is_last):
        return None
    own = name_key(known.about.partition("/")[2])
    said = find_names_like(name, known.text)
    places = [one for one in said if name_key(one.name) != own] or said  # whom it is about is meant last
    if not places or any(fold(one.name) == fold(name.name) for one in places):
        return None
    put = put_words(known.text, (places[-1].start, places[-1].end), name.name)
    return _Match(known, _Rank.LAST, 0.0, put.text, is_doubtful=len(places) > 1)


def _is_of(correction: Correction, change: Replacement, known: Correctable) -> bool:
    """Tell whether a statement speaks of all that a correction speaks of."""
    return topic_of(correction, change) <= terms_of(known.text)


def _restated(correction: Correction, change: Replacement, known: str) -> str:
    """Return the known statement with what is right; the correction itself when that reads better and by itself.

    What the known one says besides is said again in any case: that was not corrected.
    """
    besides, text = _besides(correction), change.restated.text
    if correction.earlier:
        text = f"{correction.earlier} {text}"
    if says_more(correction, change, known, argues=bool(besides)):
        return text
    argues = bool(besides and content_terms(fold(text[end_of_main(text) :])))  # and what the other argued is outdated
    if (argues or not change.restated.agrees) and topic_of(correction, change):
        return _own_words(correction)
    return f"{text.rstrip(' .!。！')}{besides}" if besides else text


def _says_more(correction: Correction, change: Replacement, known: Correctable) -> bool:
    return says_more(correction, change, known.text, argues=bool(_besides(correction)))


def _besides(correction: Correction) -> str:
    """Return what a correction says besides what is right, such as a reason, with the sign before it."""
    if correction.wrong:
        begins = besides().search(correction.behind)
        rest = correction.behind[begins.start() :] if begins else ""
    else:
        rest = correction.statement[end_of_main(correction.statement) :]
    return rest if content_terms(fold(rest)) else ""


def _own_words(correction: Correction) -> str:
    """Return a correction without what leads to it, as a sentence; "" when nothing does."""
    if correction.statement == correction.text.strip() or correction.earlier:
        return ""
    begins_big = correction.text[:1].isupper() or correction.statement[:1].isupper()
    return correction.statement[:1].upper() + correction.statement[1:] if begins_big else correction.statement


def _says_so(correction: Correction, known: Correctable) -> bool:
    """Tell whether a statement that was put right already says what the correction says: it is made a second time."""
    if not known.is_corrected or not correction.sure or not (known.said_here or known.of_entity):
        return False
    said, held = find_changeable(correction.right or correction.statement), find_changeable(known.text)
    says_all = bool(said) and all(any(is_same(new, old) for old in held) for new in said)
    main = correction.statement[: end_of_main(correction.statement)]
    topic = terms_of(main) - terms_of(f"{correction.wrong} {correction.right}") - telling_words(fold(main))
    return says_all and topic <= terms_of(known.text)
