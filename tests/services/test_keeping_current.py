"""An index brought wholly up to date in slices, with the lock given away between them."""

import itertools
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engram.ports.index import Embedder
from engram.ports.index import SearchFilter
from engram.services.keeping_current import Current
from engram.services.keeping_current import Keeper
from engram.store.edge_index import EdgeVectorIndex
from tests.services.test_indexing import ListJournal
from tests.services.test_indexing import turns
from tests.store.test_vector_index import LetterEmbedder


class Opener:
    """Opens one index again and again, and counts how often."""

    def __init__(self, folder: Path, embedder: Embedder | None) -> None:
        self.folder, self.embedder, self.times = folder, embedder, 0

    @contextmanager
    def __call__(self) -> Iterator[EdgeVectorIndex]:
        self.times += 1
        with EdgeVectorIndex(self.folder, self.embedder) as index:
            yield index


def keep(journal: ListJournal, opened: Opener, *, wanted: bool = False, tick_s: float = 0.2) -> Current:
    ticks = itertools.count()
    return Keeper(journal, opened, lambda: wanted, clock=lambda: next(ticks) * tick_s).run()


def test_words_and_vectors_are_all_there_afterwards(tmp_path: Path) -> None:
    opened = Opener(tmp_path, LetterEmbedder())

    assert keep(ListJournal(*turns(1200)), opened) == Current(1200, 0, 1200, None)
    assert opened.times == 1
    with opened() as index:
        assert (index.pending(), index.missing()) == (0, ())


def test_while_somebody_waits_the_index_is_given_away_after_every_slice(tmp_path: Path) -> None:
    opened = Opener(tmp_path, LetterEmbedder())

    assert keep(ListJournal(*turns(1200)), opened, wanted=True).documents == 1200
    assert opened.times > 3


def test_a_slice_too_short_for_anything_grows_until_something_is_done(tmp_path: Path) -> None:
    assert keep(ListJournal(*turns(40)), Opener(tmp_path, LetterEmbedder()), tick_s=7).documents == 40


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
