"""Words that say of what kind a statement is are known in each language, and only as whole words."""

import pytest

from engram.language.signal.kind_words import kinds_said


@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        (
            "must",
            [
                "Always knead the dough twice",
                "Тесто нужно месить",
                "面团必须揉两次",
                "반죽은 항상 두 번",
                "Il faut pétrir",
            ],
        ),
        (
            "never",
            [
                "Never open the kiln hot",
                "Печь нельзя открывать",
                "不要打开窑",
                "가마를 열면 절대 안 된다",
                "Niemals öffnen",
            ],
        ),
        ("cause", ["Root cause: a cold kiln", "Печь погасла из-за ветра", "原因是窑太冷", "원인은 차가운 가마"]),
        ("prefer", ["Vera prefers oak", "Вера предпочитает дуб", "小薇偏好橡木", "참나무를 선호"]),
        ("decide", ["We chose oak instead of ash", "Решили взять дуб", "决定用橡木", "참나무로 결정"]),
        ("done", ["Added a second shelf", "✅ Добавлена полка", "已加一层架子", "선반 추가 완료", "Créé une étagère"]),
    ],
)
def test_a_kind_is_known_in_each_language(kind: str, texts: list[str]) -> None:
    assert [text for text in texts if kind not in kinds_said(text)] == []


@pytest.mark.parametrize(
    "text", ["The mustard is on the neverending shelf", "A shelf was added by Vera", "Печатная форма"]
)
def test_a_part_of_a_word_or_a_word_at_another_place_says_nothing(text: str) -> None:
    assert kinds_said(text) == []


def test_a_very_long_line_of_almost_words_is_read_at_once() -> None:
    assert kinds_said("реш" * 50_000) == []
