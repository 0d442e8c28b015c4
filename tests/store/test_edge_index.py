"""The index in a folder: its owner, its files, damage, crashes, and how it is made compact."""

import json
import math
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.ports.index import SearchFilter
from engram.store.index import edge_engine
from engram.store.index import edge_index
from engram.store.index import merge
from engram.store.index.edge_files import index_position
from engram.store.index.edge_files import remove_index
from engram.store.index.edge_index import EdgeVectorIndex
from engram.store.index.edge_index import optimise
from engram.store.index.merge import segments_for
from tests.store.test_vector_index import ALL
from tests.store.test_vector_index import TEA
from tests.store.test_vector_index import LetterEmbedder
from tests.store.test_vector_index import embed_all
from tests.store.test_vector_index import make_document


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an index of four documents at position 7."""
    with EdgeVectorIndex(tmp_path / "index", None) as index:
        index.upsert(ALL)
        index.advance(7)
    return tmp_path / "index"


def test_the_position_is_known_without_opening(folder: Path) -> None:
    assert index_position(folder) == 7


def test_a_second_owner_is_told_that_the_index_is_in_use(folder: Path) -> None:
    with EdgeVectorIndex(folder, None), pytest.raises(StoreBusyError):
        EdgeVectorIndex(folder, None)


def test_destroying_lets_the_next_opening_begin_anew(folder: Path) -> None:
    remove_index(folder)

    assert list(folder.iterdir()) == []
    with EdgeVectorIndex(folder, None) as index:
        assert (index.position(), index.count()) == (0, 0)


def test_destroying_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    remove_index(tmp_path / "nothing")


# --- damage ----------------------------------------------------------------------------------------------------


def write_state(folder: Path, **fields: Any) -> None:
    state = json.loads((folder / "state.json").read_text())
    (folder / "state.json").write_text(json.dumps(state | fields))


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "state.json").unlink(),
        lambda folder: (folder / "state.json").write_bytes(b""),
        lambda folder: (folder / "state.json").write_bytes(b"[1, 2]"),
        lambda folder: write_state(folder, position=-1),
        lambda folder: write_state(folder, position="seven"),
        lambda folder: write_state(folder, format=99),
        lambda folder: write_state(folder, embedder="of a former version"),
        lambda folder: write_state(folder, serving={"name": "a model without a vector"}),
        lambda folder: (folder / "shard").rename(folder / "gone"),
        lambda folder: (folder / "shard" / "edge_config.json").write_bytes(b"{"),
        lambda folder: next((folder / "shard" / "segments").glob("*/segment.json")).write_bytes(b"\0"),
    ],
    ids=[
        "no state", "empty state", "state of another shape", "position below 0", "position in words",
        "another format", "unknown field", "half a model", "no shard", "damaged shard config", "damaged segment",
    ],
)  # fmt: skip
def test_an_index_that_cannot_be_trusted_is_refused_with_the_command_that_mends_it(folder: Path, damage: Any) -> None:
    damage(folder)

    with pytest.raises(DegradedIndexError) as refused:
        EdgeVectorIndex(folder, None)

    assert "engram rebuild index" in refused.value.hint
    remove_index(folder)
    with EdgeVectorIndex(folder, None) as index:
        assert index.position() == 0


def test_what_a_crash_left_at_position_0_is_thrown_away(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, None) as index:
        index.upsert([TEA])
    next((tmp_path / "shard" / "segments").glob("*/segment.json")).write_bytes(b"\0")

    with EdgeVectorIndex(tmp_path, None) as index:
        assert (index.position(), index.count()) == (0, 0)


def test_a_missing_index_has_no_position_and_a_damaged_one_is_an_error(tmp_path: Path) -> None:
    assert index_position(tmp_path) is None
    (tmp_path / "state.json").write_text("{")

    with pytest.raises(DegradedIndexError, match="damaged"):
        index_position(tmp_path)


def test_killed_at_any_time_the_index_opens_again_with_everything_up_to_its_position(tmp_path: Path) -> None:
    script = textwrap.dedent(
        """
        import sys
        from pathlib import Path
        from engram.model.document import Document
        from engram.store.index.edge_index import EdgeVectorIndex
        with EdgeVectorIndex(Path(sys.argv[1]), None) as index:
            for number in range(index.position() + 1, 100000):
                index.upsert([Document(id=f"turn/{number}", kind="turn", text="x", indexed_text=f"tea {number}")])
                index.advance(number)
                print(number, flush=True)
        """
    )
    acknowledged = 0
    for round_number in range(4):
        with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], stdout=subprocess.PIPE) as child:
            assert child.stdout
            for line in child.stdout:
                acknowledged = int(line)
                if acknowledged % 7 == round_number:
                    os.kill(child.pid, signal.SIGKILL)
                    break
        with EdgeVectorIndex(tmp_path, None) as index:
            assert index.position() >= acknowledged
            assert index.count() >= index.position()


# --- made compact ----------------------------------------------------------------------------------------------

MANY = [make_document(number, f"tea number{number}", scope="shared") for number in range(1, 301)]


@pytest.fixture
def many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an index of 300 documents with vectors, worth merging from 100 on."""
    monkeypatch.setattr(edge_index, "_MERGED_FROM", 100)
    with EdgeVectorIndex(tmp_path / "many", LetterEmbedder()) as index:
        index.upsert(MANY)
        index.advance(300, "hash")
        embed_all(index)
    return tmp_path / "many"


