"""The columns that follow from the words of a fact: another version of Engram may have read other things in them."""

import contextlib
import json
from typing import Final

from engram.errors import DamagedDatabaseError
from engram.ports.progress import Progress
from engram.store.database.derivation import derivation
from engram.store.database.duck_file import DuckFile
from engram.store.database.sql_files import queries
from engram.store.database.tables import rows

_READING: Final = "reading the facts anew"  # told to whoever looks on
_BATCH: Final = 2000  # facts read at a time
_STAMP: Final = "derivation"  # key in meta


class DuckDerived(DuckFile):
    """The part of a database that knows by what these columns were made."""

    def is_derived(self) -> bool:
        """See the port."""
        return self._meta(_STAMP, "") == derivation()

    def derive(self, progress: Progress) -> int:
        """See the port."""
        if self.is_derived():
            return 0
        heal, self._heal = self._heal, None
        try:
            changed = self._derive_whole(progress)
        except DamagedDatabaseError as damage:
            if heal is None:
                raise
            heal(damage)  # which makes it of the journal, and all of it anew
            return 0
        self._heal = heal
        return changed

    def _derive_whole(self, progress: Progress) -> int:
        self._run("BEGIN TRANSACTION")
        try:
            changed = self._derive_all(progress)
            self._write_meta({_STAMP: derivation()})
            self._run("COMMIT")
        except BaseException:
            with contextlib.suppress(DamagedDatabaseError, OSError):
                self._run("ROLLBACK")
            raise
        self._known[_STAMP] = derivation()
        return changed

    def _derive_all(self, progress: Progress) -> int:
        count, changed, after = 0, 0, ""
        total = self._tuples("count_facts")[0][0]
        while found := self._select("facts_to_derive", after=after, most=_BATCH):
            fresh = [(row, rows.derived_again(row)) for row in found]
            other = [{"id": row["id"], **made} for row, made in fresh if any(row[name] != made[name] for name in made)]
            if other:
                self._run(queries()["derive_facts"], {"rows": json.dumps(other, default=str)})
            count, changed, after = count + len(found), changed + len(other), found[-1]["id"]
            progress(_READING, count, total)
        return changed
