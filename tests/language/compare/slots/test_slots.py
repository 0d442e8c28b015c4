import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.compare.reading.stems import fold
from engram.language.compare.slots.slots import attribute_names
from engram.language.compare.slots.slots import canonical
from engram.language.compare.slots.slots import find_slot
from engram.language.compare.slots.slots import read_slot
from engram.language.compare.slots.slots import same_value
from engram.language.compare.slots.slots import single_valued
from engram.language.compare.slots.slots import slot_of
from tests.cases import for_each
from tests.language.examples import PATTERNS

FILES = sorted((PATTERNS / "attributes").glob("*.toml"))
PATTERN_LINE = re.compile(r"(?m)^(?:  ['\"]|pattern = )")


def examples() -> list[tuple[str, str, str]]:
    found = [re.findall(r"(?m)^ *# ([+-]) (.*)$", path.read_text("utf-8")) for path in FILES]
    return [(mark, *(words.partition(" => ")[::2])) for lines in found for mark, words in lines]


@for_each(("mark", "sentence", "stated"), examples())
def test_templates_read_their_examples_and_only_those(mark: str, sentence: str, stated: str) -> None:
    attribute, _, value = stated.partition(": ")

    assert find_slot(sentence) == ((attribute, value) if mark == "+" else None)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_template_has_both_examples(path: object) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined]
    parts = PATTERN_LINE.split(text)[1:]
    assert parts
    for part in parts:
        assert re.search(r"(?m)^ *# \+ ", part), part[:60]
        assert re.search(r"(?m)^ *# - ", part), part[:60]


@for_each(
    ("text", "path", "names", "expected"),
    [
        # the entity by its names, in any case, by a pronoun, or left out
        ("Anna works at Acme", "people/anna", ("Anna Petrova",), ("employer", "Acme")),
        ("anna petrova lives in Berlin", "people/anna", ("Anna Petrova",), ("city", "Berlin")),
        ("She lives in Berlin now", "people/anna", ("Anna",), ("city", "Berlin")),
        ("Works at Acme", "people/anna", ("Anna",), ("employer", "Acme")),
        ("Anna's email is anna@example.com", "people/anna", ("Anna",), ("email", "anna@example.com")),
        ("У Анны день рождения 3 мая", "people/anna", ("Анна",), ("birthday", "3 мая")),
        ("Анне 34 года", "people/anna", ("Анна",), ("age", "34")),
        ("Сергей живёт в Москве", "people/sergey", ("Сергей",), ("city", "Москве")),
        ("안나는 베를린에 삽니다", "people/anna", ("안나",), ("city", "베를린")),
        ("安娜住在北京", "people/anna", ("安娜",), ("city", "北京")),
        ("灯塔项目用Go编写", "projects/灯塔", ("灯塔",), ("language", "Go")),
        ("灯塔用Go编写", "projects/灯塔", ("灯塔项目",), ("language", "Go")),
        ("The deadline is 5 March", "projects/billing", ("Billing",), ("deadline", "5 March")),
        ("The billing project deadline is 5 March", "projects/billing", ("Billing",), ("deadline", "5 March")),
        ("Billing's status is blocked", "projects/billing", ("Billing Service",), ("status", "blocked")),
        ("Сергей lives in Berlin", "people/sergey", ("Сергей",), ("city", "Berlin")),
        # somebody or something else
        ("Александра живёт в Риге", "people/alexander", ("Александр",), None),
        ("Иванов живёт в Риге", "people/ivan", ("Иван",), None),
        ("Anna's brother lives in Riga", "people/anna", ("Anna",), None),
        ("Omar lives in Riga", "people/anna", ("Anna",), None),
        ("My brother works at Acme", "people/anna", ("Anna",), None),
        ("Брат Анны живёт в Риге", "people/anna", ("Анна",), None),
        ("安娜的哥哥住在北京", "people/anna", ("安娜",), None),
        ("안나의 오빠는 베를린에 산다", "people/anna", ("안나",), None),
        ("The Billing API port is 8080", "projects/billing", ("Billing",), None),
        ("Research deadline is 5 March", "projects/billing", ("Billing",), None),
        ("The status is blocked", "people/anna", ("Anna",), None),
        # an attribute that such an entity does not have
        ("We live in Berlin", "projects/billing", ("Billing",), None),
        ("Anna's database is PostgreSQL", "people/anna", ("Anna",), None),
    ],
)
def test_a_slot_is_read_only_when_the_entity_itself_is_the_subject(
    text: str, path: str, names: tuple[str, ...], expected: tuple[str, str] | None
) -> None:
    slot = slot_of(text, path, names)

    assert (slot and (slot.attribute, slot.value)) == expected


