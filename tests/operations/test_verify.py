"""`verify` compares life/ and the index with what is made of the journal, and says which file or document differs."""

import datetime as dt
import json
import os
from collections.abc import Mapping

import pytest

from engram.base.text import sha256_hex
from engram.model.document import Document
from engram.operations.upkeep import Upkeep
from engram.ports.index import VectorIndex
from engram.services.doctor import rendered
from engram.services.doctor.rendered import compare_index
from engram.services.doctor.verify import Verified
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW

ANNA = "people/anna"
PAGE = f"{ANNA}/summary.md"


def fill(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": ANNA, "create": True, "text": "Anna works at Acme"})
    workspace.submit("write", {"entity": ANNA, "text": "Anna works at Globex", "supersedes": [f"{ANNA}-001"]})
    workspace.submit("write", {"entity": "projects/billing", "create": True, "text": "Billing runs on port 8080"})
    turns = [{"id": f"turn/{number:032x}", "text": f"remark number {number}"} for number in range(3)]
    workspace.submit("capture", {"session": "talk", "turns": turns})
    workspace.paths.memory.mkdir(exist_ok=True)
    (workspace.paths.memory / "2026-03-02.md").write_text("- Anna likes rowing\n")
    Upkeep(workspace).rebuild("all")


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    """A workspace whose life/ and index are up to date."""
    return workspace_with(fill)


def verified(workspace: Workspace) -> Verified:
    return Upkeep(open_workspace(str(workspace.paths.root), now=lambda: NOW)).verify()


def forge(workspace: Workspace, name: str, before: str, after: str) -> None:
    """Change a file of life/, and the note of its digest beside it."""
    page = workspace.paths.life / name
    page.write_text(page.read_text().replace(before, after))
    state = json.loads(workspace.paths.mirror_state.read_text())
    state["files"][name] = sha256_hex(page.read_bytes())
    workspace.paths.mirror_state.write_text(json.dumps(state))


def test_what_is_as_the_journal_says_is_whole(filled: Workspace) -> None:
    found = verified(filled)

    assert (found.problems, found.degraded) == ((), ())


@pytest.mark.parametrize("name", [PAGE, f"{ANNA}/items.json"])
def test_a_page_with_other_words_is_named_although_its_digest_was_changed_with_it(filled: Workspace, name: str) -> None:
    forge(filled, name, "Anna works at Globex", "Anna works at Initech")

    assert verified(filled).problems == (f"life/{name} is not what the journal says",)


def test_a_list_of_pages_with_other_words_is_named(filled: Workspace) -> None:
    forge(filled, "index.md", "Billing", "Bulling")

    assert verified(filled).problems == ("life/index.md is not what the journal says",)


def test_an_edit_is_named_and_is_no_damage(filled: Workspace) -> None:
    page = filled.paths.life / PAGE
    page.write_text(page.read_text().replace("Globex", "Initech"))

    found = verified(filled)

    assert found.problems == ()
    assert found.degraded == (f"life/{PAGE}: somebody edited it: 1 change to be taken in",)


def test_a_page_that_is_missing_and_one_that_nothing_makes_are_named(filled: Workspace) -> None:
    (filled.paths.life / PAGE).unlink()
    strange = filled.paths.life / "people" / "nobody" / "summary.md"
    strange.parent.mkdir()
    strange.write_text("# Nobody\n\n- Nobody has the key\n")

    found = verified(filled)

    assert found.problems == ()
    assert found.degraded == (
        f"life/{PAGE}: it is not there",
        "life/people/nobody/summary.md: nothing in the journal makes it",
    )


def test_a_page_that_rotted_is_damage(filled: Workspace) -> None:
    page = filled.paths.life / PAGE
    stamp = page.stat()
    page.write_bytes(page.read_bytes().replace(b"Globex", b"Glocex"))
    os.utime(page, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    [problem] = verified(filled).problems

    assert problem.startswith(f"life/{PAGE}: ")
    assert "the disk changed it" in problem


def test_what_is_recorded_after_the_files_were_written_is_only_behind(filled: Workspace) -> None:
    later = filled.envelope("write", {"entity": ANNA, "text": "Anna rows on Sundays"})
    with filled.writing("test") as recorder:
        recorder.record([later])

    found = verified(filled)

    assert found.problems == ()
    assert found.degraded == ("life/ is behind with 1 entity", "the index is 1 record behind")


@pytest.mark.parametrize("days", [1, 40, 400])
def test_days_that_went_by_are_no_damage(workspace: Workspace, days: int) -> None:
    """Pages that nothing touched since keep their tiers until the heartbeat weighs them."""
    workspace.submit("write", {"entity": ANNA, "create": True, "text": "Anna works at Acme"})
    workspace.submit("write", {"entity": "people/boris", "create": True, "text": "Boris rows"})
    Upkeep(workspace).rebuild("all")
    later = open_workspace(str(workspace.paths.root), now=lambda: NOW + dt.timedelta(days=days))
    later.submit("write", {"entity": ANNA, "text": "Anna lives in Riga"})

    assert Upkeep(later).verify().problems == ()


# --- the index ---------------------------------------------------------------------------------------------------


def test_a_document_with_other_words_is_named(filled: Workspace) -> None:
    with filled.index.searching() as index:
        [known] = index.retrieve([f"{ANNA}-002"])
        index.upsert([known.model_copy(update={"text": "Anna works at Initech"})])

    assert verified(filled).problems == (f"the index has {ANNA}-002 otherwise than the journal",)


def test_a_retired_document_that_is_live_is_named(filled: Workspace) -> None:
    with filled.index.searching() as index:
        index.set_live([f"{ANNA}-001"], live=True)

    assert verified(filled).problems == (f"the index has {ANNA}-001 otherwise than the journal",)


def test_a_document_that_is_missing_and_one_that_nothing_makes_are_told(filled: Workspace) -> None:
    with filled.index.searching() as index:
        index.delete([f"{ANNA}-002"])
    lacking = verified(filled).problems
    Upkeep(filled).rebuild("index")
    with filled.index.searching() as index:
        index.upsert(
            [Document(id="people/eve-001", kind="fact", text="Eve has the key", indexed_text="Eve has the key")]
        )

    assert lacking == (f"the index lacks {ANNA}-002",)
    assert verified(filled).problems == ("the index has 1 document that nothing in the journal makes",)


def test_every_difference_is_counted_and_the_first_are_named(workspace: Workspace) -> None:
    given = [{"entity": ANNA, "create": True, "text": f"Anna has the key number {number}"} for number in range(30)]
    with workspace.writing("test") as recorder:
        recorder.record([workspace.envelope("write", args) for args in given])
    Upkeep(workspace).rebuild("all")
    with workspace.index.searching() as index:
        index.set_live([f"{ANNA}-{number:03d}" for number in range(1, 31)], live=False)

    problems = verified(workspace).problems

    assert len(problems) == 21
    assert problems[-1] == "10 more of this kind"


def test_life_is_left_as_it_is(filled: Workspace) -> None:
    forge(filled, PAGE, "Globex", "Initech")
    before = {path: path.read_bytes() for path in filled.paths.life.rglob("*") if path.is_file()}

    verified(filled)

    assert before == {path: path.read_bytes() for path in filled.paths.life.rglob("*") if path.is_file()}


def test_a_long_journal_is_folded_in_a_file_that_is_gone_afterwards(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.workspace.database_access._FOLDED_IN_MEMORY", 0)
    state = filled.paths.state

    with filled.reading() as database, filled.store.projection.folded() as folded:
        assert folded.digests() == database.digests()
        assert [*state.glob(".tmp-folded-*.duckdb")]

    assert [*state.glob(".tmp-folded-*")] == []
    assert verified(filled).problems == ()


def test_where_no_file_may_be_made_a_long_journal_is_folded_in_memory(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.workspace.database_access._FOLDED_IN_MEMORY", 0)
    (filled.paths.state / f".tmp-folded-{os.getpid()}.duckdb").mkdir()

    with filled.reading() as database, filled.store.projection.folded() as folded:
        assert folded.digests() == database.digests()


@pytest.mark.parametrize("part", [1, 2])
def test_an_index_is_compared_in_parts_like_as_a_whole(
    filled: Workspace, monkeypatch: pytest.MonkeyPatch, part: int
) -> None:
    held: list[int] = []

    def compared(index: VectorIndex, expected: Mapping[str, Document]) -> list[str]:
        held.append(len(expected))
        return differing(index, expected)

    differing = rendered._differing
    monkeypatch.setattr(rendered, "_PART", part)
    monkeypatch.setattr(rendered, "_differing", compared)
    with filled.index.searching() as index:
        (changed,) = index.retrieve([f"{ANNA}-002"])
        assert compare_index(filled.journal, index, filled.settings.zone) == []
        index.upsert([changed.model_copy(update={"text": "Anna works at Initech"})])
        found = compare_index(filled.journal, index, filled.settings.zone)

    assert found == [f"the index has {ANNA}-002 otherwise than the journal"]
    assert (sum(held), len(held) > 2, max(held) < 6) == (2 * 6, True, True)
