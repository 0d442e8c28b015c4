"""The contract of the vector index, on every adapter of it."""

import datetime as dt
import os
import random
import time
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engram.base.ids import new_id
from engram.config.sections.recall import IndexSettings
from engram.errors import DegradedIndexError
from engram.model.document import Document
from engram.ports.index import Embedder
from engram.ports.index import SearchFilter
from engram.ports.index import by_words_alone
from engram.store.index.documents import DocumentIndex
from engram.store.index.edge_index import EdgeVectorIndex
from engram.store.index.payload import content_of
from engram.store.index.payload import id_of
from engram.store.index.payload import to_document
from engram.store.index.qdrant_index import QdrantVectorIndex
from engram.store.index.qdrant_index import connect
from engram.store.index.state import Recipes

NOON = dt.datetime(2026, 2, 24, 12, tzinfo=dt.UTC)
SERVER = os.environ.get("QDRANT_URL", "")  # a real server, when there is one; else the client is its own

Open = Callable[..., DocumentIndex]


class LetterEmbedder:
    """Vectors of letter counts: texts with the same letters are near, whatever their words are."""

    def __init__(self, name: str = "letters", letters: str = "abcdefghijklmnopqrstuvwxyz") -> None:
        self.name = name
        self.dimensions = len(letters)
        self.letters = letters
        self.batches: list[list[str]] = []

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        self.batches.append(list(texts))
        return [self.embed_query(text) for text in texts]

    def embed_within(
        self, texts: Sequence[str], budget_s: float | None, clock: Callable[[], float] = time.monotonic
    ) -> list[list[float] | None]:
        """Make as many as there are whole seconds."""
        del clock
        count = len(texts) if budget_s is None else min(len(texts), int(budget_s))
        made = self.embed_passages(texts[:count]) if count else []
        return [*made, *[None] * (len(texts) - count)]

    def embed_query(self, text: str) -> list[float]:
        return [float(text.lower().count(letter)) + 0.01 for letter in self.letters]

    def closeness(self, question: str, cosine: float) -> float:
        return 2 * cosine + len(question)


def make_document(number: int, text: str, **fields: Any) -> Document:
    return Document.model_validate(
        {"id": f"turn/{number}", "kind": "turn", "text": text, "indexed_text": text, "position": number, **fields}
    )


TEA = make_document(1, "Anna prefers green tea", at=NOON)
BILLING = make_document(2, "Billing uses PostgreSQL 16", session="demo", at=NOON + dt.timedelta(days=1))
SECRET = make_document(3, "The tea is a surprise", scope="session:demo", trust="unverified", related=("people/bo",))
FACT = make_document(4, "Tea is cheap", id="people/anna-001", kind="fact", entity="people/anna", live=False)
ALL = (TEA, BILLING, SECRET, FACT)


def clock_of(*ticks: float) -> Callable[[], float]:
    times = iter(ticks)
    return lambda: next(times)


def embed_all(index: DocumentIndex) -> int:
    return index.embed_pending(None, lambda: 0.0)


def lexical(index: DocumentIndex, query: str, limit: int = 10, **wanted: Any) -> list[str]:
    return [one.document.id for one in index.search(query, SearchFilter(**wanted), limit=limit)["lexical"]]


def dense(index: DocumentIndex, query: str, limit: int = 10, **wanted: Any) -> list[str]:
    return [one.document.id for one in index.search(query, SearchFilter(**wanted), limit=limit)["dense"]]


ON_SERVER = "server" if SERVER else "client's local mode"


