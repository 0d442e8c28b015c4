"""Whose something is that a conversation tells of: a property, a company, a thing that a pronoun means."""

from engram.language.names.mentions import Known
from engram.model.handoff import HandoffFact
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import Passage
from tests.cases import for_each

OWNER = "people/mia"


def told(*said: str, home: str = "") -> list[HandoffFact]:
    """Return the facts of what a user says, a turn each."""
    turns = [
        Passage(f"t{number}", text, (), is_turn=True, speaker="user", occasion="talk", home=home, home_title="parcels")
        for number, text in enumerate(said)
    ]
    return extract(turns, [Known(OWNER, ("Mia", "I", "me", "user"))], owner=OWNER, min_mentions=3).facts


@for_each(
    ("said", "entity"),
    [
        ("The limit of Atlas is 150.", "projects/atlas"),
        ("The limit of Atlas is 150, not 100.", "projects/atlas"),
        ("The deadline of Lantern is 14 May.", "projects/lantern"),
        ("The limit for uploads is 20 MB.", OWNER),
        ("The birthday of Olu is 3 May.", OWNER),
    ],
)
def test_a_property_is_no_thing_of_its_own(said: str, entity: str) -> None:
    assert [one.entity for one in told(said)] == [entity]


@for_each("home", ["", "projects/parcels"])
@for_each(
    "said",
    [
        ("We met with Zentric, a company from Riga.", "Zentric wants 40 euros per seat."),
        ("I spoke with Zentric GmbH.", "Zentric wants 40 euros per seat."),
        (
            "I asked Zentric for a quote.",
            "Zentric's sales team wrote.",
            "Zentric wants 40 euros per seat.",
        ),
        ("I met with Zentric Logistics.", "Zentric Logistics delivers the sensors by 14 May."),
        ("I met with Zentric.", "Zentric is our new supplier.", "Zentric delivers the sensors by 14 May."),
        ("Ich habe mit Zentric gesprochen.", "Zentric ist eine Firma aus Riga.", "Zentric will 40 Euro pro Platz."),
        ("J'ai discuté avec Zentric.", "Zentric est un fournisseur de Riga.", "Zentric veut 40 euros par mois."),
        ("He hablado con Zentric.", "Zentric es un proveedor de Riga.", "Zentric quiere 40 euros al mes."),
    ],
)
def test_a_company_is_no_person(said: tuple[str, ...], home: str) -> None:
    facts = told(*said, home=home)

    assert facts
    assert [one.entity for one in facts if one.entity.startswith("people/zentric")] == []


@for_each(
    "said",
    [
        ("I met with Olu yesterday.", "Olu wants to work only on Tuesdays."),
        ("I met with Olu, who works at Zentric.", "Olu wants to work only on Tuesdays."),
        ("I asked Olu about the company.", "Olu wants to work only on Tuesdays."),
    ],
)
def test_who_is_met_is_a_person_still(said: tuple[str, ...]) -> None:
    assert "people/olu" in [one.entity for one in told(*said)]


@for_each(
    ("said", "fact"),
    [
        ("Wir haben eine Versicherung. Sie kostet 40 € im Monat.", "Die Versicherung kostet 40 € im Monat."),
        ("Wir haben einen neuen Drucker. Er läuft auf Port 9100.", "Der Drucker läuft auf Port 9100."),
        ("Ich habe ein Abo bei der Bahn. Es kostet 60 Euro im Monat.", "Das Abo kostet 60 Euro im Monat."),
        ("Nous avons un serveur chez OVH. Il coûte 12 € par mois.", "Le serveur coûte 12 € par mois."),
        ("Nous avons une assurance. Elle coûte 40 € par mois.", "L'assurance coûte 40 € par mois."),
        ("Nous avons une nouvelle voiture. Elle coûte 140 € par mois.", "La voiture coûte 140 € par mois."),
    ],
)
def test_a_pronoun_for_the_one_thing_right_before_is_told_by_its_noun(said: str, fact: str) -> None:
    assert [one.fact for one in told(said, home="projects/parcels")][-1] == fact


@for_each(
    "said",
    [
        "Wir haben eine Versicherung und eine Garage. Sie kostet 40 € im Monat.",  # which of them?
        "Wir haben eine neue Buchhalterin. Sie hat am 3. Mai Geburtstag.",
        "Wir haben einen Drucker. Sie kostet 40 € im Monat.",
    ],
)
def test_a_pronoun_that_may_mean_something_else_stays(said: str) -> None:
    assert [one.fact for one in told(said) if one.fact.startswith(("Die ", "Der ", "Das "))] == []


