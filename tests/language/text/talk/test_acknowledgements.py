"""What says that somebody heard, and no more."""

from engram.language.text.talk.acknowledgements import is_acknowledgement
from tests.cases import for_each


@for_each(
    "text",
    [
        "Ok.",
        "Got it, thanks!",
        "好的。",
        "收到，明白了",
        "네, 알겠습니다.",
        "Понял, принято.",
        "Alles klar",
        "D’accord",
    ],
)
def test_who_only_says_that_they_heard_says_nothing(text: str) -> None:
    assert is_acknowledgement(text)


@for_each(
    "text",
    ["Ok, port 8080.", "Понял, 50 МБ.", "好的，周四", "네, 2000만 원으로.", "Postgres.", "no", "不行", "", "okra"],
)
def test_what_says_a_word_more_is_none(text: str) -> None:
    assert not is_acknowledgement(text)
