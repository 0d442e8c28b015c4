"""Every expression that Engram compiles, on long texts that almost fit it: time should grow with their length alone.

Each is searched for at all places. One that its code only asks at the beginning of a text, or of a short one, may be
slow here and harmless there: what is printed has to be looked at. Behind the words with which an expression begins
("no longer ") stands long text, too: that is where one takes ages that is quick to see that a text is none of its own.
"""

import random
import re
import signal
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

from fuzz_targets import LONGEST
from fuzz_targets import SLOW_S
from noted_expressions import compiled

# The standard library's own reader of expressions, which has no public name: nothing else tells how one begins.
_c: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")

_PIECES = (
    *("a", " ", "a ", "A", "1", "1.", "1 ", "-", "a-", ".", ",", "\n", "\n\n", "- ", "'", '"', "(", "[", "<", "`", "*"),
    *("я", "я ", "가", "中", "http://", "a@", "a.", "2026-", "=", "a=", "/", "_", "\t", "a,", "Anna ", "not ", "I "),
)
BEHIND = ("a", "a ", "я", "1", "- ", "A a ")  # what stands behind the beginning of an expression
_SHORT = (60, 400, 4000)
_SUSPECT_S = 0.004  # for a short text: a fifth of what `\s*!` takes on a quick machine; more trials cost little
MOST_S = 2 * SLOW_S  # after which an expression is stopped
_MOST_BEGINNINGS = 12  # of one expression
_MOST_BRANCHES = 4  # of one choice that are followed
_CATEGORIES = {
    _c.CATEGORY_DIGIT: r"\d",
    _c.CATEGORY_NOT_DIGIT: r"\D",
    _c.CATEGORY_SPACE: r"\s",
    _c.CATEGORY_NOT_SPACE: r"\S",
    _c.CATEGORY_WORD: r"\w",
    _c.CATEGORY_NOT_WORD: r"\W",
}


def fuzz_patterns(seconds: float, chance: random.Random) -> int:
    """Time expressions in any order for so long; print those that are too slow, and return how many there are."""
    patterns = compiled()
    chance.shuffle(patterns)
    until, count, found = time.monotonic() + seconds, 0, 0
    for pattern in patterns:
        if time.monotonic() > until:
            break
        count += 1
        if slow := slowness(pattern):
            found += 1
            print(f"  patterns: {slow}", flush=True)
    print(f"patterns: {count} of {len(patterns)} expressions, {found} take longer than {SLOW_S:.0f} s", flush=True)
    return found


def slowness(pattern: re.Pattern[str]) -> str:
    """Return on which text an expression takes too long, and how long; "" when it is fast on all of them."""
    words = re.findall(r"[^\W\d_]{2,}", pattern.pattern)[:3]
    alone = [("", piece) for piece in (*_PIECES, *words, *(f"{word} " for word in words))]
    behind = [(begun, piece) for begun in beginnings(pattern) for piece in BEHIND]
    for begun, piece in (*alone, *behind):
        if _is_suspect(pattern, begun, piece) and (took := _seconds(pattern, begun, piece, LONGEST)) > SLOW_S:
            more = " or more" if took >= MOST_S else ""
            said = f"{LONGEST} characters of {piece!r}{f' behind {begun!r}' if begun else ''}"
            return f"{took:.1f} s{more} for {said}: {pattern.pattern[:200]!r}"
    return ""


def _is_suspect(pattern: re.Pattern[str], begun: str, piece: str) -> bool:
    """Tell whether a short text takes long already: it is made longer by steps, as one may take ages."""
    return any(_seconds(pattern, begun, piece, length) > _SUSPECT_S for length in _SHORT)


def _seconds(pattern: re.Pattern[str], begun: str, piece: str, length: int) -> float:
    text = begun + (piece * (length // len(piece) + 1))[:length]
    return stopped_after(MOST_S, lambda: sum(1 for _ in pattern.finditer(text)))


def stopped_after(most_s: float, work: Callable[[], object]) -> float:
    """Return the processor time in seconds that work takes; it is stopped after `most_s`, which counts then."""
    began = time.process_time()
    signal.signal(signal.SIGPROF, _stop)
    signal.setitimer(signal.ITIMER_PROF, most_s)
    try:
        work()
    except _TakesTooLongError:
        return most_s
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return time.process_time() - began


class _TakesTooLongError(BaseException):
    """Work is stopped; not an Exception, which the work might catch."""


def _stop(*_: object) -> None:
    raise _TakesTooLongError


def beginnings(pattern: re.Pattern[str]) -> list[str]:
    """Return texts that an expression takes up to a place where it may go on in more than one way.

    Such as "no longer " of `no longer (\\w+ ?)+`: what stands behind decides how long it takes.
    """
    found: dict[str, None] = {}
    parsed = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    _walk(parsed, [""], found)
    return [one for one in found if one][:_MOST_BEGINNINGS]


def _walk(items: Any, begun: list[str], found: dict[str, None]) -> list[str]:
    """Note in `found` what stands before each repetition, and return the texts with what the items take at least."""
    for op, given in items:
        if op in _CHARACTERS:
            begun = [one + _CHARACTERS[op](given) for one in begun]
        elif op in _GROUPS:
            begun = _walk(_GROUPS[op](given), begun, found)
        elif op in _REPETITIONS:
            least, most, inner = given
            begun = _repeated(least, most, inner, begun, found)
        elif op is _c.BRANCH:
            each = (_walk(branch, begun, found) for branch in given[1][:_MOST_BRANCHES])
            begun = [text for texts in each for text in texts][:_MOST_BRANCHES]
    return begun


def _repeated(least: int, most: int, inner: Any, begun: list[str], found: dict[str, None]) -> list[str]:
    if most > least + 1:
        found.update(dict.fromkeys(begun))
    texts = once = _walk(inner, begun, found)
    for _ in range(least - 1):
        texts = _walk(inner, texts, found)
    return texts if least else [*begun, *once][:_MOST_BRANCHES]


def _member(given: Any) -> str:
    """Return a character of a class."""
    inside = re.compile("".join(["[", "^" if given[0][0] is _c.NEGATE else "", *map(_part, given), "]"]))
    return next((one for one in "a 1.-,:яА가中\"'(A\n" if inside.match(one)), _first(given))


def _first(given: Any) -> str:
    for op, value in given:
        if op is _c.LITERAL:
            return chr(value)
        if op is _c.RANGE:
            return chr(value[0])
    return "a"


_CHARACTERS: dict[Any, Callable[[Any], str]] = {
    _c.LITERAL: chr,
    _c.NOT_LITERAL: lambda _: "a",
    _c.ANY: lambda _: "a",
    _c.IN: _member,
}
_GROUPS: dict[Any, Callable[[Any], Any]] = {_c.SUBPATTERN: lambda given: given[3], _c.ATOMIC_GROUP: lambda given: given}
_REPETITIONS = frozenset({_c.MAX_REPEAT, _c.MIN_REPEAT, _c.POSSESSIVE_REPEAT})


def _part(one: tuple[Any, Any]) -> str:
    op, value = one
    if op is _c.LITERAL:
        return re.escape(chr(value))
    if op is _c.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    return _CATEGORIES.get(value, "") if op is _c.CATEGORY else ""