@for_each("said", ["Which region do you deploy to?", "And which database do you use?", "What port does it need?"])
def test_a_question_names_no_project(said: str) -> None:
    turns = [
        Passage(f"t{number}", text, (), is_turn=True, speaker=who, occasion="talk")
        for number, (who, text) in enumerate([("assistant", said), ("user", "eu-west-1")])
    ]

    found = extract(turns, [Known(OWNER, ("Mia",))], owner=OWNER, min_mentions=3).facts

    assert {one.entity for one in found} <= {OWNER}


@for_each(
    "said",
    [
        ("The first day is Monday the 19th of October.",),
        ("Good news: the boiler is fixed.", "The first year costs 300 euros."),
        ("Our mortgage offer is good until 9 January.",),
        ("真的投产窗口是每月第二个周四晚上 10 点。",),
    ],
)
def test_words_behind_an_article_that_come_once_are_no_thing(said: tuple[str, ...]) -> None:
    assert {one.entity for one in told(*said)} == {OWNER}


@for_each(
    "said",
    [
        ("The spare room has mould behind the wardrobe.", "The spare room is rented to Olu from 1 May."),
        ("The label printer is in the basement, room 12.",),  # words that say themselves that they name a thing
    ],
)
def test_words_behind_an_article_are_a_thing_when_they_come_again_or_name_one(said: tuple[str, ...]) -> None:
    assert {one.entity for one in told(*said)} & {"projects/spare-room", "projects/label-printer"}


def test_who_speaks_under_a_name_is_a_person_however_often_others_name_them_first() -> None:
    said = [
        ("Bo", "we put Darvin on the list"),
        ("Bo", "so there is Darvin in the plan"),
        ("Bo", "and the tickets for Darvin"),
        ("Darvin", "I moved to Split in March and I work at the harbour office."),
    ]
    turns = [
        Passage(f"t{number}", text, (), is_turn=True, speaker=speaker, occasion="talk")
        for number, (speaker, text) in enumerate(said)
    ]
    found = {one.entity for one in extract(turns, [], owner=OWNER, min_mentions=3).facts}

    assert "people/darvin" in found
    assert "projects/darvin" not in found


def test_a_project_that_a_text_calls_so_stays_one_whoever_speaks_under_its_name() -> None:
    turns = [
        Passage("t0", "The next one is [[projects/Darvin]].", (), is_turn=True, speaker="Bo", occasion="talk"),
        Passage("t1", "Darvin runs on port 7350.", (), is_turn=True, speaker="Bo", occasion="talk"),
        Passage("t2", "I moved to Split in March.", (), is_turn=True, speaker="Darvin", occasion="talk"),
    ]
    found = {one.fact: one.entity for one in extract(turns, [], owner=OWNER, min_mentions=3).facts}

    assert found["Darvin runs on port 7350."] == "projects/darvin"


@for_each(
    "said",
    [
        "Bob's mate Rob Hale joins the setters on Monday. He's bringing his own van.",
        "Dev takes his days, and his mate Rhys Bowen is coming in as freelance setter. He's bringing his own drill.",
        "Bob met his manager on Monday. He wants the report by Friday.",
        "Bob met Rhys Bowen on Monday. He wants the report by Friday.",
        "Bob's sister moved to Leipzig. She wants the report by Friday.",
        "Bernds Kumpel Ralf Hohl fängt am Montag an. Er will seinen eigenen Bohrer mitbringen.",
        "La sœur de Marie, Rémie Hall, commence lundi. Elle veut travailler le mardi.",
        "El amigo de Pedro, Raúl Paz, empieza el lunes. Él prefiere trabajar los martes.",
        "Друг Бориса Роман Хейл выходит в понедельник. Он хочет работать по вторникам.",
        "小王的朋友李明周一开始上班。他喜欢周二工作。",
        "민수의 친구 박지훈이 월요일부터 일한다. 그는 화요일 근무를 원한다.",
    ],
)
def test_no_name_stands_for_a_pronoun_that_may_mean_either_of_two_people(said: str) -> None:
    pronouns = ("He", "She", "Er ", "Elle ", "Él ", "Он ", "他", "그는 ")
    told_alone = [one.fact for one in told(said, home="projects/parcels")]
    second = said.replace("。", "。 ").partition(". " if ". " in said else "。 ")[2].partition(" ")[2] or said[-6:]

    for fact in told_alone:  # the statement stays in the note, or is told with the one before it
        assert second not in fact or any(f" {pronoun}" in fact for pronoun in pronouns)


@for_each(
    ("said", "fact"),
    [
        ("Bob is my manager. He wants the report by Friday.", "Bob wants the report by Friday."),
        ("Bob is on leave from Monday. He wants his own desk.", "Bob wants his own desk."),
        ("Marie est notre comptable. Elle préfère travailler le mardi.", "Marie préfère travailler le mardi."),
    ],
)
def test_the_name_of_the_one_person_still_stands_for_a_pronoun(said: str, fact: str) -> None:
    assert fact in [one.fact for one in told(said, home="projects/parcels")]
