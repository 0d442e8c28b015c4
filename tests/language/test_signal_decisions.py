"""What is the user's own high signal and what is not, in four languages: the same statement in many frames."""

import unicodedata
from collections.abc import Callable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import detect
from tests.cases import for_each

OWN = {
    "en": "I prefer dark mode",
    "ru": "Я предпочитаю тёмный шоколад",
    "zh": "我更喜欢深色模式",
    "ko": "저는 다크 모드를 선호해요",
}
NOT_OWN = {
    "en": [
        ("question", "Do I prefer dark mode?"),
        ("question, by its mark", "I prefer dark mode?"),
        ("question, with a face", "I prefer dark mode? :)"),
        ("hypothetical", "If I preferred dark mode, I would say so"),
        ("hypothetical, supposed", "Suppose I prefer dark mode"),
        ("reported", "Anna says that I prefer dark mode"),
        ("reported, behind", "I prefer dark mode, Anna said"),
        ("quoted in a sentence", 'The sign says "I prefer dark mode" in red'),
        ("quoted in two sentences", 'He wrote: "I was tired. I prefer dark mode."'),
        ("quoted on a line of its own", 'From the survey:\n"I prefer dark mode."\nThat was all.'),
        ("said by an agent", "Assistant: I prefer dark mode"),
        ("said by an agent, later", "Assistant: Noted. I prefer dark mode"),
    ],
    "ru": [
        ("question", "Какую тему я предпочитаю?"),
        ("question, by its mark", "Я предпочитаю тёмный шоколад?))"),
        ("hypothetical", "Если бы я предпочитал тёмный шоколад, я бы сказал"),
        ("reported", "Анна говорит, что я предпочитаю тёмный шоколад"),
        ("quoted in a sentence", "На стене написано «я предпочитаю тёмный шоколад» мелом"),
        ("quoted in two sentences", "Он написал: «Устал. Я предпочитаю тёмный шоколад.»"),
        ("said by an agent", "Ассистент: я предпочитаю тёмный шоколад"),
    ],
    "zh": [
        ("question", "我更喜欢深色模式吗"),
        ("question, by its mark", "我更喜欢深色模式？"),
        ("hypothetical", "如果我更喜欢深色模式,我会告诉你"),
        ("reported", "小李说我更喜欢深色模式"),
        ("reported, quoted", "小李说：“我更喜欢深色模式。”然后走了。"),
        ("quoted in two sentences", "墙上写着：「今天很累。我更喜欢深色模式。」"),
        ("said by an agent", "助手：我更喜欢深色模式"),
    ],
    "ko": [
        ("question", "제가 다크 모드를 선호하나요"),
        ("question, by its mark", "저는 다크 모드를 선호해요?ㅋㅋ"),
        ("hypothetical", "만약 제가 다크 모드를 선호한다면 말씀드릴게요"),
        ("reported", "민수는 다크 모드를 선호한다고 했어요"),
        ("quoted in a sentence", "벽에 “저는 다크 모드를 선호해요”라고 적혀 있었어요"),
        ("said by an agent", "어시스턴트: 저는 다크 모드를 선호해요"),
    ],
}
FRAMES = [
    ("code", "```\n{}\n```"),
    ("an open fence", "~~~\n{}"),
    ("a quoted line", "> {}"),
    ("a reminder of a harness", "<system-reminder>\n{}\n</system-reminder>"),
    ("a tool's result", "<tool_result>{}</tool_result>"),
    ("a log line", "2026-02-24 10:00:01 INFO {}"),
    ("a level", "WARN: {}"),
    ("a row", "| {} | 1 |"),
    ("output of a command", "$ cat wishes.txt\n{}"),
    ("a prompt of Python", ">>> {}"),
    ("a labelled turn", "Assistant:\n{}"),
]
PAGE = {
    "en": "The bus was late and it rained. We talked about the weather. Nothing new in the news! How was your day?\n",
    "ru": "Автобус опоздал, и шёл дождь. Поговорили о погоде. В новостях пусто! Как прошёл твой день?\n",
    "zh": "公交车晚点了，还下着雨。大家聊了聊天气。新闻里没什么！今天过得怎么样？\n",
    "ko": "버스가 늦었고 비가 왔다. 날씨 이야기가 오갔다. 뉴스에는 별것이 없었다! 오늘 하루 어땠어요?\n",
}
VARIANTS: list[tuple[str, Callable[[str], str]]] = [
    ("decomposed", lambda text: unicodedata.normalize("NFD", text)),
    ("no-break spaces", lambda text: text.replace(" ", "\u00a0")),
    ("double spaces", lambda text: text.replace(" ", "  ")),
    ("wide spaces", lambda text: text.replace(" ", "\u3000")),
    ("typographic apostrophes", lambda text: text.replace("'", "\u2019")),
    ("full-width letters", lambda text: "".join(chr(ord(ch) + 0xFEE0) if "!" <= ch <= "~" else ch for ch in text)),
    ("no ё", lambda text: text.replace("ё", "е")),
    ("emphasis", lambda text: f"**{text}**"),
    ("capitals", str.upper),
    ("a mark of byte order", lambda text: "\ufeff" + text),
    ("zero width", lambda text: text[:3] + "\u200b" + text[3:]),
    ("white space around", lambda text: f" \n\t{text} \n"),
    ("a bullet", lambda text: f"- {text}"),
    ("a task", lambda text: f"- [x] {text}"),
    ("a face", lambda text: f"{text} 🙂"),
]


