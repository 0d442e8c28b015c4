"""What somebody tells and asks for in one sentence is read apart."""

import time

from hypothesis import given
from hypothesis import strategies as st

from engram.language.text.statements import split_statements
from engram.language.text.talk.requests import split_requests
from tests.cases import for_each


def parts(text: str) -> list[str]:
    return [one.text for one in split_requests(split_statements(text))]


@for_each(
    ("text", "expected"),
    [
        (
            "I keep the shop on Django 4.2 with htmx, but the totals are wrong - can you help me?",
            ["I keep the shop on Django 4.2 with htmx, but the totals are wrong", "can you help me?"],
        ),
        (
            "The draft is due on 12 October, how do I plan the chapters?",
            ["The draft is due on 12 October", "how do I plan the chapters?"],
        ),
        ("I'm on Node 22 now and can you bump the image", ["I'm on Node 22 now", "and can you bump the image"]),
        ("We sleep in tents… any tips for rain?", ["We sleep in tents", "any tips for rain?"]),
        (
            "Can you plan dinner for six because my son is allergic to nuts?",
            ["Can you plan dinner for six", "because my son is allergic to nuts?"],
        ),
        ("Could you draft it, my boss is called Ingrid", ["Could you draft it", "my boss is called Ingrid"]),
        (
            "Can you write a menu for my daughter, she is allergic to nuts",
            ["Can you write a menu for my daughter", "she is allergic to nuts"],
        ),
        (
            "write me a packing list, we're moving to Oslo in March",
            ["write me a packing list", "we're moving to Oslo in March"],
        ),
        (
            "Kannst du ein Menü schreiben, sie ist allergisch gegen Nüsse",
            ["Kannst du ein Menü schreiben", "sie ist allergisch gegen Nüsse"],
        ),
        (
            "Peux-tu écrire un menu, elle est allergique aux noix",
            ["Peux-tu écrire un menu", "elle est allergique aux noix"],
        ),
        (
            "Escríbeme un menú para mi hija, es alérgica a las nueces",
            ["Escríbeme un menú para mi hija", "es alérgica a las nueces"],
        ),
        (
            "Напиши меню для дочки, у неё аллергия на орехи",
            ["Напиши меню для дочки", "у неё аллергия на орехи"],
        ),
        ("帮我写一份菜单，我女儿对坚果过敏", ["帮我写一份菜单", "我女儿对坚果过敏"]),
        ("Ich wohne in Gent, kannst du mir helfen?", ["Ich wohne in Gent", "kannst du mir helfen?"]),
        (
            "Je suis végétarienne, tu peux me proposer un menu ?",
            ["Je suis végétarienne", "tu peux me proposer un menu ?"],
        ),
        ("Trabajo de noche, ¿qué me recomiendas?", ["Trabajo de noche", "¿qué me recomiendas?"]),
        ("Я работаю по ночам, как мне лучше питаться?", ["Я работаю по ночам", "как мне лучше питаться?"]),
        ("我们店周一休息，能不能帮我写个公告？", ["我们店周一休息", "能不能帮我写个公告？"]),
        (
            "저는 플라스크를 쓰고 있는데 로그인은 어떻게 만들 수 있을까요?",
            ["저는 플라스크를 쓰고 있는데", "로그인은 어떻게 만들 수 있을까요?"],
        ),
        # one thing only
        ("What is better, tea or coffee?", ["What is better, tea or coffee?"]),
        ("How much flour for 40 buns, roughly?", ["How much flour for 40 buns, roughly?"]),
        ("He asked whether, how and when it works.", ["He asked whether, how and when it works."]),
        ("Hi, can you help?", ["Hi, can you help?"]),  # a greeting tells nothing
        # what is only supposed is not told
        ("If I move to Bonn, can you redo the budget?", ["If I move to Bonn, can you redo the budget?"]),
        ("Wenn ich umziehe, kannst du das neu rechnen?", ["Wenn ich umziehe, kannst du das neu rechnen?"]),
        ("如果我搬到北京，能不能帮我重新算？", ["如果我搬到北京，能不能帮我重新算？"]),
        # nor is what a request is for; a trouble that lasts is
        *(
            (text, [text])
            for text in (
                "I'm having trouble understanding the change of variables, can you explain it?",
                "I'm not sure how the two fit together - could you show me?",
                "I need help with the volume of a cone, can you walk me through it?",
                "Ich verstehe das nicht ganz, kannst du es erklären?",
                "J'ai du mal à comprendre la règle, tu peux me l'expliquer ?",
                "No entiendo esta parte, ¿me la explicas?",
                "Не понимаю эту часть, можешь объяснить?",
                "我不太明白这一步，能不能解释一下？",
                "이 부분이 이해가 안 되는데 설명해 주실래요?",
            )
        ),
        (
            "I'm having trouble with my knee since June, can you suggest a stretch?",
            ["I'm having trouble with my knee since June", "can you suggest a stretch?"],
        ),
        # headings and code are not sentences
        ("# The plan, can you see it?", ["The plan, can you see it?"]),
    ],
)
def test_what_is_told_and_what_is_asked_for_are_two(text: str, expected: list[str]) -> None:
    assert parts(text) == expected


WORDS = st.sampled_from(
    ["I'm on Flask 3", ", ", " - ", "can you help?", "因为我是", "，", "kannst du ", "если ", "?", "because I "]
)


@given(st.lists(WORDS | st.text(max_size=4), max_size=12).map("".join))
def test_each_part_stands_where_it_says_and_no_two_overlap(text: str) -> None:
    end = 0
    for one in split_requests(split_statements(text)):
        assert text[one.start : one.end] == one.text
        assert one.start >= end
        end = one.end


@for_each("piece", [", can you ", "a, ", " - ", "나는데 ", "because I ", ", what x y z ", "，能不能", "줘?"])
def test_text_that_is_made_to_be_slow_is_read(piece: str) -> None:
    text = piece * (60_000 // len(piece)) + "?"

    begin = time.process_time()
    parts(text)
    assert time.process_time() - begin < 1
