"""The text of a fact: a statement as people say it, that reads by itself. The quote beside it stays byte-exact."""

import functools
import re
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.text import MAX_FACT_CHARS
from engram.language.dates.named_days import names_only_days
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import NOTHING
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.names.persons import plays_role
from engram.language.names.spans import heading_topics
from engram.language.screen.injection import find_injection
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import detect
from engram.language.signal.detector import is_small_talk
from engram.language.text.lead_ins import without_asides
from engram.language.text.markdown_tables import are_columns
from engram.language.text.markdown_tables import row_statement
from engram.language.text.note_sections import section_category
from engram.language.text.note_sections import takes_promise_back
from engram.language.text.statements import ROW
from engram.model.vocabulary import Category
from engram.services.extract.labels import LABEL
from engram.services.extract.labels import count_words
from engram.services.extract.labels import plain
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.line import Line
from engram.services.extract.named_things import with_thing_named
from engram.services.extract.pieces import is_of_something_before
from engram.services.extract.pieces import lacks_subject
from engram.services.extract.pieces import name_spoken_of
from engram.services.extract.pieces import says_only_when

_KIND: Final = "lines"  # of the data files
_FRAGMENT_WORDS: Final = 7  # a label with so few words behind it says nothing without its heading
_FEWEST_WORDS: Final = 4  # of a sentence that begins with whom it is about
_TOPIC_WORDS: Final = 5  # of a heading that names what its lines are about
_GENERAL_WORDS: Final = 2  # a heading of so few ("Now includes", "Status") is read under the one above it
_NEAREST: Final = 3  # telling headings that are looked at
_SHORT_REST: Final = 90  # characters behind a label that need the heading
_TITLE_WORDS: Final = 4  # so few behind a label are no sentence
_TELLING_KINDS: Final = frozenset({"lesson", "context"})  # of labels: a root cause, a finding
_PAIR = 2  # columns
_LONGEST_PIECE: Final = 200  # characters; what is longer tells enough by itself
_NUMBER: Final = re.compile(r"^\(\d{1,2}\)\s+(?=\S)")  # of an item in running text: "(2) Fixed the index"
_TRAILING: Final = re.compile(r"[^\w)）\]\"'»”%+]+$")  # signs behind a heading: a check mark, a colon
_OF_A_DAY: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")  # in the title of a note
_LONGEST_BEFORE = 160  # characters of a sentence that is told with the one behind it
_BROKEN_OFF: Final = re.compile(r"\W{0,2}(?:[—–]\s|[)\]])")  # the rest of a sentence that was parted at a dot

_FORMS: Final = (  # of pronouns, each with that of the name in its place
    ("pronoun", "named"),
    ("person_pronoun", "named"),
    ("possessive_pronoun", "possessive_name"),
    ("person_possessive", "possessive_name"),
)


class Wording(NamedTuple):
    """The text of a fact."""

    text: str  # one line of at most 2,000 characters; "" when the statement cannot be told without what is around it
    stands_alone: bool  # False: a piece that no heading completes, or words that point at something not said
    is_piece: bool = False  # only a heading is missing: "Coding fallback: the smaller model"


def fact_wording(line: Line, *, entity: str, title: str, origin: str) -> Wording:
    """Return the text of a fact, and whether it reads by itself.

    `entity` and `title` name whom it is about, `origin` says where that name stands (see `subject_features`).
    """
    if line.kind == ROW:
        topic, _ = _topic(line.headings, entity)
        return Wording(_under(topic, _row(line)), stands_alone=True)
    text = without_asides(_without_label(_NUMBER.sub("", plain(line.text))))
    if name_key(text.rpartition(":")[2]) == name_key(title or entity.partition("/")[2]):
        return Wording("", stands_alone=False)  # "Project: Comet" says no more than the name
    if is_unclear(text):
        resolved = _resolved(text, title) if origin in {"heading", "before"} else ""
        told = resolved or with_thing_named(text, line) or _with_sentence_before(text, line)
        return Wording(told, stands_alone=not is_unclear(told))
    if line.speaker and not (line.is_answer or line.is_agreed) and (piece := _as_piece(text, line)) is not None:
        return piece
    if not _needs_heading(text, line) or _begins_with(title, text):
        return Wording(text, stands_alone=not _points_elsewhere(text, line))
    topic, is_complete = _topic(line.headings, entity)
    names_object = expression(_KIND, "done", r"\W{0,4}(?:%s)").match(text) is not None
    is_whole = is_complete or (names_object and count_words(text) >= _FRAGMENT_WORDS)
    is_clear = not _points_elsewhere(text, line)
    names_itself = (
        LABEL.match(text) is not None or _without_subject().match(text) is None or _is_of_who_decided(text, line)
    )
    return Wording(
        _under(topic, text),
        stands_alone=is_whole and is_clear,
        is_piece=is_clear and names_itself and not is_whole,
    )