def answers(folder: Path) -> tuple[Any, ...]:
    with EdgeVectorIndex(folder, LetterEmbedder()) as index:
        legs = index.search("tea number17", SearchFilter(), limit=400)  # all: ties beyond a limit are cut anyhow
        found = {leg: [(one.document.id, round(one.score, 3)) for one in ranked] for leg, ranked in legs.items()}
        return index.position(), index.head_hash(), index.digest(), index.pending(), found


def merging(folder: Path) -> bool:
    return optimise(lambda: EdgeVectorIndex(folder, LetterEmbedder()))


def shards(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("shard*"))


def test_a_merged_index_answers_as_before_from_one_new_shard(many: Path) -> None:
    before = answers(many)

    assert merging(many)

    assert answers(many) == before
    assert [json.loads((many / "state.json").read_text())["shard"]] == shards(many) != ["shard"]


def test_vectors_are_read_ahead_once_and_wholly_before_they_are_first_searched(
    many: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[Path, int, int]] = []

    def advise(handle: int, first: int, length: int, _advice: int) -> None:
        asked.append((Path(f"/proc/self/fd/{handle}").readlink(), first, length))

    monkeypatch.setattr(os, "posix_fadvise", advise)
    monkeypatch.setattr(edge_engine, "_AHEAD_BYTES", 1000)
    with EdgeVectorIndex(many, LetterEmbedder()) as index:
        scanned = next(many.glob("shard/segments/*/vector_storage-dense_*")) / "quantized.data"
        scanned.write_bytes(bytes(2500))  # larger indexes have one
        index.search("tea", SearchFilter(), limit=5, by_meaning=False)
        assert asked == []
        index.search("tea", SearchFilter(), limit=5)
        index.search("tea", SearchFilter(), limit=5)

    assert asked == [(scanned, first, 1000) for first in (0, 1000, 2000)]


def test_merging_again_without_much_that_is_new_does_nothing(many: Path) -> None:
    assert merging(many)
    kept = shards(many)

    assert not merging(many)
    assert shards(many) == kept


def test_an_index_goes_on_being_written_after_merging(many: Path) -> None:
    merging(many)
    with EdgeVectorIndex(many, LetterEmbedder()) as index:
        index.upsert([make_document(301, "samovar"), MANY[4].model_copy(update={"indexed_text": "spoon"})])
        index.set_live(["turn/7"], live=False)
        index.advance(301)
        assert index.pending() == 2
        embed_all(index)

        assert [one.document.id for one in index.search("samovar", SearchFilter(), limit=3)["lexical"]] == ["turn/301"]
        assert index.search("spoon", SearchFilter(), limit=3)["dense"][0].document.id == "turn/5"
        assert "turn/7" not in {one.document.id for one in index.search("tea", SearchFilter(), limit=400)["lexical"]}
        assert index.count() == 301


