"""Which names a text says are those of companies, and that those of people are none."""

from engram.language.names.organisations import organisations
from tests.cases import for_each


@for_each(
    ("said", "name"),
    [
        ("We asked Zentric GmbH for a quote", "Zentric"),
        ("Bolder Systems wants 40 euros", "Bolder Systems"),
        ("I met with Bank of Riga", "Bank of Riga"),
        ("Olu works at Zentric", "Zentric"),
        ("Zentric, a small company from Riga", "Zentric"),
        ("Zentric is our new supplier for sensors", "Zentric"),
        ("I talked to Zentric's sales team", "Zentric"),
        ("the company Zentric called", "Zentric"),
        ("Zentric ist unser neuer Lieferant.", "Zentric"),
        ("Ich arbeite bei Zentric", "Zentric"),
        ("Zentric est une société de Lyon", "Zentric"),
        ("Mi hermana trabaja en Zentric", "Zentric"),
    ],
)
def test_a_company(said: str, name: str) -> None:
    assert name in organisations(said)


@for_each(
    ("said", "name"),
    [
        ("I met with Olu yesterday", "Olu"),
        ("Olu is our accountant", "Olu"),
        ("Olu is at the company", "Olu"),
        ("Olu, our lawyer from the company, called", "Olu"),
        ("Olu's sister lives in Riga", "Olu"),
        ("Olu is the company lawyer", "Olu"),
        ("Ich habe mit Wenke gesprochen, sie ist bei der Firma", "Wenke"),
    ],
)
def test_a_person_is_no_company(said: str, name: str) -> None:
    assert name not in organisations(said)
