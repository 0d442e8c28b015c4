"""What is compressed is unpacked up to a bound, wherever it comes from."""

import gzip
import zipfile
import zlib
from pathlib import Path

import pytest

from engram.base.disk.bounded_gzip import TooLargeError
from engram.base.disk.bounded_gzip import unpack
from engram.errors import DamagedJournalError
from engram.importers.transcripts import formats
from engram.store import written_texts
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.journal import segments
from tests.conftest import Engram

BOMB = gzip.compress(bytes(64 << 20))


def test_what_fits_is_unpacked_to_the_last_byte() -> None:
    assert unpack(gzip.compress(b"tea" * 100), 300) == b"tea" * 100
    assert unpack(gzip.compress(b""), 0) == b""


def test_what_does_not_fit_is_refused() -> None:
    with pytest.raises(TooLargeError):
        unpack(gzip.compress(b"tea" * 100), 299)
    with pytest.raises(TooLargeError, match="larger than 1 MiB"):
        unpack(BOMB, 1 << 20)


def test_what_is_cut_or_damaged_is_refused() -> None:
    packed = gzip.compress(b"tea" * 100)
    for damaged in (packed[:-1], packed[:20], b""):
        with pytest.raises(EOFError):
            unpack(damaged, 300)
    for damaged in (packed + b"more", packed[:-8] + b"\0" * 8, b"no gzip at all"):
        with pytest.raises(zlib.error):
            unpack(damaged, 300)


def test_a_sealed_segment_that_would_fill_the_memory_is_damage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "MOST_BYTES", 1 << 20)
    path = tmp_path / "000000000001.jsonl.gz"
    path.write_bytes(BOMB)

    with pytest.raises(DamagedJournalError, match="larger than 1 MiB unpacked"):
        segments.content(path)
    assert len(segments.readable_content(path)[0]) < 4 << 20


def test_a_segment_that_could_not_be_read_again_is_not_sealed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "MOST_BYTES", 10)
    path = tmp_path / "000000000001.jsonl"
    path.write_bytes(b"12345678 {}\n")

    segments.seal(path)

    assert [one.name for one in tmp_path.iterdir()] == [path.name]


def test_a_file_that_would_fill_the_memory_is_not_looked_through(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(written_texts, "_MOST_BYTES", 1 << 20)
    path = tmp_path / "file.gz"
    path.write_bytes(BOMB)

    assert written_texts.files_with([path], lambda _text: True, StoreCipher(tmp_path / "none")) == []


@pytest.mark.parametrize(
    ("size", "why"), [(64 << 20, "200 times"), (100, "0 GiB unpacked")], ids=["more than text becomes", "too large"]
)
def test_a_zip_that_would_fill_the_disk_is_not_read(
    engram: Engram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int, why: str
) -> None:
    if size < formats.MOST_RATIO:
        monkeypatch.setattr(formats, "MOST_UNPACKED_BYTES", 10)
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("conversations.json", b"[" + b" " * size + b"]")

    answer = engram("capture", str(path), "--format", "chatgpt", "--json")

    assert why in answer.out + answer.err
