"""Small talk is known in any language, however few its words are."""

from engram.language.signal.detector import is_small_talk
from tests.cases import for_each


@for_each(
    "text",
    [
        *("Schönes Wochenende!", "Have a nice weekend!", "Bon week-end !", "Buen fin de semana", "Хороших выходных!"),
        *("주말 잘 보내!", "周末愉快", "Congratulations!", "Поздравляю!", "Gute Nacht", "thanks, that's all"),
    ],
)
def test_what_says_nothing_that_lasts_is_small_talk(text: str) -> None:
    assert is_small_talk(text)


@for_each(
    "text", ["no emojis", "8 digits from now on", "Er mag Tee", "Gute Nachricht", "Call me Bruno", "Gift", "好吃"]
)
def test_few_words_may_say_something(text: str) -> None:
    assert not is_small_talk(text)
