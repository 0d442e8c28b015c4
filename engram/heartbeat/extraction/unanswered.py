"""What an agent gave no answer about: asked in parts, and what is left of it waits."""

from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.batches import split_sources
from engram.heartbeat.intake.watermark_keys import key_of

_MOST_UNANSWERED = 5  # batches in a row, after which it is the agent that does not work


class Unanswered:
    """What an agent gave no answer about that can be used."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self.in_a_row = 0  # batches
        self._places: list[str] = []
        self._keys: set[str] = set()  # watermarks that stay where they are
        self._last: PhaseFailedError | None = None

    def note(self, batch: Batch, problem: PhaseFailedError) -> list[Batch]:
        """Take a batch that failed; return what to ask about instead. Raises the problem when it is the agent's own."""
        self.in_a_row += 1
        if self.in_a_row >= _MOST_UNANSWERED:
            raise problem
        parts = split_sources(batch)
        if len(parts) > 1:
            return parts
        self._last = problem
        self._places.append(batch.where)
        self._keys |= {key_of(row) for row in batch.rows}
        return []

    def left_of(self, batch: Batch) -> Batch:
        """Return a batch without what must wait: turns are read in their order, and a note is done with its last entry.

        Entries of a note that failed elsewhere are kept by themselves, so only those that are missing are asked again.
        """
        turns = [turn for turn in batch.turns if key_of(turn) not in self._keys]
        marks = [mark for mark in batch.marks if mark.key not in self._keys]
        return batch._replace(turns=turns, marks=marks)

    def tell(self) -> None:
        """Raise what the last problem was, and with what, if there was one."""
        if self._last is not None:
            more = f" and {len(self._places) - 1} more" if len(self._places) > 1 else ""
            why = f"{self._places[-1]}{more}: {self._last.message}"
            raise PhaseFailedError(why, detail=self._last.detail) from self._last
