"""How a newer statement about an entity stands to an older one: the same, excluding each other, or unrelated."""

import re
from collections import Counter
from functools import lru_cache

from engram.base.text import fingerprint
from engram.language.compare.contradiction.cessation import find_ending
from engram.language.compare.contradiction.exclusive_values import find_exclusion
from engram.language.compare.contradiction.exclusive_values import is_predicate
from engram.language.compare.contradiction.exclusive_values import is_scene
from engram.language.compare.contradiction.negation import explain_denial
from engram.language.compare.contradiction.negation import find_denial
from engram.language.compare.contradiction.stances import find_clash
from engram.language.compare.contradiction.status import find_status_change
from engram.language.compare.reading.alignment import Difference
from engram.language.compare.reading.alignment import align
from engram.language.compare.reading.alignment import find_difference
from engram.language.compare.reading.alignment import is_name
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.recurrence import is_logged
from engram.language.compare.reading.recurrence import is_occasion
from engram.language.compare.reading.recurrence import may_be_several
from engram.language.compare.reading.stems import stem
from engram.language.compare.reading.timestamps import same_date
from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import NAME
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import OPPOSITE
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import WORD
from engram.language.compare.reading.tokens import Token
from engram.language.compare.reading.tokens import Tokens
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.slots.clauses import read_clauses
from engram.language.compare.slots.slots import Slot
from engram.language.compare.slots.slots import find_slot
from engram.language.compare.slots.slots import is_of_people
from engram.language.compare.slots.slots import read_slot
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.language.matching.kept_expressions import kept
from engram.model.comparison import EXCLUDING
from engram.model.comparison import Comparison

__all__ = ["compare", "find_slot", "similarity", "single_valued", "skeleton", "words"]

_CHANGEABLE = frozenset({NUMBER, DATE, VERSION})
_LONGEST_CHANGE = 3  # words that may differ for kind "value"
_FEW_WORDS = 4  # content words; two statements of more differ in more than one place when they share none
_LEAST_SHARED = 2  # words that must agree for kind "value"

_MOST_CLAUSES = 4  # clauses of a Chinese statement that are compared

_Found = tuple[str, float, str]  # kind, confidence, reason
_ASKED: _Found = ("none", 0.6, "a question states nothing")
_LOGGED: _Found = ("none", 0.6, "a line of a log tells of its own moment")
_ANOTHER: _Found = ("value", 0.6, "it may be another occasion")
_NOTHING: _Found = ("none", 0.5, "nothing excludes both")
_CHINESE = kept("[\u4e00-\u9fff]")
_CLAUSE = re.compile(r"(?:[^，。；！？,;!?]|(?<=\d),(?=\d))+[?？]?")


@lru_cache(maxsize=8192)  # a statement is compared with many
def skeleton(text: str) -> str:
    """Return a statement without its numbers, dates, versions, negations and the sides of its opposites.

    Words are folded and stemmed. Statements that differ in nothing else have equal skeletons: they may contradict.
    """
    return " ".join(token.key for token in tokenize(text).items)


def words(text: str) -> frozenset[str]:
    """Return the stems and values that carry the meaning of a statement."""
    return tokenize(text).content


def similarity(a: str, b: str) -> float:
    """Return the share of content words that two statements have in common, 0 to 1."""
    return _jaccard(words(a), words(b))


def compare(new: str, old: str) -> Comparison:
    """Tell how the newer statement stands to the older one of the same entity. Not symmetric."""
    if _fingerprint(new) == _fingerprint(old):
        return Comparison("same", 1.0, 1.0, "the same statement")
    newer, older = tokenize(new), tokenize(old)
    alike = _jaccard(newer.content, older.content)
    if (newer.subject, older.subject) in load_lexicon().apart:
        return Comparison("none", 0.7, alike, f"{newer.subject} is not {older.subject}")
    if is_logged(newer.folded) or is_logged(older.folded):
        kind, confidence, why = _LOGGED
    else:
        judge = _find_slot_change if not alike and _are_apart(newer, older) else _judge
        found = _ASKED if newer.asks or older.asks else judge(newer, older)
        kind, confidence, why = _judge_clauses(new, old) or found or _NOTHING
        if kind not in EXCLUDING and found is not _ASKED and (clash := find_clash(new, old)) is not None:
            kind, confidence, why = clash
    return Comparison(kind, confidence, alike, why)