def test_what_comes_while_a_copy_is_merged_is_not_lost(many: Path) -> None:
    openings: list[int] = []

    @contextmanager
    def opened() -> Iterator[EdgeVectorIndex]:
        openings.append(len(openings))
        if len(openings) == 2:  # the merging is done, the copy is about to be taken
            with EdgeVectorIndex(many, LetterEmbedder()) as other:
                other.upsert([make_document(301, "samovar"), make_document(302, "saucer")])
                other.set_live(["turn/9"], live=False)
                other.advance(302, "later hash")
                embed_all(other)
                other.upsert([make_document(303, "spoon")])
        with EdgeVectorIndex(many, LetterEmbedder()) as index:
            yield index

    assert optimise(opened)
    with EdgeVectorIndex(many, LetterEmbedder()) as index:
        assert (index.position(), index.head_hash(), index.count(), index.pending()) == (302, "later hash", 303, 1)
        assert not index.retrieve(["turn/9"])[0].live
        assert index.search("samovar", SearchFilter(), limit=3)["dense"][0].document.id == "turn/301"
        assert index.search("saucer", SearchFilter(), limit=3)["lexical"][0].document.id == "turn/302"


def test_notes_that_change_while_a_copy_is_merged_are_as_they_are_now(many: Path) -> None:
    gone = make_document(11, "- Samovar", id="note/1", kind="note", path="memory/a.md", lines="1")
    moved = make_document(12, "- Saucer", id="note/2", kind="note", path="memory/a.md", lines="2")
    with EdgeVectorIndex(many, LetterEmbedder()) as index:
        index.upsert([gone, moved])
        index.keep_notes_mark("before")
    times = 0

    @contextmanager
    def opened() -> Iterator[EdgeVectorIndex]:
        nonlocal times
        times += 1
        with EdgeVectorIndex(many, LetterEmbedder()) as index:
            if times == 2:
                index.delete([gone.id])
                index.refit([moved.model_copy(update={"lines": "1"})])
                index.upsert([gone.model_copy(update={"id": "note/3", "text": "- Spoon", "indexed_text": "- Spoon"})])
                index.keep_notes_mark("after")
            yield index

    assert optimise(opened)
    with EdgeVectorIndex(many, LetterEmbedder()) as index:
        assert sorted(index.ids_by_path(("note",))["memory/a.md"]) == ["note/2", "note/3"]
        assert index.retrieve(["note/2"])[0].lines == "1"
        assert index.search("spoon", SearchFilter(), limit=1)["lexical"][0].document.id == "note/3"


@pytest.mark.parametrize("when", ["copied", "merged", "adopted"])
def test_a_crash_at_any_point_of_merging_leaves_an_index_that_answers(many: Path, when: str) -> None:
    before = answers(many)
    script = textwrap.dedent(
        """
        import os, sys
        from pathlib import Path
        from engram.store.index import edge_index
        from engram.store.index.edge_index import EdgeVectorIndex
        from tests.store.test_vector_index import LetterEmbedder
        folder, when = Path(sys.argv[1]), sys.argv[2]
        edge_index._MERGED_FROM = 100
        def die(*given, **named):
            os._exit(9)
        if when == "copied":
            edge_index.merge = die
        if when == "merged":
            EdgeVectorIndex.adopt = die
        if when == "adopted":
            edge_index.shutil.rmtree = die
        edge_index.optimise(lambda: EdgeVectorIndex(folder, LetterEmbedder()))
        """
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run([sys.executable, "-c", script, str(many), when], env=environment, check=False)

    assert done.returncode == 9
    assert len(shards(many)) == 2
    assert answers(many) == before
    merging(many)
    assert len(shards(many)) == 1
    assert answers(many) == before


def test_a_failed_merge_leaves_the_index_and_no_copy(many: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = answers(many)

    def fail(_place: Path, _count: int) -> None:
        raise DegradedIndexError("the disk is full")

    monkeypatch.setattr(edge_index, "merge", fail)
    with pytest.raises(DegradedIndexError, match="disk is full"):
        merging(many)

    assert shards(many) == ["shard"]
    assert answers(many) == before


def test_a_model_comes_to_a_merged_index_and_another_takes_over(many: Path) -> None:
    merging(many)
    with EdgeVectorIndex(many, LetterEmbedder("other", "aeiount0123456789")) as changing:
        assert changing.pending() == 300
        embed_all(changing)
        assert changing.finish_model_switch() is not None
    with EdgeVectorIndex(many, LetterEmbedder("other", "aeiount0123456789")) as index:
        assert index.search("tea", SearchFilter(), limit=3)["dense"]
        assert index.pending() == 0


def test_more_vectors_than_fit_a_segment_are_still_searched_exactly(tmp_path: Path) -> None:
    # Nothing that recall does builds a graph of neighbours: at any size below a merge the answers are exact.
    chance = random.Random(5)
    texts = ["".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=30)) for _ in range(3000)]
    embedder = LetterEmbedder()
    with EdgeVectorIndex(tmp_path, embedder) as index:
        index.upsert([make_document(number, text) for number, text in enumerate(texts, 1)])
        embed_all(index)
        for question in texts[:20]:
            found = [one.score for one in index.search(question, SearchFilter(), limit=10)["dense"]]
            assert found == pytest.approx(exact(embedder, question, texts), abs=1e-5)


