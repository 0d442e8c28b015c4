"""`engram import`: the report, exit 2 when something was refused, the list, and undo."""

import json
from pathlib import Path

import pytest

from tests.conftest import Engram

pytestmark = pytest.mark.usefixtures("children_here")


@pytest.fixture
def memories(tmp_path: Path) -> Path:
    """A file with one memory that can be read and one that cannot."""
    file = tmp_path / "export.json"
    file.write_text(json.dumps({"results": [{"memory": "Enjoys rowing", "user_id": "tom"}, {"note": 1}]}))
    return file


def test_what_is_refused_is_named_and_the_rest_is_imported(
    engram: Engram, engram_process: Engram, memories: Path
) -> None:
    answer = engram_process("import", "mem0", str(memories), "--json")

    assert answer.code == 2
    assert answer.json["facts"] == {"created": 1}
    assert [(one["place"], one["effect"]) for one in answer.json["remarks"]] == [("memory 2", "refused")]
    assert "export.json: memory 2" in answer.error["message"]
    assert [fact["text"] for fact in engram("facts", "--json").json["facts"]] == ["Enjoys rowing"]


def test_a_dry_run_says_so_and_imports_nothing(engram: Engram, memories: Path) -> None:
    answer = engram("import", "mem0", str(memories), "--dry-run")

    assert "would import from mem0: export.json" in answer.out
    assert engram("facts", "--json").json["facts"] == []


def test_imports_are_listed_and_undone(engram: Engram, memories: Path) -> None:
    engram("import", "mem0", str(memories))

    listed = engram("import", "--list", "--json").json["imports"]
    undone = engram("import", "--undo", "import-0001", "--json").json

    assert [(one["id"], one["format"], one["undone_at"]) for one in listed] == [("import-0001", "mem0", None)]
    assert undone["retracted"] == ["people/tom-001"]
    assert engram("facts", "--json").json["facts"] == []
    assert "undone" in engram("import", "--list").out


def test_a_dash_is_standard_input(engram: Engram) -> None:
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna sings")
    archived = engram("export").out

    known = engram("import", "jsonl", "-", "--json", stdin=archived)
    first, second = (engram("import", "chatgpt", "-", "--json", stdin="Has a dog\n") for _ in range(2))

    assert known.json["records"] == {"restored": 0, "known": 1}
    assert [first.json["facts"], second.json["facts"]] == [{"created": 1}, {"known": 1}]


def test_an_archive_gives_the_same_store_in_a_folder_of_its_own(engram: Engram, tmp_path: Path) -> None:
    archive, made, again = (str(tmp_path / name) for name in ("a.jsonl", "made", "b.jsonl"))
    engram("config", "owner", "people/anna")
    engram("write", "--entity", "me", "--fact", "I prefer tea")
    engram("entity", "rename", "people/anna", "people/anna-petrova")
    engram("export", archive)

    planned = engram("import", "jsonl", archive, "--into", made, "--dry-run", "--json")
    before = Path(made).exists()
    done = engram("import", "jsonl", archive, "--into", made, "--json")

    assert (planned.code, before, done.code, done.json["records"]["known"]) == (0, False, 0, 0)
    inside = ("--workspace", made)
    assert engram("config", "owner", *inside).out == "owner = people/anna-petrova\n"
    assert engram("write", "--entity", "me", "--fact", "I prefer tea", "--dry-run", *inside).code == 0
    engram("export", again, *inside)
    assert Path(again).read_bytes() == Path(archive).read_bytes()
    assert engram("import", "jsonl", archive, "--into", made).code == 4


def test_what_is_no_archive_leaves_no_folder_behind(engram: Engram, tmp_path: Path, memories: Path) -> None:
    assert engram("import", "jsonl", str(memories), "--into", str(tmp_path / "made")).code == 2
    assert not (tmp_path / "made").exists()


def test_nothing_new_is_said_in_words(engram: Engram, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Has a dog\n")
    first = engram("import", "chatgpt", str(tmp_path / "a.txt"))

    second = engram("import", "chatgpt", str(tmp_path / "a.txt"))

    assert (first.code, second.code) == (0, 0)
    assert "facts: 1 created" in first.out
    assert "nothing new" in second.out
    assert "no facts" not in engram("facts").out


def test_without_imports_the_list_says_so(engram: Engram) -> None:
    assert "nothing was imported yet" in engram("import", "--list").out


def test_the_heartbeat_says_nothing_again_that_an_import_said(engram: Engram, tmp_path: Path) -> None:
    memory = tmp_path / "harbour-desk" / "MEMORY.md"
    memory.parent.mkdir()
    memory.write_text("# Memory\n\n## Decisions\n\n- Decided to paint the buoys in spring, the varnish is dry then\n")
    engram("import", "openclaw", str(memory.parent))
    imported = [(fact["entity"], fact["text"]) for fact in engram("facts", "--json").json["facts"]]

    phase = engram("heartbeat", "run", "--phase", "extraction", "--json").json["phases"][0]

    assert [entity for entity, _ in imported] == ["projects/harbour-desk"]
    assert phase["stats"]["entries"] == 1
    assert imported == [(fact["entity"], fact["text"]) for fact in engram("facts", "--json").json["facts"]]
