"""Domains on the disk: commands, roles, rotation, links, crashes."""

import datetime as dt
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from engram.errors import AmbiguousNameError
from engram.errors import BadValueError
from engram.errors import DamagedStateError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.model.domain import DomainFile
from engram.model.domain import DomainType
from engram.model.domain import ProposalStatus
from engram.model.domain import Role
from engram.services.domains import desk as domains_desk
from engram.services.domains import folder as domain_folder
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.services.domains.folder import DomainFolder
from engram.services.domains.registry import get_proposal
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.workspace import Workspace
from tests.making import NOW

BILLING = NewDomain("billing", DomainType.DEV_PROJECT, bindings=("telegram:47",))
TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"


def desk(workspace: Workspace, role: Role | None = None, *, dry_run: bool = False) -> DomainCommands:
    return DomainCommands(workspace.files, now=NOW, role=role, dry_run=dry_run)


@pytest.fixture
def few_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a changelog be full with 10 lines."""
    monkeypatch.setattr(domain_folder, "CHANGELOG_LINES", 10)


@pytest.fixture
def folder(workspace: Workspace) -> Path:
    """The folder of the domain billing, which is there."""
    desk(workspace).add(BILLING)
    return workspace.paths.domains / "billing"


def files(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def waiting(workspace: Workspace) -> list[str]:
    return [one.text for one in open_proposals(load_registry(workspace.files), workspace.files, NOW)]


def test_a_new_domain_has_its_files_and_keeps_those_that_are_there(workspace: Workspace) -> None:
    folder = workspace.paths.domains / "billing"
    folder.mkdir(parents=True)
    (folder / "workflow.md").write_text("mine")

    desk(workspace).add(BILLING)

    assert {file.value for file in DomainFile} | {"archives"} == {path.name for path in folder.iterdir()}
    assert (folder / "workflow.md").read_text() == "mine"


@pytest.mark.parametrize("name", ["", "../x", "a b", "a/b", "con", ".git"])
def test_a_bad_name_makes_nothing(workspace: Workspace, name: str) -> None:
    with pytest.raises(BadValueError):
        desk(workspace).add(BILLING._replace(name=name))

    assert not workspace.paths.domain_registry.exists()


def test_a_name_or_a_thread_belongs_to_one_domain(workspace: Workspace, folder: Path) -> None:
    for wanted in (BILLING, BILLING._replace(name="Billing", bindings=()), BILLING._replace(name="other")):
        with pytest.raises(RefusedError):
            desk(workspace).add(wanted)
    desk(workspace).archive("telegram:47")
    desk(workspace).add(BILLING._replace(name="other"))

    with pytest.raises(RefusedError, match="bound"):
        desk(workspace).archive("billing", undo=True)


def test_a_dry_run_changes_nothing(workspace: Workspace, folder: Path) -> None:
    desk(workspace).propose("billing", "use DuckDB")
    before = files(workspace.paths.root)
    dry = desk(workspace, dry_run=True)

    dry.add(BILLING._replace(name="other", bindings=()))
    dry.set_status("billing", "x")
    dry.log("billing", "x")
    dry.propose("billing", "x")
    dry.decide("billing", ProposalStatus.ACCEPTED)
    dry.archive("billing")

    assert files(workspace.paths.root) == before


def test_roles_are_enforced(workspace: Workspace, folder: Path) -> None:
    desk(workspace, Role.SUBAGENT).propose("billing", "use DuckDB")
    before = files(workspace.paths.root)
    main, subagent = desk(workspace, Role.MAIN), desk(workspace, Role.SUBAGENT)

    attempts: list[Callable[[], object]] = [
        lambda: main.set_status("billing", "x"),
        lambda: main.log("billing", "x"),
        lambda: main.propose("billing", "x"),
        lambda: subagent.add(BILLING._replace(name="other", bindings=())),
        lambda: subagent.decide("billing", ProposalStatus.ACCEPTED),
        lambda: subagent.archive("billing"),
    ]
    for refused in attempts:
        with pytest.raises(RefusedError):
            refused()

    assert files(workspace.paths.root) == before


def test_a_status_replaces_the_one_before_which_stays_in_the_changelog(workspace: Workspace, folder: Path) -> None:
    desk(workspace).set_status("billing", "red\nsince noon")
    desk(workspace).set_status("billing", "green")

    assert "green" in (folder / "status.md").read_text()
    assert "red" not in (folder / "status.md").read_text()
    assert "status: red\n  since noon\n" in (folder / "changelog.md").read_text()
    assert not list((folder / "archives").iterdir())


def test_a_status_written_by_hand_is_kept_when_a_command_replaces_it(workspace: Workspace, folder: Path) -> None:
    (folder / "status.md").write_text("by hand")

    kept = desk(workspace).set_status("billing", "green")["kept"]

    assert (workspace.paths.root / kept).read_text() == "by hand"


def test_secrets_reach_no_file(workspace: Workspace, folder: Path) -> None:
    said = desk(workspace).log("billing", f"the token is {TOKEN}")
    desk(workspace).set_status("billing", f"the token is {TOKEN}")
    proposed = desk(workspace).propose("billing", f"rotate {TOKEN}")["proposal"]["id"]
    desk(workspace).decide(proposed, ProposalStatus.REJECTED, f"it was {TOKEN}")

    assert said["redactions"]
    assert not any(TOKEN.encode() in content for content in files(workspace.paths.root).values())


def test_a_secret_in_a_proposal_written_by_hand_is_not_shown(workspace: Workspace, folder: Path) -> None:
    (folder / "decisions.md").write_text(f"PROPOSAL: revoke {TOKEN}\n")

    (text,) = waiting(workspace)

    assert text.startswith("revoke [secret:")


def test_empty_and_hostile_texts_are_refused(workspace: Workspace, folder: Path) -> None:
    for text in ("", "  \n", "a\x1b[2Jb", "x" * (domains_desk.MAX_TEXT_CHARS + 1)):
        with pytest.raises(BadValueError):
            desk(workspace).log("billing", text)


@pytest.mark.usefixtures("few_lines")
def test_a_full_changelog_moves_into_the_archives_and_loses_no_line(workspace: Workspace, folder: Path) -> None:
    for number in range(35):
        desk(workspace).log("billing", f"entry {number}.")
    desk(workspace).propose("billing", "use DuckDB")
    for number in range(35, 50):
        desk(workspace).log("billing", f"entry {number}.")

    archives = sorted((folder / "archives").iterdir())
    text = "".join(path.read_text() for path in [*archives, folder / "changelog.md"])
    assert len(archives) > 4
    assert all(text.count(f" entry {number}.\n") == 1 for number in range(50))
    assert all(path.read_text().count("\n") <= 10 for path in archives)
    assert waiting(workspace) == ["use DuckDB"]


def test_a_crash_after_the_rename_of_a_rotation_is_mended_by_the_next_command(
    workspace: Workspace, folder: Path
) -> None:
    desk(workspace).log("billing", "first")
    (folder / "changelog.md").rename(folder / "archives" / "changelog-0001.md")

    desk(workspace).log("billing", "second")
    base = load_registry(workspace.files).domains["billing"].base[DomainFile.CHANGELOG]

    assert "second" in (folder / "changelog.md").read_text()
    assert base == DomainFolder(workspace.files, "billing").base(DomainFile.CHANGELOG)


def test_a_line_without_its_end_is_not_joined_with_the_next_entry(workspace: Workspace, folder: Path) -> None:
    with (folder / "changelog.md").open("a") as file:
        file.write("- by hand")

    desk(workspace).log("billing", "by command")

    assert "\n- by hand\n- 2026" in (folder / "changelog.md").read_text()


# --- proposals ---------------------------------------------------------------------------------------------------


def test_what_is_accepted_is_a_decision_and_what_is_rejected_is_a_comment(workspace: Workspace, folder: Path) -> None:
    desk(workspace).propose("billing", "use DuckDB")
    (folder / "decisions.md").write_text("PROPOSAL: use -- Oracle --> now\n")
    found = open_proposals(load_registry(workspace.files), workspace.files, NOW)
    oracle, duck = sorted(found, key=lambda one: "Duck" in one.text)

    desk(workspace, Role.MAIN).decide(duck.id, ProposalStatus.ACCEPTED, "it is small")
    desk(workspace).decide(oracle.id, ProposalStatus.REJECTED)

    lines = (folder / "decisions.md").read_text().splitlines()
    assert f"- 2026-03-02T10:00:00Z ACCEPTED ({duck.id}): use DuckDB (it is small)" in lines
    assert lines[-1].startswith("<!-- ")
    assert lines[-1].count("-->") == 1
    assert waiting(workspace) == []


def test_a_decision_is_taken_once(workspace: Workspace, folder: Path) -> None:
    proposed = desk(workspace).propose("billing", "use DuckDB")["proposal"]["id"]
    desk(workspace).propose("billing", "Use duckdb.")
    assert waiting(workspace) == ["use DuckDB"]

    desk(workspace).decide(proposed, ProposalStatus.ACCEPTED)
    again = desk(workspace).decide(proposed, ProposalStatus.ACCEPTED)

    assert again["reason"] == "already so"
    assert (folder / "decisions.md").read_text().count("ACCEPTED") == 1
    with pytest.raises(RefusedError, match="accepted already"):
        desk(workspace).decide(proposed, ProposalStatus.REJECTED)
    with pytest.raises(RefusedError, match="was accepted"):
        desk(workspace).propose("billing", "use DuckDB")


def test_a_decision_that_died_before_the_registry_was_saved_is_not_written_twice(
    workspace: Workspace, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proposed = desk(workspace).propose("billing", "use DuckDB")["proposal"]["id"]

    def die(*_: object) -> None:
        raise OSError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(domains_desk, "save_registry", die)
        with pytest.raises(OSError, match="full"):
            desk(workspace).decide(proposed, ProposalStatus.ACCEPTED)
    desk(workspace).decide(proposed, ProposalStatus.ACCEPTED)

    assert (folder / "decisions.md").read_text().count("ACCEPTED") == 1


def test_a_proposal_is_found_by_the_beginning_of_its_id(workspace: Workspace, folder: Path) -> None:
    desk(workspace).propose("billing", "use DuckDB")
    desk(workspace).propose("billing", "use Qdrant")
    found = open_proposals(load_registry(workspace.files), workspace.files, NOW)

    assert get_proposal(found, found[0].id[:-2]) == found[0]
    with pytest.raises(AmbiguousNameError):
        get_proposal(found, "billing-")
    for unknown in ("", "nothing"):
        with pytest.raises(NotFoundError):
            get_proposal(found, unknown)


@pytest.mark.parametrize("entry", ["```\nnpm run build\n```", "it was\n```\nnpm run build", "```sh\nPROPOSAL: none"])
def test_code_in_an_entry_hides_no_later_proposal(workspace: Workspace, folder: Path, entry: str) -> None:
    desk(workspace).log("billing", entry)
    desk(workspace).propose("billing", "use DuckDB")

    assert waiting(workspace) == ["use DuckDB"]
    assert load_registry(workspace.files).proposals


def test_a_proposal_is_kept_also_where_a_person_left_a_fence_open(workspace: Workspace, folder: Path) -> None:
    (folder / "changelog.md").write_text("# Changelog\n```\nnpm run build\n")
    desk(workspace).propose("billing", "use DuckDB")

    assert waiting(workspace) == ["use DuckDB"]


@pytest.mark.parametrize("words", ["A ---> B at once", "A --> B", "A -----", "A --!> B"])
def test_a_rejected_proposal_stays_within_its_comment(workspace: Workspace, folder: Path, words: str) -> None:
    proposed = desk(workspace).propose("billing", words)["proposal"]["id"]
    desk(workspace).decide(proposed, ProposalStatus.REJECTED)

    line = (folder / "decisions.md").read_text().splitlines()[-1]
    assert line.startswith("<!-- ")
    assert line.endswith(" -->")
    assert "--" not in line[4:-3]


@pytest.mark.usefixtures("few_lines")
def test_an_archive_that_was_moved_away_leaves_its_number_unused(workspace: Workspace, folder: Path) -> None:
    for number in range(25):
        desk(workspace).log("billing", f"entry {number}.")
    newest = sorted((folder / "archives").iterdir())[-1]
    (folder / "archives" / "changelog-0001.md").unlink()
    (folder / "archives" / "changelog-10000.md").write_text("# Changelog\n")

    for number in range(10):
        archived = desk(workspace).log("billing", f"more {number}.").get("archived_to") or newest
        newest = workspace.paths.root / archived

    assert newest.name == "changelog-10001.md"
    assert not (folder / "archives" / "changelog-0001.md").exists()


# --- trouble -----------------------------------------------------------------------------------------------------


def test_an_archived_domain_is_not_written_to_and_can_come_back(workspace: Workspace, folder: Path) -> None:
    desk(workspace).archive("billing")
    with pytest.raises(RefusedError, match="archived"):
        desk(workspace).log("billing", "x")
    with pytest.raises(RefusedError, match="archived"):
        desk(workspace).add(BILLING)

    desk(workspace).archive("billing", undo=True)
    desk(workspace).log("billing", "back")

    assert "back" in (folder / "changelog.md").read_text()


@pytest.mark.parametrize("name", ["changelog.md", "decisions.md"])
def test_a_link_is_neither_read_nor_written(workspace: Workspace, folder: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("PROPOSAL: secret plan\n")
    (folder / name).unlink()
    (folder / name).symlink_to(outside)

    assert waiting(workspace) == []
    with pytest.raises(RefusedError, match="link"):
        desk(workspace).propose("billing", "x")

    assert outside.read_text() == "PROPOSAL: secret plan\n"


def test_a_folder_that_leads_out_is_refused(workspace: Workspace, tmp_path: Path) -> None:
    outside = tmp_path / "elsewhere"
    outside.mkdir()
    workspace.paths.domains.mkdir(parents=True)
    (workspace.paths.domains / "billing").symlink_to(outside)

    with pytest.raises(RefusedError, match="is a link"):
        desk(workspace).add(BILLING)

    assert list(outside.iterdir()) == []


def test_a_pipe_is_refused_and_does_not_hang(workspace: Workspace, folder: Path) -> None:
    (folder / "status.md").unlink()
    os.mkfifo(folder / "status.md")

    with pytest.raises(RefusedError, match="not a file"):
        desk(workspace).set_status("billing", "x")


def test_a_damaged_registry_is_named_and_left_alone(workspace: Workspace, folder: Path) -> None:
    workspace.paths.domain_registry.write_text("{]")

    with pytest.raises(DamagedStateError, match=r"domains\.json"):
        desk(workspace)

    assert workspace.paths.domain_registry.read_text() == "{]"


def test_the_clock_going_back_takes_no_life_away(workspace: Workspace, folder: Path) -> None:
    DomainCommands(workspace.files, now=NOW - dt.timedelta(days=400), role=None).log("billing", "x")

    assert load_registry(workspace.files).domains["billing"].active_at == NOW
