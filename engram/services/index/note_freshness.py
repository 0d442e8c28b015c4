"""Whether the index holds what the files of notes say now, found out without reading any of them.

Every question asks this, so nothing heavy is imported here.
"""

from collections.abc import Callable
from collections.abc import Mapping

from engram.ports.index import VectorIndex
from engram.services.index.note_files import Look
from engram.services.index.note_files import digest_of
from engram.services.index.note_files import look_at_notes
from engram.services.index.note_list import NotePlaces
from engram.services.index.note_list import Recipe
from engram.services.index.note_list import ids_of_note
from engram.services.index.note_list import read_heading


class Notes:
    """The notes of one workspace, for an index that is held open. Made for one catch-up or for many."""

    def __init__(
        self,
        places: NotePlaces,
        recipe: Recipe,
        apart: Callable[[], Mapping[str, str]],
        *,
        clock: Callable[[], float],
        now_ns: Callable[[], int],
    ) -> None:
        """Keep what is needed to read.

        Args:
            places: of notes and list.
            recipe: of what the settings make of a note.
            apart: returns name -> scope of the sessions that are kept apart; asked only when something is read.
            clock: monotonic seconds.
            now_ns: nanoseconds of the wall clock that files are stamped with.
        """
        self.places = places
        self._recipe = recipe
        self._apart = apart
        self._clock = clock
        self._now_ns = now_ns

    def is_current(self, mark: str) -> bool:
        """Tell whether an index with that mark holds what the files say, as far as their stamps tell: none is read."""
        return self._stands(mark, look_at_notes(self.places.root, self.places.folder))

    def ids_of(self, index: VectorIndex, path: str) -> tuple[str, ...]:
        """Return the ids of what the index holds of the note at a path relative to the workspace."""
        return ids_of_note(self.places.list_file, index.notes_mark(), path)

    def catch_up(
        self,
        index: VectorIndex,
        budget_s: float | None,
        *,
        thorough: bool = False,
        is_wanted: Callable[[], bool] = lambda: False,
    ) -> int:
        """Bring the index to what the files say, beginning none after `budget_s` seconds; return how many are left.

        The first that is to be read is read however little time there is, and none after it once somebody waits for the
        index, as `is_wanted` tells. `thorough` also asks which sessions are kept apart now, where else that is asked
        when something changed.
        """
        look = look_at_notes(self.places.root, self.places.folder)
        is_same = self._stands(index.notes_mark(), look) and read_heading(self.places.list_file).is_settled
        if is_same and not thorough:
            return 0
        apart = dict(self._apart())
        if is_same and dict(read_heading(self.places.list_file).apart) == apart:
            return 0
        from engram.services.index.note_catch_up import CatchUp  # noqa: PLC0415 - 4 ms, where notes have changed

        started = self._clock()

        def is_over() -> bool:
            return (budget_s is not None and self._clock() - started >= budget_s) or is_wanted()

        return CatchUp(index, self.places, self._recipe, apart, look, self._now_ns()).run(is_over, self._clock)

    def _stands(self, mark: str, look: Look) -> bool:
        heading = read_heading(self.places.list_file)
        wanted = (mark, digest_of(look), self._recipe.digest())
        return bool(mark) and (heading.mark, heading.look, heading.recipe) == wanted
