"""How a newer statement about an entity stands to an older one: the same, excluding each other, or unrelated."""

from collections.abc import Callable

from engram.base.text import fingerprint
from engram.language.lexicon import load_lexicon
from engram.language.lexicon import stem
from engram.language.slots import find_slot
from engram.language.slots import read_slot
from engram.language.slots import single_valued
from engram.language.tokens import DATE
from engram.language.tokens import NAME
from engram.language.tokens import NUMBER
from engram.language.tokens import OPPOSITE
from engram.language.tokens import VERSION
from engram.language.tokens import WORD
from engram.language.tokens import Token
from engram.language.tokens import Tokens
from engram.language.tokens import tokenize
from engram.model.comparison import Comparison

__all__ = ["compare", "find_slot", "similarity", "single_valued", "skeleton", "words"]

_CHANGEABLE = frozenset({NUMBER, DATE, VERSION})
_LONGEST_CHANGE = 3  # words that may differ for kind "value"
_LEAST_SHARED = 2  # words that must agree for kind "value"
_LONGEST_SUBJECT = 2  # words of a name that one statement may leave out
_MOST_UNSAID = 2  # content words that a denial may leave out
_MOST_LEFT_OVER = 2  # content words of the older statement that an ending need not mention

_Check = Callable[[Tokens, Tokens], tuple[str, float, str] | None]


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
    if fingerprint(new) == fingerprint(old):
        return Comparison("same", 1.0, 1.0, "the same statement")
    newer, older = tokenize(new), tokenize(old)
    alike = _jaccard(newer.content, older.content)
    by_slot: _Check = lambda _newer, _older: _find_slot_change(new, old)  # noqa: E731 - one of the list
    checks: tuple[_Check, ...] = (_find_ending, _find_reversal, _find_change, _find_denial, by_slot, _find_value)
    for check in checks:
        found = check(newer, older)
        if found is not None:
            kind, confidence, why = found
            return Comparison(kind, confidence, alike, why)
    return Comparison("none", 0.5, alike, "nothing excludes both")


# --- the checks, in order: each returns kind, confidence and reason, or None to let the next one look --------------