def _are_apart(new: Tokens, old: Tokens) -> bool:
    """Tell of statements without a common word whether only their slots can exclude each other: most pairs are so.

    All else needs a common word: the subject, what ended, what is denied; or a kind of it, which only a denial names;
    or there is hardly a word in them but the one that differs.
    """
    return new.negated == old.negated and min(len(new.content), len(old.content)) > _FEW_WORDS


def _judge(new: Tokens, old: Tokens) -> _Found | None:
    for check in (find_ending, _find_reversal, _find_change, find_denial, _find_slot_change):
        found = check(new, old)
        if found is not None:
            return found
    difference = None if new.negated != old.negated or new.ceased or old.ceased else find_difference(new, old)
    if difference is None:
        return find_status_change(new, old)
    return _find_exclusion(new, old, difference) or find_status_change(new, old) or _find_value(new, difference)


def _judge_clauses(new: str, old: str) -> _Found | None:
    """Judge Chinese statements, which string several clauses together, clause by clause."""
    newer, older = _clauses(new), _clauses(old)
    if newer == (new,) and older == (old,):
        return None
    found = (_judge(tokenize(clause), tokenize(other)) for clause in newer for other in older)
    return next((one for one in found if one is not None and one[0] in EXCLUDING), None)


@lru_cache(maxsize=8192)  # a statement is compared with many
def _clauses(text: str) -> tuple[str, ...]:
    """Return the clauses of a Chinese text that state something; of another text itself unless it asks."""
    if not _CHINESE.search(text):
        return () if tokenize(text).asks else (text,)
    clauses = [clause.text for clause in read_clauses(text)] or _CLAUSE.findall(text)
    clauses = [clause.strip() for clause in clauses][:_MOST_CLAUSES]
    said = [clause for clause in clauses if not tokenize(clause).asks]
    skeletons = Counter(skeleton(clause) for clause in said)
    return tuple(clause for clause in said if skeletons[skeleton(clause)] == 1)  # "one year, two years" is a list


@lru_cache(maxsize=8192)  # a statement is compared with many
def _fingerprint(text: str) -> str:
    return fingerprint(text)


# --- the checks, in order: each returns kind, confidence and reason, or None to let the next one look --------------


def _find_change(new: Tokens, old: Tokens) -> _Found | None:
    """Judge statements with equal skeletons: exactly one thing may differ, else they are different statements."""
    pairs = align(new, old)
    if pairs is None:
        return None
    turned = (new.negated ^ new.ceased) != (old.negated ^ old.ceased)
    opposed = [(a, b) for a, b in pairs if a.kind == OPPOSITE and a.value != b.value]
    changed = [(a, b) for a, b in pairs if a.kind in _CHANGEABLE and not same_date(a.value, b.value)]
    if len(opposed) + len(changed) + turned != 1:
        same = not (opposed or changed or turned)
        return "none", 0.6, "the same words, differently written" if same else "more than one thing differs"
    if turned:
        return "polarity", 0.9, explain_denial(new.negated ^ new.ceased)
    if opposed:
        return _judge_opposites(*opposed[0], new, old)
    return _judge_values(*changed[0], new, old)


def _judge_values(after: Token, before: Token, new: Tokens, old: Tokens) -> _Found:
    if DATE in {after.kind, before.kind} and after is new.items[0] and before is old.items[0]:
        return "none", 0.6, "two occasions"  # entries of a log: the date says when, not what
    if is_occasion(new.folded) and is_occasion(old.folded):
        return _ANOTHER
    if may_be_several(after, before, new):
        return "none", 0.6, f"there may be both: {_shown(before, after)} and {_shown(after, before)}"
    why = f"{_shown(before, after)} became {_shown(after, before)}"
    kind = next((kind for kind in (VERSION, DATE) if kind in {after.kind, before.kind}), NUMBER)
    return kind, 0.85, why


