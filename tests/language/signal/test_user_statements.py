from hypothesis import given
from hypothesis import strategies as st

from engram.language.signal.rules import load_rules
from engram.language.signal.user_statements import is_of_a_machine
from engram.language.signal.user_statements import normalize
from engram.language.signal.user_statements import normalize_lines
from engram.language.signal.user_statements import own_statements
from engram.language.signal.user_statements import own_words
from tests.cases import for_each


def own(text: str) -> list[str]:
    rules = load_rules("en")
    assert rules is not None
    return [normal for _, normal in own_statements(text, rules.guards)]


@for_each(
    ("text", "normal"),
    [
        ("I\u00a0don\u2019t  like\n it", "i don't like it"),
        ("**Bold** and `code` and _so_ on", "bold and code and so on"),
        ("\uff29\u3000\uff4c\uff49\uff4b\uff45 \uff11\uff12\uff1f", "i like 12?"),
        ("Всё е\u0308лки", "все елки"),
        ("zero\u200bwidth so\u00adft", "zerowidth soft"),
        ("我 喜欢 TypeScript 和 茶", "我喜欢typescript和茶"),
        ("\uf90a 大 a", "金大a"),
        ("\u1112\u1161\u11ab\u1100\u1173\u11af 좋다", "한글 좋다"),
    ],
)
def test_spelling_is_evened_out(text: str, normal: str) -> None:
    assert normalize(text) == normal


@given(st.text(alphabet=st.sampled_from(list("aA*_` \t\u00a0\u3000我я\u0308\n\u2028\uff21")), max_size=40))
def test_lines_stay_lines_and_a_second_time_changes_nothing(text: str) -> None:
    lines = normalize_lines(text)

    assert len(lines) == text.count("\n") + 1
    assert normalize_lines("\n".join(lines)) == lines


@for_each(
    ("text", "expected"),
    [
        ('Anna said: "I like tea. I hate milk." I left.', ['anna said: ""', "i left."]),
        ('She wrote "No way. Never again" and left.', ['she wrote ""', '"" and left.']),
        ('"I like tea. I hate milk."', ['"i like tea.', 'i hate milk."']),
        ("“I like tea.”\nI hate milk.", ["i hate milk."]),
        ("«Я люблю чай. Я пью кофе». Вот так.", ["вот так."]),
        ("他说：「我喜欢茶。我讨厌奶。」 我走了。", ['他说: ""', "我走了。"]),
        ('A 5" disk. And a 3" disk.', ['a 5" disk.', 'and a 3" disk.']),
        ('It is "tea". Fine.', ['it is "tea".', "fine."]),
    ],
)
def test_a_quotation_of_several_sentences_is_not_the_users_own(text: str, expected: list[str]) -> None:
    assert own(text) == expected


@for_each(
    ("text", "expected"),
    [
        ("Assistant: Sure. I like tabs.\nMore.\n\nMine.", ["mine."]),
        ("Assistant:\nI like tabs.\nUser: I like tea.", ["user: i like tea."]),
        ("User: hi\nAssistant: Hello!\n\nI like tabs.\nUser: mine", ["user: hi", "user: mine"]),
        ("- first\n- Assistant: second", ["first"]),
        ("Note: first. Second.", ["note: first.", "second."]),
        ("Assistant: so\n```\nx\ny\n```\nI like tabs.\n\nMine", ["mine"]),
        ("It is done. User: of it all. Assistant: maybe.", ["it is done.", "user: of it all.", "assistant: maybe."]),
        ("$ cat notes\nI like tabs\n\nMine", ["mine"]),
        ("Traceback (most recent call last):\n  boom\n\nMine", ["mine"]),
        ("It costs $ 5\nMine", ["it costs $ 5", "mine"]),
    ],
)
def test_the_turn_of_an_agent_and_of_a_program_is_not_the_users_own(text: str, expected: list[str]) -> None:
    assert own(text) == expected


def test_without_guards_only_what_a_language_does_not_need_is_left_out() -> None:
    text = "Assistant: one\n```\ntwo\n```\n> three\n| a | b |\n<system-reminder>four</system-reminder>\n$ ls\nfive"

    assert [normal for _, normal in own_statements(text, None)] == ["assistant: one"]


@for_each("text", ["", "\n", "```\nx\n```"])
def test_a_text_may_hold_nothing_of_the_user(text: str) -> None:
    assert own_statements(text, None) == []


@for_each(
    ("normal", "words"),
    [
        ('"i like tea."', "i like tea."),
        ("“i like tea”.", "i like tea"),
        ('the sign says "i like tea" here', 'the sign says "" here'),
        ("он сказал «я люблю чай» вслух", 'он сказал "" вслух'),
        ("「我喜欢茶」", "我喜欢茶"),
    ],
)
def test_what_is_quoted_in_a_statement_is_taken_out(normal: str, words: str) -> None:
    assert own_words(normal) == words


@for_each(
    ("text", "expected"),
    [
        ("2026-02-24 10:00:01 started", True),
        ("ERROR: no such file", True),
        ("src/main.py:12:5: unused", True),
        ('{"role": "user"}', True),
        ("from x import (y)", True),
        ("root@host:~$ ls", True),
        ("In 2026 we moved: all of us", False),
        ("From Monday on I work at home (mostly)", False),
    ],
)
def test_lines_of_machines_show_in_their_shape(text: str, *, expected: bool) -> None:
    assert is_of_a_machine(text) == expected