@for_each(
    "text",
    [
        "Anna worked at Acme",
        "Anna used to live in Berlin",
        "Anna will live in Berlin",
        "Anna might live in Berlin",
        "If Anna lives in Berlin",
        "Anna does not live in Berlin",
        "Anna no longer works at Acme",
        "Anna never lived in Berlin",
        "Anna lives in Berlin with her parents",
        "Anna lives in Riga and Berlin",
        "Anna lives in Riga on weekends",
        "Anna works at Acme on Mondays",
        "Anna works at a bank",
        "The deadline is unknown",
        "The database is down",
        "The status is not clear",
        "Billing's budget is too small",
        "Anna wants to work at Acme",
        "Anna's job is stressful",
        "Анна раньше жила в Риге",
        "Анна хочет жить в Риге",
        "Анна живёт в страхе",
        "Срок годности неизвестен",
        "안나는 베를린에 살았다",
        "안나는 베를린에 살고 싶다",
        "安娜以前住在北京",
        "安娜不住在北京",
        "安娜想住在北京",
    ],
)
def test_what_was_what_may_be_and_what_is_not_states_no_value(text: str) -> None:
    names = ("Anna", "Анна", "안나", "安娜")

    assert slot_of(text, "people/anna", names) is None
    assert slot_of(text, "projects/billing", ("Billing",)) is None


def test_the_value_keeps_its_spelling_and_the_subject_is_folded() -> None:
    slot = read_slot("Anna  works at  Acme GmbH.")

    assert slot is not None
    assert (slot.who, slot.attribute, slot.value) == ("anna", "employer", "Acme GmbH")


def test_a_question_states_nothing() -> None:
    assert find_slot("Anna works at Acme?") is None


@for_each("name", ["employer", "Company", "due date", "due_date", "город", "截止日期", "마감일"])
def test_single_valued_attributes_are_known_by_all_their_names(name: str) -> None:
    assert single_valued(name)


@for_each("name", ["skill", "hobby", "tag", "favourite smell", ""])
def test_other_attributes_may_hold_many_values(name: str) -> None:
    assert not single_valued(name)


def test_the_names_of_an_attribute_mean_the_same() -> None:
    assert canonical("Company") == canonical("работодатель") == "employer"
    assert canonical("favourite smell") == "favourite-smell"
    assert {"employer", "company", "workplace"} <= attribute_names("company")
    assert attribute_names("smell") == {"smell"}


@for_each(
    "text",
    [
        "저는 카카오에서 일하고 부산에 삽니다",
        "안나는 부산에 사는데 카카오에 다닌다",
        "안나의 직책은 팀장이고 부산에 산다",
        "안나는 커피를 마셨고, 부산에 산다",
        "안나의 남편은 민수이며 담당자는 안나입니다",
        "安娜的丈夫是王伟，他在腾讯工作",
        "安娜的职位是工程师，住在北京",
    ],
)
def test_what_goes_on_behind_a_clause_is_no_part_of_its_value(text: str) -> None:
    slot = read_slot(text)

    assert slot is None or not re.search("[고데며], |[고데며] |，", slot.value)


@for_each(
    ("text", "expected"),
    [
        ("안나의 직책은 광고 팀장입니다", ("role", "광고 팀장")),
        ("Anna lives in Austin, Texas", ("city", "Austin, Texas")),
        ("Her e-mail is anna@example.com", ("email", "anna@example.com")),
        ("Our time-zone is UTC", ("timezone", "UTC")),
        ("My favorite color is teal", ("favourite-colour", "teal")),
        ("The license is MIT", ("licence", "MIT")),
    ],
)
def test_a_noun_is_known_in_every_spelling(text: str, expected: tuple[str, str]) -> None:
    assert find_slot(text) == expected


@for_each(
    ("a", "b", "same"),
    [
        ("Acme", "ACME.", True),
        ("Казани", "Казань", True),
        ("600 seconds", "10 minutes", True),
        ("600 seconds", "900 seconds", False),
        ("C++", "C#", False),
        ("5 March", "6 March", False),
        ("Riga", "Berlin", False),
    ],
)
def test_values_are_compared_by_what_they_mean(a: str, b: str, same: bool) -> None:
    assert same_value(a, b) is same


