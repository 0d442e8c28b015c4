"""Names that deserve to become entities: few false ones."""

import re
from pathlib import Path

from engram.language import PATTERNS
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.language.names.new_entities import Candidate
from engram.language.names.new_entities import find_candidates
from engram.language.names.persons import plays_role
from tests.cases import for_each
from tests.language.examples import Example
from tests.language.examples import read_examples

EXAMPLES = [one for path in sorted(Path(PATTERNS, "names").glob("*.toml")) for one in read_examples(path)]
INDEX = NameIndex(
    [
        Known("people/anna", ("Anna", "Анна")),
        Known("people/sergey", ("Сергей",)),
        Known("people/pipeline", ("pipeline",)),
        Known("projects/billing", ("Billing", "Billing Service")),
        Known("projects/main", ("Main",)),
    ]
)


def found(*entries: str, minimum: int = 2) -> list[Candidate]:
    return find_candidates(entries, INDEX, min_mentions=minimum)


def test_wikilinks_and_labels_introduce_an_entity_at_once() -> None:
    candidates = found("see [[Atlas]] and [[people/Boris]]", "**Project:** Comet\nmore", "- Repo: comet-web, later")

    assert [(one.path, one.title, one.why) for one in candidates] == [
        ("people/boris", "Boris", "wikilink"),
        ("projects/atlas", "Atlas", "wikilink"),
        ("projects/comet", "Comet", "label"),
        ("projects/comet-web", "comet-web", "label"),
    ]


@for_each(
    ("entry", "path"),
    [
        ("We use PostgreSQL 16 for the Zephyr project.", "projects/zephyr"),
        ("Project Zephyr uses PostgreSQL 16 for storage.", "projects/zephyr"),
        ("Решили: проект Зефир переезжает на PostgreSQL", "projects/зефир"),
        ("We moved the zephyr-api service to Go", "projects/zephyr-api"),
        ("We moved our `zephyr` app to Go", "projects/zephyr"),
        ("We moved the main project to Go", None),
        ("Project status looks good", None),
        ("The new service is fast", None),
        ("A project I like", None),
    ],
)
def test_saying_what_kind_of_thing_a_name_is_introduces_it(entry: str, path: str | None) -> None:
    found = find_candidates([entry], INDEX, min_mentions=3)

    assert [found_one.path for found_one in found] == ([path] if path else [])


def test_handles_must_come_again_and_addresses_and_code_are_none() -> None:
    once = found("thanks @ivan")
    twice = found(
        "thanks @ivan", "@ivan will look, mail x@ivan.org", "@types/node", "`@override`", "@types/react", "`@override`"
    )

    assert once == []
    assert twice == [Candidate("people/ivan", "ivan", 2, "handle")]


def test_proper_names_that_recur_mid_sentence_become_projects_and_people_who_say_something_people() -> None:
    candidates = found(
        "today we moved Quasar to the new cluster",
        "the tests of Quasar are slow again",
        "after lunch Katya said that we ship",
        "in the morning Katya asked about the bill",
    )

    assert candidates == [
        Candidate("people/katya", "Katya", 2, "recurring"),
        Candidate("projects/quasar", "Quasar", 2, "recurring"),
    ]


def test_what_a_name_does_at_the_beginning_of_a_sentence_tells_that_it_is_a_persons() -> None:
    named = ("we put Darvin on the list", "so there is Darvin in the plan", "and the tickets for Darvin")

    assert [one.path for one in found(*named, minimum=3)] == ["projects/darvin"]
    assert [one.path for one in found(*named, "Darvin said that he is late", minimum=3)] == ["people/darvin"]


@for_each(
    "entry",
    [
        "on Monday in January we met the Russian team",  # days, months, languages
        "Quasar is at the beginning of this sentence",  # the capital says nothing
        "All Words Of This Title Are Large Quasar",  # a title
        "the API and the URLs and the IDs are in JSON now",  # acronyms
        "we deployed it to Windows and to GitHub today",  # platforms
        "the file is `Quasar` and also in Quasar.py somewhere",  # code
        "we saw the Pipeline and then the pipeline again",  # also written small
    ],
)
def test_what_is_no_name(entry: str) -> None:
    assert found(entry, entry, entry) == []


def test_known_entities_are_no_candidates() -> None:
    assert found("[[Anna]] and [[projects/billing]]", "**Project:** Billing") == []