@for_each(("language", "text"), OWN.items())
def test_what_the_user_states_is_high(language: str, text: str) -> None:
    result = detect(text)

    assert (result.signal, result.categories, result.language) == (HIGH, ["preference"], language)
    assert result.spans[0].text == text


@for_each(("language", "why", "text"), [(language, *row) for language, rows in NOT_OWN.items() for row in rows])
def test_what_the_user_does_not_state_is_never_high(language: str, why: str, text: str) -> None:
    assert detect(text).signal != HIGH, (language, why)


@for_each("language", OWN)
@for_each(("name", "frame"), FRAMES)
def test_what_stands_in_a_frame_of_others_is_never_high(name: str, frame: str, language: str) -> None:
    assert detect(frame.format(OWN[language])).signal != HIGH, name


@for_each("language", OWN)
@for_each(("name", "frame"), FRAMES)
def test_what_the_user_says_behind_a_frame_is_high(name: str, frame: str, language: str) -> None:
    text = f"{frame.format('42')}\n\n{'' if name != 'an open fence' else '~~~'}\n{OWN[language]}."

    assert [span.text for span in detect(text).spans] == [OWN[language] + "."]


@for_each("language", OWN)
@for_each("place", [0, 7, 20])
def test_one_preference_in_a_long_page_is_the_only_span(language: str, place: int) -> None:
    page = [PAGE[language]] * 20
    page.insert(place, f"{OWN[language]}.\n")
    text = "".join(page)

    result = detect(text)

    start = text.index(OWN[language])
    assert [(span.start, span.end) for span in result.spans] == [(start, start + len(OWN[language]) + 1)]
    assert result.categories == ["preference"]


@for_each("language", OWN)
@for_each(("name", "variant"), VARIANTS)
def test_spelling_and_frame_of_ones_own_do_not_matter(name: str, variant: Callable[[str], str], language: str) -> None:
    result = detect(variant(OWN[language]))

    assert (result.signal, result.categories, result.language) == (HIGH, ["preference"], language), name


@for_each(
    ("text", "categories"),
    [
        ("저는 React랑 TypeScript를 선호해요", ["preference"]),
        ("저는 Visual Studio Code 선호해요", ["preference"]),
        ("Я предпочитаю Kubernetes, Docker Compose, Terraform и Ansible", ["preference"]),
        ("我更喜欢 Visual Studio Code", ["preference"]),
        ("I prefer the Яндекс apps on my phone", ["preference"]),
        ("I prefer dark mode.\nЯ предпочитаю чай.\n我更喜欢茶。\n저는 차를 선호해요.", ["preference"]),
    ],
)
def test_languages_may_be_mixed(text: str, categories: list[str]) -> None:
    result = detect(text)

    assert result.categories == categories
    assert len(result.spans) == text.count("\n") + 1


@for_each(
    "text",
    [
        "好的，谢谢！",
        "好的谢谢你",
        "哈哈哈哈哈",
        "你好！再见！",
        "네, 감사합니다!",
        "네ㅋㅋㅋㅋ",
        "안녕하세요~ 반갑습니다^^",
        "ok 谢谢",
        "Спасибо большое!!!",
        "Thanks 🙂🙂",
    ],
)
def test_small_talk_is_nothing_with_or_without_spaces(text: str) -> None:
    result = detect(text)

    assert (result.signal, result.reason) == ("none", "the whole message is small talk")


MIXED = st.lists(
    st.sampled_from(
        [
            *OWN.values(),
            *PAGE.values(),
            *(text for rows in NOT_OWN.values() for _, text in rows),
            *("\n", "\n\n", " ", ". ", "```", "> ", "- ", "“", "”", '"', "«", "»", "「", "」", "|", "?", "<system>"),
            *("User: ", "Assistant: ", "$ ls\n", "\u0308", "\u200b", "\u2028", "\u00a0", "\ufeff", "\x00", "\x85"),
            *("\ud7a3", "\u1112\u1161", "İ", "ﬁ", "👩‍👩‍👧", "𠮷", "＂"),
        ]
    ),
    max_size=25,
).map("".join)


@given(MIXED)
def test_spans_of_any_mixture_are_statements_in_order(text: str) -> None:
    result = detect(text)

    assert [text[span.start : span.end] for span in result.spans] == [span.text for span in result.spans]
    assert all(one[:2] == other[:2] or one.end <= other.start for one, other in pairwise(result.spans))
    assert len({(span.start, span.category) for span in result.spans}) == len(result.spans)
    assert result == detect(text)
