"""Where names stand in a line by their form alone: sites, and repositories by their address."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.names.spans import _BEYOND_ASCII
from engram.language.names.spans import DOMAIN
from engram.language.names.spans import KEBAB
from engram.language.names.spans import PHRASE
from engram.language.names.spans import PLAIN_NAMES
from engram.language.names.spans import TITLED
from engram.language.names.spans import _forms
from engram.language.names.spans import find_names
from engram.language.names.spans import repository_names
from tests.cases import for_each


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("parcel-post.org had no certificate since May", ["parcel-post.org"]),
        ("Новый бот для паром.рф", ["паром.рф"]),
        ("The api.loom.dev host answers slowly", ["api.loom.dev"]),
        ("See notes.md, press.py and setup.sh", []),
        ("Version 2.5.1 came on 3.4.2026", []),
        ("Write to vera@loom.dev", []),
        ("It stands at https://loom.dev/weaving", []),
        ("We stopped.Then we went on", []),
    ],
)
def test_a_site_is_a_name(text: str, names: list[str]) -> None:
    assert [span.name for span in find_names(text) if span.form == DOMAIN] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Repository: https://github.com/weavers/loom-bot", ["loom-bot"]),
        ("**Репозиторий:** https://github.com/weavers/loom-bot.git (готов)", ["loom-bot"]),
        ("cloned git@gitlab.com:weavers/kiln.git", ["kiln"]),
        ("Merged https://github.com/weavers/ferry/pull/12.", ["ferry"]),
        ("https://github.com/weavers has nothing yet", []),
        ("Site: https://weavers.github.io/spring-fair/", ["spring-fair"]),
        ("https://weavers.github.io is empty", []),
    ],
)
def test_a_repository_is_known_by_its_address(text: str, names: list[str]) -> None:
    assert repository_names(text) == names


@for_each(
    ("text", "names"),
    [
        ("라벨 프린터는 8080 포트에 있다", ["라벨 프린터"]),
        ("랜턴은 금요일에 이사한다", ["랜턴"]),
        ("제비 마감일은 3월 5일입니다", ["제비"]),  # whose deadline it is
        ("그래도 랜턴은 금요일에 이사한다", ["랜턴"]),
        ("나 10일은 당직이야", []),
        ("올해 양력으로는 5월이야", []),
        ("어제 만든 파일은 지웠다", []),
        ("우리는 내가 운전할게", []),
        ("배포하기 전에는 확인해 줘", []),
        ("나 원래 간호사였다가 개발을 배웠어", []),
        ("交付日期现在是周五", ["交付日期"]),
        ("我们8月要搬去苏州", []),
        ("它的容量列里有空值", []),
        ("老师推荐了苏州的老师", []),
        ("想过去之后换成社区的", []),
    ],
)
def test_a_phrase_is_what_may_be_called_so_and_no_piece_of_a_sentence(text: str, names: list[str]) -> None:
    assert [span.name for span in find_names(text) if span.form == PHRASE] == names


@for_each(
    ("text", "names"),
    [
        ("김민수 님이 결정했다", ["김민수"]),
        ("박과장이 결정했다", ["박"]),
        ("기사님이 11시에 출발하셔서 시간이 없대", []),
        ("우리 사장님이 결정했다", []),
        ("새 팀장이 결정했다", []),
        ("우리 이사했어", []),
        ("오늘은 날씨가 좋다", []),
        ("上次被王老师骂了", ["王老师"]),
        ("这是王老师组的机器", ["王老师"]),
        ("苏州的一个老师说可以", []),
        ("勇哥建议先备份", ["勇哥"]),
    ],
)
def test_a_title_names_somebody_with_a_name_before_it(text: str, names: list[str]) -> None:
    assert [span.name for span in find_names(text) if span.form == TITLED] == names


@pytest.mark.parametrize(
    ("text", "names", "no_name"),
    [
        ("And Anna prefers green tea.", {"Anna"}, "And Anna"),
        ("But Then Boris Petrov called", {"Boris Petrov"}, "But Then Boris Petrov"),
        ("In Berlin we use metric units", {"Berlin"}, "In Berlin"),
        ("Since March Lantern runs on Mongo", {"March Lantern"}, "Since March Lantern"),
        ("А Борис живёт в Перми", {"Борис"}, "А Борис"),
        ("Cuando Lucía llega, comemos", {"Lucía"}, "Cuando Lucía"),
        ("Will Smith takes over the importer", {"Will Smith", "Will", "Smith"}, "Smith takes"),
        ("However", {"However"}, ""),
    ],
)
def test_a_word_that_opens_a_sentence_is_no_part_of_the_name(text: str, names: set[str], no_name: str) -> None:
    found = {span.name: span for span in find_names(text)}
    assert names <= found.keys()
    assert no_name not in found
    assert all(text[span.start : span.end] == name for name, span in found.items())


@for_each(
    ("text", "names"),
    [
        ("loom-bot很快", ["loom-bot"]),
        ("用Kestrel部署loom-bot到测试机", ["Kestrel", "loom-bot"]),
        ("loom-bot는 매일 돈다", ["loom-bot"]),
        ("テストはKestrelで動く", ["Kestrel"]),
        ("xloom-bot_y runs", []),
    ],
)
def test_a_name_in_latin_letters_needs_no_space_beside_signs_of_the_east(text: str, names: list[str]) -> None:
    assert [span.name for span in find_names(text) if span.form in PLAIN_NAMES] == names


def test_a_name_with_an_underscore_is_one_name() -> None:
    named = {span.name for span in find_names("The T_K paper and LOOM_GUARD wait for kiln-bot")}

    assert {"T_K", "LOOM_GUARD"} <= named
    assert "T" not in named


@for_each(
    ("line", "names"),
    [
        ("Rules are in tide-table-rules.md now", {"Rules"}),
        ("Wrote AIKA_Kaizen_Koujou_Ground_Rules.md", {"Wrote"}),
        ("Siehe fahrplan-notizen.pdf", {"Siehe"}),
        ("规则在 tide-table.md 里", set()),
        ("see tide-table for that", {"tide-table"}),
        ("we use Node.js for tide-table", {"Node.js", "tide-table"}),
    ],
)
def test_the_name_of_a_file_names_nothing_else(line: str, names: set[str]) -> None:
    assert {span.name for span in find_names(line) if span.form in PLAIN_NAMES} == names


def test_a_name_with_a_hyphen_ends_where_a_path_goes_on() -> None:
    assert [span.name for span in find_names("see loom-bot/main and a_loom-bot") if span.form == KEBAB] == []


@for_each(
    ("line", "names"),
    [
        ("She'll take the reviews over", {"She"}),
        ("They’ve moved", {"They"}),
        ("Aino'll take it", {"Aino"}),
        ("Didn't work", set()),
        ("O'Brien came", {"O'Brien"}),
    ],
)
def test_what_is_written_together_with_a_word_is_no_part_of_a_name(line: str, names: set[str]) -> None:
    assert {span.name for span in find_names(line)} == names


def test_whose_something_is_in_a_title_is_named_without_the_ending_of_the_genitive() -> None:
    names = {span.name for span in find_names("KITTIWAKE's Architecture has four layers")}

    assert "KITTIWAKE" in names
    assert "KITTIWAKE's" not in names


LINES = st.lists(
    st.sampled_from(
        [
            *(
                "Anna",
                "Ms.",
                "our",
                "the billing service",
                "runs",
                "Lantern is a web shop",
                "parcel-api",
                "@anna",
                "[[",
            ),
            *(
                "]]",
                "`ingest.py`",
                "«Гранит»",
                "「灯笼」",
                "“Kiln”",
                "小王",
                "老师",
                "김민수 님은",
                "우리 민재가",
                "좋아한다",
                " ",
                ".",
            ),
        ]
    )
    | st.text(max_size=3),
    max_size=8,
).map(" ".join)


@given(LINES)
def test_a_form_stands_in_no_line_without_its_signs(line: str) -> None:
    for _, known, signs in _forms():
        is_possible = not signs or (
            not line.isascii() if signs == _BEYOND_ASCII else any(sign in line for sign in signs)
        )

        assert is_possible or known.search(line) is None


@given(st.text(alphabet=st.characters(max_codepoint=127), max_size=40))
def test_what_is_written_in_other_scripts_is_in_no_line_of_ascii(line: str) -> None:
    assert [known.pattern for _, known, signs in _forms() if signs == _BEYOND_ASCII and known.search(line)] == []