def _find_ending(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    if old.ceased or old.negated:
        return None
    if new.ceased and _aligned(new, old) is not None:
        return "cessation", 0.95, "the newer statement says that it no longer holds"
    if new.ceased and not new.negated and _is_about(new.content, old.content):
        return "cessation", 0.75, "the newer statement says that it no longer holds"
    for pattern in load_lexicon().replaced:
        match = pattern.search(new.folded)
        if match:
            return _ending_of(match["old"], match.groupdict().get("new") or "", old)
    return None


def _ending_of(ended: str, came: str, old: Tokens) -> tuple[str, float, str] | None:
    gone, arrived = words(ended), words(came)
    if not gone or not _is_about(gone, old.content) or (arrived and arrived <= old.content):
        return None
    return "cessation", 0.85, f"{ended.strip()} became {came.strip()}" if came else f"{ended.strip()} has ended"


def _is_about(ended: frozenset[str], held: frozenset[str]) -> bool:
    """Tell whether the older statement says hardly more than that the ended thing is so."""
    usage = load_lexicon().usage
    return bool(ended - usage) and ended - usage <= held and len(held - ended - usage) <= _MOST_LEFT_OVER


def _find_change(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    """Judge statements with equal skeletons: exactly one thing may differ, else they are different statements."""
    pairs = _aligned(new, old)
    if pairs is None:
        return None
    turned = (new.negated ^ new.ceased) != (old.negated ^ old.ceased)
    opposed = [(a, b) for a, b in pairs if a.kind == OPPOSITE and a.value != b.value]
    changed = [(a, b) for a, b in pairs if a.kind in _CHANGEABLE and a.value != b.value]
    if len(opposed) + len(changed) + turned != 1:
        return (
            "none",
            0.6,
            "the same words, differently written" if not (opposed or changed) else "more than one thing differs",
        )
    if turned:
        return "polarity", 0.9, _denies(new.negated ^ new.ceased)
    after, before = (opposed or changed)[0]
    why = f"{_shown(before, after)} became {_shown(after, before)}"
    if opposed:
        return ("preference" if _is_preference(new, old) else "polarity"), 0.85, why
    kind = next((kind for kind in (VERSION, DATE) if kind in {after.kind, before.kind}), NUMBER)
    return kind, 0.85, why


def _find_reversal(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    newer, older = _preferred(new), _preferred(old)
    if newer is None or older is None or newer[0] == newer[1] or new.negated != old.negated:
        return None
    if not (newer[0] & older[1] and newer[1] & older[0]) or newer[0] & newer[1] != older[0] & older[1]:
        return None
    if newer[0] | newer[1] != older[0] | older[1]:
        return None
    return "preference", 0.85, "the preference was turned round"


def _find_denial(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    """Judge a statement and its denial in another word order, or denied by a part of its words."""
    if new.negated == old.negated or new.ceased or old.ceased:
        return None
    denied, said = (new, old) if new.negated else (old, new)
    unsaid = len(said.content - denied.content)
    if len(denied.content) < _LEAST_SHARED or not denied.content <= said.content or unsaid > _MOST_UNSAID:
        return None
    if unsaid and not _contains_run(said.items, denied.items):
        return None
    return "polarity", 0.7, _denies(denied is new)


def _find_slot_change(new: str, old: str) -> tuple[str, float, str] | None:
    newer, older = read_slot(new), read_slot(old)
    if newer is None or older is None or newer.attribute != older.attribute or not single_valued(newer.attribute):
        return None
    same_subject = not newer.who or not older.who or words(newer.who) == words(older.who)
    if not same_subject or words(newer.value) == words(older.value):
        return None
    return "attribute", 0.8, f"{newer.attribute}: {older.value} became {newer.value}"


def _find_value(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    if new.negated != old.negated or new.ceased or old.ceased:
        return None
    a, b = new.items, old.items
    head = _common_prefix(a, b)
    tail = _common_prefix(a[head:][::-1], b[head:][::-1])
    left, right = a[head : len(a) - tail], b[head : len(b) - tail]
    one_region = 0 < len(left) <= _LONGEST_CHANGE and 0 < len(right) <= _LONGEST_CHANGE
    if not one_region or head + tail < _LEAST_SHARED or head + tail < max(len(left), len(right)):
        return None
    if NAME in {token.kind for token in left + right} or WORD not in {token.kind for token in left + right}:
        return None
    return "value", 0.6, f"{_phrase(right)} became {_phrase(left)}"


def _denies(newer_denies: bool) -> str:  # noqa: FBT001 - private, and it says what it is
    denying, other = ("newer", "older") if newer_denies else ("older", "newer")
    return f"the {denying} statement denies what the {other} one says"


# --- small things ------------------------------------------------------------------------------------------------


def _jaccard(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / len(a | b) if a or b else 0.0


def _aligned(new: Tokens, old: Tokens) -> list[tuple[Token, Token]] | None:
    """Return the tokens in pairs when the skeletons are equal, but for a name at the beginning that one leaves out."""
    a, b = new.items, old.items
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    extra = len(longer) - len(shorter)
    if not shorter or extra > _LONGEST_SUBJECT or any(token.kind != WORD for token in longer[:extra]):
        return None
    if extra and (len(shorter) <= extra or not _begins_with_verb(shorter, new if shorter is a else old)):
        return None
    a, b = a[len(a) - len(shorter) :], b[len(b) - len(shorter) :]
    if [token.key for token in a] != [token.key for token in b]:
        return None
    return list(zip(a, b, strict=True))


def _begins_with_verb(items: tuple[Token, ...], whole: Tokens) -> bool:
    """Tell whether a statement left its subject out: it begins with a verb form, a negation or a preference."""
    first = items[0].shown
    inflected = first != stem(first) and first.endswith(("s", "т", "ю", "л", "ла", "ли", "ed"))
    return inflected or whole.negated or whole.ceased or stem(first) in load_lexicon().preference


def _contains_run(items: tuple[Token, ...], run: tuple[Token, ...]) -> bool:
    keys, wanted = [token.key for token in items], [token.key for token in run]
    return any(keys[place : place + len(wanted)] == wanted for place in range(len(keys) - len(wanted) + 1))


def _is_preference(new: Tokens, old: Tokens) -> bool:
    wanted = load_lexicon().preference
    return any(stem(token.shown) in wanted for token in new.items + old.items)


def _preferred(tokens: Tokens) -> tuple[frozenset[str], frozenset[str]] | None:
    for pattern in load_lexicon().reversed:
        match = pattern.search(tokens.folded.rstrip(".!"))
        if match:
            return words(match["first"]), words(match["second"])
    return None


def _common_prefix(a: tuple[Token, ...], b: tuple[Token, ...]) -> int:
    length = 0
    for x, y in zip(a, b, strict=False):
        if (x.key, x.value) != (y.key, y.value):
            break
        length += 1
    return length


def _shown(token: Token, beside: Token) -> str:
    """Return a value for people; the unit is left out when both have the same."""
    number, _, unit = token.shown.partition(" ")
    return number if token.kind == NUMBER and unit == beside.shown.partition(" ")[2] else token.shown


def _phrase(items: tuple[Token, ...]) -> str:
    return " ".join(token.shown for token in items)
