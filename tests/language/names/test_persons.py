"""Whether a name is a person's: by what the text says, and not by a word of another language."""

from engram.language.names.persons import is_person
from tests.cases import for_each


@for_each(
    ("said", "name", "is_one"),
    [
        ("Yesterday Maren asked for the draft", "Maren", True),
        ("Luc a proposé un autre port", "Luc", True),
        ("Quentine nous a demandé le budget", "Quentine", True),
        ("Mon chef Quentin veut un rapport", "Quentin", True),
        ("Wiebke hat gestern angerufen", "Wiebke", True),
        ("Maren leitet das Team", "Maren", True),
        ("Je l'ai vu avec mon ami Quentin", "Quentin", True),
        ("The AMI Builder runs each night", "Builder", False),
        ("Chef Infra manages the nodes", "Infra", False),
        ("Mediterranean cuisine is what they cook", "Mediterranean", False),
        ("Gap validé : pas d'agent pour cela", "Gap", False),
        ("Coût revient : 25 à 45 € par mois", "Coût", False),
        ("Diff proposé : un autre fournisseur", "Diff", False),
        ("Chandelle propose trois formats", "Chandelle", False),
        ("Apple M3 Pro: good for inference, cannot train", "Pro", False),
        ("At 5 p.m. Lantern is deployed", "Lantern", False),
        ("Show me Lantern on a map", "Lantern", False),
        ("The Assistant Axis maps the space of personas", "Axis", False),
        ("Nginx leitet die Anfragen weiter", "Nginx", False),
        ("Nginx antwortete mit 502", "Nginx", False),
        ("On a écrit Chandelle en Rust", "Chandelle", False),
    ],
)
def test_a_person_is_told_by_what_people_alone_do_or_are(said: str, name: str, is_one: bool) -> None:
    assert is_person(said, name) == is_one
