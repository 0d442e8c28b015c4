"""An index brought wholly up to date in slices, with the lock given away between them."""

import datetime as dt
import itertools
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from pathlib import Path

from engram.ports.index import SearchFilter
from engram.ports.progress import Progress
from engram.ports.progress import tell_nobody
from engram.services.index.full_catch_up import Allowance
from engram.services.index.full_catch_up import Current
from engram.services.index.full_catch_up import Keeper
from engram.services.index.full_catch_up import fill_in_portions
from engram.store.index.edge_index import EdgeVectorIndex
from tests.services.index.test_catch_up import ListJournal
from tests.services.index.test_catch_up import turns
from tests.store.test_vector_index import BILLING
from tests.store.test_vector_index import NOON
from tests.store.test_vector_index import TEA
from tests.store.test_vector_index import LetterEmbedder
from tests.store.test_vector_index import make_document


class Opener:
    """Opens one index again and again, and counts how often."""

    def __init__(self, folder: Path, embedder: LetterEmbedder | None) -> None:
        self.folder, self.embedder, self.times, self.is_open = folder, embedder, 0, False

    @contextmanager
    def __call__(self) -> Iterator[EdgeVectorIndex]:
        self.times += 1
        with EdgeVectorIndex(self.folder, self.embedder) as index:
            self.is_open = True
            yield index
            self.is_open = False


def keep(
    journal: ListJournal,
    opened: Opener,
    *,
    wanted: bool = False,
    tick_s: float = 0.2,
    allowance: Allowance | None = None,
    progress: Progress = tell_nobody,
) -> Current:
    ticks = itertools.count()
    keeper = Keeper(
        journal,
        opened,
        lambda: wanted,
        vectors=opened.embedder,
        clock=lambda: next(ticks) * tick_s,
    )
    return keeper.run(allowance, progress)


def test_words_and_vectors_are_all_there_afterwards(tmp_path: Path) -> None:
    opened = Opener(tmp_path, LetterEmbedder())

    assert keep(ListJournal(*turns(1200)), opened) == Current(1200, 0, 1200, None)
    with opened() as index:
        assert (index.pending(), index.missing()) == (0, ())


def test_while_somebody_waits_the_index_is_given_away_after_every_slice(tmp_path: Path) -> None:
    opened = Opener(tmp_path, None)

    assert keep(ListJournal(*turns(1200)), opened, wanted=True, tick_s=1.0).documents == 1200
    assert opened.times > 2


def test_vectors_are_made_while_the_index_is_free(tmp_path: Path) -> None:
    class Watching(LetterEmbedder):
        def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
            assert not opened.is_open
            return super().embed_passages(texts)

    embedder = Watching()
    opened = Opener(tmp_path, embedder)

    assert keep(ListJournal(*turns(600)), opened).unembedded == 0
    assert sum(map(len, embedder.batches)) == 600


def test_when_the_allowance_is_used_up_the_next_time_goes_on_and_makes_none_twice(tmp_path: Path) -> None:
    journal, embedder = ListJournal(*turns(100)), LetterEmbedder()
    opened = Opener(tmp_path, embedder)

    first = keep(journal, opened, allowance=Allowance(40.0), tick_s=20.0)
    assert (first.documents, first.unembedded, first.as_json()["unembedded"]) == (100, 48, 48)
    with opened() as index:
        assert index.pending() == 48

    assert keep(journal, opened, allowance=Allowance()).unembedded == 0
    texts = [text for batch in embedder.batches for text in batch]
    assert len(texts) == len(set(texts)) == 100


def test_an_allowance_that_is_used_up_leaves_words_alone(tmp_path: Path) -> None:
    embedder = LetterEmbedder()

    current = keep(ListJournal(*turns(40)), Opener(tmp_path, embedder), allowance=Allowance(0.0))

    assert (current.documents, current.unembedded, embedder.batches) == (40, 40, [])


def test_facts_come_first_then_what_was_said_last_then_what_has_no_day(tmp_path: Path) -> None:
    days = [3, 1, 4, 2]
    notes = [make_document(day, f"tea {day}", at=NOON + dt.timedelta(days=day)) for day in days]
    undated = [make_document(place, f"tea {place}", position=place) for place in (10, 12, 11)]
    fact = make_document(20, "Anna prefers tea", kind="fact", id="people/anna-001", at=NOON)
    with EdgeVectorIndex(tmp_path, LetterEmbedder()) as index:
        index.upsert([*undated, *notes, fact])

        wanted = ["people/anna-001", *(f"turn/{n}" for n in (4, 3, 2, 1, 12, 11, 10))]
        assert [one.id for one in index.unembedded(100)] == wanted
        assert [one.id for one in index.unembedded(3)] == wanted[:3]


