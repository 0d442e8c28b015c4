"""Whether a text holds something worth keeping, of which kind, and where: statement by statement, by rules."""

from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Sequence
from functools import cache
from functools import lru_cache
from typing import Any
from typing import NamedTuple

from engram.language.matching.language_files import list_languages
from engram.language.matching.language_id import language_of
from engram.language.matching.language_id import language_within
from engram.language.signal.rules import CONTEXT
from engram.language.signal.rules import Candidate
from engram.language.signal.rules import Guard
from engram.language.signal.rules import Rule
from engram.language.signal.rules import RuleSet
from engram.language.signal.rules import end_of_words
from engram.language.signal.rules import load_rules
from engram.language.signal.user_statements import has_quotes
from engram.language.signal.user_statements import is_of_a_machine
from engram.language.signal.user_statements import normalize
from engram.language.signal.user_statements import own_statements
from engram.language.signal.user_statements import own_words
from engram.language.text.statements import Statement

HIGH, LOW, NONE = "high", "low", "none"

_RECALLED = ("=== recalled:", '"hits"')  # one stands in whatever recall printed
_ASKED = "asked"  # the doubt of a polite request, which may still be an instruction
_SMALL_TALK_CHARS = 120  # a longer message is never only small talk
_FEW_CHARS = 40  # of a message whose language may be any
_LOW_CONFIDENCE = 0.85  # that something is context, as observed
_NOTHING_CONFIDENCE = 0.9  # that there is nothing when no rule spoke, as observed
_REQUESTED = frozenset({"instruction", "identity"})  # what "can you ..." may hold


class Span(NamedTuple):
    """One statement that a rule spoke for."""

    start: int  # characters from the beginning of the text
    end: int  # characters, exclusive
    text: str  # the statement as it stands in the text
    category: str  # what it is


class SignalResult(NamedTuple):
    """What the detector found in a text."""

    signal: str  # high, low, none
    categories: list[str]  # in the order of the text, each once
    confidence: float  # 0 to 1: how sure the grade is
    language: str  # code of the language, "und" when unknown
    spans: list[Span]  # the statements with the grade of the text, in order; of one, the surest category first
    reason: str  # in words: which rule spoke

    def as_json(self) -> dict[str, Any]:
        """Return the result as the value that the command line prints."""
        return {**self._asdict(), "spans": [span._asdict() for span in self.spans]}


class _Finding:
    __slots__ = ("category", "confidence", "grade", "reason", "statement")

    def __init__(self, statement: Statement, rule: Rule, doubt: str) -> None:
        self.statement = statement
        certain = rule.category != CONTEXT and doubt in {"", _ASKED}
        self.grade = HIGH if certain else LOW
        self.category = rule.category if certain else CONTEXT
        self.confidence = rule.confidence if certain else _LOW_CONFIDENCE
        self.reason = f"it {rule.name}" if certain or rule.category == CONTEXT else f"it {rule.name}, but {doubt}"


def detect(text: str) -> SignalResult:
    """Grade a message of a user: high when it holds something worth keeping, low when it is context, none otherwise.

    Code, quotations, log lines, tool output, reminders of a harness and what recall printed are not the user's own
    words. Questions, hypotheticals and what others are reported to have said are never high. Linear in the length of
    the text.
    """
    if any(mark in text for mark in _RECALLED):
        from engram.language.screen.recall_echo import blank_recalled  # noqa: PLC0415 - hardly any message holds it

        text = blank_recalled(text)
    language = language_of(text)
    if language == "und":
        return SignalResult(NONE, [], 0.95, language, [], "there are no words in it")
    rules = load_rules(language)
    if rules is not None and _is_small_talk(text, rules):
        return SignalResult(NONE, [], 0.95, language, [], "the whole message is small talk")
    near = list(_near(text, language))
    said = [one.said(of_context=False) for one in near]
    high = [finding for findings in said for finding in findings if finding.grade == HIGH]
    if high:
        return _result(HIGH, high, language)
    low = [
        finding for one, findings in zip(near, said, strict=True) for finding in findings or one.said(of_context=True)
    ]
    if low:
        return _result(LOW, low, language)
    if rules is None:
        return SignalResult(NONE, [], 0.3, language, [], f"there are no rules for the language {language}")
    return SignalResult(NONE, [], _NOTHING_CONFIDENCE, language, [], "no rule spoke")


def is_small_talk(text: str) -> bool:
    """Tell whether a message is nothing but a few phrases of small talk: "thanks, that's all".

    Two or three words hardly tell their language: those of any language are looked at.
    """
    own = language_of(text)
    codes = (own, *_languages()) if len(text) <= _FEW_CHARS else (own,)
    return any(rules is not None and _is_small_talk(text, rules) for rules in map(load_rules, codes))


