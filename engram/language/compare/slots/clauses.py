"""The clauses of a compound statement, each with the slot that it states, by the files in patterns/clauses.

"I work at Acme, and I live in Riga" states two slots, and is neither as a whole. A clause read wrongly brings up a
conflict that is none, so a joint such as "and" divides only what has a subject of its own or states a slot itself, and
nothing is read of conditions, guesses, questions, quotations and what others say.
"""

import itertools
import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.recurrence import is_logged
from engram.language.compare.reading.stems import fold
from engram.language.compare.slots.slots import Slot
from engram.language.compare.slots.slots import is_of_people
from engram.language.compare.slots.slots import is_stated_of
from engram.language.compare.slots.slots import may_state
from engram.language.compare.slots.slots import read_slot
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.subject_days import names_day
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import ENGLISH
from engram.language.matching.language_id import latin_languages_of
from engram.language.matching.patterns import NOTHING
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import stands_in

MAX_CHARS = 400  # a longer statement tells a story
MOST_CLAUSES = 6  # of a statement that are read

_PERSONS = frozenset({"spouse", "manager", "owner", "lead"})  # attributes whose value is a person
_QUOTED = re.compile('["“”«»„「」『』`?？]')
_ENDS = " .!。,;"
_PARTICLES = re.compile("[\uac00-\ud7a3]*")


class Clause(NamedTuple):
    """A clause of a statement."""

    text: str  # as a statement of its own: with the subject that it shares with the first clause
    slot: Slot | None  # what it states, with the subject that is meant
    who: str | None = None  # that subject, also when another clause says otherwise; None when it is in doubt
    said: str = ""  # as it stands in the statement


class _Language(NamedTuple):
    code: str
    script: str  # each of these is an expression
    joint: str
    begins: str
    speaker: str
    other: str
    unreal: str
    before: str
    elsewhen: str
    closes: bool
    finite: tuple[tuple[str, str], ...]  # ending of a clause that goes on, ending at the end of a statement

    @property
    def is_latin(self) -> bool:
        return stands_in(self.script, "a")


class _Part(NamedTuple):
    """A clause as it stands in its statement."""

    text: str
    slot: Slot | None
    own: bool  # it names its subject itself
    goes_on: bool  # its verb has an ending that leaves the tense to the last one
    doubted: bool  # something before it says that it may not be so


@lru_cache(maxsize=8192)  # a statement is compared with many
def read_clauses(text: str) -> tuple[Clause, ...]:
    """Return the clauses of a statement in order; none when it has one clause only, or none of them states a slot."""
    if len(text) > MAX_CHARS or _QUOTED.search(text):
        return ()
    written = " ".join(text.split()).strip(_ENDS)
    folded = fold(written)
    languages = [one for one in _languages() if _is_for(one, text, folded)]
    likely = languages[:1] if languages and not languages[0].is_latin else languages
    joined = [one for one in likely if compiled(one.joint).search(folded)]
    if not joined:
        return ()
    if is_logged(folded) or any(compiled(one.unreal).search(folded) for one in languages):
        return ()
    # Where a verb loses its ending in a clause, other words stand there than in the whole.
    if not any(one.finite for one in joined) and not may_state(folded):
        return ()
    if len(folded) != len(written):  # folding joined or split characters: then only the folded text has places
        written = folded
    return next((clauses for one in joined if (clauses := _read(written, folded, one))), ())


def clauses_about(text: str, path: str, names: Iterable[str]) -> tuple[Clause, ...]:
    """Return the clauses of a statement; of their slots only those of this very entity, as `slots.slot_of` reads them.

    None when no clause states a slot of the entity, or the statement has one clause only.
    """
    read = read_clauses(text)
    if not read:
        return ()
    known = tuple(names)
    clauses = tuple(
        clause if clause.slot and is_stated_of(clause.slot, path, known) else clause._replace(slot=None)
        for clause in read
    )
    return clauses if any(clause.slot for clause in clauses) else ()


def _is_for(language: _Language, text: str, folded: str) -> bool:
    """Tell whether a text may be in a language: by its script, and of those in Latin letters by its words."""
    if not stands_in(language.script, folded):
        return False
    return not language.is_latin or language.code in latin_languages_of(text)


# --- one language ------------------------------------------------------------------------------------------------


def _read(written: str, folded: str, language: _Language) -> tuple[Clause, ...]:
    parts = list(_parts(written, folded, language))
    meant = [_meant(parts, place, language) for place in range(len(parts))]
    # What is to come contests nothing of what is: "I live in Riga, and next month I live in Bern".
    dated = [bool(part.slot) and names_day(part.text) for part in parts]
    undated = [slot for slot, is_dated in zip(meant, dated, strict=True) if not is_dated]
    against = [meant if is_dated else undated for is_dated in dated]
    slots = [
        slot if slot and not _is_contested(slot, others) else None for slot, others in zip(meant, against, strict=True)
    ]
    if len(parts) == 1 or not any(slots):
        return ()
    return tuple(
        Clause(_with_subject(part, parts[0]), slot, stated.who if stated else None, part.text)
        for part, slot, stated in zip(parts, slots, meant, strict=True)
    )


def _parts(written: str, folded: str, language: _Language) -> Iterator[_Part]:
    """Cut a statement at each joint that divides two clauses."""
    joints = list(itertools.islice(compiled(language.joint).finditer(folded), 2 * MOST_CLAUSES))
    ends = [joint.start() for joint in joints[1:]] + [len(folded)]
    start, first = 0, None
    for joint, end in zip(joints, ends, strict=True):
        ended = _part(written, folded, (start, joint.start()), first, language)
        shared = first if start else ended.slot
        following = _part(written, folded, (joint.end(), end), shared, language)
        if _divides(joint, ended, following, language):
            yield ended
            start, first = joint.end(), shared
    yield _part(written, folded, (start, len(folded)), first, language)


