"""Whether a text holds something worth keeping, of which kind, and where: statement by statement, by rules."""

import unicodedata
from typing import Any
from typing import NamedTuple

from engram.language.expressions import compiled
from engram.language.identify import language_of
from engram.language.signal_rules import CONTEXT
from engram.language.signal_rules import Rule
from engram.language.signal_rules import RuleSet
from engram.language.signal_rules import load_rules
from engram.language.statements import BLOCK
from engram.language.statements import CODE
from engram.language.statements import QUOTE
from engram.language.statements import ROW
from engram.language.statements import Statement
from engram.language.statements import split_statements

_ASKED = "asked"  # the doubt of a polite request, which may still be an instruction
_LATIN_RULES = frozenset({"en", "es", "fr", "de", "it", "pt"})
_LAST_LATIN = "\u024f"
_QUOTES = frozenset('"“«„')
HIGH, LOW, NONE = "high", "low", "none"
_FOREIGN_KINDS = frozenset({CODE, QUOTE, BLOCK, ROW})
_SMALL_TALK_CHARS = 120  # a longer message is never only small talk
_STATEMENT_CHARS = 2000  # what is read of one statement
_LOW_CONFIDENCE = 0.5  # that something is context
_NOTHING_CONFIDENCE = 0.6  # that there is nothing, when no rule spoke
_REQUESTED = frozenset({"instruction", "identity"})  # what "can you ..." may hold

