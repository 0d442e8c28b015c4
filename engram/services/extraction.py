"""What the built-in extraction takes from notes and turns: statements worth keeping about a known entity. Pure."""

import functools
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import RECALLED_CLOSING
from engram.base.text import RECALLED_OPENING
from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.language.mentions import Candidate
from engram.language.mentions import Known
from engram.language.mentions import NameIndex
from engram.language.mentions import find_candidates
from engram.language.notes import bare_words
from engram.language.notes import section_category
from engram.language.signal import HIGH
from engram.language.signal import Span
from engram.language.signal import detect
from engram.language.statements import BLOCK
from engram.language.statements import CODE
from engram.language.statements import HEADING
from engram.language.statements import ROW
from engram.language.statements import Statement
from engram.language.statements import split_statements
from engram.model.fact import Category
from engram.model.handoff import HandoffFact

SECTION_CONFIDENCE = 0.7  # of a statement that only its heading speaks for
MAX_QUOTE_CHARS = MAX_FACT_CHARS  # a longer statement is no statement
MAX_RELATED = 5  # entities that one fact is linked to

_MIN_WORDS = 4  # fewer words under a promising heading are a name or a number, not a statement
_CATEGORY_OF_SIGNAL = {"instruction": Category.PREFERENCE, "identity": Category.CONTEXT}  # others have the same name
_MACHINE = re.compile(
    r"^\W*(?:\$ |>>> |\d{2}:\d{2}:\d{2}|(?:ERROR|WARN|INFO|DEBUG|FATAL)\b|Traceback|[A-Za-z_.]+Error:|"
    r"commit [0-9a-f]{7}|(?:npm|npx|pip|uv|git|cd|node|docker|curl) \S)"
    r"|^[^\s]+$|^[\W\d]*$|^\W*(?:files?|commands?|output|status|tests?|path|log|pid|commit)\b[^.]{0,20}:",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"\?[\s\"'»”)*_]*$")
_AGENT_NOISE = re.compile(
    r"\b(?:HEARTBEAT_OK|no files? changed|files? changed|no issues found|nothing to report|all tests pass|"
    r"tests? (?:green|passing)|clean build|handed off to|posted (?:daily )?standup|committed|pushed|rerun|"
    r"decision pending|awaiting)\b",
    re.IGNORECASE,
)
_FIRST_PERSON = re.compile(
    r"(?<!\w)(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Mm]e|[Mm]ine|[Ww]e|[Ww]e['’](?:re|ve|d|ll)|[Oo]ur|us|"
    r"[Яя]|[Мм]не|[Мм]еня|[Мм]о(?:й|я|ё|е|и)|[Мм]ы|[Нн]ам|[Нн]ас|[Нн]аш(?:а|е|и)?)(?!\w)"
)
_CLOCK = re.compile(r"^(\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?)(\d{1,2}:\d{2})(?=\s+\S)")  # before a line of a daily note
# What Engram recalled and somebody pasted is an access, not a new statement.
_RECALLED = re.compile(rf"{re.escape(RECALLED_OPENING)}.*?(?:{re.escape(RECALLED_CLOSING)}|\Z)", re.DOTALL)
_I = re.compile(r"(?<!\w)(?:I|I['’](?:m|ve|d|ll)|[Mm]y|[Яя]|[Мм]не|[Мм]о(?:й|я|ё|е|и))(?!\w)")
_ANAPHOR = re.compile(
    r"\W*(?:it|this|that|these|those|they|he|she|он|она|оно|они|это|эти|этот|эта)(?!\w)", re.IGNORECASE
)
_LEAD = re.compile(
    r"^[\W\d_]*(?:(?:project|repo|task|re|проект)\b[\W_]*)?", re.IGNORECASE
)  # what may stand before a heading's topic
_TOPIC_WORDS = 3  # a heading of so few words is about whomever it names


class Passage(NamedTuple):
    """A text that is read: a note entry, or a turn."""

    id: str  # entry or turn id
    text: str  # as it stands in its source
    headings: tuple[str, ...] = ()  # above it, outermost first
    is_turn: bool = False  # said in a conversation: only high signal counts
    speaker: str | None = None  # of a turn


class Extraction(NamedTuple):
    """What was found in the passages."""

    facts: list[HandoffFact]  # in the order of the text
    candidates: list[Candidate]  # new entities that the facts need
    statements: int  # statements looked at
    unresolved: int  # statements worth keeping that are about nobody known


class _Found(NamedTuple):
    statement: Statement
    category: Category
    confidence: float
    has_signal: bool  # False: only its heading speaks for it