def test_folding_joins_spellings() -> None:
    assert fold("ЁЛКА\u00a0\u2019s  Ｃ") == "елка 's c"


@given(st.text(max_size=120))
def test_any_text_is_read_and_a_value_stands_in_it(text: str) -> None:
    for statement in (text, f"Anna works at {text}", f"The deadline is {text}", f"статус: {text}"):
        slot = read_slot(statement)
        if slot is not None:
            assert single_valued(slot.attribute)
            assert fold(slot.value) in fold(statement)


@for_each(
    ("text", "who"),
    [
        ("下个月搬到上海", ""),
        ("我下个月搬到上海", "我"),
        ("明年我住在北京", "我"),
        ("next month I live in Riga", "i"),
        ("С 9 марта живу в Риге", ""),
        ("В мае я живу в Риге", "я"),
        ("Next week Anna works at Acme", "next week anna"),  # as Friday's meeting: it may be part of the name
        ("小周住在北京", "小周"),
        ("周五例会的负责人是王伟", "周五例会"),
    ],
)
def test_a_day_is_nobody_of_whom_something_is_stated(text: str, who: str) -> None:
    slot = read_slot(text)

    assert slot is not None
    assert slot.who == who


@for_each(
    ("text", "path", "names", "expected"),
    [
        ("Annas Chef ist Oleg", "people/anna", ("Anna",), ("manager", "Oleg")),
        ("Anna wohnt seit Mai in Lübeck", "people/anna", ("Anna",), ("city", "Lübeck")),
        ("Sie wohnt jetzt in Lübeck", "people/anna", ("Anna",), ("city", "Lübeck")),
        ("Das Limit von Billing liegt bei 150", "projects/billing", ("Billing",), ("limit", "150")),
        ("Mein Geburtstag ist am 3. Mai", "people/anna", ("Anna",), ("birthday", "3. Mai")),
        ("Anna habite à Lyon", "people/anna", ("Anna",), ("city", "Lyon")),
        ("L'employeur d'Anna est Acme", "people/anna", ("Anna",), ("employer", "Acme")),
        ("Le budget de Billing est de 40 000 euros", "projects/billing", ("Billing",), ("budget", "40 000 euros")),
        ("La limite est passée à 300", "projects/billing", ("Billing",), ("limit", "300")),
        ("Anna vive en Sevilla", "people/anna", ("Anna",), ("city", "Sevilla")),
        ("El jefe de Anna es Oleg", "people/anna", ("Anna",), ("manager", "Oleg")),
        ("El hermano de Anna vive en Riga", "people/anna", ("Anna",), None),
        ("Anna quiere vivir en Riga", "people/anna", ("Anna",), None),
        # somebody else, or nothing that is stated
        ("Annas Bruder wohnt in Riga", "people/anna", ("Anna",), None),
        ("Le frère d'Anna habite à Riga", "people/anna", ("Anna",), None),
        ("Anna wohnte in Riga", "people/anna", ("Anna",), None),
        ("Anna will in Riga wohnen", "people/anna", ("Anna",), None),
        ("Anna wohnt nicht in Riga", "people/anna", ("Anna",), None),
        ("Anna lebt in Scheidung", "people/anna", ("Anna",), None),
        ("Anna arbeitet bei der Stadt Kiel", "people/anna", ("Anna",), None),
        ("Mein Chef ist krank", "people/anna", ("Anna",), None),
        ("Anna n'habite plus à Riga", "people/anna", ("Anna",), None),
        ("Anna habitait à Riga", "people/anna", ("Anna",), None),
        ("Mon chef est en vacances", "people/anna", ("Anna",), None),
        ("La date limite est inconnue", "projects/billing", ("Billing",), None),
    ],
)
def test_german_french_and_spanish_sentences_state_attributes_too(
    text: str, path: str, names: tuple[str, ...], expected: tuple[str, str] | None
) -> None:
    slot = slot_of(text, path, names)

    assert (slot and (slot.attribute, slot.value)) == expected


@for_each(
    "text",
    [
        "Die Hard is my favourite film",
        "La Paz is our deployment region",
        "The die costs 40 euros in the land of Le Mans",
    ],
)
def test_an_english_sentence_is_read_by_no_other_language(text: str) -> None:
    slot = read_slot(text)

    assert slot is None or slot.attribute == "price"
