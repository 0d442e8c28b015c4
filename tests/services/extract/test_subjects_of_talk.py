"""Whom the turns of a conversation are about: persons whom it introduces, and what somebody's property belongs to."""

from engram.language.names.mentions import Known
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.subject.attribution import Attribution
from tests.cases import for_each

OWNER = "people/kari"
KNOWN = [Known(OWNER, ("Kari", "user")), Known("projects/lantern", ("Lantern",))]
HOME = "projects/nursery"


def _about(*said: str) -> str:
    """Return whom the last of what somebody says is about, all of it read before."""
    evidence = Evidence()
    for text in said:
        evidence.add(text, ())
    line = Line(text=said[-1], speaker="user", is_user=True, home=HOME)
    return Attribution(KNOWN, owner=OWNER).about(line, Passage("", "", is_turn=True, home=HOME), evidence).path


@for_each(
    ("introduced", "said", "path"),
    [
        (
            "I run it with my sister Lotte, she keeps the books",
            "Lotte is on holiday, send invoices to me",
            "people/lotte",
        ),
        ("My co-author Tomas does the statistics", "Tomas is leaving for Bergen in February", "people/tomas"),
        ("My wife's name is Hanne", "Hanne is in Copenhagen until Thursday", "people/hanne"),
        ("Our new accountant, Ottoline, starts today", "Ottoline needs the receipts", "people/ottoline"),
        ("Моя сестра Ульяна ведёт бухгалтерию", "Ульяна в отпуске, счета присылайте мне", "people/ульяна"),
        ("Mi hermana Nerea lleva las cuentas", "Nerea está fuera hasta el jueves", "people/nerea"),
        ("We named the server Lotte", "Lotte is down, send alerts to me", OWNER),
        ("My project called Beacon is late", "Beacon is down this week", HOME),
    ],
)
def test_whom_a_conversation_introduces_is_a_person_in_all_of_it(introduced: str, said: str, path: str) -> None:
    assert _about(introduced, said) == path


@for_each(
    ("said", "path"),
    [
        ("The deadline of Lantern is 12 December", "projects/lantern"),
        ("Our new price for Lantern is 12 euros", "projects/lantern"),
        ("Die Frist von Lantern ist der 12. Dezember", "projects/lantern"),
        ("Le délai de Lantern est le 12 décembre", "projects/lantern"),
        ("La fecha de Lantern es el 12 de diciembre", "projects/lantern"),
        ("The backup runs on the server of Lantern", HOME),
        ("We compared the price with that of Lantern", HOME),
    ],
)
def test_what_somebody_says_of_a_property_is_about_what_has_it(said: str, path: str) -> None:
    assert _about(said) == path
