import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.text.statements import count_at_most
from engram.language.text.statements import split_statements
from tests.cases import for_each


def texts(source: str) -> list[str]:
    return [statement.text for statement in split_statements(source)]


@for_each(
    ("text", "sentences"),
    [
        ("ok other client now. lantern is a web shop", ["ok other client now.", "lantern is a web shop"]),
        ("thx. careful with the zones", ["thx.", "careful with the zones"]),
        ("Das ist neu. wir machen das morgen", ["Das ist neu.", "wir machen das morgen"]),
        ("C'est pour moi. on part demain", ["C'est pour moi.", "on part demain"]),
        ("Eso es así. mañana vamos", ["Eso es así.", "mañana vamos"]),
        ("ну да. завтра едем", ["ну да.", "завтра едем"]),
        ("It holds ca. two litres, i.e. enough", ["It holds ca. two litres, i.e. enough"]),
        ("Es gibt bzw. gab drei", ["Es gibt bzw. gab drei"]),
        ("это т.е. завтра, ул. новая", ["это т.е. завтра, ул. новая"]),
        ("Take no. three of them", ["Take no. three of them"]),
    ],
)
def test_a_short_word_ends_a_sentence_though_the_next_begins_small(text: str, sentences: list[str]) -> None:
    assert [one.text for one in split_statements(text)] == sentences


@for_each(
    "sentence",
    [
        "It takes 3.5 seconds on v2.3.1 of engine.py.",
        "See https://example.org/a.b?c=d for more, e.g. The Guide.",
        "Dr. Smith met J. R. Tolkien vs. Mr. Brown.",
        "Это было в г. Казани, т.е. У А. С. Пушкина.",
        "The file .env is read by node.js at 10:30 a.m. daily.",
        "Wait... there is more.",
        "他说：“我喜欢茶。”然后走了。",
        "3.5 版本比 v2.0 好，对吧",
        "그는 “좋다.”라고 말했다.",
        "v2.3.1을 3.5초 만에 깔았다.",
        "是的......我知道",
        "The flat in the Lange Str. and the one near it, incl. the cellar",
        "The rate etc. of each is in app.py. of course not in Node.js. or elsewhere",
        "We sent out 143 (ans. 138, dropped 5) and closed the list.",
        "The pump (bought in 2019. Serial 44) leaks.",
        "I like it (really! I do!) and will buy it.",
        "He said (quietly. Then louder.) nothing.",
        "合同（见第三条。另有附件）已签",
        "계약 (3조 참고. 별첨 있음) 끝",
    ],
)
def test_dots_inside_a_sentence_do_not_split_it(sentence: str) -> None:
    assert texts(sentence) == [sentence]


@for_each(
    ("source", "expected"),
    [
        ("I like tea. I hate coffee!", ["I like tea.", "I hate coffee!"]),
        ("The answer is no. Then we left.", ["The answer is no.", "Then we left."]),
        ("Tea, milk etc. Then we left.", ["Tea, milk etc.", "Then we left."]),
        ('He said "Go." Then he went.', ['He said "Go."', "Then he went."]),
        ("So do I. Then he went.", ["So do I.", "Then he went."]),
        ("我喜欢茶。我不喜欢咖啡。", ["我喜欢茶。", "我不喜欢咖啡。"]),
        ("Really?! Yes.", ["Really?!", "Yes."]),
        ("买茶；卖咖啡！好吗？好", ["买茶；", "卖咖啡！", "好吗？", "好"]),
        ("真的吗?我喜欢茶!你呢", ["真的吗?", "我喜欢茶!", "你呢"]),
        ("我喜欢茶，不喜欢咖啡、牛奶。", ["我喜欢茶，不喜欢咖啡、牛奶。"]),
        ("“我喜欢茶。” 他走了。", ["“我喜欢茶。”", "他走了。"]),
        ("차가 좋아요.커피도요!정말?네", ["차가 좋아요.", "커피도요!", "정말?", "네"]),
        ("네. 알겠습니다. 3시에 봐요.", ["네.", "알겠습니다.", "3시에 봐요."]),
        ("Yes.No", ["Yes.No"]),
        ("Да.нет", ["Да.нет"]),
        ("**3. Open questions**", ["3. Open questions"]),
        ("!!!!a", ["!!!!a"]),
        ("好。。。走吧", ["好。。。", "走吧"]),
        ("Привет! Как дела? Хорошо.", ["Привет!", "Как дела?", "Хорошо."]),
        ("so the new library then. pin it to 1.3", ["so the new library then.", "pin it to 1.3"]),
        ("нас шестеро и двое детей. лодки у Паши", ["нас шестеро и двое детей.", "лодки у Паши"]),
        (
            "She is brutally honest (really honest). no release without her",
            ["She is brutally honest (really honest).", "no release without her"],
        ),
        ("(It rained. We left.) Then we ate.", ["(It rained.", "We left.)", "Then we ate."]),
        ("- (It rained. We left.)", ["(It rained.", "We left.)"]),
        ("He came (late again!) Then he left.", ["He came (late again!)", "Then he left."]),
        ("Open (see below. And more", ["Open (see below.", "And more"]),
        ("It is open (see\nbelow. And more) today", ["It is open (see", "below.", "And more) today"]),
        (
            f"It rained (we left. {'So did they. ' * 30}) today.",
            ["It rained (we left.", *["So did they."] * 30, ") today."],
        ),
    ],
)
def test_sentences_are_split(source: str, expected: list[str]) -> None:
    assert texts(source) == expected


