import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.signal.turn_worth import count
from engram.language.signal.turn_worth import telling_words
from engram.language.signal.turn_worth import worth
from tests.cases import for_each

RANKED = [
    ("I went to Riga with my sister last week.", "Wow, that's great, I'm so happy for you!"),
    ("We signed the lease for Harbour Street on 3 May.", "How are you? What have you been up to?"),
    ("My brother Tom plays the cello.", "Thanks! That sounds amazing."),
    ("Вчера мы с сестрой ездили в Ригу.", "Спасибо, отлично! А как у тебя дела?"),
    ("В прошлом месяце я устроилась в Яндекс аналитиком.", "Ого, круто, поздравляю тебя!"),
    ("上周我和姐姐去了里加，参观了旧城。", "哈哈，太好了，谢谢你！"),
    ("我去年在上海买了一套房子。", "你好吗？最近怎么样？"),
    ("지난주에 저는 언니와 리가에 다녀왔어요.", "와 정말요? 축하해요!"),
    ("저는 작년에 부산으로 이사했습니다.", "네 감사합니다 좋아요"),
]


@for_each(("telling", "chatter"), RANKED)
def test_what_tells_something_ranks_above_what_answers_or_asks(telling: str, chatter: str) -> None:
    assert worth(telling) > worth(chatter)
    assert worth(telling, set()) > worth(chatter, set())


@for_each("text", ["", " ", "ok", "👍", "...", "Thanks!", "спасибо", "谢谢", "네", "How are you?"])
def test_nothing_told_is_worth_next_to_nothing(text: str) -> None:
    assert worth(text) < 0.05


def test_what_came_before_is_worth_less_the_second_time() -> None:
    text = "My sister Anna teaches chemistry in Riga"

    assert worth(text, telling_words(text)) < worth(text, set())


def test_words_that_only_answer_or_are_short_tell_nothing() -> None:
    assert telling_words("Wow, thanks! It is the red KETTLE, isn’t it?") == {"kettle", "isn't"}
    assert telling_words("里加旧城") == {"里加", "加旧", "旧城"}
    assert telling_words("언니와 나") == {"언니와"}


def test_questions_are_not_told() -> None:
    asked, told = count("Did my sister call you?", ()), count("My sister called.", ())

    assert (asked.said, asked.speaker) == (0, 0)
    assert told.said > 0
    assert told.speaker > 0


@for_each(
    ("text", "named"),
    [
        ("The trip to Riga was short", True),
        ("Поездка в Ригу была короткой", True),
        ("Trips are short", False),
        ("Thanks, Anna", False),
        ("저는 언니와 갔어요", False),
    ],
)
def test_names_are_capitals_within_a_sentence_but_not_whoever_is_spoken_to(text: str, named: bool) -> None:
    assert (count(text, ()).names > 0) == named


@given(st.text(max_size=200), st.sets(st.text(max_size=5), max_size=5))
def test_any_text_has_a_worth_between_nothing_and_one(text: str, seen: set[str]) -> None:
    assert 0 <= worth(text) <= 1
    assert 0 <= worth(text, seen) <= 1


@given(st.text(alphabet="ab c我你里。.?!저", max_size=40))
def test_full_width_and_other_spellings_of_a_text_are_worth_the_same(text: str) -> None:
    wide = text.replace("?", "？").replace("!", "！")

    assert worth(wide) == pytest.approx(worth(text))
