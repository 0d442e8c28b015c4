"""Whom a statement may be about, and what speaks for each: the candidates that attribution weighs. Pure.

A *candidate* is a name with the place it was found at: in the statement, in the headings above it, the line before, the
speaker, the home (the project of the conversation, the agent of the note). Features are named numbers; those of words
are few letters and the word in small letters.
"""

import re
from collections import Counter
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.names.named_by_role import named_by_role
from engram.language.names.persons import is_person
from engram.language.names.spans import CODE
from engram.language.names.spans import PHRASE
from engram.language.names.spans import PROPER
from engram.language.signal.detector import HIGH
from engram.language.text.statements import ROW as TABLE_ROW
from engram.model.vocabulary import Category
from engram.services.extract.lines.evidence import BEFORE
from engram.services.extract.lines.evidence import HEADING
from engram.services.extract.lines.evidence import HOME
from engram.services.extract.lines.evidence import OWNER
from engram.services.extract.lines.evidence import REPOSITORY
from engram.services.extract.lines.evidence import ROW
from engram.services.extract.lines.evidence import SPEAKER
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.evidence import before_name
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.evidence import names_in
from engram.services.extract.lines.line import Line
from engram.services.extract.subject.clear_names import is_clear
from engram.services.extract.subject.heading_places import Place
from engram.services.extract.subject.heading_places import heading_places
from engram.services.extract.subject.text_places import iter_text_places

_KIND: Final = "lines"
_LATE = 9 / 12  # of the same: nine words or more
_WORD = re.compile(r"[^\W_]+")
_TITLE: Final = r"(?:[^\W\d_]{1,9}\. )*"  # before a name: "Dr. Lang"


class Candidate(NamedTuple):
    """A name that a statement may be about."""

    name: str  # as written
    key: str  # under which two spellings are one: its slug without hyphens
    origin: str  # text, heading, before, home, speaker, row
    place: int  # heading: 0 the innermost; text: words before it
    form: str  # see `names.spans`; "topic" of a heading
    features: Mapping[str, float]
    start: int = 0  # text: characters from the beginning of the line


def is_subject(candidate: Candidate, line: Line) -> bool:
    """Tell whether a name in the sentence itself is its subject, whatever else speaks for others.

    Measured on marked texts: right in 77 to 85 of 100 for a known name anywhere in a note, 79 for a person at the
    beginning, 81 for a name with a hyphen there, where the note's agent would be right in 46; in a conversation about a
    project, where that project is right in 90, only what stands at the beginning is the subject.
    """
    features = candidate.features
    if candidate.origin != TEXT:
        return False
    if named_by_role(line.text).get(candidate.name):  # "my supervisor is Greta Lund"
        return True
    at_beginning = bool(features.get("begins") or features.get("second") or features.get("property"))
    if line.speaker and line.home:
        return at_beginning and candidate.form != PHRASE
    if at_beginning or candidate.form == PHRASE or (features.get("purpose") and not line.home):
        return True
    return bool(features.get("known")) and not is_aside(candidate, line)


def is_aside(candidate: Candidate, line: Line) -> bool:
    """Tell whether somebody or something is only mentioned in an agent's note: late in the line, in brackets, as means.

    An agent's work is with other things all the time ("... (Comet only)", "clashes with Comet's"), and its own. An
    order is about whoever follows it, not about whom it names ("Never send mail without asking Anna"), and what stands
    below "Routing (Anna's directive)" is not about Anna.
    """
    if not line.home or line.speaker:
        return False
    if candidate.origin == HEADING:
        features = candidate.features
        return bool(features.get("owner of it") or (features.get("company") and features.get("known")))
    return candidate.origin == TEXT and (_is_named_in_an_order(candidate, line) or _is_besides(candidate, line))


def _is_named_in_an_order(candidate: Candidate, line: Line) -> bool:
    is_order = line.grade == HIGH and line.signals[:1] == (Category.INSTRUCTION.value,)
    return is_order and not candidate.features.get("begins")


