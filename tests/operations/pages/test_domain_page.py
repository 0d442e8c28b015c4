"""A domain as a page shows it."""

import datetime as dt

import pytest

from engram.errors import NotFoundError
from engram.model.domain import DomainType
from engram.operations.domains.domain_proposals import decide_proposal
from engram.operations.pages.domain_page import MOST_ENTRIES
from engram.operations.pages.domain_page import domain_list
from engram.operations.pages.domain_page import domain_page
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.workspace import Workspace
from tests.making import NOW


def desk(workspace: Workspace, minutes: int = 0) -> DomainCommands:
    return DomainCommands(workspace.files, now=NOW + dt.timedelta(minutes=minutes), role=None)


@pytest.fixture
def backup(workspace: Workspace) -> Workspace:
    desk(workspace).add(NewDomain("backup", DomainType.CRON_TASK, description="Copies of the invoices"))
    desk(workspace, 1).log("backup", "Copied 4 GB\n```\nno errors\n```")
    desk(workspace, 2).set_status("backup", "Runs every night")
    desk(workspace, 3).propose("backup", "Keep copies on two disks")
    desk(workspace, 4).propose("backup", "Keep copies for a year")
    return workspace


def test_the_newest_entries_come_first_with_what_stands_below_them(backup: Workspace) -> None:
    found = domain_page(backup, "backup")

    assert [entry["text"] for entry in found["changelog"]] == [
        "PROPOSAL: Keep copies for a year",
        "PROPOSAL: Keep copies on two disks",
        "status: Runs every night",
        "Copied 4 GB\n```\nno errors\n```",
    ]
    assert found["changelog"][-1]["at"] == "2026-03-02T10:01:00Z"
    assert found["files"]["status.md"].endswith("Runs every night")
    assert found["description"] == "Copies of the invoices"


def test_proposals_move_from_those_that_wait_to_those_that_were_decided(backup: Workspace) -> None:
    waiting = domain_page(backup, "backup")["waiting"]
    assert [one["text"] for one in waiting] == ["Keep copies for a year", "Keep copies on two disks"]

    decide_proposal(backup, waiting[0]["id"], "accept", "the law wants it")

    found = domain_page(backup, "backup")
    assert [one["text"] for one in found["waiting"]] == ["Keep copies on two disks"]
    assert [(one["text"], one["status"], one["note"]) for one in found["decided"]] == [
        ("Keep copies for a year", "accepted", "the law wants it")
    ]
    assert "the law wants it" in found["files"]["decisions.md"]


def test_lines_that_a_person_wrote_are_entries_without_an_instant(backup: Workspace) -> None:
    with (backup.paths.domains / "backup" / "changelog.md").open("a", encoding="utf-8") as file:
        file.write("\nby hand <b>bold</b>\n")

    assert domain_page(backup, "backup")["changelog"][0] == {"at": "", "text": "by hand <b>bold</b>"}


def test_a_long_changelog_is_cut_and_says_so(backup: Workspace) -> None:
    with (backup.paths.domains / "backup" / "changelog.md").open("a", encoding="utf-8") as file:
        file.write("".join(f"- line {number}\n" for number in range(MOST_ENTRIES)))

    found = domain_page(backup, "backup")
    assert (len(found["changelog"]), found["more_entries"]) == (MOST_ENTRIES, 4)
    assert found["changelog"][0]["text"] == f"line {MOST_ENTRIES - 1}"


def test_domains_are_listed_those_in_use_first_with_what_waits(backup: Workspace) -> None:
    desk(backup).add(NewDomain("attic", DomainType.META))
    desk(backup).archive("attic")

    assert [(one["name"], one["state"], one["proposals"]) for one in domain_list(backup)] == [
        ("backup", "live", 2),
        ("attic", "archived", 0),
    ]


def test_an_unknown_domain_is_refused_and_none_is_no_error(workspace: Workspace) -> None:
    assert domain_list(workspace) == []
    with pytest.raises(NotFoundError):
        domain_page(workspace, "backup")
