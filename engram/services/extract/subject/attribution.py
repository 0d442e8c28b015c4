"""Whom a statement is about: the candidate that the learned weights prefer, as an entity.

What may speak for it: the subject of the sentence, the speaker for what a speaker says of themselves, the headings, the
repository of the section, the conversation's project, the note's agent. In a conversation the subject of the sentence
goes first, in a note all of it is weighed. There is always somebody, so nothing worth keeping is dropped.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Mapping
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.self_names import is_sought_in_text
from engram.base.speaker_names import NAMELESS
from engram.base.text import parse_entity_path
from engram.base.text import slugify
from engram.language.compare.slots.person_questions import asks_of_a_person
from engram.language.names.inflection import is_oblique
from engram.language.names.mentions import Known
from engram.language.names.mentions import Mention
from engram.language.names.mentions import NameIndex
from engram.language.names.persons import is_person
from engram.language.names.same_name import sound_key
from engram.language.names.spans import DEFINED
from engram.language.names.spans import PHRASE
from engram.language.names.spans import TITLED
from engram.language.screen.injection import find_injection
from engram.language.signal.detector import HIGH
from engram.model.vocabulary import Category
from engram.services.extract.lines.evidence import BEFORE
from engram.services.extract.lines.evidence import HOME
from engram.services.extract.lines.evidence import OWNER
from engram.services.extract.lines.evidence import SPEAKER
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.evidence import names_in
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.subject.antecedent import find_antecedent
from engram.services.extract.subject.antecedent import may_mean_a_thing
from engram.services.extract.subject.antecedent import may_mean_either
from engram.services.extract.subject.subject_features import Candidate
from engram.services.extract.subject.subject_features import introduces
from engram.services.extract.subject.subject_features import is_aside
from engram.services.extract.subject.subject_features import is_subject
from engram.services.extract.subject.subject_features import list_candidates
from engram.services.extract.subject.subject_features import speaks_of_self
from engram.services.extract.weights import Weights

FILE: Final = Path(__file__).with_name("subject.json")
_IN_TALK: Final = "subject"  # the output for what is said in a conversation
_IN_NOTE: Final = "subject of a note"
_NAMELESS: Final = "people/nameless-speaker"  # who speaks under a name that can be no entity's: signs, an order
_HANGUL: Final = re.compile("[\uac00-\ud7a3]")
_LONGEST_NAME: Final = 60  # characters; what is longer is a sentence


class About(NamedTuple):
    """The entity of a statement."""

    path: str  # people/anna
    title: str | None  # for when it has to be made; None: it is there
    others: tuple[str, ...] = ()  # paths of other entities that the statement names
    origin: str = ""  # where its name stands: text, heading, before, row, speaker, home


class Attribution:
    """Says whom the lines of passages are about; learns names as it goes along."""

    def __init__(self, known: Iterable[Known], *, owner: str) -> None:
        """Take the entities there are, with their names, and the path of the workspace's owner ("" for none)."""
        listed = list(known)
        self._index = NameIndex(listed)
        self._owner = owner
        self._names = {one.path: one.names[0] if one.names else "" for one in listed}
        self._by_key: dict[str, str] = {}
        for one in listed:
            for name in (*one.names, one.path.partition("/")[2].replace("-", " ")):
                if self._index.find_path(name) == one.path and is_sought_in_text(name):
                    self._by_key.setdefault(name_key(name), one.path)
        self._by_sound: dict[tuple[str, str], set[str]] = defaultdict(set)
        for one in listed:
            for name in one.names:
                self._by_sound[_kind_of(one.path), sound_key(name)].add(one.path)
        self._weights = _weights()

    def about(self, line: Line, passage: Passage, evidence: Evidence) -> About:
        """Return whom a line is about."""
        if (meant := self._antecedent(line, evidence)) is not None:
            named = dict.fromkeys(mention.path for mention in self._index.find(line.text))
            return About(*meant, tuple(path for path in named if path != meant[0]), BEFORE)
        is_own = (
            bool(line.speaker)
            and not line.is_answer
            and speaks_of_self(line.text)
            and not any(
                introduces(line, one.name) or (one.start == 0 and evidence.is_introduced(name_key(one.name)))
                for one in names_in(line.text)
            )
        )
        if is_own and (own := self._speaker(line)) is not None:
            named = dict.fromkeys(mention.path for mention in self._index.find(line.text))
            return About(*own, tuple(path for path in named if path != own[0]), SPEAKER)
        mentions = [one for one in self._index.find(line.text) if line.speaker or self._is_name(one, line.text)]
        is_of_user = line.is_answer and line.is_user and not mentions and asks_of_a_person(line.text)
        if is_of_user and (own := self._speaker(line)) is not None:
            return About(*own, (), SPEAKER)
        spans = {mention.path: line.text[mention.start : mention.end] for mention in mentions}
        known = self._by_key | {name_key(said): path for path, said in spans.items()}
        found = list_candidates(line, evidence, known, [(one.start, one.end) for one in mentions])
        is_either = may_mean_either(line, self._index, evidence)
        if is_either or may_mean_a_thing(line):  # and it is not certain whom or what
            found = [one for one in found if one.origin != BEFORE]
        output = _IN_TALK if line.speaker else _IN_NOTE
        scored = sorted(((self._score(one, output), number) for number, one in enumerate(found)), reverse=True)
        others = tuple(spans)
        is_first = [is_subject(one, line) and (bool(line.speaker) or _leads(one)) for one in found]
        if line.speaker:  # of two names that may be it, the one with which the sentence begins
            scored.sort(key=lambda one: not found[one[1]].features.get("begins"))
        scored.sort(key=lambda one: not is_first[one[1]])
        scored.sort(key=lambda one: is_aside(found[one[1]], line))
        # Whom the line before names is meant by a word such as "it", and by no sentence that has a subject of its own.
        scored.sort(key=lambda one: found[one[1]].origin == BEFORE and not found[one[1]].features.get("anaphor"))
        for _, number in scored:
            if found[number].origin == HOME and _is_of_a_person(line) and (own := self._speaker(line)) is not None:
                return About(*own, others, SPEAKER)
            if (resolved := self._resolve(found[number], line, passage, spans, evidence)) is not None:
                path, title = resolved
                origin = "" if is_either else found[number].origin  # then no name stands for the pronoun
                return About(path, title, tuple(other for other in others if other != path), origin)
        path = passage.home or self._owner or "people/user"
        return About(path, self._title_of(path, passage.home_title), others, HOME)

    def name_of(self, path: str) -> str:
        """Return the name of an entity that is known, else ""."""
        return self._names.get(path, "")

    def _antecedent(self, line: Line, evidence: Evidence) -> tuple[str, str | None] | None:
        """Return the entity of the person whom a pronoun at the beginning of a turn's statement means."""
        found = find_antecedent(line, self._index, evidence)
        if found is None or found.path:
            return (found.path, None) if found else None
        return self._made(f"people/{slugify(found.name)}", found.name)

    def _is_name(self, mention: Mention, text: str) -> bool:
        """Tell whether a note means an entity by a word: "the pipeline" is not the agent that is called Pipeline."""
        said, title = text[mention.start : mention.end], self._names[mention.path]
        if not (said.isalpha() and said.islower() and title.isalpha() and title[0].isupper()):
            return True
        return text[: mention.start].endswith("@") and not text[mention.end :].startswith("/")

    def _score(self, candidate: Candidate, output: str) -> float:
        return self._weights.score(output, self._weights.rows(candidate.features))

    def _resolve(
        self, candidate: Candidate, line: Line, passage: Passage, spans: Mapping[str, str], evidence: Evidence
    ) -> tuple[str, str | None] | None:
        """Return (path, title when it has to be made) of a candidate, or None when it cannot be an entity."""
        if candidate.origin == HOME:
            return (passage.home, self._title_of(passage.home, passage.home_title)) if passage.home else None
        if candidate.origin == SPEAKER:
            return self._speaker(line)
        if candidate.origin == OWNER:
            return (self._owner, None) if self._owner else None
        for path, said in spans.items():
            if name_key(said) == candidate.key:
                return path, None
        bare = name_key(candidate.name.rpartition(" ")[0]) if candidate.form == PHRASE else candidate.key
        if (known := self._by_key.get(candidate.key) or self._by_key.get(bare)) is not None:
            return known, None  # "the billing service" is Billing, where that is known
        return self._new(candidate, line, evidence)

    def _speaker(self, line: Line) -> tuple[str, str | None] | None:
        if line.is_user:
            return (self._owner, None) if self._owner else ("people/user", "User")
        if line.is_agent:
            return None
        path = self._index.find_path(line.speaker) or self._by_key.get(name_key(line.speaker))
        if path:
            return path, None
        made = self._made(f"people/{slugify(line.speaker)}", line.speaker)
        return made or (_NAMELESS, self._title_of(_NAMELESS, NAMELESS))  # never the owner

    def _new(self, candidate: Candidate, line: Line, evidence: Evidence) -> tuple[str, str | None] | None:
        name = candidate.name
        if len(name) > _LONGEST_NAME or (candidate.origin == TEXT and is_oblique(name.casefold().split()[-1])):
            return None
        introduced = is_person(line.text, name) or evidence.is_introduced(candidate.key)
        if candidate.features.get("recurring"):
            introduced = introduced or evidence.is_person_somewhere(candidate.key)
        is_somebody = introduced and candidate.form != DEFINED and not evidence.is_company(candidate.key)
        person = candidate.form == TITLED or is_somebody
        # What a particle stands behind may be a piece of a sentence: 우리집 고양|이 나 무시함.
        is_piece = bool(line.speaker) and candidate.form == PHRASE and _HANGUL.search(name) is not None
        if is_piece and not person and not evidence.is_named_twice(candidate.key):
            return None
        return self._made(f"{'people' if person else 'projects'}/{slugify(name)}", name)

    def _made(self, path: str, title: str) -> tuple[str, str | None] | None:
        parsed = parse_entity_path(path)
        if parsed is None or not is_harmless_name(title):
            return None
        alike = self._by_sound.get((parsed[0], sound_key(title)), set()) if sound_key(title) else set()
        if len(alike) == 1:  # Сергей, Sergey and Sergei are one; what is only like another name `doctor` asks about
            return next(iter(alike)), None
        path = "/".join(parsed)
        return path, self._title_of(path, title[0].upper() + title[1:] if " " in title else title)

    def _title_of(self, path: str, title: str) -> str | None:
        return None if path in self._names else title or None


def _leads(candidate: Candidate) -> bool:
    """Tell whether a known name stands at the beginning of a note's line; one that comes later is weighed like others.

    Measured on marked notes: what a line is about was right in 71 of 100 such lines, and in 62 when a known name
    anywhere in the line went first.
    """
    features = candidate.features
    return bool(
        (features.get("known") or features.get("recurring"))
        and (features.get("begins") or features.get("second") or features.get("property"))
    )


def _is_of_a_person(line: Line) -> bool:
    """Tell whether a user says who somebody is, which is never told of a project: "네이버에서 엔지니어로 일해요"."""
    return line.is_user and line.grade == HIGH and line.signals[:1] == (Category.IDENTITY.value,)


def _kind_of(path: str) -> str:
    return path.partition("/")[0]


@functools.lru_cache(maxsize=4096)  # many facts are about one entity
def is_harmless_name(name: str) -> bool:
    """Tell whether a name is no order: as a title it would stand in indexes and summaries, whatever its facts are."""
    return find_injection(name) is None


@functools.cache
def _weights() -> Weights:
    return Weights.load(FILE)
