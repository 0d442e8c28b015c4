"""Data files are parsed once, and what they say is kept as Python keeps its compiled sources."""

import binascii
import os
import sys
import tomllib
from pathlib import Path

import pytest

import engram
from engram.base.disk import table_files
from engram.base.disk.plain_tables import read_plain_tables
from engram.base.disk.table_files import read_table
from engram.base.disk.table_files import read_tables
from tests.cases import for_each

FILES = sorted(Path(engram.__file__).parent.rglob("*.toml"))


@pytest.fixture(autouse=True)
def _writes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "words.toml"
    path.write_text("[words]\nand = ['a', 'b']\n", "utf-8")
    return path


def count_parsings(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    parsed: list[str] = []

    def note(source: str) -> dict[str, object]:
        parsed.append(source)
        return read_plain_tables(source)

    monkeypatch.setattr(table_files, "read_plain_tables", note)
    return parsed


def kept_beside(path: Path) -> list[Path]:
    return list((path.parent / "__pycache__").glob("*"))


def test_every_data_file_says_the_same_parsed_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    assert FILES
    for path in FILES:
        said = tomllib.loads(path.read_text("utf-8"))
        assert [said, said] == [read_table(path), read_table(str(path))], path


def test_a_file_is_parsed_once_and_each_caller_has_its_own_value(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed = count_parsings(monkeypatch)

    read_table(file)["words"]["and"].append("c")

    assert read_table(file) == {"words": {"and": ["a", "b"]}}
    assert len(parsed) == 1


def test_a_file_that_has_changed_is_parsed_again(file: Path) -> None:
    read_table(file)
    file.write_text("[words]\nand = ['x']\n", "utf-8")

    assert read_table(file) == {"words": {"and": ["x"]}}


def test_a_file_of_the_same_size_and_time_is_parsed_again_by_another_version_of_engram(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    was = file.stat()
    read_table(file)
    file.write_text(file.read_text("utf-8").replace("'a'", "'x'"), "utf-8")
    os.utime(file, ns=(was.st_atime_ns, was.st_mtime_ns))
    assert (file.stat().st_size, file.stat().st_mtime_ns) == (was.st_size, was.st_mtime_ns)

    monkeypatch.setattr("engram.__version__", "9.9.9")

    assert read_table(file) == {"words": {"and": ["x", "b"]}}


@for_each("content", [b"", b"no marshal", b"i\x01\x00\x00\x00", b"[\xff\xff\xff\x7f", b"[\x00", b")\x02NN"])
def test_what_is_damaged_beside_it_is_made_anew(file: Path, content: bytes) -> None:
    read_table(file)
    (kept,) = kept_beside(file)
    kept.write_bytes(content)

    assert read_table(file) == {"words": {"and": ["a", "b"]}}
    assert content != kept.read_bytes()


@for_each("content", [b"no marshal", b"i\x01\x00\x00\x00", b"[\x00", b")\x02NN"])
def test_what_is_no_table_is_made_anew_though_its_sum_is_right(file: Path, content: bytes) -> None:
    read_table(file)
    (kept,) = kept_beside(file)
    kept.write_bytes(binascii.crc32(content).to_bytes(4, "big") + content)

    assert read_table(file) == {"words": {"and": ["a", "b"]}}


def test_nothing_is_kept_where_python_is_to_write_no_code(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)

    assert read_table(file) == {"words": {"and": ["a", "b"]}}
    assert kept_beside(file) == []


def test_a_folder_that_takes_no_file_keeps_nothing(file: Path) -> None:
    (file.parent / "__pycache__").write_text("no folder", "utf-8")

    assert read_table(file) == {"words": {"and": ["a", "b"]}}


def test_what_cannot_be_kept_is_parsed_every_time(file: Path) -> None:
    file.write_text("on = 2026-03-01\n", "utf-8")

    assert read_table(file) == read_table(file) == {"on": tomllib.loads("on = 2026-03-01")["on"]}
    assert kept_beside(file) == []


def test_a_file_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_table(tmp_path / "none.toml")


def test_the_files_of_a_folder_are_parsed_once_and_read_in_the_order_of_their_names(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (file.parent / "also.toml").write_text("b = 1\n", "utf-8")
    (file.parent / "README.md").write_text("no table", "utf-8")
    parsed = count_parsings(monkeypatch)

    for _ in range(2):
        assert list(read_tables(str(file.parent)).items()) == [
            ("also", {"b": 1}),
            ("words", {"words": {"and": ["a", "b"]}}),
        ]
    assert len(parsed) == 2


def test_a_folder_is_parsed_again_when_a_file_comes_changes_or_goes(file: Path) -> None:
    folder, other = str(file.parent), file.parent / "other.toml"
    assert list(read_tables(folder)) == ["words"]
    other.write_text("b = 1\n", "utf-8")
    assert list(read_tables(folder)) == ["other", "words"]
    other.write_text("b = 22\n", "utf-8")
    assert read_tables(folder)["other"] == {"b": 22}
    other.unlink()
    assert list(read_tables(folder)) == ["words"]


def test_a_folder_that_is_not_there_is_said(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        read_tables(str(tmp_path / "none"))