def _as_piece(text: str, line: Line) -> Wording | None:
    """Return the wording of a statement of which the one before says what it is about; None for any other."""
    if says_only_when(text):
        return Wording("", stands_alone=False)
    if lacks_subject(text):
        is_said_of = count_words(line.before) >= _FEWEST_WORDS  # "yes do that." says of nothing
        told = _with_sentence_before(text, line) if is_said_of else ""
        return Wording(told or text, stands_alone=bool(told))
    if line.is_first or not is_of_something_before(text):
        return None
    # Not told with the whole sentence: "abstract until 31 January" does not say until when that holds.
    topic = "" if find_injection(line.before) else name_spoken_of(line.before)
    return Wording(_under(topic, text), stands_alone=bool(topic))


def is_bare_reason(text: str) -> bool:
    """Tell whether a statement only gives a reason for the one before it ("Because of the licence costs")."""
    return expression(_KIND, "reason", r"(?i:\W{0,4}(?:%s)\W{0,4})").fullmatch(text) is not None


def is_unclear(text: str) -> bool:
    """Tell whether a text begins with a word that means what was said before it."""
    return expression(_KIND, "unclear", r"(?i:\W*(?:%s))").match(text) is not None


def _without_label(text: str) -> str:
    """Return a statement without a heading in the line itself that only says of what kind it is: "Decision: ...".

    Before a few words it stays where it tells what they are: "Root cause: a mismatch of versions".
    """
    label = LABEL.match(text)
    kind = section_category((label[1],)) if label else ""
    if not label or not kind:
        return text
    rest = text[label.end() :]
    return text if kind in _TELLING_KINDS and count_words(rest) <= _TITLE_WORDS else rest


def _row(line: Line) -> str:
    columns = line.headings[-1] if line.headings and are_columns(line.headings[-1]) else ""
    cells = [cell for part in line.text.strip("| ").split("|") if (cell := plain(part.strip()))]
    if not columns or len(cells) == _PAIR:  # in two columns the first one names, the second one tells
        return ": ".join(cells) if len(cells) == _PAIR else " | ".join(cells)
    return plain(row_statement(line.text, columns, ""))


def _needs_heading(text: str, line: Line) -> bool:
    """Tell whether a line of a note is a mere piece: a label with a value, or a few words."""
    if line.speaker or not line.headings:
        return False
    if ":" in text or "：" in text:
        text = expression("lead_ins", "corrections", r"(?i:\W{0,4}(?:%s)\s?[:：]\s?(?=\S))").sub("", text, count=1)
    if len(text) <= _LONGEST_PIECE and _without_subject().match(text) is not None:
        return True
    label = LABEL.match(text)
    return count_words(text) < _FRAGMENT_WORDS or (label is not None and len(text) - label.end() < _SHORT_REST)


def _begins_with(title: str, text: str) -> bool:
    """Tell whether a text is a sentence that begins with whom it is about: "Luis is our accountant", not "Luis: 64"."""
    if not title or count_words(text) < _FEWEST_WORDS:
        return False
    return _beginning_with(title).match(text) is not None or plays_role(text, title)


@functools.lru_cache(maxsize=512)  # many facts are about one entity, and each expression takes a while to compile
def _beginning_with(title: str) -> re.Pattern[str]:
    """Return what finds a sentence that begins with a title, in capitals or not.

    Only the title is compared so: to find the capitals of twenty thousand signs takes a hundred times as long.
    """
    return re.compile(rf"\W{{0,4}}(?i:{re.escape(title)})(?=['’][sSſ]\s| \w|[\u3400-\u9fff가-힣])")


def _is_of_who_decided(text: str, line: Line) -> bool:
    """Tell whether a text begins with what was decided, so that whoever writes it is meant: "Opted for a green gate".

    Then its first word is what makes it a decision.
    """
    if line.grade != HIGH or line.signals[:1] != (Category.DECISION.value,):
        return False
    rest = detect(text.partition(" ")[2])
    return rest.signal != HIGH or rest.categories[:1] != [Category.DECISION.value]


def _under(topic: str, text: str) -> str:
    return f"{topic}: {text}"[:MAX_FACT_CHARS] if topic and text else text


