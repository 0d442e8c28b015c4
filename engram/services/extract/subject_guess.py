"""Whom a statement is about and of what kind it is, when the one who writes it down says neither. Pure."""

from collections.abc import Iterable
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.slots import read_slot
from engram.language.names.mentions import Known
from engram.language.screen.secrets import redact
from engram.language.signal.detector import HIGH
from engram.model.vocabulary import Category
from engram.services.extract.extract import category_of
from engram.services.extract.judge import load_judge
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.lines.passage import read_lines
from engram.services.extract.subject.attribution import Attribution
from engram.services.extract.subject.home import Home

_OF_PERSONS: Final = {  # attribute of a person, named as in the registry -> category
    **dict.fromkeys(("employer", "role", "skill", "hobby", "language"), Category.IDENTITY),
    **dict.fromkeys(("city", "country", "address", "timezone", "email", "phone"), Category.IDENTITY),
    **dict.fromkeys(("name", "birthday", "age"), Category.IDENTITY),
    **dict.fromkeys(("spouse", "manager"), Category.RELATIONSHIP),
    **dict.fromkeys(("editor", "shell", "browser", "os", "theme"), Category.PREFERENCE),
    **dict.fromkeys(("favourite-colour", "favourite-food", "favourite-drink"), Category.PREFERENCE),
}


class Guess(NamedTuple):
    """What was found for a statement."""

    entity: str  # path
    title: str | None  # of an entity that has to be made; None: as its path says
    category: Category


def guess(text: str, known: Iterable[Known], *, owner: str, home: Home | None = None) -> Guess:
    """Return whom a person's statement is about, and its category, as extraction would find them in a conversation.

    Args:
        text: what the person says; of several sentences the first that names its subject decides.
        known: the entities there are, with their names.
        owner: path of the entity that "I" means, or "" for nobody.
        home: what a statement is about that names nobody; None: the owner.
    """
    listed = list(known)
    clean = redact(text).text
    place = home or Home("")
    passage = Passage("", clean, is_turn=True, home=place.path, home_title=place.title)
    lines = [line for _, line in read_lines(passage, clean)] or [Line(text=clean, speaker="user", is_user=True)]
    evidence = Evidence()
    for line in lines:
        evidence.add(line.text, ())
    attribution = Attribution(listed, owner=owner)
    found = [(line, attribution.about(line, passage, evidence)) for line in lines]
    line, about = next((one for one in found if one[1].origin == TEXT), found[0])
    return Guess(about.path, about.title or None, _category(line, about.path))


def _category(line: Line, path: str) -> Category:
    """Return what a statement is: for a person as the attribute says that it fills, unless a rule spoke for it."""
    slot = read_slot(line.text) if path.startswith("people/") and line.grade != HIGH else None
    known = _OF_PERSONS.get(slot.attribute) if slot is not None else None
    return known or category_of(line, load_judge().judge(line))