@pytest.fixture(params=["edge", ON_SERVER, f"a tenant of {ON_SERVER}"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens an index of a name; the same name is the same index."""
    if request.param == "edge":
        yield lambda embedder=None, name="one", recipes=None: EdgeVectorIndex(tmp_path / name, embedder, recipes)
        return
    from qdrant_client import QdrantClient

    client = connect(IndexSettings(url=SERVER)) if SERVER else QdrantClient(":memory:")
    prefix = f"test-{new_id()}"
    tenant = "anna" if request.param.startswith("a tenant") else ""
    made: set[str] = set()

    def open_collection(
        embedder: Embedder | None = None, name: str = "one", recipes: Recipes | None = None
    ) -> QdrantVectorIndex:
        made.add(f"{prefix}-{name}")
        if tenant:  # whoever else is there, with documents of the same ids
            with QdrantVectorIndex(client, f"{prefix}-{name}", LetterEmbedder(), tenant="bert") as other:
                if not other.position():
                    other.upsert([make_document(number, "tea and coffee of somebody else") for number in range(9)])
                    embed_all(other)
                    other.advance(9, "hash of line 9")
        return QdrantVectorIndex(client, f"{prefix}-{name}", embedder, recipes, tenant=tenant)

    yield open_collection
    for collection in made:
        QdrantVectorIndex.destroy(client, collection)
    client.close()


@pytest.fixture
def index(opened: Open) -> Iterator[DocumentIndex]:
    """An index of four documents at position 4, without a model."""
    with opened() as index:
        index.upsert(ALL)
        index.advance(4, "hash of line 4")
        yield index


# --- documents and position ------------------------------------------------------------------------------------


def test_an_index_that_is_not_there_is_made_empty_at_position_0(opened: Open) -> None:
    with opened() as index:
        assert (index.position(), index.head_hash(), index.count()) == (0, "", 0)
        assert lexical(index, "tea") == []
        assert index.retrieve(["turn/1"]) == []


def test_documents_and_position_are_there_after_opening_again(opened: Open) -> None:
    with opened() as index:
        index.upsert(ALL)
        index.advance(4, "hash of line 4")
    with opened() as again:
        assert (again.position(), again.head_hash(), again.count()) == (4, "hash of line 4", 4)
        assert again.retrieve([document.id for document in ALL]) == list(ALL)


def test_retrieving_keeps_the_order_asked_for_and_leaves_out_what_is_unknown(index: DocumentIndex) -> None:
    assert [one.id for one in index.retrieve(["turn/2", "nope", "turn/1"])] == ["turn/2", "turn/1"]
    assert index.retrieve([]) == []


def test_inserting_again_replaces_by_id(index: DocumentIndex) -> None:
    index.upsert([TEA, TEA.model_copy(update={"text": "coffee", "indexed_text": "coffee"})])

    assert index.count() == 4
    assert lexical(index, "coffee") == ["turn/1"]
    assert lexical(index, "green") == []


def test_a_document_that_is_no_longer_live_is_found_only_when_asked_for(index: DocumentIndex) -> None:
    index.set_live(["turn/1", "unknown"], live=False)
    assert lexical(index, "green") == []
    assert lexical(index, "green", live_only=False) == ["turn/1"]

    index.set_live(["turn/1"], live=True)
    assert lexical(index, "green") == ["turn/1"]


def test_equal_content_has_an_equal_digest_however_it_came_there(index: DocumentIndex, opened: Open) -> None:
    expected = index.digest()
    with opened(LetterEmbedder(), "two") as other:
        for document in random.Random(7).sample(ALL, 4):
            other.upsert([document.model_copy(update={"live": True, "text": "before"})])
            other.upsert([document.model_copy(update={"live": True})])
        other.set_live([FACT.id], live=False)
        embed_all(other)

        assert other.digest() == expected
        other.set_live([FACT.id], live=True)
        assert other.digest() != expected


def test_more_documents_than_a_page_are_all_counted_in_the_digest(opened: Open) -> None:
    documents = [make_document(number, f"word{number}") for number in range(2100)]
    with opened() as one, opened(name="two") as two:
        one.upsert(documents)
        two.upsert(documents[:-1])

        assert (one.count(), two.count()) == (2100, 2099)
        assert one.digest() != two.digest()
        assert len(one.retrieve([document.id for document in documents])) == 2100


# --- what was said before --------------------------------------------------------------------------------------


def test_the_turns_before_one_are_those_of_its_session_that_the_position_stands_for(opened: Open) -> None:
    turns = [make_document(n, f"said {n}", session="demo", ordinal=n) for n in range(1, 7)]
    other = make_document(9, "elsewhere", session="other", ordinal=3)
    with opened() as index:
        index.upsert([*turns, other])
        index.advance(5)

        assert {one.id for one in index.said_before("demo", 5, 3)} == {"turn/2", "turn/3", "turn/4"}
        assert {one.id for one in index.said_before("demo", 7, 2)} == {"turn/5"}
        assert {one.indexed_text for one in index.said_before("demo", 2, 4)} == {"said 1"}
        assert index.said_before("demo", 0, 4) == []


def test_the_words_said_before_find_a_document_but_are_not_kept_in_it(opened: Open) -> None:
    with opened() as index:
        index.upsert([TEA.model_copy(update={"context": "samovar"}), BILLING])

        assert lexical(index, "samovar") == ["turn/1"]
        assert index.retrieve(["turn/1"]) == [TEA]


# --- searching -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "wanted", "expected"),
    [
        ("tea", {}, {"turn/1"}),
        ("tea", {"scopes": ("shared", "session:demo")}, {"turn/1", "turn/3"}),
        ("tea", {"scopes": ()}, {"turn/1", "turn/3"}),
        ("tea", {"scopes": ("session:demo",)}, {"turn/3"}),
        ("tea", {"live_only": False}, {"turn/1", "people/anna-001"}),
        ("tea", {"live_only": False, "kinds": ("fact",)}, {"people/anna-001"}),
        ("tea", {"kinds": ("fact", "note", "turn")}, {"turn/1"}),
        ("tea", {"kinds": ("note", "turn")}, {"turn/1"}),
        ("tea", {"live_only": False, "entity": "people/anna"}, {"people/anna-001"}),
        ("postgresql", {"session": "demo"}, {"turn/2"}),
        ("postgresql", {"session": "other"}, set()),
        ("tea postgresql", {"since": NOON.timestamp()}, {"turn/1", "turn/2"}),
        ("tea postgresql", {"since": NOON.timestamp() + 1}, {"turn/2"}),
        ("tea postgresql", {"until": NOON.timestamp()}, set()),
        ("tea postgresql", {"until": NOON.timestamp() + 1}, {"turn/1"}),
        ("tea postgresql", {"said_by": NOON.timestamp()}, {"turn/1"}),
        ("tea postgresql", {"said_by": NOON.timestamp() - 1}, set()),
        ("tea", {"said_by": 0.0, "scopes": ()}, {"turn/3"}),  # it has no date
        ("tea", {"ids": ("turn/3", "turn/2", "turn/9"), "scopes": ()}, {"turn/3"}),
        ("the and", {}, set()),
        ("", {}, set()),
    ],
)
def test_a_search_finds_by_words_and_filters(
    index: DocumentIndex, query: str, wanted: dict[str, Any], expected: set[str]
) -> None:
    assert set(lexical(index, query, **wanted)) == expected


def test_what_a_search_finds_is_the_document_without_its_indexed_text(index: DocumentIndex) -> None:
    (found,) = index.search("surprise", SearchFilter(scopes=("session:demo",)), limit=5)["lexical"]

    assert found.document == SECRET.model_copy(update={"indexed_text": ""})
    assert found.score > 0


@pytest.mark.parametrize("hidden", [{"live": False}, {"scope": "session:private"}], ids=["dead", "private"])
def test_however_many_documents_may_not_be_found_those_that_may_are(opened: Open, hidden: dict[str, Any]) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert([make_document(number, "tea", **hidden) for number in range(1, 60)])
        index.upsert([make_document(100, "tea with a lot of other words beside"), make_document(101, "tea and cake")])
        embed_all(index)

        assert lexical(index, "tea", limit=2) == ["turn/101", "turn/100"]
        assert set(dense(index, "tea", limit=2)) == {"turn/100", "turn/101"}


def test_a_limit_holds_and_the_best_come_first(opened: Open) -> None:
    with opened() as index:
        index.upsert([make_document(number, "tea " + "cake " * number) for number in range(1, 40)])

        assert lexical(index, "tea", limit=3) == ["turn/1", "turn/2", "turn/3"]


def test_a_rare_word_counts_more_than_a_frequent_one(opened: Open) -> None:
    with opened() as index:
        index.upsert([make_document(number, "tea break today") for number in range(20)])
        index.upsert([make_document(100, "samovar break today")])

        assert lexical(index, "tea samovar")[0] == "turn/100"


# --- vectors ---------------------------------------------------------------------------------------------------


def test_without_an_embedder_there_is_no_dense_leg_and_nothing_pending(index: DocumentIndex) -> None:
    assert set(index.search("tea", SearchFilter(), limit=5)) == {"lexical"}
    assert (index.pending(), embed_all(index), index.missing(), index.finish_model_switch()) == (0, 0, (), None)


def test_a_document_is_known_by_its_words_at_once_and_by_its_meaning_later(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert([TEA, BILLING])
        assert lexical(index, "tea") == ["turn/1"]
        assert dense(index, "neerg aet") == []
        assert (index.pending(), index.missing()) == (
            2,
            (by_words_alone(2),),
        )

        assert embed_all(index) == 0
        legs = index.search("neerg aet", SearchFilter(), limit=5)

    assert legs["lexical"] == []
    assert legs["dense"][0].document.id == "turn/1"
    assert legs["dense"][0].score > legs["dense"][1].score


def test_a_search_by_words_alone_embeds_nothing(opened: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert(ALL)
        index.advance(4)
        embed_all(index)
        monkeypatch.setattr(LetterEmbedder, "embed_query", lambda *_: pytest.fail("embedded"))

        assert list(index.search("tea", SearchFilter(), limit=10, by_meaning=False)) == ["lexical"]


def test_the_dense_leg_obeys_the_same_filters(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert(ALL)
        embed_all(index)

        assert set(dense(index, "tea")) == {"turn/1", "turn/2"}
        assert dense(index, "tea", session="demo") == ["turn/2"]
        assert set(dense(index, "tea", scopes=(), live_only=False)) == {one.id for one in ALL}


def test_a_replaced_document_is_pending_again(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert(ALL)
        embed_all(index)
        index.upsert([TEA.model_copy(update={"indexed_text": "zzz"})])

        assert index.pending() == 1
        embed_all(index)
        assert dense(index, "zzzzz")[0] == "turn/1"


def test_a_document_that_is_retired_keeps_its_vector(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert(ALL)
        embed_all(index)
        index.set_live(["turn/1"], live=False)

        assert index.pending() == 0
        assert "turn/1" in dense(index, "green tea", live_only=False)


def test_the_oldest_are_embedded_first_in_batches_of_like_length(opened: Open) -> None:
    embedder = LetterEmbedder()
    lengths = [number * 37 % 100 for number in range(1, 1201)]
    with opened(embedder) as index:
        index.upsert([make_document(number, "x" * length, position=number) for number, length in enumerate(lengths)])
        assert embed_all(index) == 0

    sizes = [len(text) for batch in embedder.batches for text in batch]
    assert sizes[:1000] == sorted(lengths[:1000])
    assert sizes[1000:] == sorted(lengths[1000:])
    assert max(map(len, embedder.batches)) == 32


def test_when_time_runs_out_no_further_batch_is_begun_and_what_is_done_stays(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert([make_document(number, "tea") for number in range(100)])

        assert index.embed_pending(0, clock_of(5, 5)) == 100
        assert index.embed_pending(2, clock_of(5, 5, 6, 7)) == 100 - 64
        assert index.missing() == (by_words_alone(36),)
    with opened(LetterEmbedder()) as again:
        assert again.pending() == 36
        assert embed_all(again) == 0


def test_once_nothing_is_pending_that_is_known_until_something_comes(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert([TEA])
        index.advance(1)
        embed_all(index)
    with opened(LetterEmbedder()) as again:
        assert again.pending() == 0
        again.upsert([BILLING])
        assert again.pending() == 1
        again.advance(2)
    with opened(LetterEmbedder()) as later:
        assert later.pending() == 1
        assert embed_all(later) == 0
    with opened(LetterEmbedder("other", "xyz")) as changing:
        assert changing.pending() == 2, "what was known of one model is not known of another"


def test_closeness_is_that_of_the_model_whose_vectors_are_searched(opened: Open) -> None:
    with opened() as index:
        assert index.closeness("tea", 0.5) is None
    with opened(LetterEmbedder()) as index:
        assert index.closeness("tea", 0.5) == 4.0


class SilentEmbedder(LetterEmbedder):
    """A service that does not answer questions."""

    def closeness(self, question: str, cosine: float) -> float:
        raise DegradedIndexError("the service does not answer")

    def embed_query(self, text: str) -> list[float]:
        if text == "tea":
            raise DegradedIndexError("the service does not answer")
        return super().embed_query(text)


def test_a_model_that_does_not_answer_leaves_the_words(opened: Open, capsys: pytest.CaptureFixture[str]) -> None:
    with opened(SilentEmbedder()) as index:
        index.upsert(ALL)
        embed_all(index)

        assert lexical(index, "tea") == ["turn/1"]
        assert set(index.search("tea", SearchFilter(), limit=5)) == {"lexical"}
        assert index.closeness("tea", 0.5) is None
    assert "searched by words only: the service does not answer" in capsys.readouterr().err


def test_a_model_comes_to_an_index_without_one_and_the_words_stay(opened: Open) -> None:
    with opened() as index:
        index.upsert(ALL)
        index.advance(4)
    with opened(LetterEmbedder()) as again:
        assert (again.position(), again.count(), again.pending()) == (4, 4, 4)
        assert lexical(again, "tea") == ["turn/1"]
        embed_all(again)
        assert dense(again, "tea green anna prefers")[0] == "turn/1"


def test_without_its_model_an_index_goes_on_by_words_and_keeps_its_vectors(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert(ALL)
        index.advance(4)
        embed_all(index)
    with opened() as bare:
        assert set(bare.search("tea", SearchFilter(), limit=5)) == {"lexical"}
        bare.upsert([make_document(5, "more tea")])
    with opened(LetterEmbedder()) as again:
        assert again.pending() == 1


# --- another model ---------------------------------------------------------------------------------------------

VOWELS = LetterEmbedder("vowels", "aeiou")


def filled(opened: Open, embedder: Embedder | None = None) -> None:
    with opened(embedder or LetterEmbedder()) as index:
        index.upsert([make_document(number, text) for number, text in enumerate(["tea", "pig", "owl", "cup"], 1)])
        index.advance(4)
        embed_all(index)


def remade(recipe: Any) -> Embedder | None:
    return LetterEmbedder() if recipe == {"model": "letters"} else None


def test_while_another_model_is_coming_the_former_goes_on_when_it_can_be_had(opened: Open) -> None:
    recipes = Recipes({"model": "letters"}, remade)
    with opened(LetterEmbedder(), recipes=recipes) as index:
        index.upsert(ALL)
        index.advance(4)
        embed_all(index)
    with opened(VOWELS, recipes=Recipes({"model": "vowels"}, remade)) as changing:
        assert changing.pending() == 4
        assert changing.missing() == (f"the embedding model changes to vowels: {by_words_alone(4)}",)
        assert dense(changing, "Anna prefers green tea")[0] == "turn/1"


def test_while_another_model_is_coming_and_the_former_is_gone_words_answer(opened: Open) -> None:
    filled(opened)
    with opened(VOWELS) as changing:
        assert set(changing.search("tea", SearchFilter(), limit=5)) == {"lexical"}
        assert changing.missing()[0].endswith("until then nothing is found by its meaning")


def test_a_model_takes_over_once_every_document_has_its_vector(opened: Open) -> None:
    filled(opened)
    with opened(VOWELS) as changing:
        assert changing.embed_pending(1, clock_of(0, 2)) == 4
        assert changing.finish_model_switch() is None
        assert embed_all(changing) == 0
        switched = changing.finish_model_switch()

        assert switched is not None
        assert (switched.former, switched.present) == ("letters", "vowels")
        assert dense(changing, "tea")[0] == "turn/1"
        assert (changing.finish_model_switch(), changing.missing()) == (None, ())
    with opened(VOWELS) as again:
        assert (again.pending(), again.position()) == (0, 4)
        assert dense(again, "tea")[0] == "turn/1"


def test_the_overlap_says_how_many_of_the_nearest_ten_are_the_same(opened: Open) -> None:
    texts = ["a" * round(5 * 1.13**n) + "b" * 64 for n in range(40)]  # no two are equally near to a third
    for name, embedder, expected in (
        ("same", LetterEmbedder("other name"), 1.0),
        ("few", LetterEmbedder("few letters", "xyz"), 0.6),
    ):
        with opened(LetterEmbedder(), name) as index:
            index.upsert([make_document(number, text) for number, text in enumerate(texts, 1)])
            embed_all(index)
        with opened(embedder, name) as changing:
            embed_all(changing)
            switched = changing.finish_model_switch()
        assert switched is not None
        assert switched.overlap is not None
        assert (switched.overlap == 1) if expected == 1 else (switched.overlap < expected), switched


def test_an_empty_index_changes_its_model_without_anything_to_compare(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.advance(3)
    with opened(VOWELS) as changing:
        switched = changing.finish_model_switch()

    assert switched is not None
    assert switched.overlap is None


def test_coming_back_to_the_former_model_needs_no_embedding(opened: Open) -> None:
    filled(opened)
    with opened(VOWELS) as changing:
        changing.embed_pending(1, clock_of(0, 2))
    back = LetterEmbedder()
    with opened(back) as again:
        assert (again.pending(), again.finish_model_switch(), back.batches) == (0, None, [])
        assert dense(again, "tea")[0] == "turn/1"


def test_tidying_drops_vectors_that_no_model_needs_and_keeps_those_that_one_does(opened: Open) -> None:
    filled(opened)
    with opened(VOWELS) as changing:
        embed_all(changing)
    with opened(LetterEmbedder()) as again:
        again.tidy()
        assert dense(again, "tea")[0] == "turn/1"
    with opened(VOWELS) as changing_again:
        assert changing_again.pending() == 4  # made anew: they were dropped


# --- what comes from files -------------------------------------------------------------------------------------

ENTRY = make_document(7, "- Tea at four", id="note/1", kind="note", path="memory/a.md", lines="3", at=NOON)
OWN = make_document(8, "- Call her Meera", id="note/2", kind="self", path="USER.md", lines="1", scope="self")


def test_deleted_documents_are_gone_and_those_that_are_not_there_are_left_out(index: DocumentIndex) -> None:
    index.delete([TEA.id, "turn/unknown"])

    assert lexical(index, "tea green") == []
    assert index.count() == 3


def test_a_document_that_is_refitted_has_other_fields_and_the_same_vector(opened: Open) -> None:
    with opened(LetterEmbedder()) as index:
        index.upsert([ENTRY])
        embed_all(index)
        index.refit([ENTRY.model_copy(update={"lines": None, "scope": "session:demo"})])
        (found,) = index.retrieve([ENTRY.id])

        assert (found.lines, found.scope, found.indexed_text) == (None, "session:demo", ENTRY.indexed_text)
        assert dense(index, "tea", scopes=("session:demo",)) == [ENTRY.id]
        assert index.pending() == 0


def test_the_documents_of_files_are_known_by_their_paths(index: DocumentIndex) -> None:
    index.upsert([ENTRY, OWN])

    assert index.ids_by_path(("note", "self")) == {"memory/a.md": ["note/1"], "USER.md": ["note/2"]}
    assert lexical(index, "tea meera", kinds=("note",)) == ["note/1"]
    assert lexical(index, "tea meera", kinds=("self",), scopes=("self",)) == ["note/2"]


def test_when_a_file_was_read_is_no_part_of_the_digest(index: DocumentIndex, opened: Open) -> None:
    index.upsert([ENTRY])
    with opened(name="two") as other:
        other.upsert([*ALL, ENTRY.model_copy(update={"position": 99})])
        assert other.digest() == index.digest()
        other.upsert([ENTRY.model_copy(update={"lines": "4"})])
        assert other.digest() != index.digest()


def test_the_mark_of_the_notes_is_kept(opened: Open) -> None:
    with opened() as index:
        assert index.notes_mark() == ""
        index.keep_notes_mark("m1")
    with opened() as index:
        assert index.notes_mark() == "m1"
        index.keep_notes_mark("")
        assert index.notes_mark() == ""


@pytest.mark.parametrize("left", [{}, {"text": "x"}, {"id": "a", "scope": "shared", "live": 1}])
def test_a_point_that_lost_its_fields_is_damage_and_no_other_error(left: dict[str, Any]) -> None:
    with pytest.raises(DegradedIndexError, match="not whole"):
        content_of(left)
    with pytest.raises(DegradedIndexError, match="not whole"):
        to_document(left)


def test_a_point_without_an_id_is_damage() -> None:
    assert id_of({"id": "a"}) == "a"
    with pytest.raises(DegradedIndexError, match="not whole"):
        id_of({"text": "x"})