def test_markers_checkboxes_and_emphasis_stay_outside() -> None:
    source = "# A heading #1\n- first\n* [x] **second**\n+ [ ] _third_\n12. fourth. Fifth\n> quoted\n"

    found = [(statement.kind, statement.text) for statement in split_statements(source)]

    assert found == [
        ("heading", "A heading #1"),
        ("bullet", "first"),
        ("bullet", "second"),
        ("bullet", "third"),
        ("bullet", "fourth."),
        ("bullet", "Fifth"),
        ("quote", "quoted"),
    ]


def test_rows_of_a_table_are_statements_and_its_divider_is_none() -> None:
    source = "| name | port |\n|------|:----:|\n| api  | 8080 |\n"

    assert [(s.kind, s.text) for s in split_statements(source)] == [("row", "name | port"), ("row", "api  | 8080")]


def test_code_is_one_statement_and_an_open_fence_runs_to_the_end() -> None:
    assert [(s.kind, s.text) for s in split_statements("```py\na = 1\nb = 2\n```\nText.")] == [
        ("code", "a = 1\nb = 2"),
        ("sentence", "Text."),
    ]
    assert [s.kind for s in split_statements("~~~\nrun. Now. Here.")] == ["code"]


def test_a_block_of_a_harness_is_one_statement_and_text_behind_it_is_text() -> None:
    source = "<system-reminder>\nDo this. Do that.\n</system-reminder> I like tea."

    found = split_statements(source)

    assert [statement.kind for statement in found] == ["block", "sentence"]
    assert found[1].text == "I like tea."


def test_an_unclosed_tag_hides_nothing() -> None:
    assert texts("<system-reminder>\nI like tea.") == ["<system-reminder>", "I like tea."]


def test_a_wrapped_sentence_is_one_and_short_lines_are_many() -> None:
    wrapped = "This sentence is long enough to be wrapped by an editor somewhere about\nhere, and it goes on."

    assert texts(wrapped) == [wrapped]
    assert texts("i like tea\nand i hate coffee") == ["i like tea", "and i hate coffee"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("- The gate counted eleven crates and let none of them in, because", "  Harbour rules ask for a seal."),
        ("The last twenty crates were moved from the quay to the long hall →", "`north_hall` by the crane."),
    ],
)
def test_a_line_that_cannot_end_so_goes_on_whatever_the_next_begins_with(first: str, second: str) -> None:
    assert texts(f"{first}\n{second}") == [f"{first}\n{second}".removeprefix("- ")]


def test_a_number_that_says_which_one_ends_no_german_sentence() -> None:
    for whole in (
        "Der Vertrag endet am 4. Juni und wird nicht verlängert",
        "Das Lager liegt im 2. Stock",
        "Seit dem 1. Mai gilt er.",
        "Ich wohne jetzt in der Lindenstraße, 3. Stock ohne Aufzug",
    ):
        assert texts(whole) == [whole]
    assert len(texts("We have 12. The next one comes on Friday.")) == 2
    assert len(texts("Der Preis stieg auf 12. Danach fiel er.")) == 2
    assert len(texts("Wir haben 12. Stockholm ist weit.")) == 2


def test_a_line_further_in_than_its_bullet_goes_on_with_it_however_it_begins() -> None:
    first = "- The importer waits for tasks that are in no lane but still made a real\n"

    assert texts(f"{first}  Atlas commit, which counts") == [f"{first}  Atlas commit, which counts"[2:]]
    assert len(texts(f"{first}Atlas is slow")) == 2
    assert len(texts(f"{first}  - Atlas is slow")) == 2
    assert len(texts(f"{first}  > Atlas is slow")) == 2
    assert len(texts("- Short\n  Atlas is slow")) == 2
    assert len(texts(f"{first[:-1]} commit:\n  Atlas is slow")) == 2
    assert len(texts("The importer waits for tasks that are in no lane of somebody\n  Atlas commit")) == 2


def test_a_bullet_or_a_fence_behind_an_unfinished_line_is_not_part_of_it() -> None:
    first = "The gate counted eleven crates and let none of them in, because of"

    assert texts(f"{first}\n- Harbour rules\n") == [first, "Harbour rules"]
    assert texts(f"{first}\n```\nHarbour\n```")[0] == first


def test_rules_between_parts_are_no_statements() -> None:
    assert texts("one\n\n---\n\n***\n\n=====\ntwo") == ["one", "two"]


@given(st.text(alphabet=st.sampled_from(list("aA1.!?。 \n\r\t-*_#>|`~<[]x/\"'”() яЯ我system-reminder")), max_size=200))
def test_statements_are_ordered_spans_of_the_source(source: str) -> None:
    end = 0
    for statement in split_statements(source):
        assert source[statement.start : statement.end] == statement.text
        assert statement.text == statement.text.strip() != ""
        assert end <= statement.start
        end = statement.end


@given(st.lists(st.sampled_from([*'aя我。！?!.…。\n\r\x0b\x85\u2028 "」）#-|>', "<system>", "</system>", "```"])))
def test_a_text_holds_no_more_statements_than_are_counted(parts: list[str]) -> None:
    source = "".join(parts)

    assert len(split_statements(source)) <= count_at_most(source)


@given(st.text(max_size=200))
def test_every_letter_of_plain_text_is_in_some_statement(source: str) -> None:
    plain = "".join(ch for ch in source if ch.isalpha() or ch == " ")

    assert "".join(texts(plain)).replace(" ", "") == plain.replace(" ", "")


def test_marks_in_front_of_a_region_and_inside_one_that_is_not_divided_end_nothing() -> None:
    source = "1. One. Two.\n> . Three. Four\n# Five. Six.\n| a. b | c. |\nSeven. Eight"

    assert texts(source) == ["One.", "Two.", "Three.", "Four", "Five. Six.", "a. b | c.", "Seven.", "Eight"]
