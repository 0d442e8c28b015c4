"""The built-in extraction: what is worth keeping, about whom, in words that stand by themselves. Pure."""

from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.speaker_names import is_own_speech
from engram.base.speaker_names import is_program
from engram.language.compare.slots.answers import asks_how
from engram.language.compare.slots.clauses import read_clauses
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.language.names.new_entities import RECURRING
from engram.language.names.new_entities import Candidate
from engram.language.names.new_entities import find_candidates
from engram.language.screen.injection import find_injection
from engram.language.screen.recall_echo import blank_recalled
from engram.language.signal.categories import fact_category
from engram.language.signal.categories import remembered_category
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import is_small_talk
from engram.language.text.entry_stamp import without_stamp
from engram.language.text.lead_ins import without_asides
from engram.language.text.machine_text import MachineText
from engram.language.text.statements import Statement
from engram.language.text.talk.asked_about import blank_asked_about
from engram.model.handoff import HandoffFact
from engram.model.vocabulary import Category
from engram.services.extract.fact_text import Wording
from engram.services.extract.fact_text import fact_wording
from engram.services.extract.fact_text import is_bare_reason
from engram.services.extract.fragments import is_fragment
from engram.services.extract.judge import CANDIDATE_FROM
from engram.services.extract.judge import Verdict
from engram.services.extract.judge import load_judge
from engram.services.extract.labels import is_open
from engram.services.extract.labels import is_unsettled
from engram.services.extract.labels import promised_category
from engram.services.extract.labels import says_who_is_what
from engram.services.extract.lessons import list_beside
from engram.services.extract.lines.agreed import with_agreed
from engram.services.extract.lines.answered import with_answers
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.fleeting_lines import is_fleeting
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.lines.passage import read_lines
from engram.services.extract.lines.read_line import ReadLine
from engram.services.extract.lines.talk import Talk
from engram.services.extract.lines.vectors import line_vector
from engram.services.extract.selection import is_hedged
from engram.services.extract.selection import is_noise
from engram.services.extract.subject.attribution import About
from engram.services.extract.subject.attribution import Attribution
from engram.services.extract.subject.attribution import is_harmless_name
from engram.services.extract.told_facts import MAX_RELATED
from engram.services.extract.told_facts import ToldFacts

_PIECE_FROM: Final = 0.7
"""Chance from which on a piece that no heading completes is a fact: the judge has read its headings, too. Of such lines
readers marked four in five over all authors of `learn/`, with some of whom it is every second one."""
_FEWEST_LETTERS: Final = 4  # of a statement
_STRUCK: Final = "~~"  # on both sides of what a person has struck out
_BOXES: Final = ("[ ]", "[x]", "[X]", "[~]", "[-]", "[/]")  # a task: still to be done, done or dropped

Vectors = Mapping[str, Sequence[float]]
_Place = tuple[str, tuple[str, ...]]  # occasion and headings


class Extraction(NamedTuple):
    """What was found in the passages."""

    facts: list[HandoffFact]  # in the order of the text
    new_entities: dict[str, str]  # path -> title of those that the facts need
    statements: int  # statements looked at
    about_nobody: int  # statements worth keeping that nobody could be found for


