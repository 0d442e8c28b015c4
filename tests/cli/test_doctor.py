"""Doctor finds every kind of damage, changes nothing without --fix, and with it loses no acknowledged fact."""

import hashlib
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any
from typing import NamedTuple

import pytest

from engram.cli.main import main
from engram.config.paths import Paths
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW
from tests.sparse import copy_folder

TEXTS = ["Anna prefers tea", "Anna lives in Riga", "Anna plays chess"]


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which three facts were acknowledged, indexed and mirrored."""
    root = tmp_path_factory.mktemp("template") / "workspace"
    make_workspace(root, {"timezone": "UTC", "owner": "nobody"}, now=lambda: NOW, force=False, dry_run=False)
    with (root / "engram.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
    workspace = open_workspace(str(root), now=lambda: NOW)
    for text in TEXTS:
        assert workspace.submit("write", {"entity": "people/anna", "text": text, "create": True}).id
    workspace.index.catch_up()
    workspace.store.refresh_mirror()
    return root


@pytest.fixture
def known(template: Path, workspace: Workspace) -> Paths:
    """A copy of the template, where the command line of the test works."""
    shutil.rmtree(workspace.paths.root)
    copy_folder(template, workspace.paths.root)
    return workspace.paths


class Said(NamedTuple):
    """What one command said."""

    code: int
    out: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Said]


@pytest.fixture
def engram(known: Paths, capsys: pytest.CaptureFixture[str]) -> Run:
    """Run `engram ...` in this process: many commands a test, and a process costs half a second."""

    def run(*args: str) -> Said:
        code = main(["--workspace", str(known.root), *args])
        return Said(code, capsys.readouterr().out)

    return run


def snapshot(root: Path) -> dict[str, str]:
    files = (
        path for path in root.rglob("*") if path.is_file() and path.suffix != ".lock" and "index" not in path.parts
    )
    return {str(path.relative_to(root)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def segment(paths: Paths) -> Path:
    return next(path for path in sorted(paths.journal.iterdir()) if path.name[0].isdigit())


def change_line(path: Path, number: int, change: Callable[[bytes], bytes]) -> None:
    lines = path.read_bytes().splitlines(keepends=True)
    lines[number] = change(lines[number])
    path.write_bytes(b"".join(lines))


def tear_journal(paths: Paths) -> None:
    data = segment(paths).read_bytes()
    segment(paths).write_bytes(data[:-20])


def grow_journal(paths: Paths) -> None:
    with segment(paths).open("ab") as file:
        file.write(b'deadbeef {"v":1,"posi')


def flip_journal(paths: Paths) -> None:
    change_line(segment(paths), 1, lambda line: line.replace(b"a", b"b", 1))


def cut_journal(paths: Paths) -> None:
    segment(paths).write_bytes(b"".join(segment(paths).read_bytes().splitlines(keepends=True)[:-1]))


def scribble_database(paths: Paths) -> None:
    data = bytearray(paths.database.read_bytes())
    data[: len(data) // 2] = b"\0" * (len(data) // 2)
    paths.database.write_bytes(bytes(data))


def remove_database(paths: Paths) -> None:
    paths.database.unlink()


def remove_index(paths: Paths) -> None:
    shutil.rmtree(paths.index)


def scribble_index(paths: Paths) -> None:
    for path in paths.index.rglob("*.json"):
        path.write_bytes(b"{")


def halve_summary(paths: Paths) -> None:
    path = paths.life / "people/anna/summary.md"
    path.write_bytes(path.read_bytes()[:30])


def halve_items(paths: Paths) -> None:
    path = paths.life / "people/anna/items.json"
    path.write_bytes(path.read_bytes()[:300])


def remove_mirror(paths: Paths) -> None:
    shutil.rmtree(paths.life)


def scribble_mirror_state(paths: Paths) -> None:
    paths.mirror_state.write_bytes(b'{"v": 1, "position"')


DAMAGES = {
    "journal torn": (tear_journal, "journal-torn"),
    "journal with half a record more": (grow_journal, "journal-torn"),
    "journal changed in the middle": (flip_journal, "journal-damaged"),
    "journal shorter than what was acknowledged": (cut_journal, "journal-short"),
    "database scribbled over": (scribble_database, "database-damaged"),
    "database gone": (remove_database, "database-missing"),
    "index gone": (remove_index, "index-missing"),
    "index scribbled over": (scribble_index, "index-damaged"),
    "summary half written": (halve_summary, "mirror-damaged"),
    "items half written": (halve_items, "mirror-damaged"),
    "mirror gone": (remove_mirror, "mirror-missing"),
    "mirror state damaged": (scribble_mirror_state, "mirror-state-damaged"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damage_is_found_and_mended_without_losing_a_fact(known: Paths, engram: Run, name: str) -> None:
    damage, code = DAMAGES[name]
    mirror = snapshot(known.life)
    damage(known)
    before = snapshot(known.root)

    found = engram("doctor", "--json")

    assert found.code == 6
    assert code in {finding["code"] for finding in found.json["findings"]}
    assert not found.json["ok"]
    assert snapshot(known.root) == before

    mended = engram("doctor", "--fix", "--json")

    assert mended.code == 0, mended.out
    assert code in {finding["code"] for finding in mended.json["findings"] if finding["fixed"]}
    assert {fact["text"] for fact in engram("facts", "--json").json["facts"]} == set(TEXTS)
    assert engram("verify").code == 0
    assert engram("doctor", "--json").json["findings"] == []
    assert snapshot(known.life) == mirror


def test_a_sound_workspace_has_no_findings(known: Paths, engram: Run) -> None:
    answer = engram("doctor")

    assert (answer.code, answer.out) == (0, "everything holds\n")


def test_every_line_of_a_finding_is_followed_by_a_command(known: Paths, engram: Run) -> None:
    tear_journal(known)

    lines = engram("doctor").out.splitlines()

    assert lines[0].startswith("error   journal-")
    assert all(line.strip() == "engram doctor --fix" for line in lines[1::2])


def test_what_neither_journal_nor_database_holds_is_not_cut_away(known: Paths, engram: Run) -> None:
    flip_journal(known)
    remove_database(known)
    before = segment(known).read_bytes()

    answer = engram("doctor", "--fix", "--json")

    assert answer.code == 6
    assert segment(known).read_bytes() == before
    commands = {one["code"]: one["command"] for one in answer.json["findings"] if not one["fixed"]}
    assert "backup" in commands["journal-damaged"]


def test_settings_that_were_ones_once_are_findings_with_what_to_do(known: Paths, engram: Run) -> None:
    known.settings.write_text(
        f"{known.settings.read_text(encoding='utf-8')}\n"
        "[context]\npeople = 450\nfacts = 1\n[context.shares]\nfacts = 2\n[review]\ntension_weight = 9\n",
        encoding="utf-8",
    )

    answer = engram("doctor", "--json")

    assert answer.code == 0
    assert [(one["level"], one["code"], one["message"], one["command"]) for one in answer.json["findings"]] == [
        (
            "warning",
            "setting-retired",
            "context.facts is called context.shares.facts now, which stands there, too: context.facts has no effect",
            "take context.facts out of engram.toml",
        ),
        (
            "warning",
            "setting-retired",
            "review.tension_weight is not a setting any more: a tension weighs 4; the value there has no effect",
            "take review.tension_weight out of engram.toml",
        ),
        (
            "info",
            "setting-renamed",
            "context.people is called context.shares.people now; its value still counts",
            "engram config context.shares.people 450",
        ),
    ]
    assert {one["path"] for one in answer.json["findings"]} == {"engram.toml"}

    assert engram("config", "context.shares.people", "450").code == 0
    assert "context.people" not in engram("doctor").out


def test_settings_that_do_not_read_are_a_finding_with_their_key(known: Paths, engram: Run) -> None:
    known.settings.write_text('timezone = "Mars/Olympus"\n', encoding="utf-8")

    answer = engram("doctor", "--json")

    assert answer.code == 6
    assert [finding["code"] for finding in answer.json["findings"]] == ["settings-invalid"]
    assert "timezone" in answer.json["findings"][0]["message"]


def test_an_edited_summary_is_good_to_know_and_fix_never_takes_it_in(known: Paths, engram: Run) -> None:
    path = known.life / "people/anna/summary.md"
    path.write_text(path.read_text(encoding="utf-8").replace("tea", "coffee"), encoding="utf-8")

    answer = engram("doctor", "--json")
    assert (answer.code, [one["code"] for one in answer.json["findings"]]) == (0, ["mirror-edited"])

    engram("doctor", "--fix")
    assert {fact["text"] for fact in engram("facts", "--json").json["facts"]} == set(TEXTS)
    assert "Anna prefers coffee" in path.read_text(encoding="utf-8")

    engram("rebuild", "mirror")
    assert "Anna prefers coffee" in {fact["text"] for fact in engram("facts", "--json").json["facts"]}


def test_a_page_of_before_is_written_anew_and_changes_no_fact(known: Paths, engram: Run) -> None:
    path = known.life / "people/anna/summary.md"
    before = path.read_bytes()
    engram("write", "--entity", "people/anna", "--fact", "Anna likes chess")
    now = path.read_bytes()
    path.write_bytes(before)  # as in a copy that was taken while somebody wrote

    found = engram("doctor", "--json")
    engram("doctor", "--fix")

    assert [(one["code"], one["message"]) for one in found.json["findings"] if one["code"].startswith("mirror")] == [
        ("mirror-behind", "the file is an older version")
    ]
    assert path.read_bytes() == now
    assert {fact["text"] for fact in engram("facts", "--json").json["facts"]} == {*TEXTS, "Anna likes chess"}


def test_a_file_that_rotted_is_written_anew_and_changes_no_fact(known: Paths, engram: Run) -> None:
    path = known.life / "people/anna/summary.md"
    stamp, good = path.stat(), path.read_bytes()
    path.write_bytes(good.replace(b"tea", b"pea"))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))

    found = engram("doctor", "--json")
    assert [one["code"] for one in found.json["findings"]] == ["mirror-damaged"]
    assert "the disk changed it" in found.json["findings"][0]["message"]

    assert engram("rebuild", "mirror").code == 0
    assert {fact["text"] for fact in engram("facts", "--json").json["facts"]} == set(TEXTS)
    assert path.read_bytes() == good
    assert [copy.read_bytes() for copy in known.edits.iterdir()] == [good.replace(b"tea", b"pea")]


def test_folders_modes_leftovers_dead_runs_and_rejected_files_are_warnings(known: Paths, engram: Run) -> None:
    known.runs.chmod(0o755)
    shutil.rmtree(known.ops)
    leftover = known.spool / ".tmp-0"
    leftover.write_bytes(b"{")
    os.utime(leftover, (1, 1))
    (known.runs / "r1.json").write_text('{"run_id": "r1", "status": "running", "pid": 999999999}', encoding="utf-8")
    (known.spool / "rejected").mkdir(mode=0o700)
    (known.spool / "rejected/1-x.json").write_bytes(b"{")
    (known.spool / "rejected/1-x.reason.txt").write_text("not JSON", encoding="utf-8")

    found = engram("doctor", "--json")

    assert found.code == 0
    codes = {"mode-open", "folder-missing", "leftover", "run-dead", "spool-rejected"}
    assert {finding["code"] for finding in found.json["findings"]} == codes
    left = [one for one in engram("doctor", "--fix", "--json").json["findings"] if not one["fixed"]]
    assert [finding["code"] for finding in left] == ["spool-rejected"]
    assert (known.spool / "rejected/1-x.json").read_bytes() == b"{"


def test_machine_state_that_is_all_gone_is_said(known: Paths, engram: Run) -> None:
    shutil.rmtree(known.state)

    answer = engram("doctor", "--json")

    assert {finding["code"] for finding in answer.json["findings"]} == {"folder-missing"}


def test_an_open_tension_is_good_to_know(known: Paths, engram: Run) -> None:
    engram("write", "--entity", "people/anna", "--fact", "Anna does not prefer tea")

    found = engram("doctor", "--json")

    assert found.code == 0
    assert "tensions-open" in {finding["code"] for finding in found.json["findings"]}


def test_unknown_option_is_refused(engram: Run) -> None:
    assert engram("doctor", "--mend").code == 2