@for_each(
    "entry",
    [
        "today I'm here, and I'll stay, and they say It's fine",
        "we were in London and in Japan, on Wednesdays, for Christmas",
        "a Spanish and a Korean friend of hers were there as well",
        "the FDIC-insured bank and the Long-Term plan were there as well",
        "we moved the open-source project and the long-term project",
        "we met the customer-facing service and the high-priority app",
    ],
)
def test_contractions_places_peoples_and_adjectives_are_no_names(entry: str) -> None:
    assert found(entry, entry, entry) == []


@for_each(
    ("name", "path"),
    [
        ("Melanie", "people/melanie"),  # a first name
        ("O'Brien", "projects/o-brien"),  # nobody says that it is somebody
        ("Oleg Petrov", "people/oleg-petrov"),
        ("Quasar", "projects/quasar"),
    ],
)
def test_who_has_a_first_name_is_a_person(name: str, path: str) -> None:
    assert [one.path for one in found(f"today we saw {name} in the hall", f"so we heard again of {name}")] == [path]


def test_the_cases_of_a_russian_name_are_one_candidate() -> None:
    candidates = found(
        "вчера наша Катя сказала, что всё готово",
        "отчёт попросили у Кати вчера вечером",
        "завтра спросим у Кати и решим",
    )

    assert candidates == [Candidate("people/катя", "Катя", 3, "recurring")]


def test_a_name_that_is_only_seen_in_an_oblique_case_or_is_a_case_of_a_known_one_is_none() -> None:
    oblique = [f"вчера мы {verb} Зефиром на новом кластере" for verb in ("занялись", "довольны", "были")]
    known = [f"вчера мы {verb} Сергея на новом кластере" for verb in ("видели", "ждали", "встретили")]

    assert found(*oblique, *known) == []


@for_each(
    ("entry", "path"),
    [
        ("김민수 님이 결정했다", "people/김민수"),
        ("김민수씨는 오늘 쉰다", "people/김민수"),
        ("王小明先生来了", "people/王小明"),
        ("项目：北斗", "projects/北斗"),
        ("프로젝트: 은하수", "projects/은하수"),
        ("선생님이 왔다, 고객님께, 날씨가 좋다", None),
        ("王先生来了", None),  # a family name is no name of a person
        ("高级经理和程序经理来了", None),
        ("변호사님과 언니님이", None),
    ],
)
def test_a_title_makes_a_korean_or_chinese_name_a_person(entry: str, path: str | None) -> None:
    assert [one.path for one in found(entry, entry)] == ([path] if path else [])


@for_each("example", [one for one in EXAMPLES if one.table == "titled"])
def test_the_titles_beside_their_pattern(example: Example) -> None:
    assert bool(found(example.text, minimum=1)) == example.found


def test_the_classes_of_a_program_are_no_projects() -> None:
    prose = [f"today we {verb} FeedStore and also {verb} OpenClaw again" for verb in ("moved", "fixed", "tested")]

    assert [one.title for one in found(*prose, "see `FeedStore.add()` in the docs")] == ["OpenClaw"]
    assert [one.title for one in found(*prose, "see src/feed-store.ts")] == ["OpenClaw"]


@for_each("example", [one for one in EXAMPLES if one.table == "adjectives"])
def test_the_adjectives_beside_their_pattern(example: Example) -> None:
    assert (found(f"We moved the {example.text} project to Go") == []) == example.found


def test_a_word_that_always_stands_behind_the_same_words_is_part_of_a_title() -> None:
    festival = [f"{day} we went to the day of the Zombies again" for day in ("today", "yesterday", "later")]

    assert found(*festival) == []
    assert [one.title for one in found(*festival, "then we saw Zombies on the hill")] == ["Zombies"]


def test_a_word_that_counts_things_is_no_name_by_itself() -> None:
    said = ["we ask for Level in the plan of the day", "it depends on Level in the end", "so we wrote Level down again"]

    assert found(*said) == []
    assert [one.path for one in found(*(one.replace("Level", "Lantern") for one in said))] == ["projects/lantern"]


def test_a_name_that_begins_with_two_capitals_is_no_persons() -> None:
    said = ["we see OAuth preferred here and there", "is OAuth preferred over keys", "it was OAuth preferred by all"]

    assert [one.path for one in found(*said)] == ["projects/oauth"]
    assert [one.path for one in found(*(one.replace("OAuth", "McCloud") for one in said))] == ["people/mccloud"]


@for_each("example", [one for one in EXAMPLES if one.table == "people_roles"])
def test_the_roles_beside_their_pattern(example: Example) -> None:
    name = re.split(r"[ ,，]|(?=是|[은는] )", example.text, maxsplit=1)[0]

    assert plays_role(example.text, name) == example.found
