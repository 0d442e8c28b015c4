"""A promise whose day has passed: every door shows it as overdue until somebody says what became of it."""

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in

MAY, JUNE = ("--now", "2026-05-20T12:00:00Z"), ("--now", "2026-06-03T12:00:00Z")
DISK = "I'll order the disk by the end of May"
OVERDUE = "overdue since 2026-05-31"


@pytest.fixture
def promised(workspace_with: WorkspaceWith) -> None:
    workspace_with(promise)


def promise(workspace: Workspace) -> None:
    """Promise a disk, and to cover a desk for a time."""
    engram = engram_in(workspace)
    said = ("--entity", "projects/server", "--create", "--category", "commitment", "--now", "2026-05-02T12:00:00Z")
    for text, day in ((DISK, "2026-05-31"), ("I cover the desk until 31 May", "2026-05-31")):
        assert engram("write", *said, "--fact", text, "--valid-to", day).code == 0


@pytest.mark.parametrize(
    ("text", "reason", "due"),
    [
        ("I'll order the cable by the end of May", "it is due on 2026-05-31, as its words say", "2026-05-31"),
        ("I cover the night shift until 24 May", "it holds until 2026-05-24, as its words say", None),
        ("I'll think about the cable", "", None),
    ],
)
def test_its_day_is_read_in_its_words_where_its_writer_names_none(
    engram: Engram, text: str, reason: str, due: str | None
) -> None:
    said = ("write", "--entity", "projects/server", "--create", "--category", "commitment", "--fact", text)

    answer = engram(*said, "--json", *MAY).json

    assert (answer["status"], answer.get("reason") or "") == ("created", reason)
    assert [one["due_on"] for one in engram("facts", "--json", *MAY).json["facts"]] == [due]


@pytest.mark.usefixtures("promised")
def test_a_listing_says_that_it_is_overdue(engram: Engram) -> None:
    before, after = (engram("facts", "--json", *now).json["facts"] for now in (MAY, JUNE))

    assert [(one["due_on"], one["overdue_since"]) for one in before] == [("2026-05-31", None), (None, None)]
    assert [(one["text"], one["status"], one["overdue_since"]) for one in after] == [(DISK, "active", "2026-05-31")]
    assert OVERDUE in engram("facts", *JUNE).out
    assert "cover the desk" in engram("facts", "--status", "ended", *JUNE).out


@pytest.mark.usefixtures("promised")
@pytest.mark.parametrize(
    "asked",
    [("recall", "disk"), ("ask", "when", "server"), ("context",), ("show", "server-001"), ("history", "server-001")],
)
def test_every_answer_says_that_it_is_overdue(engram: Engram, asked: tuple[str, ...]) -> None:
    before, after = (engram(*asked, *now).out for now in (MAY, JUNE))

    assert OVERDUE not in before
    assert OVERDUE in after


@pytest.mark.usefixtures("promised")
def test_recall_tells_programs_and_a_past_answer_does_not(engram: Engram) -> None:
    hit = engram("recall", "disk", "--json", *JUNE).json["hits"][0]
    then = engram("recall", "disk", "--json", "--as-of", "2026-05-10", *JUNE).json["hits"][0]

    assert (hit["text"], hit["overdue_since"]) == (DISK, "2026-05-31")
    assert (then["text"], then["overdue_since"]) == (DISK, None)


@pytest.mark.usefixtures("promised")
def test_it_is_owed_in_the_past_until_something_took_its_place(engram: Engram) -> None:
    kept = ("write", "--entity", "projects/server", "--supersedes", "server-001", "--fact", "Ordered the disk")

    assert engram(*kept, "--now", "2026-06-05T12:00:00Z").code == 0

    then = engram("facts", "--as-of", "2026-06-02", "--json").json["facts"]
    assert [one["text"] for one in then] == [DISK]
    assert [one["text"] for one in engram("facts", "--as-of", "2026-06-06", "--json").json["facts"]] == [
        "Ordered the disk"
    ]
    known = engram("facts", "--as-known", "2026-06-03", "--json").json["facts"]
    assert [(one["text"], one["overdue_since"]) for one in known] == [(DISK, "2026-05-31")]


@pytest.mark.usefixtures("promised")
def test_a_promise_that_is_given_again_has_a_new_day_and_the_old_one_was_owed_until_then(engram: Engram) -> None:
    again = ("--entity", "projects/server", "--fact", DISK, "--category", "commitment", "--valid-to", "2026-06-30")

    answer = engram("write", *again, "--json", *JUNE).json

    assert (answer["status"], answer["superseded"]) == ("superseded", ["projects/server-001"])
    assert "it is promised anew on 2026-06-03" in answer["reason"]
    assert [one["due_on"] for one in engram("facts", "--json", *JUNE).json["facts"]] == ["2026-06-30"]
    assert [one["id"] for one in engram("facts", "--as-of", "2026-06-02", "--json").json["facts"]] == [
        "projects/server-001"
    ]


@pytest.mark.usefixtures("promised")
def test_a_newer_fact_that_says_that_it_is_done_closes_it_at_every_door(engram: Engram) -> None:
    told = engram("write", "--entity", "projects/server", "--fact", "Ordered the disk today", "--json", *JUNE).json

    listed = {one["id"]: one for one in engram("facts", "--json", *JUNE).json["facts"]}
    old = listed["projects/server-001"]
    assert (old["status"], old["outdated_by"], old["overdue_since"]) == ("active", told["id"], None)
    assert f"over, says {told['id']}" in engram("facts", *JUNE).out
    assert [hit["text"] for hit in engram("recall", "disk", "--json", *JUNE).json["hits"]] == ["Ordered the disk today"]
    assert OVERDUE not in engram("facts", *JUNE).out + engram("context", *JUNE).out


@pytest.mark.usefixtures("promised")
@pytest.mark.parametrize("asked", [("show", "server-001"), ("history", "server-001"), ("ask", "when", "server")])
def test_an_answer_about_a_promise_that_is_kept_says_by_which_fact(engram: Engram, asked: tuple[str, ...]) -> None:
    engram("write", "--entity", "projects/server", "--fact", "Ordered the disk today", *JUNE)

    said = engram(*asked, *JUNE).out

    assert OVERDUE not in said
    assert "over, says projects/server-003" in said


@pytest.mark.usefixtures("promised")
def test_the_files_of_an_entity_call_no_promise_overdue_that_is_kept(engram: Engram, workspace: Workspace) -> None:
    engram("write", "--entity", "projects/server", "--fact", "Ordered the disk today", *JUNE)

    page = (workspace.paths.life / "projects" / "server" / "summary.md").read_text(encoding="utf-8")

    assert f"- {DISK} (2026-05-02 to 2026-05-31, over, says 003" in page
    assert OVERDUE not in page


@pytest.mark.usefixtures("promised")
def test_what_is_done_of_something_else_leaves_it_overdue(engram: Engram) -> None:
    engram("write", "--entity", "projects/server", "--fact", "Ordered the wrong disk", *JUNE)

    assert OVERDUE in engram("facts", *JUNE).out
    assert OVERDUE in engram("recall", "disk", *JUNE).out
