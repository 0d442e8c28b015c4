"""Reading a source: nothing outside of it, nothing hidden, nothing too large."""

from pathlib import Path

import pytest

from engram.errors import MalformedInputError
from engram.importers.memories import source
from engram.importers.memories.formats import FORMATS
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.source import read_source


def test_files_of_the_format_are_read_in_order_of_their_names(tmp_path: Path) -> None:
    for name in ("memory/b.md", "memory/a.md", "memory/.git/c.md", "code/d.py"):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)

    found = list(read_source(tmp_path, FORMATS["openclaw"]))

    assert [one.name for one in found if isinstance(one, SourceFile)] == ["memory/a.md", "memory/b.md"]


def test_what_a_database_has_not_yet_in_itself_is_read_with_it(tmp_path: Path) -> None:
    for name in ("ledger.sqlite", "ledger.sqlite-wal", "ledger.sqlite-shm", "other.sqlite-wal"):
        (tmp_path / name).write_text(name)

    found = list(read_source(tmp_path / "ledger.sqlite", FORMATS["openclaw-mem"]))

    assert [one.name for one in found if isinstance(one, SourceFile)] == ["ledger.sqlite", "ledger.sqlite-wal"]


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    secret = tmp_path / "secret.md"
    secret.write_text("not yours")
    memory = tmp_path / "source" / "memory"
    memory.mkdir(parents=True)
    (memory / "a.md").symlink_to(secret)
    (memory / "b.md").symlink_to(tmp_path / "nowhere")

    found = list(read_source(tmp_path / "source", FORMATS["openclaw"]))

    assert len(found) == 2
    assert all(isinstance(one, Remark) and "link" in one.reason for one in found)


def test_a_file_that_is_too_large_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "MAX_FILE_BYTES", 3)
    (tmp_path / "a.md").write_text("four")

    assert [Remark] == [type(one) for one in read_source(tmp_path / "a.md", FORMATS["openclaw"])]


@pytest.mark.parametrize(
    ("form", "name"),
    [("mem0", "package.json"), ("chatgpt", "README.md"), ("mcp-memory", "data.jsonl"), ("openclaw-mem", "log.jsonl")],
)
def test_a_folder_of_other_things_is_no_memory(form: str, name: str) -> None:
    assert not FORMATS[form].wants(name)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_place_without_a_memory_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(MalformedInputError):
        list(read_source(tmp_path / name, FORMATS["mem0"]))
