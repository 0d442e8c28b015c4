"""Whom a text names by their whole name and says who that is."""

from engram.language.names.named_by_role import acts
from engram.language.names.named_by_role import named_by_role
from engram.language.names.persons import is_person
from tests.cases import for_each


@for_each(
    ("text", "named"),
    [
        ("my supervisor is Greta Lund and she hates Word files", {"Greta Lund": True}),
        ("my supervisor is Greta Lund now", {"Greta Lund": False}),
        ("Karl Bode = my supervisor", {"Karl Bode": True}),
        ("Katrin Achterberg = my Doktormutter", {"Katrin Achterberg": True}),
        ("Gwen Cartwright, he's the landlord", {"Gwen Cartwright": True}),
        ("the broker is Gwen Lacey and she's lovely", {"Gwen Lacey": True}),
        ("Youth squad trains Mondays and Fridays, coach is Ellie Marsh", {"Ellie Marsh": False}),
        ("Meine Chefin ist Petra Lang", {"Petra Lang": False}),
        ("Petra Lang = meine Chefin", {"Petra Lang": True}),
        ("Ma cheffe est Solène Petit", {"Solène Petit": False}),
        ("Solène Petit, c'est la propriétaire", {"Solène Petit": True}),
        ("Mi jefa es Elvira Paz", {"Elvira Paz": False}),
        ("Наш бухгалтер — Марина Орлова", {"Марина Орлова": False}),
        ("our supplier is Acme Corp", {}),
        ("our package manager is Yarn Berry", {}),
        ("the developer is Harbour Bank", {}),
        ("Pnpm = our package manager", {}),
        ("coach is ill", {}),
        ("coach is Monday Morning", {}),
    ],
)
def test_who_is_called_by_the_whole_name_and_said_to_be_something(text: str, named: dict[str, bool]) -> None:
    assert named_by_role(text) == named
    assert all(is_person(text, name) for name in named)


@for_each(
    ("text", "name", "is_somebody"),
    [
        ("Ellie Marsh trains the kids", "Ellie Marsh", True),
        ("Wenke Marsch trainiert die Kinder", "Wenke Marsch", True),
        ("Maëlle Petit entraîne les enfants", "Maëlle Petit", True),
        ("Yolanda Paz entrena a los niños", "Yolanda Paz", True),
        ("Ульяна Орлова тренирует детей", "Ульяна Орлова", True),
        ("Lantern trains the model", "Lantern", False),
        ("SafeFall Ltd trains the staff", "SafeFall Ltd", False),
        ("Ellie Marsh costs 5 euros", "Ellie Marsh", False),
    ],
)
def test_who_has_a_whole_name_and_does_what_people_do_is_somebody(text: str, name: str, is_somebody: bool) -> None:
    assert acts(text, name) is is_somebody
