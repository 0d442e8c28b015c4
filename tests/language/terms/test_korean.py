from hypothesis import given
from hypothesis import strategies as st

from engram.language.terms.korean import stem_korean
from tests.cases import for_each


@for_each(
    "forms",
    [
        "좋아한다 좋아합니다 좋아해요 좋아했다 좋아하는 좋아하지",
        "먹는다 먹습니다 먹어요 먹었다 먹지 먹고",
        "간다 갑니다 가요 갔다 가지",
        "마신다 마십니다 마셔요 마셨다 마시지",
        "배운다 배웁니다 배워요 배웠다",
        "산다 삽니다 살아요 살았다 살지 살고",
        "쓴다 씁니다 써요 썼다 쓰지",
        "있다 있습니다 있어요 있었다 있는",
        "없다 없습니다 없어요 없었다",
        "사용한다 사용합니다 사용 사용을 사용할",
        "고양이 고양이를 고양이가 고양이는",
        "회의 회의를 회의는 회의에서",
        "서울 서울에 서울에서 서울은 서울로",
        "월요일 월요일에 월요일은 월요일부터",
        "학생이다 학생입니다 학생이에요 학생은",
    ],
)
def test_forms_of_one_word_have_one_stem(forms: str) -> None:
    assert len({stem_korean(form) for form in forms.split()}) == 1


@for_each(("a", "b"), [("있다", "없다"), ("먹는다", "마신다"), ("서울에", "부산에"), ("좋아한다", "싫어한다")])
def test_other_words_have_other_stems(a: str, b: str) -> None:
    assert stem_korean(a) != stem_korean(b)


@given(st.text(alphabet=st.characters(min_codepoint=0xAC00, max_codepoint=0xD7A3), min_size=1, max_size=20))
def test_a_stem_is_never_empty_and_no_longer_than_the_word(word: str) -> None:
    assert 0 < len(stem_korean(word)) <= len(word)
