from engram.language.compare.reading.tokens import DATE
from engram.language.compare.reading.tokens import NAME
from engram.language.compare.reading.tokens import NUMBER
from engram.language.compare.reading.tokens import VERSION
from engram.language.compare.reading.tokens import WORD
from engram.language.compare.reading.tokens import tokenize
from tests.cases import for_each


@for_each(
    ("text", "kind", "value"),
    [
        ("holds 1,000 jobs", NUMBER, "1000"),
        ("holds 3.50 jobs", NUMBER, "3.5"),
        ("takes 10 minutes", NUMBER, "600"),
        ("takes 250ms", NUMBER, "0.25"),
        ("costs $40", NUMBER, "40"),
        ("has two dogs", NUMBER, "2"),
        ("весит 3 кг", NUMBER, "3000"),
        ("due 2026-02-24", DATE, "2026-02-24"),
        ("due 24.02.2026", DATE, "2026-02-24"),
        ("due May 8, 2023", DATE, "2023-05-08"),
        ("due 8 May 2023", DATE, "2023-05-08"),
        ("meets 10:30", DATE, "10:30"),
        ("срок 8 мая", DATE, "-05-08"),
        ("uses v2.3.1", VERSION, "2.3.1"),
        ("uses version 31", VERSION, "31"),
        ("версия 3.1", VERSION, "3.1"),
        ("fixed issue 12", NAME, "12"),
    ],
)
def test_values_are_recognised_and_brought_to_one_form(text: str, kind: str, value: str) -> None:
    found = [(token.kind, token.value) for token in tokenize(text).items if token.kind != WORD]

    assert found == [(kind, value)]


@for_each("word", ["c++", "c#", "node.js", ".net", "utf8", "full-time", "#12", "python3"])
def test_names_with_signs_and_digits_are_one_word(word: str) -> None:
    assert [token.shown for token in tokenize(f"uses {word}").items] == ["uses", word]


def test_negations_are_counted_and_contractions_taken_apart() -> None:
    assert tokenize("He doesn't like it").negated
    assert tokenize("Он не любит").negated
    assert tokenize("Никогда не любит").negated
    assert not tokenize("It is never without danger").negated


def test_an_ending_is_not_a_negation() -> None:
    tokens = tokenize("No longer uses Redis")

    assert (tokens.ceased, tokens.negated) == (True, False)


def test_content_leaves_out_function_words_and_subjects() -> None:
    assert tokenize("I like the tea of my mother").content == {"like", "tea", "mother"}


@for_each(
    ("text", "kind", "value"),
    [
        ("五个人", NUMBER, "5"),
        ("等10分钟", NUMBER, "600"),
        ("2026年5月1日", DATE, "2026-05-01"),
        ("周三", DATE, "周三"),
        ("10분으로", NUMBER, "600"),
        ("5월 1일에", DATE, "-05-01"),
        ("월요일에", DATE, "월요이"),
    ],
)
def test_values_are_recognised_beside_eastern_script(text: str, kind: str, value: str) -> None:
    found = [(token.kind, token.value) for token in tokenize(text).items if token.kind != WORD]

    assert found == [(kind, value)]


def test_scripts_are_parted_and_chinese_is_broken_by_the_longest_known_word() -> None:
    assert [token.shown for token in tokenize("团队使用Postgres数据库").items] == ["团队", "使用", "postgres", "数据库"]
    assert [token.shown for token in tokenize("Postgres를 사용한다").items] == ["postgres", "사용한다"]


@for_each(
    ("text", "negated"),
    [
        ("不喜欢", True),
        ("没有车", True),
        ("差不多", False),
        ("特别好", False),
        ("좋아하지 않는다", True),
        ("안 먹는다", True),
        ("차가 없어요", True),
        ("맛없다", True),
        ("학생이 아닙니다", True),
        ("안내문을 읽었다", False),
        ("집 안에 있다", False),
        ("Does not smoke and does not drink", True),
        ("No sugar, no milk", True),
        ("Uses neither Redis nor Kafka", True),
        ("No one uses Redis", True),
        ("The casino one is open", False),
        ("Ничего никому не говорит", True),
    ],
)
def test_negations_are_read_in_every_language(text: str, negated: bool) -> None:
    assert tokenize(text).negated == negated


def test_not_any_more_is_an_ending_and_no_negation() -> None:
    tokens = tokenize("Does not use Redis any more")

    assert (tokens.ceased, tokens.negated, "redi" in tokens.content) == (True, False, True)
