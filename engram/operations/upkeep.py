"""Looking after a workspace: how it stands, whether it is sound, and making its projections anew."""

from pathlib import Path
from typing import TYPE_CHECKING
from typing import Any

from engram.base.disk.own_files import read_own_text
from engram.base.json_values import load_json
from engram.base.log import warn
from engram.base.text import sha256_hex
from engram.errors import DamagedDatabaseError
from engram.errors import DamagedJournalError
from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.services.backup.history import find_hash
from engram.services.backup.history import find_head
from engram.services.backup.history import parse_head
from engram.services.doctor.rendered import compare_index
from engram.services.doctor.rendered import compare_mirror
from engram.services.doctor.verify import IndexLook
from engram.services.doctor.verify import Verified
from engram.services.doctor.verify import compare_databases
from engram.services.facts.listing import Moment
from engram.services.facts.status import Standing
from engram.services.facts.status import read_standing
from engram.store.database.duck_database import DuckFactDatabase
from engram.store.lease import noted
from engram.store.store_format import make_anew
from engram.workspace import Workspace
from engram.workspace.signed_history import History
from engram.workspace.signed_history import check_history
from engram.workspace.signed_history import require_history
from engram.workspace.signed_history import sign_history

if TYPE_CHECKING:
    from engram.store.journal.replica_journal import ReplicaJournal

REBUILDABLE = ("database", "index", "mirror")


