"""How the index catches up with the journal: its records in order, in batches, within a budget.

Notes are not among them: their documents come from the files (`services.index.note_documents`), and what the journal
holds of them is where facts came from.
"""

import datetime as dt
import zlib
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import MutableMapping
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.model.changes.rearrangement import FactStep
from engram.model.changes.record import Record
from engram.model.document import Document
from engram.ports.index import REBUILD
from engram.ports.index import VectorIndex
from engram.ports.journal import Journal
from engram.services.index.documents import Indexed
from engram.services.index.documents import documents_of
from engram.services.index.documents import moved_document
from engram.services.index.turn_context import SpokenBefore

_BATCH = 512  # documents given to the index at a time; a record is never split
_FLUSHED = 2048  # documents after which the position is moved: waiting for the disk costs more than indexing them


class Lag(NamedTuple):
    """Where the index stands after catching up."""

    position: int  # journal position that the index stands for
    behind: int  # records that it has not taken in yet


def catch_up(
    journal: Journal,
    index: VectorIndex,
    *,
    budget_s: float | None,
    clock: Callable[[], float],
    zone: dt.tzinfo = dt.UTC,
    at_least_one: bool = False,
) -> Lag:
    """Bring the index forward by the journal's records, and return how far behind it stayed.

    Args:
        journal: read without a lock.
        index: held under the index lock.
        budget_s: seconds after which no further batch is begun; None: until everything is in.
        at_least_one: take the first batch in however long it takes, so that a record larger than the budget gets in.
        clock: monotonic seconds, such as time.monotonic.
        zone: the workspace's time zone, for the dates that are written into the texts.

    Raises:
        DegradedIndexError: when the index stands for more than the journal holds or for another journal, or its engine
            fails.
    """
    head, head_hash = journal.head()
    _check_same_journal(index, head, head_hash if index.position() == head else "")
    before = SpokenBefore(index)
    started = clock()
    last: _Batch | None = None  # taken in, with the position not yet moved behind it
    taken = 0
    for batch in _batches(journal, index, zone):
        is_over = budget_s is not None and clock() - started >= budget_s
        if is_over and not at_least_one:
            break
        _take_in(index, batch, before)
        at_least_one = False
        last, taken = batch, taken + batch.size
        if taken >= _FLUSHED:
            index.advance(last.position, last.head_hash)
            last, taken = None, 0
    if last is not None:
        index.advance(last.position, last.head_hash)
    position = index.position()
    return Lag(position, max(0, head - position))


def documents_upto(
    journal: Journal, position: int, zone: dt.tzinfo, *, part: int = 0, parts: int = 1
) -> Mapping[str, Document]:
    """Return by id the documents that an index holds which stands for a journal up to a position, notes left out.

    Without their context, which an index keeps only as terms. `part` is the number, from 0, of the one of so many
    `parts` of about the same size that is wanted: the journal is read for each. Raises DamagedJournalError.
    """
    everything = _Batch(DocumentTexts())
    for record, line in journal.read():
        if record.position > position:
            break
        asked = documents_of(record, zone, lambda key: zlib.crc32(key.encode()) % parts == part)
        everything.add(record, line, asked)
    return everything.documents


class DocumentTexts(MutableMapping[str, Document]):
    """Documents by id, kept as text: as values they take five times the memory."""

    def __init__(self) -> None:
        """Begin with none."""
        self._texts: dict[str, bytes] = {}

    def __getitem__(self, key: str) -> Document:
        """Return the document of an id."""
        return Document.model_validate_json(self._texts[key])

    def __setitem__(self, key: str, document: Document) -> None:
        """Keep a document."""
        self._texts[key] = document.model_dump_json(exclude_defaults=True).encode()

    def __delitem__(self, key: str) -> None:
        """Forget a document."""
        del self._texts[key]

    def __contains__(self, key: object) -> bool:
        """Tell whether there is one."""
        return key in self._texts

    def __iter__(self) -> Iterator[str]:
        """Yield the ids in the order in which they came."""
        return iter(self._texts)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._texts)


class _Batch:
    """Documents of consecutive records, each in the state that the last of the records leaves it in."""

    def __init__(self, documents: MutableMapping[str, Document] | None = None) -> None:
        self.position = 0
        self.head_hash = ""
        self.documents: MutableMapping[str, Document] = {} if documents is None else documents
        self.dead: list[str] = []  # retired here, recorded in an earlier batch
        self.moved: list[FactStep] = []  # of facts that an earlier batch recorded, in order

    @property
    def size(self) -> int:
        return len(self.documents) + len(self.dead) + len(self.moved)

    def add(self, record: Record, line: bytes, indexed: Indexed) -> None:
        self.position, self.head_hash = record.position, sha256_hex(line)
        for document in indexed.documents:
            self.documents[document.id] = document.model_copy(update={"position": record.position})
            if document.id in self.dead:  # a fact that was retired is back
                self.dead.remove(document.id)
            self.moved = [step for step in self.moved if step.id != document.id]  # it comes as it stands now
        for key in indexed.dead:
            if key in self.documents:
                self.documents[key] = self.documents[key].model_copy(update={"live": False})
            else:
                self.dead.append(key)
        for step in indexed.moved:
            if step.id in self.documents:
                self.documents[step.id] = moved_document(self.documents[step.id], step)
            else:
                self.moved.append(step)
            if step.now.life is not None and step.id in self.dead:
                self.dead.remove(step.id)


def _batches(journal: Journal, index: VectorIndex, zone: dt.tzinfo) -> Iterator[_Batch]:
    batch = _Batch()
    for place, (record, line) in enumerate(journal.read(index.position())):
        if not place:
            _check_same_journal(index, record.position, record.previous)
        batch.add(record, line, documents_of(record, zone))
        if batch.size >= _BATCH:
            yield batch
            batch = _Batch()
    if batch.position:
        yield batch


def _check_same_journal(index: VectorIndex, head: int, hash_there: str) -> None:
    """Raise DegradedIndexError unless the index can stand for a journal with that head and that hash at its place."""
    if index.position() > head:
        raise DegradedIndexError(
            f"the index stands for journal position {index.position()}, the journal ends at {head}", hint=REBUILD
        )
    known = index.head_hash()
    if index.position() and known and hash_there and known != hash_there:
        raise DegradedIndexError(
            f"the index was made from another journal, which differs at position {index.position()}", hint=REBUILD
        )


def _take_in(index: VectorIndex, batch: _Batch, before: SpokenBefore) -> None:
    index.upsert([before.put_in_context(document) for document in batch.documents.values()])
    if batch.moved:
        known = {document.id: document for document in index.retrieve(step.id for step in batch.moved)}
        for step in batch.moved:
            if step.id in known:
                known[step.id] = moved_document(known[step.id], step)
        index.upsert(list(known.values()))
    index.set_live(batch.dead, live=False)
