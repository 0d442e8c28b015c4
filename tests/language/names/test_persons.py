"""Whether a name is a person's: by what the text says, and not by a word of another language."""

from engram.language.names.persons import introductions
from engram.language.names.persons import is_person
from engram.language.names.spans import find_names
from tests.cases import for_each

INTRODUCED = (
    "asked Boris",
    "sister Meera said",
    "told Gaetane and Olu",
    "five players: Mo and Priya",
    "спросил Анну",
    "",
)


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
        ("Je l'ai su par ma copine Nolwenn", "Nolwenn", True),
        ("J'ai demandé à Gaétane de relire", "Gaétane", True),
        ("I asked ChatGPT for a summary", "ChatGPT", False),
        ("We told Claude to wait", "Claude", False),
        ("The pote Chandelle bosse on the map", "Chandelle", False),
        ("Agreement signed by Vera and two others", "Agreement", False),
        ("Wiebke signed the agreement by noon", "Wiebke", True),
        ("Luis, unser Buchhalter", "Luis", True),
        ("Luis, nuestro contable", "Luis", True),
        ("The dice Lantern mag and the Lantern dice", "Lantern", False),
        ("We pin the node Lantern trabaja to the zone", "Lantern", False),
    ],
)
def test_a_person_is_told_by_what_people_alone_do_or_are(said: str, name: str, is_one: bool) -> None:
    assert is_person(said, name) == is_one


@for_each(
    ("said", "names"),
    [
        ("I asked Gaetane to review the contract by Friday", ["Gaetane"]),
        ("I've just told Marit that we move the launch", ["Marit"]),
        ("I met with Olu yesterday and we agreed to drop the app", ["Olu"]),
        ("I talked to Marit and Olu about the budget", ["Marit", "Olu"]),
        ("Ask Marit before you deploy", ["Marit"]),
        ("J'ai demandé à Gaétane de relire le contrat", ["Gaétane"]),
        ("On en a parlé avec Nolwenn et Maëlig hier", ["Nolwenn", "Maëlig"]),
        ("Demande à Gaétane avant vendredi", ["Gaétane"]),
        ("Ich habe Wenke gefragt, ob sie die Migration übernimmt", ["Wenke"]),
        ("Ich habe gestern mit Wenke über das Budget gesprochen", ["Wenke"]),
        ("Frag Wenke, bevor du das änderst", ["Wenke"]),
        ("Le pregunté a Itziar si puede revisar el contrato", ["Itziar"]),
        ("He hablado con Nekane y prefiere las mañanas", ["Nekane"]),
        ("I asked ChatGPT for a summary", []),
        ("I asked Claude for a summary", []),
        ("We met with Acme about the contract", []),
        ("I spoke to Zentric support about the outage", []),
        ("I met with Zentric, they want a discount", []),
        ("I told Docker to restart it", []),
        ("The worker talks to Zentric over TLS", []),
        ("I asked the API for a summary", []),
        ("J'ai demandé à ChatGPT un résumé", []),
        ("J'ai demandé à l'API", []),
        ("Ich habe Kunden gefragt, ob sie warten", []),
        ("Ich habe mit Kunden über den Preis gesprochen", []),
        ("Wir haben Maßnahmen getroffen", []),
        ("Ich habe mit Anwälten gesprochen", []),
        ("Le pedí a Alexa una alarma", []),
    ],
)
def test_whom_somebody_asks_tells_or_meets_is_a_person(said: str, names: list[str]) -> None:
    starts = introductions(said)

    assert [said[start:].split(maxsplit=1)[0].strip(",.") for start in sorted(starts)] == names


@for_each(
    ("said", "expected"),
    [
        ("Our landlord is Mr. Kowalski", ["Kowalski"]),
        ("The vet is called Dr Weber", ["Weber"]),
        ("my accountant Sr. Figueiredo needs the sales", ["Figueiredo"]),
        ("Der Vermieter heißt Herr Kowalski", ["Kowalski"]),
        ("I work as a Sr. Software Engineer", []),
    ],
)
def test_who_has_a_title_is_a_person_and_the_title_is_no_name(said: str, expected: list[str]) -> None:
    names = {span.start: span.name for span in find_names(said)}
    assert [names[start] for start in sorted(introductions(said)) if start in names] == expected
    assert not {"Mr", "Dr", "Sr", "Herr"} & set(names.values())


@for_each("said", [f"{first} {rest}" for first in ("Anna", "Mr. Anna", "My", "We", "Я", "我") for rest in INTRODUCED])
def test_nobody_is_introduced_by_the_first_word(said: str) -> None:
    assert 0 not in introductions(said)
