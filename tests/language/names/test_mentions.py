"""Names in text: whole words only, and few false ones."""

import itertools
import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from engram.language import PATTERNS
from engram.language.names.mentions import FILE
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.language.names.mentions import may_name_files
from tests.cases import for_each
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted(Path(PATTERNS, "names").glob("*.toml"))
EXAMPLES = [example for path in FILES for example in read_examples(path)]
INDEX = NameIndex(
    [
        Known("people/anna", ("Anna", "Анна")),
        Known("people/sergey", ("Сергей",)),
        Known("people/pipeline", ("pipeline",)),
        Known("projects/billing", ("Billing", "Billing Service")),
        Known("projects/c-plus", ("C++",)),
        Known("projects/main", ("Main",)),
        Known("projects/blue-whale", ("Blue Whale",)),
        Known("projects/one", ("Twin",)),
        Known("projects/two", ("Twin",)),
    ]
)


@for_each(
    ("text", "paths"),
    [
        ("Anna prefers tea", ["people/anna"]),
        ("anna prefers tea", ["people/anna"]),
        ("Annabel prefers tea", []),
        ("Анне нравится чай, а Сергею кофе", ["people/anna", "people/sergey"]),
        ("the billing service is slow", ["projects/billing"]),
        ("Billing's API; billing.", ["projects/billing", "projects/billing"]),
        ("billing_v2 and billing-v2 and rebilling", []),
        ("see src/billing/api.py and https://billing.example.com", []),
        ("projects/billing moved, projects/unknown did not", ["projects/billing"]),
        ("[[people/anna]] and [[Blue Whale]]", ["people/anna", "projects/blue-whale"]),
        ("blue-whale and blue whale", ["projects/blue-whale", "projects/blue-whale"]),
        ("@pipeline is ready", ["people/pipeline"]),
        ("the pipeline is ready", []),
        ("written in C++, not C", ["projects/c-plus"]),
        ("Main is a project", ["projects/main"]),
        ("the main branch", []),
        ("Twin is ambiguous", []),
        ("", []),
    ],
)
def test_mentions_of_known_entities(text: str, paths: list[str]) -> None:
    assert [mention.path for mention in INDEX.find(text)] == paths


MANY = NameIndex(
    [
        Known("people/anna", ("Anna", "Анна", "안나", "安娜")),
        Known("people/ivan", ("Иван", "Ivan")),
        Known("people/sergey", ("Сергей Петров", "Сергей")),
        Known("people/maria", ("Мария",)),
        Known("people/lev", ("Лев",)),
        Known("people/pavel", ("Павел",)),
        Known("people/petr", ("Пётр",)),
        Known("people/nikita", ("Никита",)),
        Known("people/vera", ("Вера",)),
        Known("people/igor", ("Игорь",)),
        Known("people/alexander", ("Александр",)),
        Known("people/alexandra", ("Александра",)),
        Known("people/minsu", ("김민수",)),
        Known("people/jisu", ("지수",)),
        Known("people/li-ming", ("李明",)),
        Known("people/li-mingliang", ("李明亮",)),
        Known("people/grace", ("Grace",)),
        Known("projects/yandex", ("Яндекс",)),
        Known("projects/square", ("Красная площадь",)),
        Known("projects/reports", ("Отчёты",)),
        Known("projects/frame", ("프로젝트",)),
        Known("projects/naver", ("네이버", "네이버 지도")),
        Known("projects/weixin", ("微信",)),
        Known("projects/beijing", ("北京项目",)),
        Known("projects/qin", ("秦",)),
        Known("projects/billing", ("Billing Service",)),
    ]
)