def _judge_opposites(after: Token, before: Token, new: Tokens, old: Tokens) -> _Found:
    if new.negated:
        return "none", 0.6, f"neither {before.shown} nor {after.shown}"
    contrary = after.key.removeprefix("~") in load_lexicon().contraries
    path = is_scene(new, old) and after is not new.items[-1]  # up the hill and down the hill
    if contrary and (path or not is_predicate(Difference((after,), (before,)), new, old)):
        return "none", 0.6, f"there may be both: {before.shown} and {after.shown}"
    why = f"{before.shown} became {after.shown}"
    return ("preference" if _is_preference(new, old) else "polarity"), 0.85, why


def _find_reversal(new: Tokens, old: Tokens) -> _Found | None:
    newer, older = _preferred(new.folded), _preferred(old.folded)
    if newer is None or older is None or newer[0] == newer[1] or new.negated != old.negated:
        return None
    if not (newer[0] & older[1] and newer[1] & older[0]) or newer[0] & newer[1] != older[0] & older[1]:
        return None
    if newer[0] | newer[1] != older[0] | older[1]:
        return None
    return "preference", 0.85, "the preference was turned round"


def _find_slot_change(new: Tokens, old: Tokens) -> _Found | None:
    newer, older = read_slot(new.text), read_slot(old.text)
    if newer is None or older is None or newer.attribute != older.attribute or not single_valued(newer.attribute):
        return None
    if not _have_same_subject(newer, older) or same_value(newer.value, older.value):
        return None
    return "attribute", 0.8, f"{newer.attribute}: {older.value} became {newer.value}"


def _have_same_subject(newer: Slot, older: Slot) -> bool:
    """Tell whether both speak of one subject; left out, it may be somebody named, but not any part of a project."""
    if words(newer.who) == words(older.who):
        return True
    if newer.who and older.who:
        return False
    return is_of_people(newer.attribute) and is_name(tokenize(newer.who or older.who).items)


def _find_value(new: Tokens, difference: Difference) -> _Found | None:
    left, right = difference
    shared = len(new.items) - len(left)
    one_region = 0 < len(left) <= _LONGEST_CHANGE and 0 < len(right) <= _LONGEST_CHANGE
    if not one_region or shared < _LEAST_SHARED or shared < max(len(left), len(right)):
        return None
    kinds = {token.kind for token in left + right}
    if NAME in kinds or WORD not in kinds:
        return None
    return "value", 0.6, f"{_phrase(right)} became {_phrase(left)}"


def _find_exclusion(new: Tokens, old: Tokens, difference: Difference) -> _Found | None:
    found = find_exclusion(new, old, difference)
    if found is None:
        return None
    change = f"{_phrase(found.difference.old)} became {_phrase(found.difference.new)}"
    why = f"{found.group.name}: {change}" if found.group.kind == "attribute" else change
    preferred = any(stem(token.shown) in load_lexicon().preferring for token in new.items)
    return "preference" if preferred else found.group.kind, 0.75, why


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def _is_preference(new: Tokens, old: Tokens) -> bool:
    wanted = load_lexicon().preference
    return any(stem(token.shown) in wanted for token in new.items + old.items)


@lru_cache(maxsize=8192)  # a statement is compared with many
def _preferred(folded: str) -> tuple[frozenset[str], frozenset[str]] | None:
    for sentence in load_lexicon().reversed:
        match = sentence.search(folded.rstrip(".!"))
        if match:
            return words(match["first"]), words(match["second"])
    return None


def _shown(token: Token, beside: Token) -> str:
    """Return a value for people; the unit is left out when both have the same."""
    number, _, unit = token.shown.partition(" ")
    return number if token.kind == NUMBER and unit == beside.shown.partition(" ")[2] else token.shown


def _phrase(items: tuple[Token, ...]) -> str:
    return " ".join(token.shown for token in items)