def extract(
    passages: Sequence[Passage],
    known: Iterable[Known],
    *,
    owner: str,
    min_mentions: int,
    background: Sequence[str] = (),
) -> Extraction:
    """Return the facts that the passages hold.

    A statement is kept when its signal is high, or when its heading promises decisions, preferences, milestones or
    lessons. It is about the entity it names first, else the one its headings name, else, said in the first person, the
    owner (a path, or "" for nobody); a statement about nobody is counted and left. Each quote stands in its passage.
    `background` is text read before: it counts only as evidence for new names.
    """
    listed = list(known)
    evidence = [*background, *(passage.text for passage in passages)]
    candidates = find_candidates(evidence, NameIndex(listed), min_mentions=min_mentions)
    index = NameIndex([*listed, *(Known(found.path, (found.title,)) for found in candidates)])
    titles = {found.path: found.title for found in candidates}
    facts: dict[tuple[str, str], HandoffFact] = {}
    looked_at = unresolved = 0
    for passage in passages:
        said = _RECALLED.sub(lambda recalled: " " * len(recalled[0]), passage.text)
        text = _CLOCK.sub(lambda clock: clock[1] + " " * len(clock[2]), said)
        statements = split_statements(text)
        looked_at += len(statements)
        for found in _worth_keeping(passage, text, statements):
            about = _about(passage, found, index, owner)
            if not about:
                unresolved += 1
                continue
            fact = _fact(passage, found, about, titles.get(about[0]))
            facts.setdefault((fact.entity, fingerprint(fact.fact)), fact)
    kept = list(facts.values())
    used = {path for fact in kept for path in (fact.entity, *fact.related)}
    return Extraction(kept, [found for found in candidates if found.path in used], looked_at, unresolved)


# --- what is worth keeping ---------------------------------------------------------------------------------------


def _worth_keeping(passage: Passage, text: str, statements: Sequence[Statement]) -> Iterator[_Found]:
    if passage.is_turn and not is_own_speech(passage.speaker):
        return
    promised = "" if passage.is_turn else section_category(passage.headings)
    signal = detect(text)
    spans = list(signal.spans) if signal.signal == HIGH else []
    for statement in statements:
        if _is_noise(statement):
            continue
        span = next((one for one in spans if one.start < statement.end and statement.start < one.end), None)
        if span is not None:
            yield _Found(statement, _category(span), signal.confidence, has_signal=True)
        elif promised and _is_statement(statement.text):
            yield _Found(statement, Category(promised), SECTION_CONFIDENCE, has_signal=False)


def is_own_speech(speaker: str | None) -> bool:
    """Tell whether a turn is the user's own: nobody is named, or the host calls the speaker user, human or me."""
    return speaker is None or speaker.casefold() in {"user", "human", "me", "owner"}


def _is_noise(statement: Statement) -> bool:
    text = statement.text
    if statement.kind in {CODE, BLOCK, HEADING, ROW} or len(text) > MAX_QUOTE_CHARS or _QUESTION.search(text):
        return True
    if text.endswith(":"):  # leads a list, says nothing by itself
        return True
    return bool(_MACHINE.search(text) or _AGENT_NOISE.search(text))


def _is_statement(text: str) -> bool:
    return sum(any(ch.isalpha() for ch in word) for word in text.split()) >= _MIN_WORDS and not _ANAPHOR.match(text)


def _category(span: Span) -> Category:
    return _CATEGORY_OF_SIGNAL.get(span.category) or Category(span.category)


# --- whom it is about --------------------------------------------------------------------------------------------


def _about(passage: Passage, found: _Found, index: NameIndex, owner: str) -> tuple[str, ...]:
    """Return the paths that a statement is about, the subject first; empty when it is about nobody known."""
    text = found.statement.text
    mentioned = tuple(dict.fromkeys(mention.path for mention in index.find(text)))
    # "We" in a list of findings is whoever worked on it; in a decision it is the owner and others.
    first_person = _FIRST_PERSON if found.has_signal else _I
    speaks_of_self = bool(owner and first_person.search(text))
    if passage.is_turn and speaks_of_self:
        return (owner, *(path for path in mentioned if path != owner))
    if mentioned:
        return mentioned
    for heading in reversed(passage.headings):
        named = index.find(heading)
        if named and (not _LEAD.sub("", heading[: named[0].start]) or len(heading.split()) <= _TOPIC_WORDS):
            return (named[0].path,)
    return (owner,) if speaks_of_self else ()


def _fact(passage: Passage, found: _Found, about: tuple[str, ...], title: str | None) -> HandoffFact:
    quote = found.statement.text
    return HandoffFact(
        entity=about[0],
        fact=_as_statement(quote),
        category=found.category,
        confidence=round(found.confidence, 2),
        quote=quote,
        entry=passage.id,
        title=title,
        related=about[1 : 1 + MAX_RELATED],
    )


@functools.lru_cache(maxsize=4096)
def _as_statement(quote: str) -> str:
    """Return a quote as people say it: on one line, without list markers and emphasis."""
    bare = " ".join(bare_words(line) for line in quote.splitlines())
    return clean_statement(bare)[:MAX_FACT_CHARS]