def _is_besides(candidate: Candidate, line: Line) -> bool:
    features = candidate.features
    before = line.text[: candidate.start]
    is_aside = features.keys() & before_name("means") or features.get("possessive")  # "agreed by Anna", "Anna's rule"
    if is_aside and before.strip():
        return True
    if any(before.count(opening) > before.count(closing) for opening, closing in ("()", "（）")):
        return True
    if features.get("known people"):  # the only one in a long line is whom it is about in nine of ten
        return False
    is_goal = bool(before.strip()) and _is_goal(before, line.text[candidate.start + len(candidate.name) :])
    return is_goal or features.get("late", 0.0) >= _LATE


def _is_goal(before: str, behind: str) -> bool:
    """Tell whether a name is what something is brought to, where a particle tells: 迁移到 PostgreSQL, PostgreSQL로."""
    if expression(_KIND, "before_goal").search(before[-4:]):
        return True
    return expression(_KIND, "behind_goal").match(behind[:20]) is not None


def speaks_of_self(text: str) -> bool:
    """Tell whether the speaker speaks of themselves: I, my, мне, 我, 저는; "we" is whoever works on something."""
    said = expression(_KIND, "own_mistake", "(?i:%s)").sub("", text)  # an aside on what was said before
    return _singular().search(said or text) is not None


def introduces(line: Line, name: str) -> bool:
    """Tell whether a statement begins with somebody of the speaker's by name: "My sister Meera moves to Lisbon"."""
    # An expression of its own for each name costs a hundred times what it costs to see that no statement begins so.
    begun = expression(_KIND, "introduced", r"\W{0,4}(?:%s)")
    if begun.match(line.text) and re.match(begun.pattern + re.escape(name), line.text):
        return True
    if named_by_role(line.text).get(name):
        return True
    owned = expression(_KIND, "possessive", r"\W{0,4}(?i:%s) ")
    if owned.match(line.text) is None:
        return False
    word = rf"(?!(?:{joined(_KIND, 'phrase_verbs')})\b)[^\W\d_]{{2,20}}[ ,]{{1,2}}"  # "my manager is Oleg" tells of me
    somebody = rf"{owned.pattern}(?:{word}){{1,2}}{_TITLE}{re.escape(name)}(?!\w)"
    return re.match(somebody, line.text) is not None and is_person(line.text, name)


def list_candidates(
    line: Line, evidence: Evidence, known: Mapping[str, str], mentions: Sequence[tuple[int, int]] = ()
) -> list[Candidate]:
    """Return whom a line may be about, each name once for each place it stands in.

    `known` maps keys of the names of entities to their paths; `mentions` are where the line names some of them.
    """
    shared = _line_features(line)
    found = []
    places = list(_iter_places(line, mentions, evidence))
    above = {name_key(name) for name, origin, *_ in places if origin == HEADING}
    inside = {name_key(name) for name, origin, *_ in places if origin == TEXT}
    for name, origin, place, form, place_features, start in places:
        key = name_key(name)
        in_both = (origin == TEXT and key in above) or (origin == ROW and key in inside)
        own = {**place_features, "in both": 1.0} if in_both else place_features
        if len(key) < 2 or key.isdigit() or not (key in known or is_clear(line, name, origin, form, own, evidence)):
            continue
        features = {origin: 1.0, f"{origin}{min(place, 4)}": 1.0, f"form {form}": 1.0, f"{origin} {form}": 1.0}
        features |= own
        features |= dict(evidence.features(key))
        features |= {f"{origin}*{feature}": value for feature, value in evidence.features(key)}
        features |= {f"{origin}&{feature}": value for feature, value in shared.items()}
        if key in known:
            kind = known[key].partition("/")[0]
            features |= {"known": 1.0, f"known {kind}": 1.0, f"{origin} known": 1.0}
        features["recurring"] = float(origin == TEXT and form == PROPER and key not in known and evidence.recurs(key))
        features["home too"] = float(bool(line.home) and key == name_key(line.home) and origin != HOME)
        features["words"] = len(name.split()) / 4
        features["long"] = float(len(name) > 30)
        one = Candidate(name, key, origin, place, form, features, start)
        features |= {"subject": float(is_subject(one, line)), "aside": float(is_aside(one, line))}
        found.append(one)
    return _with_company(_wholenames_in(found, known))


