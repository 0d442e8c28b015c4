import pytest

from engram.language.identify import language_of


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("I prefer TypeScript", "en"),
        ("ok", "en"),
        ("Я предпочитаю TypeScript и Kubernetes", "ru"),
        ("Це дуже добре, її немає", "uk"),
        ("我喜欢用 TypeScript", "zh"),
        ("私はお茶が好きです", "ja"),
        ("저는 차를 좋아해요", "ko"),
        ("El perro es de la casa y no me gusta", "es"),
        ("Je ne suis pas dans la maison", "fr"),
        ("Ich bin nicht auf dem Weg", "de"),
        ("We use TypeScript, React and Vue for Яндекс", "en"),
        ("", "und"),
        ("123 !!! 👍", "und"),
    ],
)
def test_the_language_shows_in_script_and_function_words(text: str, language: str) -> None:
    assert language_of(text) == language


def test_the_beginning_of_a_long_text_decides() -> None:
    assert language_of("Я предпочитаю чай. " * 400 + "english " * 5000) == "ru"