def _points_elsewhere(text: str, line: Line) -> bool:
    """Tell whether a note's line points at something that neither it nor its headings name."""
    if line.speaker:
        return False
    if text.endswith(("...", "…")) or _BROKEN_OFF.match(text):
        return True
    if expression(_KIND, "pointing", r"\W{0,4}(?:%s)").match(text):
        return True
    if expression(_KIND, "pointing_at").search(text):
        return True
    return not line.is_first and expression(_KIND, "pointing_back", r"\W{0,4}(?:%s)").match(text) is not None


def _topic(headings: Sequence[str], entity: str) -> tuple[str, bool]:
    """Return what the nearest telling headings are about, and whether that or the entity tells what a piece is of.

    "" when the nearest one is the entity itself or a mere kind of section. A heading of one or two words is read under
    the one above it: "Council, Members".
    """
    topics: list[str] = []
    telling = [one for one in headings if not (are_columns(one) or _is_section(one) or names_only_days(one))]
    if telling and telling[0] == headings[0] and _OF_A_DAY.search(telling[0]):
        telling = telling[1:]
    for heading in telling[-1 : -_NEAREST - 1 : -1]:
        topic = _short_topic(heading)
        if not topic:
            continue  # the one above it often says the same in few words
        if name_key(topic) == name_key(entity.partition("/")[2]):
            return ", ".join(topics), True
        topics.insert(0, topic)
        if len(topic.split()) > _GENERAL_WORDS or len(topics) == _GENERAL_WORDS:
            break
    return ", ".join(topics), bool(topics)


def _is_section(heading: str) -> bool:
    """Tell whether a heading only says of what kind its lines are: "Notes", "Decisions", "To do"."""
    return bool(_is_plain(heading) or section_category((heading,)) or takes_promise_back(heading))


def _short_topic(heading: str) -> str:
    """Return what a heading is about in a few words, "" for none.

    A long heading is a sentence of its own ("Bump the version to 4.2"): before a fact it would be read as one.
    """
    for topic in heading_topics(_before_topic().sub("", heading)):
        short = _TRAILING.sub("", topic)
        if short and len(short.split()) <= _TOPIC_WORDS and not _is_plain(short):
            return short
    return ""


def _resolved(text: str, title: str) -> str:
    """Return a text with the name in the place of the pronoun that it begins with; "" when that is not certain."""
    for pronoun, form in _pronouns() if title else ():
        if found := pronoun.match(text):
            return f"{form.replace('{name}', title)}{text[found.end() :]}"[:MAX_FACT_CHARS]
    return ""


def _with_sentence_before(text: str, line: Line) -> str:
    """Return a text behind the sentence that says what its first word means; "" when none in the same breath does."""
    before = without_asides(_without_label(plain(line.before)))
    is_asked = before.endswith(("?", "？"))
    if line.is_first or not before or len(before) > _LONGEST_BEFORE or is_asked or is_unclear(before):
        return ""
    if find_injection(before) is not None or says_only_when(before) or lacks_subject(before) or is_small_talk(before):
        return ""
    end = "" if before.endswith((".", "!", "。", "！", "…", ":")) else "."
    return f"{before}{end} {text}"[:MAX_FACT_CHARS]


def _before_topic() -> re.Pattern[str]:
    """Return what finds a word before what a heading is about: "Task: Split the prompt"."""
    return expression(_KIND, "kind", r"(?i:^\W{0,4}(?:%s)\s?[:：]\s?(?=\S))")


@functools.cache
def _without_subject() -> re.Pattern[str]:
    """Return what finds a beginning that says something of what only the heading names."""
    return re.compile(rf"\W{{0,4}}(?:\d[\d.,]*[+%]?(?=[ -][a-z])|{joined(_KIND, 'without_subject')})")


def _is_plain(heading: str) -> bool:
    """Tell whether a heading says nothing of what stands below it."""
    return expression(_KIND, "plain_heading", r"(?i:\W*(?:%s)\W*)").fullmatch(heading) is not None


@functools.cache
def _pronouns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return what finds a pronoun at the beginning of a text, and the form of a name that stands in its place."""
    forms = [
        (re.compile(data.get(pronoun, NOTHING).replace("\n", ""), re.IGNORECASE), data.get(named, "{name}"))
        for data in read_languages(_KIND).values()
        for pronoun, named in _FORMS
    ]
    return tuple((pronoun, form) for pronoun, form in forms if pronoun.pattern != NOTHING)
