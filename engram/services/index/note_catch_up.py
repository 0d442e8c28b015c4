"""The index brought to what the files of notes say now: what changed is read, and nothing else.

A recall looks at names and times (`note_files`) and compares them with the list of what was read (`note_list`). What an
edit took away leaves the index before anything is answered; what is new comes in, the latest first, for as long as
there is time. The journal has no part in this: its entries of notes are where facts came from, not what stands there.
"""

import errno
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.base.disk.safe_files import StillWrittenError
from engram.base.disk.safe_files import read_within
from engram.base.ids import new_id
from engram.base.text import sha256_hex
from engram.errors import MalformedInputError
from engram.model.document import Document
from engram.ports.index import VectorIndex
from engram.services.index.note_documents import Maker
from engram.services.index.note_files import Look
from engram.services.index.note_files import Stamp
from engram.services.index.note_files import digest_of
from engram.services.index.note_files import newest_first
from engram.services.index.note_list import Heading
from engram.services.index.note_list import Known
from engram.services.index.note_list import NotePlaces
from engram.services.index.note_list import Recipe
from engram.services.index.note_list import read_list
from engram.services.index.note_list import write_list
from engram.services.silo.folder import session_of_note

KINDS: Final = ("note", "self")  # of the documents that come from files
_KEPT_S = 1.0  # between two moments from which a catch-up that is killed is gone on with
_BATCH = 512  # documents given to the index at a time


class CatchUp:
    """One catch-up: `_known` is what the index holds, note by note, and follows everything that is done to it."""

    def __init__(
        self,
        index: VectorIndex,
        places: NotePlaces,
        recipe: Recipe,
        apart: Mapping[str, str],
        look: Look,
        now_ns: int,
    ) -> None:
        """Take what is there; see `Notes`."""
        self._index = index
        self._places = places
        self._recipe = recipe.digest()
        self._maker = Maker(recipe, apart)
        self._look = look
        self._now_ns = now_ns
        self._position = index.position()
        self._known = self._read_known()
        self._mark = index.notes_mark()  # empty as soon as the index is touched
        self._is_moving = False  # whether a file was written to all the time
        self._fresh: list[Document] = []  # to be given to the index
        self._moved: list[Document] = []  # to be given to it, too, but searched by the same text as before
        self._dead: list[str] = []  # to be taken from it

    def run(self, is_over: Callable[[], bool], clock: Callable[[], float]) -> int:
        """Do it, beginning no further file when it is over; return how many are left."""
        kept_at = clock()
        gone = self._known.keys() - self._look.keys()
        self._forget(gone)
        changed = [path for path, stamp in self._look.items() if self._stamp_of(path) != stamp]
        left = 0
        for place, path in enumerate(newest_first(changed, self._look)):
            if left or (place and is_over()):
                left += 1
                self._forget({path} & self._known.keys())  # what stands there now is not known: better nothing
            else:
                self._read(path)
            if len(self._fresh) + len(self._moved) >= _BATCH:
                self._give()
                if clock() - kept_at >= _KEPT_S:
                    self._keep(is_whole=False)  # who asked may not wait for the end: a hook is killed when time is over
                    kept_at = clock()
        self._give()
        self._keep(is_whole=not left)
        return left

    # -- what is known

    def _read_known(self) -> dict[str, Known]:
        """Return what the index holds, by the list, else by what it says itself."""
        found = read_list(self._places.list_file, self._index.notes_mark())
        if found is None:
            held = self._index.ids_by_path(KINDS)
            return {path: Known(None, "", tuple(ids)) for path, ids in held.items()}
        heading, known = found
        if heading.recipe != self._recipe:
            return {path: Known(None, "", one.ids) for path, one in known.items()}
        apart = self._maker.apart
        others = {name for name in {*heading.apart, *apart} if heading.apart.get(name) != apart.get(name)}
        return {
            path: Known(None, "", one.ids) if session_of_note(path, self._maker.recipe.agent) in others else one
            for path, one in known.items()
        }

    def _stamp_of(self, path: str) -> Stamp | None:
        return self._known[path].stamp if path in self._known else None

    def _keep(self, *, is_whole: bool) -> None:
        look = digest_of(self._look) if is_whole and not self._is_moving else ""
        is_settled = all(one.stamp is not None for one in self._known.values())
        mark = self._mark or new_id()
        heading = Heading(mark, look, is_settled, self._recipe, self._maker.apart)
        write_list(self._places.list_file, heading, self._known)
        self._index.keep_notes_mark(mark)
        self._mark = mark

    # -- one note

    def _read(self, path: str) -> None:
        """Read a file; one that moves while it is read stays as it is known, and is looked at again."""
        stamp = self._look[path]
        try:
            path.encode()
            data = read_within(self._places.root, path)
        except StillWrittenError:
            self._is_moving = True
            self._note(path, Known(None, "", self._ids(path)))
            return
        except UnicodeEncodeError:  # its name is no text, so nothing can name it
            self._take(path, stamp, "", [])
            return
        except OSError as problem:
            if problem.errno == errno.ENOENT:
                self._forget({path} & self._known.keys())
            else:  # as long as it is as it is: any change of its rights gives it another stamp
                self._take(path, stamp, "", [])
            return
        sha256 = sha256_hex(data)
        known = self._known.get(path)
        settled = stamp if stamp.is_settled(self._now_ns) else None
        if known is not None and known.sha256 == sha256:
            self._note(path, known._replace(stamp=settled))
            return
        try:
            documents = self._maker.documents(path, data)
        except MalformedInputError:
            documents = []
        self._take(path, settled, sha256, documents)

    def _take(self, path: str, stamp: Stamp | None, sha256: str, documents: Sequence[Document]) -> None:
        before = self._ids(path)
        wanted = {one.id: one.model_copy(update={"position": self._position}) for one in documents}
        held = {one.id: one for one in self._index.retrieve(before)} if before else {}
        self._moved += [one for key, one in wanted.items() if key in held and _is_moved(held[key], one)]
        self._fresh += [
            one for key, one in wanted.items() if key not in held or held[key].indexed_text != one.indexed_text
        ]
        self._dead += [key for key in before if key not in wanted]
        self._note(path, Known(stamp, sha256, tuple(wanted)))

    def _ids(self, path: str) -> tuple[str, ...]:
        return self._known[path].ids if path in self._known else ()

    def _note(self, path: str, known: Known) -> None:
        self._known[path] = known

    def _forget(self, paths: set[str]) -> None:
        for path in paths:
            self._dead += self._known.pop(path).ids

    def _give(self) -> None:
        if self._mark and (self._dead or self._moved or self._fresh):
            self._mark = ""
            self._index.keep_notes_mark("")
        if self._dead:
            self._index.delete(self._dead)
        if self._moved:
            self._index.refit(self._moved)
        if self._fresh:
            self._index.upsert(self._fresh)
        self._dead, self._moved, self._fresh = [], [], []


def _is_moved(held: Document, wanted: Document) -> bool:
    """Tell whether a document is searched by the same text as before, and something else of it changed."""
    same = {"position": wanted.position, "context": wanted.context}
    return held.indexed_text == wanted.indexed_text and held.model_copy(update=same) != wanted