_EMPHASIS = r"[*`_]{1,3}(?=\S)|(?<=\S)[*`_]{1,3}"
_EMPHASIS_CHARS = frozenset("*`_")
_QUOTED = r"\"[^\"]{1,400}\"|“[^”]{1,400}”|«[^»]{1,400}»|„[^“”]{1,400}[“”]"
_APOSTROPHES = str.maketrans(
    {"\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'", "ё": "е", "\u200b": None, "\ufeff": None}
)
_MACHINE_CHARS = frozenset(":{[<$>+-@(=")
_MACHINE = (
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:\$|>>>|\+\+\+|---|@@) |"
    r"\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b[\]: ]|[{\[<]\s*[\"'/a-z]|Traceback \(|File \"|"
    r"at [\w.$]+\(|[\w./-]+:\d+:\d+[: ]|[\w.-]+@[\w.-]+:\S*[$#] |npm (?:ERR|WARN)|"
    r"(?:import|from|def|class|return|const|let|var|function|public|private|SELECT|INSERT|CREATE) [\w{*.]+.*[;{()=]"
)


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
    spans: list[Span]  # the statements with the grade of the text, in order
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

    Code, quotations, log lines, tool output and reminders of a harness are not the user's own words. Questions,
    hypotheticals and what others are reported to have said are never high. Linear in the length of the text.
    """
    language = language_of(text)
    if language == "und":
        return SignalResult(NONE, [], 0.95, language, [], "there are no words in it")
    normal = normalize(text)
    rules = load_rules(language)
    if rules is not None and len(normal) <= _SMALL_TALK_CHARS and rules.is_smalltalk(normal):
        return SignalResult(NONE, [], 0.95, language, [], "the whole message is small talk")
    judge = _Judge(language, normal)
    findings = [finding for statement in split_statements(text) for finding in judge.findings(statement)]
    for grade in (HIGH, LOW):
        graded = [finding for finding in findings if finding.grade == grade]
        if graded:
            return _result(grade, graded, language)
    if rules is None:
        return SignalResult(NONE, [], 0.3, language, [], f"there are no rules for the language {language}")
    return SignalResult(NONE, [], _NOTHING_CONFIDENCE, language, [], "no rule spoke")


def normalize(text: str) -> str:
    """Return a statement in the form that the rules see."""
    folded = text.lower() if text.isascii() else _fold(text)
    if not _EMPHASIS_CHARS.isdisjoint(folded):
        folded = compiled(_EMPHASIS).sub("", folded)
    return " ".join(folded.split())


def _fold(text: str) -> str:
    wide = any("\uff01" <= ch <= "\uff5e" for ch in text)
    return unicodedata.normalize("NFKC" if wide else "NFC", text).lower().translate(_APOSTROPHES)


def _result(grade: str, findings: list[_Finding], language: str) -> SignalResult:
    categories = list(dict.fromkeys(finding.category for finding in findings))
    confidence = max(finding.confidence for finding in findings)
    spans = [Span(f.statement.start, f.statement.end, f.statement.text, f.category) for f in findings]
    reasons = list(dict.fromkeys(finding.reason for finding in findings))
    return SignalResult(grade, categories, confidence, language, spans, "; ".join(reasons))


class _Judge:
    """Knows the message around the statements: its language, and which rules can speak at all."""

    def __init__(self, language: str, normal: str) -> None:
        self.language = language
        self.normal = normal  # the whole message
        self.narrowed: dict[str, RuleSet | None] = {}

    def findings(self, statement: Statement) -> list[_Finding]:
        """Return what the rules say about one statement: at most one finding a category."""
        rules = self._rules_for(statement.text)
        if rules is None or not rules.rules or statement.kind in _FOREIGN_KINDS or _is_of_a_machine(statement.text):
            return []
        whole = _own_words(normalize(statement.text[:_STATEMENT_CHARS]))
        if rules.guards["agent"].end_in(whole) >= 0:
            return []
        lead = rules.guards["lead"].end_in(whole)
        words = whole[lead:] if 0 < lead < len(whole) else whole
        found = _spoken(rules, words) or (_spoken(rules, whole) if words != whole else [])
        doubt = _doubt(rules, words) if found else ""
        return [_Finding(statement, rule, doubt) for rule in found if doubt != _ASKED or rule.category in _REQUESTED]

    def _rules_for(self, text: str) -> RuleSet | None:
        """Return the rules for one statement of a message: a message may change its language."""
        language = self.language
        if text.isascii() or not any(ch > _LAST_LATIN and ch.isalpha() for ch in text):
            language = language if language in _LATIN_RULES else "en"
        elif language in _LATIN_RULES or load_rules(language) is None:
            language = language_of(text)
        if language not in self.narrowed:
            rules = load_rules(language)
            self.narrowed[language] = rules.narrowed(self.normal) if rules else None
        return self.narrowed[language]


def _is_of_a_machine(text: str) -> bool:
    return not _MACHINE_CHARS.isdisjoint(text) and compiled(_MACHINE).match(text) is not None


def _own_words(normal: str) -> str:
    """Return a statement without what it quotes; one that is nothing but a quotation is taken out of its marks."""
    if _QUOTES.isdisjoint(normal):
        return normal
    whole = compiled(_QUOTED).fullmatch(normal.rstrip(".!"))
    return whole.group()[1:-1] if whole else compiled(_QUOTED).sub('""', normal)


def _spoken(rules: RuleSet, words: str) -> list[Rule]:
    asked = rules.guards["request"].end_in(words)
    views = (words, words[asked:]) if asked > 0 else (words,)
    found: dict[str, Rule] = {}
    for rule in rules.rules:
        if rule.category not in found and any(rule.found_in(view) for view in views):
            found[rule.category] = rule
    return [rule for rule in found.values() if rule.category != CONTEXT] or list(found.values())


def _doubt(rules: RuleSet, words: str) -> str:
    """Return why a finding is not the user's own statement, in words; empty when it is."""
    guards = rules.guards
    if guards["request"].end_in(words) >= 0:
        return _ASKED
    if words.endswith(("?", "？")) or guards["question"].end_in(words) >= 0:
        return "it is a question"
    if guards["hypothetical"].end_in(words) >= 0:
        return "it is hypothetical"
    return "it reports what somebody else said" if guards["reported"].end_in(words) >= 0 else ""
