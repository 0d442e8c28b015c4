"""What the built-in extraction takes from notes and turns: statements worth keeping about a known entity. Pure."""

import re
from collections.abc import Iterable
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import fingerprint
from engram.language.candidates import Candidate
from engram.language.candidates import find_candidates
from engram.language.first_person import FIRST_SINGULAR
from engram.language.first_person import SPEAKS_OF_SELF
from engram.language.injection import find_injection
from engram.language.mentions import Known
from engram.language.mentions import NameIndex
from engram.language.recalled import blank_recalled
from engram.language.statements import split_statements
from engram.language.tables import are_columns
from engram.model.handoff import HandoffFact
from engram.services.keeping import Kept
from engram.services.keeping import find_kept

MAX_RELATED = 5  # entities that one fact is linked to

_FIRST_PERSON = re.compile(
    rf"{FIRST_SINGULAR}|(?<!\w)(?:[Mm]e|[Mm]ine|[Ww]e|[Ww]e['’](?:re|ve|d|ll)|[Oo]ur|us|[Мм]ы|[Нн]а(?:м|с|ми)|"
    r"[Нн]аш(?:а|е|и|у|его|ей|ему|им|их|ем|ими)?|우리(?:는|가|도|의)?|저희(?:는|가|도|의)?)(?!\w)|我[们們]|咱们"
)
_CLOCK = re.compile(r"^(\s*(?:[-*+]\s+)?(?:\[[ xX]\]\s+)?)(\d{1,2}:\d{2})(?=\s+\S)")  # before a line of a daily note
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
    occasion: str = ""  # on which it was said: the day or the note, or the conversation
    home: str = ""  # path of the entity that it was said about, as its place says: a project, or whose note it is
    home_title: str = ""  # as people write it; "": as the path says


class Extraction(NamedTuple):
    """What was found in the passages."""

    facts: list[HandoffFact]  # in the order of the text
    candidates: list[Candidate]  # new entities that the facts need
    statements: int  # statements looked at
    unresolved: int  # statements worth keeping that are about nobody known


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
    What is said again counts once for each occasion: what comes again and again is told from it.
    `background` is text read before: it counts only as evidence for new names.
    """
    listed = list(known)
    evidence = [*background, *(passage.text for passage in passages)]
    named = find_candidates(evidence, NameIndex(listed), min_mentions=min_mentions)
    candidates = [found for found in named if is_harmless_name(found.title)]
    index = NameIndex([*listed, *(Known(found.path, (found.title,)) for found in candidates)])
    titles = {found.path: found.title for found in candidates}
    facts: dict[tuple[str, str, str], HandoffFact] = {}
    looked_at = unresolved = 0
    for passage in passages:
        said = blank_recalled(passage.text)  # what was recalled and pasted is a use of it, not a new statement
        text = _CLOCK.sub(lambda clock: clock[1] + " " * len(clock[2]), said)
        statements = split_statements(text)
        looked_at += len(statements)
        if passage.is_turn and not is_own_speech(passage.speaker):
            continue
        for found in find_kept(text, statements, headings=passage.headings, is_turn=passage.is_turn):
            about = _about(passage, found, index, owner)
            if not about:
                unresolved += 1
                continue
            fact = _fact(passage, found, about, titles.get(about[0]))
            facts.setdefault((fact.entity, fingerprint(fact.fact), passage.occasion), fact)
    kept = list(facts.values())
    used = {path for fact in kept for path in (fact.entity, *fact.related)}
    return Extraction(kept, [found for found in candidates if found.path in used], looked_at, unresolved)


def is_harmless_name(name: str) -> bool:
    """Tell whether a name is no order: as a title it would stand in indexes and summaries, whatever its facts are."""
    return find_injection(name) is None


def is_own_speech(speaker: str | None) -> bool:
    """Tell whether a turn is the user's own: nobody is named, or the host calls the speaker user, human or me."""
    return speaker is None or speaker.casefold() in {"user", "human", "me", "owner"}


# --- whom it is about --------------------------------------------------------------------------------------------


def _about(passage: Passage, found: Kept, index: NameIndex, owner: str) -> tuple[str, ...]:
    """Return the paths that a statement is about, the subject first; empty when it is about nobody known."""
    text = found.statement.text
    mentioned = tuple(dict.fromkeys(mention.path for mention in index.find(text)))
    # "We" in a list of findings is whoever worked on it; in a decision it is the owner and others.
    first_person = _FIRST_PERSON if found.has_signal else SPEAKS_OF_SELF
    speaks_of_self = bool(owner and first_person.search(text))
    if passage.is_turn and speaks_of_self:
        return (owner, *(path for path in mentioned if path != owner))
    if mentioned:
        return mentioned
    for heading in reversed([heading for heading in passage.headings if not are_columns(heading)]):
        named = index.find(heading)
        if named and (not _LEAD.sub("", heading[: named[0].start]) or len(heading.split()) <= _TOPIC_WORDS):
            return (named[0].path,)
    return (owner,) if speaks_of_self else ()


def _fact(passage: Passage, found: Kept, about: tuple[str, ...], title: str | None) -> HandoffFact:
    quote = found.statement.text
    return HandoffFact(
        entity=about[0],
        fact=found.text,
        category=found.category,
        confidence=round(found.confidence, 2),
        quote=quote,
        entry=passage.id,
        title=title,
        related=about[1 : 1 + MAX_RELATED],
    )