class Upkeep:
    """What is done to a workspace as a whole, by its owner or by doctor."""

    def __init__(self, workspace: Workspace) -> None:
        """Take the workspace."""
        self._workspace = workspace

    def standing(self) -> Standing:
        """Return how things stand, for the overview."""
        at = self._workspace
        waiting = len(at.spool.waiting())
        try:
            indexed = at.index.place.position()
        except DegradedIndexError as problem:
            warn(f"{problem.message} ({problem.hint})")
            indexed = None
        with at.reading() as database:
            return read_standing(
                database,
                moment=Moment(now=at.now(), decay=at.settings.decay, zone=at.settings.zone, caller=None),
                root=at.paths.root,
                spool=(waiting, len(at.spool.rejected())),
                journal=at.journal.head()[0],
                index=indexed,
                embeddings=at.index.embedder[1],
                mirror=at.journal.head()[0] if at.paths.is_encrypted else at.life.mirror.load().position,
                last_run=_latest_run(at.paths.runs, noted(at.paths.heartbeat_lock).get("ticked_at")),
                unembedded=at.index.unembedded(),
                shared=at.store.shared.describe(),
            )

    def verify(self, expected: str = "") -> Verified:
        """Check the journal's chain and every projection against it; changes nothing but what waits in the spool.

        `expected` is a head that somebody noted down, as POSITION:HASH or as the hash alone. Raises BadValueError for
        what is none.
        """
        at = self._workspace
        wanted = parse_head(expected) if expected else None
        with at.reading() as database, at.store.projection.folded() as rebuilt:
            checked = compare_databases(database, rebuilt, head=at.journal.head())
            if not at.paths.is_encrypted:  # else there are no files of life/
                checked = checked.with_rendering(
                    compare_mirror(rebuilt, at.journal, at.life.mirror, at.settings, at.paths.life)
                )
        history = check_history(at.paths, at.journal)
        checked = checked.with_history(history.as_json(checked.position), history.problem, history.note)
        if at.store.shared.replica is not None:
            checked = checked.with_shared(*_look_at_shared(at.store.shared.replica, checked.position, checked.head))
        if wanted is not None:
            checked = checked.with_expected(find_head(at.journal, wanted), expected)
        return checked.with_mirror(at.paths.life).with_index(self._look_at_index())

    def sign(self) -> History:
        """Sign the journal as it stands, whatever was signed before; return up to where it is signed now."""
        at = self._workspace
        return sign_history(at.paths, at.journal, at.now(), accepts=True)

    def rebuild(self, what: str) -> dict[str, Any]:
        """Make the database, the index, the mirror or all of them anew from the journal; return what was done."""
        makers = {
            "database": self._rebuild_database,
            "index": self._workspace.index.rebuild,
            "mirror": self._workspace.store.refresh_mirror,
        }
        done = {}
        for name in REBUILDABLE if what == "all" else (what,):
            self._workspace.progress(f"rebuilding the {name}")
            done[name] = makers[name]()
        return done

    def repair_journal(self) -> dict[str, int]:
        """Put the journal together again, of its own whole lines and of those that the database still knows.

        It only adds: torn and damaged bytes are kept beside the journal. Returns the count of lines that were
        "restored". Raises DamagedJournalError, and changes nothing, when a known record would go.
        """
        at = self._workspace
        with at.locks.named("store", "doctor").hold(wait_s=at.settings.store.wait_s):
            return {"restored": at.journal.repair(self._known_lines())}

    def renew_format(self) -> None:
        """Write the store's format anew where it does not read; the old file is kept."""
        at = self._workspace
        with at.locks.named("store", "doctor").hold(wait_s=at.settings.store.wait_s):
            make_anew(at.paths.format)

    def refresh_mirror(self) -> dict[str, Any]:
        """Bring life/ up to the journal; what somebody edited there stays as it is, for who takes it in."""
        return self._workspace.store.refresh_mirror(takes_edits=False)

    def _rebuild_database(self) -> dict[str, Any]:
        at = self._workspace
        with at.locks.named("store", "rebuild").hold(wait_s=at.settings.store.wait_s):
            require_history(at.paths, at.journal)
            # Made beside the old one, which goes only when the new one is whole: it may know lines that a damaged
            # journal has lost.
            fresh = DuckFactDatabase(at.paths.database.with_name("engram.duckdb.new"))
            fresh.destroy()
            with fresh.attach(write=True, is_sparing=True) as database:
                at.store.projection.apply_journal(database)
                self._require_no_loss(database.position())
                done = {"position": database.position(), "facts": database.counts()["facts"]}
            if not self._is_of_this_journal():  # it may hold what nobody else knows
                at.database.set_aside(f"{at.now():%Y%m%dT%H%M%S%fZ}")
            fresh.replace(at.database)
            return done

    def _require_no_loss(self, position: int) -> None:
        known = self._known_position() or 0
        if known > position:
            raise DamagedJournalError(
                f"the journal ends at position {position}, but the database knows position {known}",
                hint="engram doctor --fix puts back the lines that the database keeps",
            )

    def _known_position(self) -> int | None:
        """Return up to where the database keeps lines of the journal; None when it cannot be asked."""
        if not self._workspace.database.exists():
            return 0
        try:
            with self._workspace.database.attach(write=False) as database:
                return database.last_kept_position()
        except DamagedDatabaseError:
            return None

    def _is_of_this_journal(self) -> bool:
        """Tell whether the database was made from this journal; False when it cannot be asked."""
        if not self._workspace.database.exists():
            return True
        try:
            with self._workspace.database.attach(write=False) as database:
                position, known = database.position(), database.head_hash()
        except DamagedDatabaseError:
            return False
        return not position or find_hash(self._workspace.journal, position) == known

    def _known_lines(self) -> list[bytes]:
        """Return the latest lines of the journal that the database keeps, as far as it can be asked."""
        if not self._workspace.database.exists():
            return []
        try:
            with self._workspace.database.attach(write=False) as database:
                return [line for _, line in database.journal_tail()]
        except DamagedDatabaseError:
            return []

    def _look_at_index(self) -> IndexLook:
        at = self._workspace
        try:
            if at.index.place.position() is None:
                return IndexLook("", 0, "there is no index yet", [])
            with at.index.searching() as index:
                wrong = compare_index(at.journal, index, at.settings.zone)
                return IndexLook(index.digest(), index.position(), "", wrong)
        except (DegradedIndexError, StoreBusyError) as problem:
            return IndexLook("", 0, problem.message, [])


def _look_at_shared(replica: "ReplicaJournal", position: int, head: str) -> tuple[str, str]:
    """Read the whole journal on the server; return what is wrong with it, and why that cannot be told."""
    try:
        for record, line in replica.shared.read():
            if record.position == position and sha256_hex(line) != head:
                return f"the journal on the server has another record at position {position}", ""
    except DamagedJournalError as damage:
        return damage.message, ""
    except StoreBusyError as away:
        return "", away.message
    return "", ""


def _latest_run(folder: Path, ticked_at: str | None = None) -> dict[str, Any] | None:
    """Return the record of the latest heartbeat that had work, and when the last one was; None when there was none."""
    records = sorted(folder.glob("*.json"))
    if not records:
        return {"run_id": None, "status": "ok", "ticked_at": ticked_at} if ticked_at else None
    try:
        found = load_json(read_own_text(records[-1]))
    except ValueError:
        return {"run_id": records[-1].stem, "status": "damaged record"}
    kept = ("run_id", "status", "started_at", "finished_at", "pid")
    return {**{name: found.get(name) for name in kept}, "ticked_at": ticked_at} if isinstance(found, dict) else None