def _divides(joint: re.Match[str], ended: _Part, following: _Part, language: _Language) -> bool:
    if ended.slot and language.closes:
        return True
    begins = compiled(language.begins).match(fold(following.text))
    if not following.slot and not begins:
        return False
    subject = begins.group() if begins else following.slot.who if following.slot and following.own else ""
    return bool(ended.slot or joint["sure"] or (subject and fold(ended.text).startswith(subject)))


def _part(written: str, folded: str, span: tuple[int, int], first: Slot | None, language: _Language) -> _Part:
    """Read a clause; one without a subject of its own has that of the first clause, if that one states a slot."""
    text = written[slice(*span)].strip(_ENDS)
    doubted = compiled(language.before).search(folded, 0, span[0]) is not None
    finite = next((pair for pair in language.finite if compiled(pair[0]).search(text)), None)
    if finite:
        text = compiled(finite[0]).sub(finite[1], text)
    tensed = compiled(language.elsewhen).search(text) is not None
    own = compiled(language.begins).match(fold(text)) is not None
    slot = None if own or not span[0] else _shared(text, first)
    if slot is None:
        slot = read_slot(text)
        own = own or bool(slot and slot.who)
        slot = slot if own or not span[0] else None
    return _Part(text, slot, own, goes_on=finite is not None and not tensed, doubted=doubted)


def _shared(text: str, first: Slot | None) -> Slot | None:
    """Read a clause with the subject of the first one, when it has none of its own."""
    if first is None:
        return None
    slot = read_slot(f"{first.who} {text}")
    if slot is None or slot.who != first.who:
        slot = read_slot(text)
    return slot._replace(who=first.who, inflected=first.inflected) if slot and slot.who in {"", first.who} else None


# --- whose slot it is --------------------------------------------------------------------------------------------


def _meant(parts: list[_Part], place: int, language: _Language) -> Slot | None:
    """Return the slot of a clause with the subject that it means; None when that is in doubt."""
    part, earlier = parts[place], parts[:place]
    if part.slot is None or part.doubted or (part.goes_on and compiled(language.elsewhen).search(parts[-1].text)):
        return None
    if not earlier:
        return part.slot
    if part.own and (pronoun := compiled(language.other).fullmatch(part.slot.who)):
        if pronoun.groupdict().get("thing"):
            return part.slot if all(one.slot and not is_of_people(one.slot.attribute) for one in earlier) else None
        return _meant_by_pronoun(part.slot, earlier, language)
    if compiled(language.speaker).match(part.slot.who) and not _is_speaker_before(part.slot, earlier, language):
        return None
    return part.slot


def _meant_by_pronoun(slot: Slot, earlier: list[_Part], language: _Language) -> Slot | None:
    """Give a pronoun the subject of the first clause, when no other person is named before it."""
    if all(part.slot is None and fold(part.text).startswith(slot.who) for part in earlier):
        return slot
    first = earlier[0].slot
    named = any(part.slot is None or part.slot.attribute in _PERSONS for part in earlier)
    if first is None or named or compiled(language.speaker).match(first.who):
        return None
    return slot._replace(who=first.who or slot.who, inflected=first.inflected)


def _is_speaker_before(slot: Slot, earlier: list[_Part], language: _Language) -> bool:
    """Tell whether a clause before it is about the speaker too: of "Anna works, and I live", I is not Anna."""
    first = earlier[0].slot
    if first is None:
        return any(compiled(language.speaker).search(fold(part.text)) for part in earlier)
    return not first.who or not is_of_people(slot.attribute) or compiled(language.speaker).match(first.who) is not None


def _is_contested(slot: Slot, slots: list[Slot | None]) -> bool:
    """Tell whether another clause says another value of the attribute: then there may be several."""
    others = [one for one in slots if one and one.attribute == slot.attribute and one.who == slot.who]
    return any(not same_value(one.value, slot.value) for one in others)


def _with_subject(part: _Part, first: _Part) -> str:
    """Return the text of a clause with the subject of the first one, when it has none of its own."""
    if part is first or part.own or first.slot is None or not first.slot.who:
        return part.text
    place = fold(first.text).find(first.slot.who)
    end = place + len(first.slot.who)
    particles = _PARTICLES.match(first.text, end)
    subject = first.text[place : particles.end() if particles else end]
    joined = "" if "\u4e00" <= subject[-1:] <= "\u9fff" else " "
    return f"{subject}{joined}{part.text}"


# --- the data ----------------------------------------------------------------------------------------------------


@cache
def _languages() -> tuple[_Language, ...]:
    """Read the files, those of Latin script last: foreign names stand in any language."""
    languages = (
        _Language(
            code=code,
            script=data["script"],
            joint=data["joint"],
            begins=data["begins"],
            speaker=data["speaker"],
            other=data["other"],
            unreal=data["unreal"],
            before=data["before"],
            elsewhen=data.get("elsewhen", NOTHING),  # matches nothing: a verb has its own tense everywhere
            closes=data.get("closes", False),
            finite=tuple((ending, becomes) for ending, becomes in data.get("finite", ())),
        )
        for code, data in read_languages("clauses").items()
    )
    return tuple(sorted(languages, key=lambda one: (one.is_latin, one.code != ENGLISH)))