def test_what_a_program_wrote_is_found_by_its_words_and_never_embedded(tmp_path: Path) -> None:
    log = make_document(1, "2026-02-24 10:15:30 ERROR the importer is out of tea", words_only=True)
    embedder = LetterEmbedder()
    opened = Opener(tmp_path, embedder)
    with opened() as index:
        index.upsert([log, TEA.model_copy(update={"id": "turn/2"})])

    current = keep(ListJournal(), opened)

    assert (current.documents, current.unembedded) == (2, 0)
    assert embedder.batches == [[TEA.indexed_text]]
    with opened() as index:
        assert (index.pending(), index.missing()) == (0, ())
        legs = index.search("tea", SearchFilter(), limit=5)
        assert {one.document.id for one in legs["lexical"]} == {"turn/1", "turn/2"}
        assert [one.document.id for one in legs["dense"]] == ["turn/2"]
        assert [one.words_only for one in index.retrieve(["turn/1", "turn/2"])] == [True, False]


def test_time_is_taken_from_the_allowance(tmp_path: Path) -> None:
    allowance = Allowance(100.0)

    keep(ListJournal(*turns(40)), Opener(tmp_path, LetterEmbedder()), allowance=allowance, tick_s=1.0)

    assert allowance.left_s is not None
    assert 0 < allowance.left_s < 100
    allowance.spend(1000)
    assert allowance.is_used_up
    assert not Allowance().is_used_up


def test_how_far_it_is_is_told(tmp_path: Path) -> None:
    told: list[tuple[str, int, int, float | None]] = []

    def listen(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        told.append((what, done, total, most_s))

    keep(ListJournal(*turns(100)), Opener(tmp_path, LetterEmbedder()), progress=listen)

    assert [one for one in told if one[0] == "embedding"] == [
        ("embedding", done, 100, None) for done in (0, 32, 64, 96)
    ]


def test_a_vector_made_of_a_text_that_is_another_now_is_not_taken(tmp_path: Path) -> None:
    with EdgeVectorIndex(tmp_path, LetterEmbedder()) as index:
        index.upsert([TEA, BILLING])
        lot = index.unembedded(10)
        index.upsert([TEA.model_copy(update={"indexed_text": "Anna prefers coffee now"})])
        index.give_vectors({one: LetterEmbedder().embed_query(one.text) for one in lot})

        assert [one.text for one in index.unembedded(10)] == ["Anna prefers coffee now"]


def test_another_model_takes_over_at_the_end_and_that_is_reported(tmp_path: Path) -> None:
    journal = ListJournal(*turns(40))
    keep(journal, Opener(tmp_path, LetterEmbedder()))

    current = keep(journal, Opener(tmp_path, LetterEmbedder("other", "aeiou0123456789")))

    shown = current.as_json()
    assert (shown["documents"], shown["model_changed"]["former"], shown["model_changed"]["present"]) == (
        40,
        "letters",
        "other",
    )
    with EdgeVectorIndex(tmp_path, LetterEmbedder("other", "aeiou0123456789")) as index:
        assert index.search("tea 17", SearchFilter(), limit=3)["dense"]


def test_without_a_model_there_are_only_words(tmp_path: Path) -> None:
    assert keep(ListJournal(*turns(3)), Opener(tmp_path, None)).as_json() == {
        "position": 3, "behind": 0, "documents": 3
    }  # fmt: skip


def test_a_portion_ends_the_taking_in_though_more_is_there(tmp_path: Path) -> None:
    opened, ticks = Opener(tmp_path, LetterEmbedder()), itertools.count()
    keeper = Keeper(
        ListJournal(*turns(2400)), opened, lambda: False, vectors=opened.embedder, clock=lambda: next(ticks) * 1.0
    )

    first = keeper.run(most=600)

    assert (first.behind, first.documents, first.unembedded) == (2400 - first.position, first.position, 0)
    assert 600 <= first.documents < 1200
    assert keeper.run() == Current(2400, 0, 2400, None)


def test_each_portion_is_merged_before_the_next_comes(tmp_path: Path) -> None:
    opened, ticks, merged = Opener(tmp_path, None), itertools.count(), [0]
    keeper = Keeper(ListJournal(*turns(2400)), opened, lambda: False, vectors=None, clock=lambda: next(ticks) * 1.0)

    def merge() -> bool:
        with opened() as index:
            merged.append(index.count())
        return len(merged) == 2  # the first was worth it

    assert fill_in_portions(keeper, 600, merge)
    assert merged[-1] == 2400
    assert all(later - before < 1200 for before, later in itertools.pairwise(merged))


def test_what_was_never_worth_merging_is_told_so(tmp_path: Path) -> None:
    opened, ticks = Opener(tmp_path, None), itertools.count()
    keeper = Keeper(ListJournal(*turns(10)), opened, lambda: False, vectors=None, clock=lambda: next(ticks) * 1.0)

    assert not fill_in_portions(keeper, 600, lambda: False)


def test_words_that_are_taken_in_ahead_leave_the_rest_to_who_merges(tmp_path: Path) -> None:
    opened, ticks = Opener(tmp_path, None), itertools.count()
    keeper = Keeper(ListJournal(*turns(2400)), opened, lambda: True, vectors=None, clock=lambda: next(ticks) * 1.0)

    keeper.take_in_words(lambda: False, most=600)

    with opened() as index:
        assert 600 <= index.count() < 1200
    keeper.take_in_words(lambda: False)
    with opened() as index:
        assert index.count() == 2400
