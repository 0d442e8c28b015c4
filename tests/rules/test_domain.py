"""Domains: proposals, roles, files that changed, and signs of life."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.spans import parse_span
from engram.model.domain import Domain
from engram.model.domain import DomainFile
from engram.model.domain import DomainType
from engram.model.domain import FileBase
from engram.model.domain import Role
from engram.rules.domain import FileState
from engram.rules.domain import find_proposals
from engram.rules.domain import format_duration
from engram.rules.domain import judge_file
from engram.rules.domain import liveness
from engram.rules.domain import needs_alert
from engram.rules.domain import proposal_id
from engram.rules.domain import writing_refusal
from tests.making import NOW

OLD, NEW = FileBase(size=3, sha256="a"), FileBase(size=9, sha256="b")
HOUR = dt.timedelta(hours=1)


def make_domain(**fields: object) -> Domain:
    """Return a domain that showed life just now and should every hour."""
    known = {"name": "billing", "type": DomainType.META, "created_at": NOW, "active_at": NOW, "cadence_s": 3600}
    return Domain.model_validate(known | fields)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ("PROPOSAL: use DuckDB", "use DuckDB"),
        ("- PROPOSAL: use DuckDB", "use DuckDB"),
        ("  * **PROPOSAL:** use  DuckDB ", "use DuckDB"),
        ("- 2026-03-02T10:00:00Z PROPOSAL: use DuckDB", "use DuckDB"),
        ("- 2026-03-02 10:00 PROPOSAL: use DuckDB", "use DuckDB"),
        ("- [2026-03-02] PROPOSAL: использовать DuckDB", "использовать DuckDB"),
        ("we talked about PROPOSAL: lines", None),
        ("proposal: nobody shouts", None),
        ("PROPOSAL:", None),
        ("<!-- PROPOSAL: hidden -->", None),
        ("## PROPOSAL: a heading", None),
    ],
)
def test_a_proposal_is_a_line_that_begins_so(line: str, text: str | None) -> None:
    assert find_proposals(line) == ([text] if text else [])


def test_proposals_in_code_are_none_and_the_same_one_counts_once() -> None:
    text = "PROPOSAL: a\n```\nPROPOSAL: b\n```\nPROPOSAL: A.\n~~~~\nPROPOSAL: c\n~~~\nPROPOSAL: d\n~~~~\nPROPOSAL: e"

    assert find_proposals(text) == ["a", "e"]


@pytest.mark.parametrize(
    "entry",
    [
        "- done\n  ```\n  PROPOSAL: x\n",
        "- done\n\n  ~~~\n\n  PROPOSAL: x\n\n",
        "- ```\n  PROPOSAL: x\n",
        "- y ```\n  ```\n",
    ],
    ids=["unclosed", "with empty lines", "behind the dash", "only its end"],
)
def test_a_fence_within_an_entry_ends_with_the_entry(entry: str) -> None:
    assert find_proposals(f"{entry}- 2026-03-02 PROPOSAL: a\nPROPOSAL: b") == ["a", "b"]


@pytest.mark.parametrize(
    "text", ["```npm run build``` is enough\n", "```\n```python\nPROPOSAL: x\n```\n", "~~~ `a` ```\nPROPOSAL: x\n~~~\n"]
)
def test_what_is_no_fence_opens_and_closes_none(text: str) -> None:
    assert find_proposals(f"{text}PROPOSAL: a") == ["a"]


@given(st.text(max_size=200))
def test_what_is_found_is_found_again_where_it_stands_alone(text: str) -> None:
    for found in find_proposals(f"PROPOSAL: {text}"):
        assert find_proposals(f"PROPOSAL: {found}") == [found]
        assert proposal_id("x", found) == proposal_id("x", find_proposals(f"- PROPOSAL: {found}")[0])


@pytest.mark.parametrize(
    ("file", "role", "is_refused"),
    [
        (DomainFile.STATUS, Role.MAIN, True),
        (DomainFile.STATUS, Role.SUBAGENT, False),
        (DomainFile.CHANGELOG, Role.MAIN, True),
        (DomainFile.CHANGELOG, Role.SUBAGENT, False),
        (DomainFile.DECISIONS, Role.MAIN, False),
        (DomainFile.DECISIONS, Role.SUBAGENT, True),
        (DomainFile.WORKFLOW, Role.SUBAGENT, True),
        *((file, None, False) for file in DomainFile),
    ],
)
def test_who_may_write_what(file: DomainFile, role: Role | None, is_refused: bool) -> None:
    assert bool(writing_refusal(file, role)) == is_refused


@pytest.mark.parametrize(
    ("file", "state", "worked", "wrong"),
    [
        ("workflow.md", FileState(None, NEW, continues=True), True, ""),
        ("workflow.md", FileState(OLD, OLD, continues=True), True, ""),
        ("workflow.md", FileState(OLD, None, continues=False), False, "is gone"),
        ("workflow.md", FileState(OLD, NEW, continues=False), False, ""),
        ("workflow.md", FileState(OLD, NEW, continues=False), True, "only the main agent"),
        ("decisions.md", FileState(OLD, NEW, continues=True, added="\n- PROPOSAL: a\n\nPROPOSAL: b\n"), True, ""),
        ("decisions.md", FileState(OLD, NEW, continues=True, added="PROPOSAL: a\n- done\n"), True, "only the main"),
        ("decisions.md", FileState(OLD, NEW, continues=False, added="PROPOSAL: a"), True, "only the main"),
        ("decisions.md", FileState(OLD, NEW, continues=False, added="anything"), False, ""),
        ("status.md", FileState(OLD, NEW, continues=False), True, ""),
        ("changelog.md", FileState(OLD, NEW, continues=True, added="more"), True, ""),
        ("changelog.md", FileState(OLD, NEW, continues=False), False, "rewritten"),
    ],
)
def test_what_a_changed_file_means(file: str, state: FileState, worked: bool, wrong: str) -> None:
    found = judge_file(DomainFile(file), state, subagent_worked=worked)

    assert wrong in found
    assert bool(found) == bool(wrong)


@pytest.mark.parametrize(
    ("hours", "archived", "state"),
    [
        (0, False, "live"),
        (1, False, "live"),
        (2, False, "due"),
        (3, False, "due"),
        (4, False, "stale"),
        (-5, False, "live"),
        (4, True, "archived"),
    ],
)
def test_signs_of_life(hours: int, archived: bool, state: str) -> None:
    assert liveness(make_domain(archived=archived), NOW + hours * HOUR) == state


def test_silence_is_reported_once_a_cadence_until_there_is_life() -> None:
    later = NOW + 2 * HOUR
    said = make_domain(alerted_at=later)

    assert needs_alert(make_domain(), later)
    assert not needs_alert(said, later + HOUR)
    assert needs_alert(said, later + 1.1 * HOUR)
    assert needs_alert(make_domain(alerted_at=NOW - HOUR), later)
    assert not needs_alert(make_domain(), NOW)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("30m", 1800), ("12h", 43_200), ("7 d", 604_800), ("2W", 1_209_600), ("0d", None), ("d", None), ("-1d", None)],
)
def test_spans_are_read(text: str, seconds: int | None) -> None:
    assert parse_span(text) == seconds


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(-1, "less than a minute"), (60, "1 minute"), (7200, "2 hours"), (86_400, "1 day"), (200_000, "2 days")],
)
def test_spans_are_written(seconds: float, words: str) -> None:
    assert format_duration(seconds) == words
