"""Whom a text speaks of by what they are to another."""

from engram.language.names.relatives import relatives
from tests.cases import for_each


@for_each(
    ("text", "whose"),
    [
        ("Bob's mate joins on Monday", [("Bob's mate", "Bob")]),
        ("Dev is off, and his old climbing mate comes in", [("his old climbing mate", "")]),
        ("My sister Meera moved", [("My sister", "")]),
        ("Bernds Kumpel fängt am Montag an", [("Bernds Kumpel", "Bernd")]),
        ("Die Schwester von Bernd zieht um", [("Die Schwester von Bernd", "Bernd")]),
        ("La sœur de Bruno commence lundi", [("La sœur de Bruno", "Bruno")]),
        ("El amigo de Pedro empieza el lunes", [("El amigo de Pedro", "Pedro")]),
        ("Друг Бориса выходит в понедельник", [("Друг Бориса", "Бориса")]),
        ("小王的朋友周一开始上班", [("小王的朋友", "小王")]),
        ("민수의 친구 박지훈이 일한다", [("민수의 친구", "민수")]),
        # what only says of a name who that is
        ("Dev is my manager", []),
        ("Luis, our accountant, is away", []),
        ("Marit ist unsere Chefin", []),
        ("Gaétane est notre comptable", []),
        ("Марина — наш бухгалтер", []),
        ("林姐是我们的同事", []),
        # what is no person's
        ("Bob's van is new", []),
        ("The mate of the anchor", []),
        ("Das Dach von Bernd ist neu", []),
    ],
)
def test_whom_a_text_names_by_what_they_are_to_another(text: str, whose: list[tuple[str, str]]) -> None:
    assert [(text[one.start : one.end], one.owner) for one in relatives(text)] == whose
