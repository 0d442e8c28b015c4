"""Names in text: whole words only, and few false ones."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.mentions import Candidate
from engram.language.mentions import Known
from engram.language.mentions import NameIndex
from engram.language.mentions import find_candidates

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


@pytest.mark.parametrize(
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


@given(
    st.lists(
        st.sampled_from(["Anna", "billing", "C++", "@pipeline", "projects/billing", "Blue Whale", "x", ".", "é", " "])
    ).map(" ".join)
)
def test_mentions_stand_in_the_text_in_order_without_overlap(text: str) -> None:
    mentions = INDEX.find(text)

    assert all(0 <= one.start < one.end <= len(text) for one in mentions)
    assert all(one.end <= other.start for one, other in itertools.pairwise(mentions))


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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


@pytest.mark.parametrize(
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
