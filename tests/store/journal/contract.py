"""What every journal keeps to, whatever it lies on; a journal's test class inherits it and says how one is opened."""

import datetime as dt
from abc import abstractmethod
from collections.abc import Sequence

import pytest

from engram.base.text import sha256_hex
from engram.errors import BehindError
from engram.errors import DamagedJournalError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.model.conversation import Watermark
from engram.ports.journal import Journal
from tests.making import NOW


def make_records(head: tuple[int, str], journal: Journal, values: Sequence[str]) -> list[Record]:
    """Return a record for each value that continue a journal from its head."""
    position, previous = head
    made: list[Record] = []
    for value in values:
        position += 1
        at = NOW + dt.timedelta(seconds=position)
        mark = Watermark(consumer="test", key="*", value=value)
        made.append(Record(position=position, previous=previous, at=at, watermarks=(mark,)))
        previous = sha256_hex(journal.encode(made[-1]))
    return made


def extend(journal: Journal, *values: str) -> list[bytes]:
    """Append a record for each value, all at once, and return their lines."""
    return journal.append(make_records(journal.head(), journal, values))


def values_of(journal: Journal, after: int = 0) -> list[str]:
    """Return what the records after a position hold."""
    return [mark.value for record, _ in journal.read(after) for mark in record.watermarks]


class JournalContract:
    """The cases; `reopen` returns the same journal as another process would see it."""

    @abstractmethod
    def reopen(self) -> Journal:
        """Open the journal of this test; what was appended before is there."""

    @abstractmethod
    def spoil(self, position: int, line: bytes) -> None:
        """Put other bytes in the place of a record, as rot or a stranger would."""

    def test_an_empty_journal_stands_at_zero(self) -> None:
        journal = self.reopen()

        assert journal.head() == (0, GENESIS)
        assert list(journal.read()) == []

    def test_appending_nothing_changes_nothing(self) -> None:
        journal = self.reopen()
        extend(journal, "a")
        head = journal.head()

        assert journal.append([]) == []
        assert self.reopen().head() == head

    def test_what_was_appended_is_read_back_by_everybody(self) -> None:
        journal = self.reopen()
        lines = [*extend(journal, "a"), *extend(journal, "b", "ä ‘”", "d")]

        for one in (journal, self.reopen()):
            found = list(one.read())
            assert [record.position for record, _ in found] == [1, 2, 3, 4]
            assert [line for _, line in found] == lines
            assert [one.encode(record) for record, _ in found] == lines
            assert one.head() == (4, sha256_hex(lines[-1]))

    def test_reading_begins_after_a_position(self) -> None:
        extend(self.reopen(), "a", "b", "c", "d")

        assert values_of(self.reopen(), after=2) == ["c", "d"]
        assert values_of(self.reopen(), after=4) == []

    def test_each_record_holds_the_hash_of_the_line_before(self) -> None:
        lines = extend(self.reopen(), "a", "b", "c")

        before = [record.previous for record, _ in self.reopen().read()]

        assert before == [GENESIS, *map(sha256_hex, lines[:2])]

    def test_two_openings_append_in_turn(self) -> None:
        first, second = self.reopen(), self.reopen()

        for value in "abcdef":
            extend(first if value in "ace" else second, value)

        assert values_of(self.reopen()) == [*"abcdef"]

    def test_a_writer_that_is_behind_is_refused_and_nothing_forks(self) -> None:
        first, second = self.reopen(), self.reopen()
        extend(first, "a")
        stale = make_records(second.head(), second, ["of second"])
        extend(first, "b")

        with pytest.raises(BehindError):
            second.append(stale)

        assert values_of(self.reopen()) == ["a", "b"]
        extend(second, "c")
        assert values_of(self.reopen()) == ["a", "b", "c"]

    def test_records_with_a_gap_or_of_another_chain_are_refused_together(self) -> None:
        journal = self.reopen()
        extend(journal, "a")
        made = make_records(journal.head(), journal, ["b", "c", "d"])

        for wrong in ([made[0], made[2]], [made[1]], [made[0], made[1].model_copy(update={"previous": "0" * 64})]):
            with pytest.raises(BehindError):
                journal.append(wrong)

        assert values_of(self.reopen()) == ["a"]

    def test_a_long_record_comes_back_whole(self) -> None:
        text = "long " * 400_000

        extend(self.reopen(), "a", text, "c")

        assert values_of(self.reopen()) == ["a", text, "c"]

    def test_many_records_come_back_in_order(self) -> None:
        values = [f"value {number}" for number in range(2_500)]

        extend(self.reopen(), *values)

        assert values_of(self.reopen()) == values
        assert values_of(self.reopen(), after=2_400) == values[2_400:]

    def test_a_line_that_was_changed_is_damage(self) -> None:
        lines = extend(self.reopen(), "a", "b", "c")
        self.spoil(2, lines[1].replace(b'"b"', b'"x"'))

        with pytest.raises(DamagedJournalError):
            list(self.reopen().read())

    def test_a_record_of_another_chain_is_damage_although_its_checksum_holds(self) -> None:
        journal = self.reopen()
        lines = extend(journal, "a", "b", "c")
        other = next(journal.read(after=1))[0]
        mark = Watermark(consumer="test", key="*", value="forged")
        self.spoil(2, journal.encode(other.model_copy(update={"watermarks": (mark,)})))

        with pytest.raises(DamagedJournalError):
            list(self.reopen().read())
        assert len(lines) == 3