@cache
def _languages() -> tuple[str, ...]:
    return tuple(list_languages("signal"))


def _is_small_talk(text: str, rules: RuleSet) -> bool:
    return len(text) <= 2 * _SMALL_TALK_CHARS and _is_all_small_talk(text, rules)


@lru_cache(maxsize=1024)  # an entry of one line is asked for as an entry and as a line
def _is_all_small_talk(text: str, rules: RuleSet) -> bool:
    normal = normalize(text)
    return len(normal) <= _SMALL_TALK_CHARS and rules.is_smalltalk(normal)


def _result(grade: str, findings: list[_Finding], language: str) -> SignalResult:
    categories = list(dict.fromkeys(finding.category for finding in findings))
    confidence = max(finding.confidence for finding in findings)
    spans = [Span(f.statement.start, f.statement.end, f.statement.text, f.category) for f in findings]
    reasons = list(dict.fromkeys(finding.reason for finding in findings))
    return SignalResult(grade, categories, confidence, language, spans, "; ".join(reasons))


def _near(text: str, language: str) -> Iterator["_Near"]:
    """Yield the user's own statements that some rule is near, in order: few of a long message."""
    known = load_rules(language)
    statements = own_statements(text, known.guards if known else None)
    may_quote = has_quotes("\n".join([normal for _, normal in statements]))
    near: dict[int, tuple[RuleSet, list[Candidate]]] = {}
    for spoken, places in _by_language(text, statements, language).items():
        rules = load_rules(spoken)
        if rules is not None:
            for index, candidates in rules.near([statements[place][1] for place in places]).items():
                near[places[index]] = rules, candidates
    for place in sorted(near):
        statement, normal = statements[place]
        rules, candidates = near[place]
        yield _Near(statement, normal, own_words(normal) if may_quote else normal, rules.guards, candidates)


def _by_language(text: str, statements: list[tuple[Statement, str]], language: str) -> dict[str, Sequence[int]]:
    """Return the places of statements by their language: a message may change it."""
    if text.isascii():
        return {language_within(text, language): range(len(statements))}
    by_language: dict[str, list[int]] = defaultdict(list)
    for place, (statement, _) in enumerate(statements):
        by_language[language_within(statement.text, language)].append(place)
    return {**by_language}


class _Near:
    """One statement with the rules near it."""

    __slots__ = ("_candidates", "_guards", "_normal", "_statement", "_whole")

    def __init__(
        self, statement: Statement, normal: str, whole: str, guards: dict[str, Guard], candidates: list[Candidate]
    ) -> None:
        """Take its words in the form of the rules too, and the same without what it quotes."""
        self._statement = statement
        self._normal = normal
        self._whole = whole
        self._guards = guards
        self._candidates = candidates

    def said(self, *, of_context: bool) -> list[_Finding]:
        """Return what the rules find, those of context or the others: one a category, the surest first."""
        near = [one for one in self._candidates if (one[0].category == CONTEXT) is of_context]
        if not near:
            return []
        views = _views(self._whole, self._guards)
        found: dict[str, Rule] = {}
        for view in views:
            for rule, pattern in near:
                if rule.category not in found and pattern.found_in(view) and rule.is_near(self._normal):
                    found[rule.category] = rule
            if found:
                break
        if not found or is_of_a_machine(self._statement.text) or self._guards["agent"].end_in(self._whole) >= 0:
            return []
        doubt = _doubt(views[0], self._guards)
        said = [rule for rule in found.values() if doubt != _ASKED or rule.category in _REQUESTED]
        return sorted((_Finding(self._statement, rule, doubt) for rule in said), key=lambda one: -one.confidence)


def _views(whole: str, guards: dict[str, Guard]) -> tuple[str, ...]:
    """Return a statement without what it opens with, without a request too, and the whole of it."""
    lead = guards["lead"].end_in(whole)
    words = whole[lead:] if 0 < lead < len(whole) else whole
    asked = guards["request"].end_in(words)
    if 0 < asked < len(words):
        return words, words[asked:], whole
    return (whole,) if words is whole else (words, whole)


def _doubt(words: str, guards: dict[str, Guard]) -> str:
    """Return why a finding is not the user's own statement, in words; empty when it is."""
    if guards["request"].end_in(words) >= 0:
        return _ASKED
    if _is_asked(words) or guards["question"].end_in(words) >= 0:
        return "it is a question"
    if guards["hypothetical"].end_in(words) >= 0:
        return "it is hypothetical"
    return "it reports what somebody else said" if guards["reported"].end_in(words) >= 0 else ""


def _is_asked(words: str) -> bool:
    """Tell whether a question mark closes a statement, whatever faces and closing marks follow it."""
    tail = words[end_of_words(words) :]
    return "?" in tail and not (tail[-1] == ")" and "(" in words)