def _wholenames_in(found: Sequence[Candidate], known: Mapping[str, str]) -> list[Candidate]:
    """Return the candidates without those in the text that are only a part of another: Prado of Luis Prado."""
    spans = [(one.start, one.start + len(one.name)) for one in found if one.origin == TEXT and one.form == PROPER]
    return [
        one
        for one in found
        if one.origin != TEXT
        or one.key in known
        or not any(
            start <= one.start and one.start + len(one.name) <= end and end - start > len(one.name)
            for start, end in spans
        )
    ]


def _with_company(found: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, each knowing whether its name stands in other places, too, and what there is besides."""
    places = Counter((one.key, one.origin) for one in found)
    origins: dict[str, set[str]] = {}
    for key, origin in places:
        origins.setdefault(key, set()).add(origin)
    has_name = any(one.origin == TEXT and one.form not in {PHRASE, CODE} for one in found)
    rows = []
    for one in found:
        more = {f"also in {origin}": 1.0 for origin in origins[one.key] - {one.origin}}
        more[f"{one.origin} beside text"] = float(has_name and one.origin != TEXT)
        rows.append(one._replace(features={**one.features, **more}))
    return rows


def _iter_places(line: Line, mentions: Sequence[tuple[int, int]], evidence: Evidence) -> Iterator[Place]:
    """Yield each place where a name stands, of the headings the innermost first."""
    yield from iter_text_places(line, mentions)
    if line.kind == TABLE_ROW:
        cell = line.text.strip("| ").partition("|")[0].strip(" *`_")
        if cell:
            yield cell, ROW, 0, "cell", {}, 0
    yield from heading_places(line.headings)
    if before := names_in(line.before)[:2]:
        own = {"anaphor": float(_anaphor().match(line.text) is not None)}
        for span in before:
            yield span.name, BEFORE, 0, span.form, own, 0
    if line.home:
        yield line.home, HOME, 0, "home", {}, 0
    if line.speaker:
        yield line.speaker, SPEAKER, 0, "speaker", {}, 0
    else:
        yield from _of_section(line, evidence)


def _of_section(line: Line, evidence: Evidence) -> Iterator[Place]:
    """Yield what a note says besides names: the repository of the section, and that it speaks of the user."""
    repository = evidence.repository_of(line.headings)
    if repository is not None:
        yield repository[0], REPOSITORY, repository[1], "repository", {}, 0
    if expression(_KIND, "user", r"(?i:\W{0,6}(?:%s))").match(line.text):
        yield "user", OWNER, 0, "word", {}, 0
    elif any(map(expression(_KIND, "users", "(?i:%s)").search, line.headings[-2:])):
        yield "user", OWNER, 1, "heading", {}, 0


def _line_features(line: Line) -> dict[str, float]:
    says_i = _singular().search(line.text) is not None
    return {
        "turn": float(bool(line.speaker)),
        "user": float(line.is_user),
        "agent": float(line.is_agent),
        "we": float(says_i or expression(_KIND, "plural").search(line.text) is not None),
        "I": float(says_i),
        "begins I": float(says_i and _singular().match(line.text) is not None),
        "anaphor": float(_anaphor().match(line.text) is not None),
        "homeless": float(not line.home),
        "short": float(len(line.text) < 40),
    }


def _singular() -> re.Pattern[str]:
    return expression(_KIND, "singular")


def _anaphor() -> re.Pattern[str]:
    return expression(_KIND, "subject_anaphor", r"(?i:\W*(?:%s))")
