"""Statements that bring others up to date in other words: which belong together, and which only look alike."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.compare.updates.update_statement import load_words
from engram.language.compare.updates.update_values import find_values
from engram.language.compare.updates.updates import find_update
from engram.language.compare.updates.updates import weigh
from tests.cases import for_each
from tests.language.examples import PATTERNS

FILES = sorted((PATTERNS / "updates").glob("*.toml"))
OTHERS = [
    "The office is on the second floor",
    "Meetings happen on Tuesdays",
    "The logo is blue",
    "Backups run at night",
]


@for_each(
    ("old", "new"),
    [
        # a count, an amount, a share
        ("The repository holds 150 merged commits", "We have now reached 165 merged commits"),
        ("My weekly running goal is 20 km", "I just raised my weekly running goal to 25 km"),
        ("The nightly import takes 45 minutes", "Since the index was added the nightly import takes only 12 minutes"),
        ("We budgeted $4,000 for the kitchen renovation", "The kitchen renovation budget grew to $5,500"),
        ("The unit test coverage of the parser is 65%", "Parser unit test coverage has improved to 78%"),
        ("The team has 6 engineers", "The team has grown to 9 engineers"),
        ("My blood pressure reading was 135 in January", "My blood pressure reading dropped to 122"),
        # a date, a time, a version
        ("The kickoff meeting with Dana is on March 3", "The kickoff meeting with Dana was moved to March 7"),
        ("The handover of the flat is on January 30 at 10", "The handover was moved to the 31st"),
        ("Die Übergabe der Wohnung ist am 30. Januar um 10 Uhr", "Ach so, die Übergabe wurde auf den 31. verschoben"),
        ("La remise des clés de l'appartement est le 30 janvier", "La remise des clés est repoussée au 31"),
        ("Передача ключей от квартиры 30 января в 10", "Передача ключей перенесена на 31-е"),
        ("The standup starts at 9:30", "The standup now starts at 10:00"),
        ("We upgrade prod to 16 on December 3rd, Ines does it", "The upgrade was moved to December 5th"),
        ("The demo for Acme is on May 2 at the Berlin office", "The demo was pushed to May 9"),
        ("We use Node v18.2.0 in the frontend build", "The frontend build now uses Node v20.1.0"),
        ("The library fee is $30 a year", "The library fee went from $30 to $45 a year"),
        # what a thing is said to be
        ("Best film of the festival: Wings of Stone", "Best film of the festival: Night Ferry"),
        # what was never so
        ("I visited the dentist in Lisbon last year", "I've never visited a dentist in Lisbon"),
        ("We rolled the payment gateway out to all customers", "We haven't rolled out the payment gateway yet"),
        ("I have never used Terraform modules", "I rewrote our staging setup with Terraform modules"),
        # other languages
        ("Дедлайн отчёта по продажам — 5 мая", "Дедлайн отчёта по продажам перенесли на 12 мая"),
        ("В рассылке 1200 подписчиков", "В рассылке уже 1350 подписчиков"),
        ("测试用户数量是150人", "现在测试用户数量已增加到180人"),
        ("项目预算是20万元", "项目预算已调整为25万元"),
        ("我部署过支付服务到生产环境", "我从来没有部署过支付服务到生产环境"),
        ("베타 테스트 사용자는 150명이다", "베타 테스트 사용자가 이제 180명으로 늘었다"),
        ("나는 결제 서비스를 배포했다", "나는 결제 서비스를 배포한 적이 없다"),
    ],
)
def test_a_newer_value_is_an_update(old: str, new: str) -> None:
    found = find_update(new, old, weigh([*OTHERS, old]))

    assert found is not None
    assert found.kind == "update"
    assert found.why


@for_each(
    ("old", "new"),
    [
        # another thing
        ("The kickoff meeting with Dana is on March 3", "The retrospective with Omar was moved to March 7"),
        ("Our newsletter has 1,200 subscribers", "The podcast reached 1,350 downloads this week"),
        ("The Lisbon office has 12 desks", "The Porto office now has 20 desks"),
        ("The demo for Acme is on May 2 at the Berlin office", "The audit was pushed to May 9"),
        ("The demo for Acme is on May 2", "The demo for Globex was pushed to May 9"),
        ("Latency of search is 250 ms", "Latency of indexing improved to 120 ms"),
        ("Ticket price for adults is $12", "Ticket price for children is now $7"),
        ("Unit tests take 3 minutes", "Integration tests now take 20 minutes"),
        ("Дедлайн отчёта — 5 мая", "Отпуск Анны перенесли на 12 мая"),
        # another kind of value, or a number that only names
        ("The API port is 8080", "The API now has 12 endpoints"),
        ("Order 1200 was delivered", "Order 1350 was delivered now"),
        ("Sprint 12 closed 34 tickets", "Sprint 13 now has 40 tickets"),
        # one more, not instead
        ("On March 3 we met the supplier", "On March 7 we met the supplier again"),
        # from a value that the older one does not name
        ("The quiz score of the class was 65%", "The quiz score of the class improved from 78% to 88%"),
        # the next row of a table, one of many
        ("Anna has 3 cats at home 3", "Anna has 4 cats at home 4"),
        ("The triangle has sides of 5 cm, 6 cm and 7 cm", "The triangle now has sides of 8 cm, 9 cm and 10 cm"),
        # a wish is not what was
        ("I want to learn Terraform modules", "I have never used Terraform modules"),
        ("I visited a dentist in Lisbon", "I've never visited a museum in Porto"),
        # a label, not a thing
        ("Decision: use Kafka for events", "Decision: use Redis for the cache"),
        # the same value
        ("The team has 6 engineers", "The team still has 6 engineers now"),
    ],
)
def test_what_only_looks_alike_is_none(old: str, new: str) -> None:
    assert find_update(new, old, weigh([*OTHERS, old])) is None


@for_each(
    ("old", "new"),
    [
        # the number names one of several
        ("Tier 1 of the training plan is breathing", "Tier 2 of the training plan is walking"),
        ("Goal 1 (Harbour) has 6 projects for the winter season", "Goal 3 (Ferry) now has 4 projects for the season"),
        # the next row of a list, both with words of their own
        (
            "A full ticket for the harbour museum in the old town of Riga costs 15 euros at the counter",
            "A reduced ticket for the harbour museum in the old town of Riga costs 2 euros with a student card",
        ),
        (
            "Emails of 100 coastal schools in the first chunks are verified on the pages of the schools themselves",
            "Emails of 84 coastal schools in the other chunks are guessed, and the sending service has to check them",
        ),
        ("Баннер в приложении стоит 3000 рублей в месяц", "Поддержка приложения стоит 5000 рублей в месяц"),
        ("第一季度的目标是召回率达到70%并接入检索", "第二季度的目标是准确率达到65%并接入检索"),
        # one day is the name of a file, the other one of another
        (
            "The journal note of the harbour diary for 2026-05-18 was missing while the other vault had it",
            "The start page and the map of all boats were updated to point to the journal note of 2026-05-23",
        ),
        ("`diary/2026-05-18.md` of the harbour was missing", "Updated `diary/2026-05-23.md` of the harbour"),
        # the same day, with its year and without
        ("Meeting before the offer: March 25, 2026 at 10:00", "March 25: meeting before the offer"),
        # an occasion of many, one more of many, and one of several counted otherwise
        ("Пользователь прислал 5 фото гавани", "Пользователь прислал ещё 6 фото гавани"),
        ("Links were put into all 9 harbour posts of the blog", "Harbour posts of the blog from 17 to 18"),
        ("Send the boat plan to the harbour office", "The cost table has never been sent to the harbour office"),
        # neither was done
        ("The request was made but never sent to the harbour office", "It has never been sent to the harbour office"),
        ("Id of the harbour message: 1467970148668276817", "Id of the harbour message: 1467970323570888724"),
        ("[message_id: 1641]", "[message_id: 1642]"),
        # a part of what was counted
        ("All 959 checks of the harbour pass", "All 602 gate checks of the harbour still pass"),
        # a number and a month of a year
        ("My father is 88", "My father gets the lower allowance since October 2024"),
        # of a rule there are many
        ("Rule of the harbour house: doors stay open", "Rule of the harbour house: nobody sails alone"),
        ("Core value of the team: calm is home", "Core value of the team: care without haste"),
    ],
)
def test_numbers_of_different_things_and_the_next_rule_are_a_mention_at_most(old: str, new: str) -> None:
    found = find_update(new, old, weigh([*OTHERS, old]))

    assert found is None or found.kind == "mention"


def test_a_long_statement_that_only_says_more_is_of_the_same_thing() -> None:
    old = "The nightly import of the harbour sensors into the warehouse takes 45 minutes"
    new = "The nightly import of the harbour sensors into the warehouse takes 12 minutes since the index was rebuilt"

    found = find_update(new, old, weigh([*OTHERS, old]))

    assert found is not None
    assert found.kind == "update"


@for_each(
    ("text", "expected"),
    [
        ("it costs $1,200 or 20k", [("money", "1200"), ("count", "20")]),
        ("since october 2024", [("date", "2024-10-")]),
        ("on march 3, 2026 at 4:30 pm", [("date", "2026-03-03"), ("clock", "16:30")]),
        ("78% of v1.2.3", [("percent", "78"), ("version", "1.2.3")]),
        ("[message_id: 1641]", [("name", "1641")]),
        ("sprint 12 has 34 tickets", [("name", "12"), ("count", "34")]),
        ("预算25万元", [("money", "25")]),
        ("upgrade to 16 on december 3rd", [("count", "16"), ("date", "-12-03")]),
        ("moved to the 3rd, on the 4th floor", [("date", "03"), ("count", "4")]),
        ("nothing here", []),
    ],
)
def test_values_are_found_in_normal_form(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(value.kind, value.value) for value in find_values(text)] == expected


@given(st.text(max_size=300), st.text(max_size=300))
def test_values_stand_where_they_say_and_any_text_is_read(new: str, old: str) -> None:
    values = list(find_values(new))

    assert all(0 <= one.start < one.end <= len(new) for one in values)
    assert [one.start for one in values] == sorted(one.start for one in values)
    assert find_update(new, new, weigh([old])) is None


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
@pytest.mark.parametrize("key", ["cues", "never"])
def test_every_phrase_finds_its_examples_and_only_those(path: object, key: str) -> None:
    text = path.read_text("utf-8")  # type: ignore[attr-defined]
    patterns = tomllib.loads(text)[key]
    block = re.search(rf"(?ms)^{key} = \[\n(.*?)^\]", text)
    assert block is not None
    parts = re.split(r"(?m)^  ['\"]", block[1])[1:]
    assert len(parts) == len(patterns)
    for pattern, part in zip(patterns, parts, strict=True):
        found = re.findall(r"(?m)^  # ([+-]) (.*)$", part)
        assert {"+", "-"} == {mark for mark, _ in found}
        for mark, example in found:
            assert bool(re.search(rf"(?<![a-zа-я])(?:{pattern})", example.casefold())) == (mark == "+"), example


def test_the_words_of_each_language_are_read() -> None:
    assert len(load_words()) == len(FILES)
    assert all(words.never and words.filler for words in load_words())