@for_each(
    ("text", "slugs"),
    [
        # Russian: any case of the singular, with a capital
        ("Ивана не было, Иваном довольны, об Иване, Ивану", ["ivan"] * 4),
        ("Иванов, Ивановка и Иванна", []),
        ("Яндексом пользуемся, в Яндексе", ["yandex", "yandex"]),
        ("Сергея Петрова повысили, Сергею скажем", ["sergey", "sergey"]),
        ("Марией и Марии, Марию", ["maria"] * 3),
        ("Льва и Львом, Павла и Павлу, Петра и Пётр", ["lev", "lev", "pavel", "pavel", "petr", "petr"]),
        ("с Никитой, Никиту, Игоря, Игорем", ["nikita", "nikita", "igor", "igor"]),
        ("на Красной площади, Красную площадь", ["square", "square"]),
        ("в Отчётах", ["reports"]),
        ("Александра позвали", ["alexandra"]),  # its own form is the likelier one
        ("Александру позвали", []),  # may be either
        ("вера в людей и лев в клетке, веру", []),
        ("Вере верю", ["vera"]),
        ("ИВАН пришёл, иван тоже", ["ivan", "ivan"]),
        ("Анна-Мария, Яндекс.Такси", []),
        # Korean: particles are no part of the name
        ("안나는 차를, 안나가 왔다, 안나한테", ["anna"] * 3),
        ("안나와 지수랑 만났다", ["anna", "jisu"]),
        ("안나에게서, 안나였다, 안나의", ["anna"] * 3),
        ("프로젝트를 시작하고 프로젝트에서", ["frame", "frame"]),
        ("김민수님께서 결정, 김민수 씨가", ["minsu", "minsu"]),
        ("안나푸르나, 지수함수를, 프로젝트팀장", []),
        ("네이버 지도로 찾았다, 네이버의", ["naver", "naver"]),
        ("Anna는 Ivan에게", ["anna", "ivan"]),
        # Chinese: no spaces
        ("我和李明去北京，用微信联系安娜", ["li-ming", "weixin", "anna"]),
        ("李明亮来了，李明在", ["li-mingliang", "li-ming"]),
        ("李明华是谁", []),  # somebody else
        ("北京项目延期", ["beijing"]),
        ("问Anna吧", ["anna"]),
        ("秦始皇和秦岭", []),
        ("项目：秦。", ["qin"]),
        # English
        ("Anna's and Anna’s (Anna) **Anna**", ["anna"] * 4),
        ("the billing  service, billing\nservice", ["billing", "billing"]),
        ("grace under pressure", []),
        ("Grace is late", ["grace"]),
        ("Annas, Anna-Lee, anna@example.com, anna.md", []),
        ("[[Ivan|the boss]] and @ivan", ["ivan", "ivan"]),
        ("STRAẞE İstanbul: Anna", ["anna"]),  # letters whose lower case is longer
    ],
)
def test_mentions_in_four_languages(text: str, slugs: list[str]) -> None:
    assert [mention.path.partition("/")[2] for mention in MANY.find(text)] == slugs


@for_each(
    ("text", "said"),
    [
        ("안나한테 말했다", "안나"),
        ("김민수님께서", "김민수"),
        ("я видел Сергея Петрова", "Сергея Петрова"),
        ("我和李明去", "李明"),
        ("see people/anna now", "people/anna"),
        ("@Anna, hi", "Anna"),
    ],
)
def test_the_span_is_the_name_as_it_stands(text: str, said: str) -> None:
    assert [text[mention.start : mention.end] for mention in MANY.find(text)] == [said]


@for_each("example", [one for one in EXAMPLES if one.table == "particles"])
def test_the_korean_particles_beside_their_pattern(example: Example) -> None:
    assert bool(MANY.find(example.text)) == example.found


@for_each("piece", ["Сергей ", "안나", "李明", "billing ", "Анна.", "@anna", "a/", "프로젝트 "])
def test_text_that_is_made_to_be_slow_is_read(piece: str) -> None:
    text = piece * (65536 // len(piece)) + "\n, Grace is here"

    assert MANY.find(text)[-1].path == "people/grace"


@given(
    st.lists(
        st.sampled_from(["Anna", "billing", "C++", "@pipeline", "projects/billing", "Blue Whale", "x", ".", "é", " "])
    ).map(" ".join)
)
def test_mentions_stand_in_the_text_in_order_without_overlap(text: str) -> None:
    mentions = INDEX.find(text)

    assert all(0 <= one.start < one.end <= len(text) for one in mentions)
    assert all(one.end <= other.start for one, other in itertools.pairwise(mentions))


@for_each(
    ("name", "path"),
    [
        ("people/anna", "people/anna"),
        ("PEOPLE/Anna", "people/anna"),
        ("billing  service", "projects/billing"),
        ("nobody", None),
        ("", None),
    ],
)
def test_the_path_that_a_name_means(name: str, path: str | None) -> None:
    assert INDEX.find_path(name) == path


def test_each_pattern_has_an_example_and_a_counter_example() -> None:
    assert [patterns_without_both(path) for path in FILES] == [[] for _ in FILES]


@given(st.text(alphabet="ab-_~@[]\\:md(x) htps/.") | st.text())
def test_a_text_without_the_signs_of_a_file_names_none(text: str) -> None:
    assert may_name_files(text) or re.search(FILE, text) is None