def extract(
    passages: Sequence[Passage],
    known: Iterable[Known],
    *,
    owner: str,
    min_mentions: int,
    background: Sequence[str] = (),
    vectors: Vectors | None = None,
) -> Extraction:
    """Return the facts that the passages hold, the unsure ones marked as candidates.

    The judge decides what is worth keeping, attribution whom it is about: there is always somebody. Each quote stands
    in its passage. What is said again counts once for each occasion: what comes again and again is told from it.

    Args:
        passages: what is new, in order; the lines of one note or conversation together.
        known: the entities there are, with their names.
        owner: path of the entity that a user's "I" means, or "" for nobody.
        min_mentions: entries that must name somebody before a name alone makes an entity known.
        background: texts read before; they count only as evidence for names.
        vectors: of the texts that `vectors.texts_to_embed` names, those there are; without one, words judge a line.
    """
    listed = list(known)
    there = {entity.path for entity in listed}
    # An agent that others call by its name is known before its first fact, so it does not become a second entity.
    homes = {one.home: one.home_title for one in passages if one.home_title and one.home not in there}
    listed += [Known(path, (title,)) for path, title in homes.items()]
    read = _read(passages)
    evidence = _evidence_of(read, background)
    texts = [*background, *(passage.text for passage in passages)]
    named = _with_speakers(find_introduced(texts, listed, min_mentions), passages)
    attribution = Attribution([*listed, *(Known(found.path, (found.title,)) for found in named)], owner=owner)
    titles = homes | {found.path: found.title for found in named}
    told = ToldFacts()
    for one, verdict in _kept(read, vectors or {}, parts=True):
        if is_bare_reason(one.line.text):
            told.add_reason(one)
            continue
        for line, about in read_parts(one.line, one.passage, attribution, evidence):
            name = about.title or attribution.name_of(about.path)
            wording = fact_wording(line, entity=about.path, title=name, origin=about.origin)
            is_told = wording.stands_alone or (wording.is_piece and verdict.chance >= _PIECE_FROM)
            wording = wording._replace(stands_alone=is_told and not is_fragment(one.line))
            if wording.text and (verdict.is_sure or wording.stands_alone):  # doubted twice: it stays in its note
                told.add(one, _fact(one, verdict, about, wording, titles.get(about.path) or about.title), about)
    made = {fact.entity: fact.title or "" for fact in told.facts if fact.entity not in there}
    return Extraction(told.facts, made, len(read), 0)


def lines_to_embed(passages: Sequence[Passage]) -> Iterator[Line]:
    """Yield the lines that the judge would look at, in order."""
    return (one.line for one in _read(passages) if not _is_left(one))


def find_promising(
    passages: Sequence[Passage], vectors: Vectors, least: float
) -> Iterator[tuple[Passage, Statement, Line]]:
    """Yield the statements whose chance to be worth keeping is at least so much, in order; none that gives orders."""
    return ((one.passage, one.statement, one.line) for one, _ in _kept(_read(passages), vectors, least))


def _read(passages: Sequence[Passage]) -> list[ReadLine]:
    talk = Talk()
    answered = with_answers(_iter_lines(passages))
    return with_agreed([one._replace(line=talk.told(one.passage, one.line)) for one in answered])


def _iter_lines(passages: Sequence[Passage]) -> Iterator[ReadLine]:
    before: dict[_Place, str] = {}  # what was said last
    for passage in passages:
        said = blank_recalled(passage.text)  # what was recalled and pasted is a use of it, not a new statement
        if passage.is_turn and not is_program(passage.speaker):
            said = blank_asked_about(said)
        text = without_stamp(said)
        machine = MachineText(text)
        place = (passage.occasion, passage.headings)
        for statement, line in read_lines(passage, text, before.get(place, ""), machine):
            yield ReadLine(passage, machine, statement, line, text)
            before[place] = line.text


def find_introduced(texts: Sequence[str], known: Sequence[Known], min_mentions: int) -> list[Candidate]:
    """Return names in texts that deserve to become entities, without those that would be an order as a title."""
    found = find_candidates(texts, NameIndex(known), min_mentions=min_mentions)
    return [one for one in found if is_harmless_name(one.title)]


def _with_speakers(named: Iterable[Candidate], passages: Iterable[Passage]) -> list[Candidate]:
    """Return names with those as people under which somebody speaks, where no text says itself what they are."""
    said = {one.speaker for one in passages if one.is_turn and one.speaker}
    speakers = {name_key(name) for name in said if not is_own_speech(name) and not is_program(name)}
    return [
        one._replace(path=f"people/{one.path.partition('/')[2]}")
        if one.why == RECURRING and name_key(one.title) in speakers
        else one
        for one in named
    ]