def exact(embedder: LetterEmbedder, question: str, texts: list[str]) -> list[float]:
    asked = embedder.embed_query(question)

    def likeness(text: str) -> float:
        vector = embedder.embed_query(text)
        return sum(one * other for one, other in zip(asked, vector, strict=True)) / (length(asked) * length(vector))

    return sorted(map(likeness, texts), reverse=True)[:10]


def length(vector: list[float]) -> float:
    return math.sqrt(sum(number * number for number in vector))


def test_an_index_whose_making_was_killed_is_made_by_the_next_opening(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed as soon as the engine has its files, which takes it longest."""
    made = edge_engine.EdgeEngine.__init__

    def killed(engine: edge_engine.EdgeEngine, *place: Any) -> None:
        made(engine, *place)
        engine.close()
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(edge_engine.EdgeEngine, "__init__", killed)
        with pytest.raises(KeyboardInterrupt):
            EdgeVectorIndex(tmp_path / "index", None)

    with EdgeVectorIndex(tmp_path / "index", None) as index:
        assert (index.position(), index.count()) == (0, 0)


def test_a_copy_of_an_index_that_was_removed_meanwhile_is_not_adopted(many: Path) -> None:
    times = 0

    @contextmanager
    def opened() -> Iterator[EdgeVectorIndex]:
        nonlocal times
        times += 1
        if times == 2:  # the merging is done
            remove_index(many)
            with EdgeVectorIndex(many, LetterEmbedder()) as other:
                other.upsert(MANY[:3])
                other.advance(301, "another hash")
        with EdgeVectorIndex(many, LetterEmbedder()) as index:
            yield index

    assert not optimise(opened)
    assert shards(many) == ["shard"]
    with EdgeVectorIndex(many, LetterEmbedder()) as index:
        assert (index.position(), index.count()) == (301, 3)


@pytest.mark.parametrize(("documents", "segments"), [(0, 2), (50_000, 2), (50_001, 3), (1_000_000, 21)])
def test_large_shards_have_segments_of_a_bounded_number_of_documents(documents: int, segments: int) -> None:
    assert segments_for(documents) == segments


def test_what_is_merged_in_place_stays_apart_from_what_was_merged_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(edge_index, "_MERGED_FROM", 1)
    monkeypatch.setattr(merge, "_SMALLEST_KB", 1)
    monkeypatch.setattr(merge, "SEGMENT_DOCUMENTS", 300)
    made: list[int] = []
    with EdgeVectorIndex(tmp_path, None) as index:
        for first in range(0, 1500, 300):
            index.upsert([make_document(number, f"tea number{number}") for number in range(first, first + 300)])
            index.advance(first + 300)
            assert index.merge_in_place()
            made.append(len(list((tmp_path / "shard" / "segments").iterdir())))
        assert not index.merge_in_place()  # nothing has come since
        assert index.count() == 1500
        assert len(index.search("tea", SearchFilter(), limit=2000)["lexical"]) == 1500

    assert made == [2, 3, 4, 5, 6]  # and one that takes what comes
