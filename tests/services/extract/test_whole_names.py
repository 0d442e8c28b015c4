"""People who are named by their whole name, and what is no name: a legal form, a part of a longer name."""

from engram.language.names.mentions import Known
from engram.model.handoff import HandoffFact
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import Passage
from tests.cases import for_each

OWNER = "people/mia"


def _told(*said: str, is_turn: bool) -> list[HandoffFact]:
    speaker, home = ("user", "projects/hall") if is_turn else (None, "")
    one = [
        Passage(f"t{number}", text, is_turn=is_turn, speaker=speaker, occasion="o", home=home)
        for number, text in enumerate(said)
    ]
    return extract(one, [Known(OWNER, ("Mia", "user"))], owner=OWNER, min_mentions=3).facts


@for_each(
    ("said", "entity"),
    [
        ("Katrin Achterberg = my Doktormutter", "people/katrin-achterberg"),
        ("my supervisor is Greta Lund and she hates Word files", "people/greta-lund"),
        ("Karl Bode = my supervisor", "people/karl-bode"),
        ("coach is Nora Finch", "people/nora-finch"),
        ("Gwen Cartwright, she's the landlady", "people/gwen-cartwright"),
        ("Meine Chefin ist Petra Lang und sie mag kurze Mails", "people/petra-lang"),
        ("Ma cheffe est Solène Petit et elle aime les mails courts", "people/solène-petit"),
        ("Mi jefa es Elvira Paz, prefiere correos cortos", "people/elvira-paz"),
    ],
)
def test_who_somebody_is_is_a_fact_about_them(said: str, entity: str) -> None:
    for is_turn in (True, False):
        facts = _told(said, is_turn=is_turn)

        assert [(one.entity, one.category.value, one.candidate) for one in facts] == [(entity, "relationship", False)]


@for_each(
    ("said", "other"),
    [
        ("- Ordered 2 PowerSoil Pro kits, 389 € each", "pro"),
        ("- Ordered 2 PowerSoil Pro kits, 389 € each, Lieferung ca. 3 weeks", "lieferung"),
        ("- Matting inspection by SafeFall Ltd booked for 26 November, £220", "ltd"),
        ("- SafeFall Ltd delivers the mats on 3 December", "ltd"),
        ("- Chalk: 3 boxes left, order from Peak Chalk when down to 1", "chalk"),
        ("- Youth squad trains Mondays and Fridays, coach is Ellie Marsh", "ellie-marsh"),
        ("- I ordered two Quick Spin Plus kits", "quick-spin-plus"),
        ("- Лодки строит ООО, договор подписан 3 мая", "ооо"),
    ],
)
def test_a_part_of_a_name_and_what_is_counted_is_no_project(said: str, other: str) -> None:
    assert f"projects/{other}" not in [one.entity for one in _told(said, is_turn=False)]


def test_who_does_what_people_do_is_a_person() -> None:
    assert [one.entity for one in _told("- Ellie Marsh trains the kids on Mondays", is_turn=False)] == [
        "people/ellie-marsh"
    ]