def _kept(
    read: Sequence[ReadLine], vectors: Vectors, least: float = CANDIDATE_FROM, *, parts: bool = False
) -> Iterator[tuple[ReadLine, Verdict]]:
    """Yield what is worth it by the judge, and with `parts` also what only gives a reason, or is a part of a lesson."""
    judge = load_judge()
    beside = list_beside(read) if parts else [False] * len(read)
    for one, is_part in zip(read, beside, strict=True):
        if _is_left(one):
            continue
        verdict = judge.judge(one.line, line_vector(one.line, vectors) if vectors else ())
        is_wanted = verdict.is_sure or (verdict.chance >= least and not one.line.is_agent)
        is_wanted = is_wanted or is_part or (parts and is_bare_reason(one.line.text))
        if is_wanted and is_fleeting(one.line):
            continue
        # What gives orders stays raw text, which is never served, and becomes no fact besides.
        if is_wanted and not any(map(find_injection, {one.line.text, one.statement.text})):
            yield one, verdict


def _is_left(one: ReadLine) -> bool:
    """Tell whether a line is no statement of anybody, whatever its words: a program's, a task, struck out, too long."""
    line = one.line
    if line.is_answer or line.is_taken_up:
        return line.is_machine or line.is_taken_up
    if is_noise(one.statement, one.machine, is_turn=one.passage.is_turn):
        return True
    if sum(map(str.isalpha, line.text)) < _FEWEST_LETTERS or any(box in line.lead for box in _BOXES):
        return True
    if is_open(line) or is_small_talk(line.text):
        return True
    return _STRUCK in one.text[max(0, one.statement.start - len(_STRUCK)) : one.statement.end]


def _evidence_of(read: Iterable[ReadLine], background: Iterable[str]) -> Evidence:
    """Return how often names stand in what is read, and in what was read before."""
    evidence = Evidence()
    for one in read:
        evidence.add(one.line.text, one.line.headings)
    for text in background:
        evidence.add(text, ())
    return evidence


def read_parts(line: Line, passage: Passage, attribution: Attribution, evidence: Evidence) -> list[tuple[Line, About]]:
    """Return a statement with whom it is about; a compound one as a line for each clause, when each stands by itself.

    Clauses with one subject are about one entity: the one that any of them names.
    """
    clauses = [] if line.is_answer else read_clauses(line.text)
    whose = [clause.who for clause in clauses if clause.who is not None]
    if len(clauses) < 2 or len(whose) < len(clauses):
        return [(line, attribution.about(line, passage, evidence))]
    parts = [line._replace(text=clause.text[0].upper() + clause.text[1:]) for clause in clauses]
    about: dict[str, About] = {}
    for who, one in zip(whose, parts, strict=True):
        if who not in about or about[who].origin != TEXT:
            found = attribution.about(one, passage, evidence)
            about[who] = found if found.origin == TEXT else about.get(who, found)
    return [(one, about[who]) for who, one in zip(whose, parts, strict=True)]


def category_of(line: Line, verdict: Verdict) -> Category:
    """Return what a statement is: as a rule says that spoke for it, as its heading promises, else as the judge says.

    On marked notes the rules are right in nine of ten, headings in 17 of 20, the judge in seven of ten. In talk the
    rules and the judge are right in eight of ten.
    """
    if line.is_agreed:
        return Category.DECISION
    if line.is_answer and asks_how(line.text):
        return Category.INSTRUCTION
    if line.grade == HIGH:
        category = fact_category(line.signals[0])
        told = without_asides(line.text)
        if category == Category.INSTRUCTION and told != line.text:
            category = remembered_category(told)  # "remember that ..." gives no order: it stresses what follows
        return verdict.corrected(category) if line.speaker else category
    if says_who_is_what(line):
        return Category.RELATIONSHIP
    promised = promised_category(line)
    return Category(promised) if promised else verdict.category


def _fact(one: ReadLine, verdict: Verdict, about: About, wording: Wording, title: str | None) -> HandoffFact:
    category = category_of(one.line, verdict)
    waits = is_unsettled(one.line) or (category == Category.DECISION and is_hedged(one.line.text))
    return HandoffFact(
        entity=about.path,
        fact=wording.text,
        category=category,
        confidence=round(verdict.chance, 2),
        candidate=waits or not (verdict.is_sure and wording.stands_alone),
        quote=one.statement.text,
        entry=one.passage.id,
        title=title,
        related=about.others[:MAX_RELATED],
    )
