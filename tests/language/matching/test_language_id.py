from engram.language.matching.language_id import language_of
from engram.language.matching.language_id import language_within
from engram.language.matching.language_id import latin_languages_of
from tests.cases import for_each


@for_each(
    ("text", "language"),
    [
        ("I prefer Haskell", "en"),
        ("ok", "en"),
        ("Я предпочитаю Kotlin и Kubernetes", "ru"),
        ("Це дуже добре, її немає", "uk"),
        ("我喜欢用 TypeScript", "zh"),
        ("私はお茶が好きです", "ja"),
        ("저는 차를 좋아해요", "ko"),
        ("El perro es de la casa y no me gusta", "es"),
        ("Je ne suis pas dans la maison", "fr"),
        ("L'équipe déploie jeudi", "fr"),  # what an apostrophe or a hyphen joins counts
        ("Appelle-moi Flo", "fr"),
        ("It's a state-of-the-art on-call rota", "en"),
        ("Ich bin nicht auf dem Weg", "de"),
        ("Duz mich ruhig", "de"),
        ("Nicht freitags deployen", "de"),
        ("Größere Änderungen später", "en"),
        ("We order at Bitte and Co", "en"),
        ("We use TypeScript, React and Vue for Яндекс", "en"),
        ("React랑 TypeScript 쓰자", "ko"),
        ("PR 머지하고 main branch에 push 해주세요", "ko"),
        ("https://example.com/a/b 봐줘", "ko"),
        ("Deploy через Jenkins на production", "ru"),
        ("把 README 改成 English version", "zh"),
        ("We met 李明 yesterday at the office", "en"),
        ("我爱吃那家の面包店的面包，还有蛋糕和咖啡", "zh"),
        ("東京の天気は良いです", "ja"),
        ("ｶﾀｶﾅ", "ja"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af", "ko"),
        ("Ｉ　ｐｒｅｆｅｒ　ｔｅａ", "en"),
        ("𠮷野家", "zh"),
        ("", "und"),
        ("123 !!! 👍", "und"),
    ],
)
def test_the_language_shows_in_script_and_function_words(text: str, language: str) -> None:
    assert language_of(text) == language


@for_each(
    ("text", "some", "none"),
    [
        ("Show me Lantern on a map", {"en"}, {"fr", "de", "es"}),
        ("Mon chef Quentin veut un rapport", {"fr"}, {"en", "de"}),
        ("Luis ist Buchhalter", {"de", "en"}, {"fr"}),  # one word: it may be a name in an English text
        ("Lantern", {"en", "de", "fr", "es"}, set()),  # nothing speaks for any
        ("Маяк пишет на Go", {"en", "de", "fr", "es"}, set()),
    ],
)
def test_what_a_text_in_latin_letters_may_be(text: str, some: set[str], none: set[str]) -> None:
    found = latin_languages_of(text)

    assert (some - found, none & found) == (set(), set())


def test_the_beginning_of_a_long_text_decides() -> None:
    assert language_of("Я предпочитаю чай. " * 400 + "english " * 5000) == "ru"


@for_each(
    ("part", "around", "language"),
    [
        ("plain words", "ru", "en"),
        ("plain words", "es", "es"),
        ("чай", "ru", "ru"),
        ("чай и tea", "en", "ru"),
        ("чай", "ko", "ru"),
        ("茶", "ko", "zh"),
        ("お茶が好き", "zh", "ja"),
        ("東京都", "ja", "ja"),
        ("чай", "uk", "uk"),
        ("123", "ko", "en"),
        ("ชา", "zh", "th"),
    ],
)
def test_a_part_is_in_the_language_around_it_unless_its_script_speaks_against_it(
    part: str, around: str, language: str
) -> None:
    assert language_within(part, around) == language


def test_many_english_words_settle_a_latin_text_before_the_others_are_counted() -> None:
    assert language_of("the a an and or of to in is are was " * 3 + "el la los las del que por con " * 40) == "en"
