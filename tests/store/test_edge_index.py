"""The index in a real embedded shard: found, filtered, kept, refused and built anew."""

import datetime as dt
import json
import os
import random
import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.model.document import Document
from engram.ports.index import SearchFilter
from engram.store.edge_index import EdgeVectorIndex
from engram.store.edge_index import document_terms
from engram.store.edge_index import index_position
from engram.store.edge_index import query_terms

NOON = dt.datetime(2026, 2, 24, 12, tzinfo=dt.UTC)


def make_document(number: int, text: str, **fields: Any) -> Document:
    return Document.model_validate(
        {"id": f"turn/{number}", "kind": "turn", "text": text, "indexed_text": text, **fields}
    )


TEA = make_document(1, "Anna prefers green tea", at=NOON)
BILLING = make_document(2, "Billing uses PostgreSQL 16", session="demo", at=NOON + dt.timedelta(days=1))
SECRET = make_document(3, "The tea is a surprise", scope="session:demo", trust="unverified", related=("people/bo",))
FACT = make_document(4, "Tea is cheap", id="people/anna-001", kind="fact", entity="people/anna", live=False)
ALL = (TEA, BILLING, SECRET, FACT)


def found(index: EdgeVectorIndex, query: str, **wanted: Any) -> list[str]:
    return [one.document.id for one in index.search(query, SearchFilter(**wanted), limit=10)["lexical"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with an index of four documents at position 7."""
    with EdgeVectorIndex(tmp_path / "index", None) as index:
        index.upsert(ALL)
        index.advance(7)
    return tmp_path / "index"


def test_an_index_that_is_not_there_is_made_empty_at_position_0(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path / "index", None) as index:
        assert (index.position(), index.count()) == (0, 0)
        assert found(index, "tea") == []


def test_documents_and_position_are_there_after_opening_again(folder: Path) -> None:
    with EdgeVectorIndex(folder, None) as index:
        assert (index.position(), index.count()) == (7, 4)
        assert index.retrieve([document.id for document in ALL]) == list(ALL)
    assert index_position(folder) == 7


def test_retrieving_keeps_the_order_asked_for_and_leaves_out_what_is_unknown(folder: Path) -> None:
    with EdgeVectorIndex(folder, None) as index:
        assert [one.id for one in index.retrieve(["turn/2", "nope", "turn/1"])] == ["turn/2", "turn/1"]
        assert index.retrieve([]) == []


@pytest.mark.parametrize(
    ("query", "wanted", "expected"),
    [
        ("tea", {}, {"turn/1"}),
        ("tea", {"scopes": ("shared", "session:demo")}, {"turn/1", "turn/3"}),
        ("tea", {"scopes": ()}, {"turn/1", "turn/3"}),
        ("tea", {"live_only": False}, {"turn/1", "people/anna-001"}),
        ("tea", {"live_only": False, "kinds": ("fact",)}, {"people/anna-001"}),
        ("tea", {"live_only": False, "entity": "people/anna"}, {"people/anna-001"}),
        ("postgresql", {"session": "demo"}, {"turn/2"}),
        ("postgresql", {"session": "other"}, set()),
        ("tea postgresql", {"since": NOON.timestamp()}, {"turn/1", "turn/2"}),
        ("tea postgresql", {"since": NOON.timestamp() + 1}, {"turn/2"}),
        ("tea postgresql", {"until": NOON.timestamp()}, set()),
        ("tea postgresql", {"until": NOON.timestamp() + 1}, {"turn/1"}),
        ("the and", {}, set()),
        ("", {}, set()),
    ],
)
def test_a_search_finds_by_words_and_filters(
    folder: Path, query: str, wanted: dict[str, Any], expected: set[str]
) -> None:
    with EdgeVectorIndex(folder, None) as index:
        assert set(found(index, query, **wanted)) == expected


def test_a_rare_word_counts_more_than_a_frequent_one(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, None) as index:
        index.upsert([make_document(number, "tea break today") for number in range(20)])
        index.upsert([make_document(100, "samovar break today")])

        assert found(index, "tea samovar")[0] == "turn/100"


def test_without_an_embedder_there_is_no_dense_leg(folder: Path) -> None:
    with EdgeVectorIndex(folder, None) as index:
        assert set(index.search("tea", SearchFilter(), limit=5)) == {"lexical"}


def test_inserting_again_replaces_by_id(folder: Path) -> None:
    with EdgeVectorIndex(folder, None) as index:
        index.upsert([TEA, TEA.model_copy(update={"text": "coffee", "indexed_text": "coffee"})])

        assert index.count() == 4
        assert found(index, "coffee") == ["turn/1"]
        assert found(index, "green") == []


def test_a_document_that_is_no_longer_live_is_found_only_when_asked_for(folder: Path) -> None:
    with EdgeVectorIndex(folder, None) as index:
        index.set_live(["turn/1", "unknown"], live=False)
        assert found(index, "green") == []
        assert found(index, "green", live_only=False) == ["turn/1"]

        index.set_live(["turn/1"], live=True)
        assert found(index, "green") == ["turn/1"]


def test_equal_content_has_an_equal_digest_however_it_came_there(folder: Path, tmp_path: Path) -> None:
    with EdgeVectorIndex(folder, None) as index:
        expected = index.digest()
    with EdgeVectorIndex(tmp_path / "other", None) as other:
        for document in random.Random(7).sample(ALL, 4):
            other.upsert([document.model_copy(update={"live": True, "text": "before"})])
            other.upsert([document.model_copy(update={"live": True})])
        other.set_live([FACT.id], live=False)

        assert other.digest() == expected
        other.set_live([FACT.id], live=True)
        assert other.digest() != expected


def test_more_documents_than_a_page_are_all_counted_in_the_digest(tmp_path: Path) -> None:
    documents = [make_document(number, f"word{number}") for number in range(2100)]
    with EdgeVectorIndex(tmp_path / "one", None) as one, EdgeVectorIndex(tmp_path / "two", None) as two:
        one.upsert(documents)
        two.upsert(documents[:-1])

        assert one.count() == 2100
        assert one.digest() != two.digest()


def test_a_second_owner_is_told_that_the_index_is_in_use(folder: Path) -> None:
    with EdgeVectorIndex(folder, None), pytest.raises(StoreBusyError):
        EdgeVectorIndex(folder, None)


def test_destroying_lets_the_next_opening_begin_anew(folder: Path) -> None:
    EdgeVectorIndex.destroy(folder)

    with EdgeVectorIndex(folder, None) as index:
        assert (index.position(), index.count()) == (0, 0)


def test_destroying_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    EdgeVectorIndex.destroy(tmp_path / "nothing")


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
        lambda folder: write_state(folder, embedder="another model"),
        lambda folder: (folder / "shard").rename(folder / "gone"),
        lambda folder: (folder / "shard" / "edge_config.json").write_bytes(b"{"),
        lambda folder: next((folder / "shard" / "segments").glob("*/segment.json")).write_bytes(b"\0"),
    ],
    ids=[
        "no state", "empty state", "state of another shape", "position below 0", "position in words",
        "another format", "another embedder", "no shard", "damaged shard config", "damaged segment",
    ],
)  # fmt: skip
def test_an_index_that_cannot_be_trusted_is_refused_with_the_command_that_mends_it(folder: Path, damage: Any) -> None:
    damage(folder)

    with pytest.raises(DegradedIndexError) as refused:
        EdgeVectorIndex(folder, None)

    assert "engram rebuild index" in refused.value.hint
    EdgeVectorIndex.destroy(folder)
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
        from engram.store.edge_index import EdgeVectorIndex
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


# --- weights ---------------------------------------------------------------------------------------------------


def test_the_weight_of_a_term_grows_with_its_count_but_less_and_less() -> None:
    weights = [max(document_terms("tea " * count + "x1 y2 z3").values) for count in (1, 2, 3)]

    assert weights == sorted(weights)
    assert weights[1] - weights[0] > weights[2] - weights[1]


def test_a_term_weighs_less_in_a_longer_text() -> None:
    short, long = document_terms("samovar"), document_terms("samovar " + " ".join(f"w{n}" for n in range(50)))

    assert short.values[0] > long.values[long.indices.index(short.indices[0])]


def test_a_word_said_twice_in_a_question_counts_once() -> None:
    assert query_terms("tea tea") == query_terms("tea")
    assert set(query_terms("green tea").values) == {1.0}


# --- with an embedder ------------------------------------------------------------------------------------------


class LetterEmbedder:
    """Vectors of letter counts: texts with the same letters are near, whatever their words are."""

    name = "letters"
    dimensions = 26

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [float(text.lower().count(chr(ord("a") + place))) + 0.01 for place in range(26)]


def test_with_an_embedder_both_legs_answer(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, LetterEmbedder()) as index:
        index.upsert([TEA, BILLING])
        legs = index.search("neerg aet", SearchFilter(), limit=5)

    assert legs["lexical"] == []
    assert legs["dense"][0].document == TEA
    assert legs["dense"][0].score > legs["dense"][1].score


def test_the_dense_leg_obeys_the_same_filters(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, LetterEmbedder()) as index:
        index.upsert(ALL)
        legs = index.search("tea", SearchFilter(scopes=("shared",)), limit=10)

    assert {one.document.id for one in legs["dense"]} == {"turn/1", "turn/2"}


def test_an_index_made_with_a_model_is_refused_without_it(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, LetterEmbedder()) as index:
        index.upsert([TEA])
        index.advance(1)

    with pytest.raises(DegradedIndexError, match="made with the embedding model letters, but now there is no"):
        EdgeVectorIndex(tmp_path, None)
