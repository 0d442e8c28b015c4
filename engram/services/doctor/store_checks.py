"""Doctor's checks of the store: the journal, the database that is folded from it, and life/ that mirrors it."""

from collections.abc import Iterator
from contextlib import suppress

from engram.config.paths import Paths
from engram.errors import DamagedDatabaseError
from engram.errors import DamagedJournalError
from engram.errors import DamagedStateError
from engram.errors import NewerFormatError
from engram.errors import UnreadableJournalError
from engram.model.changes.state import State
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.ports.database import FactDatabase
from engram.rules.invariants import broken
from engram.services.doctor.check import FIX
from engram.services.doctor.check import HEARTBEAT
from engram.services.doctor.check import CheckedJournal
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import is_made_from
from engram.services.doctor.check import journal_head
from engram.services.doctor.check import standing
from engram.services.mirror.refresh import find_changed
from engram.services.mirror.refresh import find_differences

_FOLDED_RECORDS = 10_000  # up to which the daily check folds the journal anew,
_FOLDED_BYTES = 16_000_000  # and up to how much text, about: a record may hold one fact or thousands
_PACKED = 8  # times that a sealed segment is smaller than what it holds, about
_MOST_BROKEN = 20  # findings of broken invariants that are named


def check_forgetting(checkup: Checkup) -> Iterator[Finding]:
    """Nothing that was to be forgotten is still there."""
    place = checkup.paths.forgetting
    if place.exists():
        message = "something is not wholly forgotten yet: a crash cut it off"
        yield checkup.finding("forget-unfinished", Level.ERROR, place, message, "engram forget --resume")


def check_history(checkup: Checkup) -> Iterator[Finding]:
    """The journal goes on from what was signed of it."""
    with suppress(UnreadableJournalError):  # the journal check's finding
        if problem := checkup.history_problem():
            way = "engram restore brings back what was signed; engram verify --sign accepts this journal"
            yield checkup.finding("journal-not-as-signed", Level.ERROR, checkup.paths.journal, problem, way)


def check_encryption(checkup: Checkup) -> Iterator[Finding]:
    """Whatever is covered is encrypted, with the key that the settings name."""
    yield from checkup.encryption_findings()


def check_format(checkup: Checkup) -> Iterator[Finding]:
    """This version may read the store, and write to it."""
    path = checkup.paths.format
    try:
        checkup.require_writable()
    except NewerFormatError as newer:
        yield checkup.finding("store-newer", Level.ERROR, path, newer.message, newer.hint)
    except DamagedStateError as damage:
        yield checkup.finding("format-damaged", Level.ERROR, path, damage.message)


def check_journal(checkup: Checkup) -> Iterator[Finding]:
    """The chain holds from the first record to the last, and the last is whole."""
    try:
        torn = checkup.journal.torn_tail()
        if torn is not None:
            message = f"the journal ends in {len(torn.data)} bytes that are no whole record"
            yield checkup.finding("journal-torn", Level.ERROR, torn.path, message)
        for _ in checkup.journal.read():
            pass
    except NewerFormatError as newer:
        yield checkup.finding("journal-newer", Level.ERROR, checkup.paths.journal, newer.message, newer.hint)
    except DamagedJournalError as damage:
        with standing(checkup) as database:
            way = way_to_mend(checkup.journal, database)
        yield checkup.finding("journal-damaged", Level.ERROR, checkup.paths.journal, damage.message, way)


def check_database_lightly(checkup: Checkup) -> Iterator[Finding]:
    """The same as `check_database`, but a long journal is not folded anew: it takes a minute for 100,000 records."""
    head = journal_head(checkup)
    is_short = head is not None and head[0] <= _FOLDED_RECORDS and _journal_bytes(checkup.paths) <= _FOLDED_BYTES
    yield from check_database(checkup, folds=is_short)


def _journal_bytes(paths: Paths) -> int:
    """Return about how many bytes the journal holds, by the sizes of its files."""
    sizes = ((path.stat().st_size, path.suffix == ".gz") for path in paths.journal.iterdir() if path.is_file())
    return sum(size * _PACKED if is_packed else size for size, is_packed in sizes)


def check_database(checkup: Checkup, *, folds: bool = True) -> Iterator[Finding]:
    """The database is there, opens, and is what folding the journal gives."""
    path, head = checkup.paths.database, journal_head(checkup)
    if head is None:
        return
    if not path.exists():
        if head[0]:
            level = Level.INFO if checkup.paths.is_encrypted else Level.ERROR  # gone with the machine's memory
            yield checkup.finding("database-missing", level, path, "the database is not there")
        return
    try:
        with checkup.open_database() as database:
            yield from _compare(checkup, database, head, folds=folds)
    except DamagedDatabaseError as damage:
        yield checkup.finding("database-damaged", Level.ERROR, path, damage.message)


def check_mirror(checkup: Checkup) -> Iterator[Finding]:
    """The state of the mirror reads, and every file of life/ is as it was last written."""
    paths = checkup.paths
    if paths.is_encrypted:
        return  # there are no files of life/ then
    try:
        checkup.mirror.load()
    except DamagedStateError as damage:
        yield checkup.finding("mirror-state-damaged", Level.ERROR, paths.mirror_state, damage.message)
        return
    try:
        with standing(checkup) as database:
            if database is not None:
                yield from _check_files(checkup, database)
    except UnreadableJournalError:
        return  # the journal check's finding
    except DamagedStateError as damage:
        place = paths.root / str(damage.details.get("path", "life"))
        yield checkup.finding("mirror-blocked", Level.ERROR, place, damage.message, damage.hint)


def check_tensions(checkup: Checkup) -> Iterator[Finding]:
    """Nothing waits for a person to settle it."""
    with standing(checkup) as database:
        count = len(database.list_tensions()) if database is not None else 0
    if count:
        message = f"{count} pairs of facts exclude each other" if count > 1 else "two facts exclude each other"
        yield checkup.finding("tensions-open", Level.INFO, checkup.paths.database, message, "engram review")


def check_decisions(checkup: Checkup) -> Iterator[Finding]:
    """Chains, tensions and observations are what every write, decision and undo leaves them as."""
    with standing(checkup) as database:
        found = broken(whole_state(database)) if database is not None else []
    path = checkup.paths.database
    for sentence in found[:_MOST_BROKEN]:
        yield checkup.finding("invariant-broken", Level.WARNING, path, sentence, "engram review list")
    if len(found) > _MOST_BROKEN:
        message = f"and {len(found) - _MOST_BROKEN} more of that kind"
        yield checkup.finding("invariant-broken", Level.WARNING, path, message, "engram review list")


def whole_state(database: FactDatabase) -> State:
    """Return the state as far as the invariants can be broken in it."""
    state = State()
    for fact in database.facts_to_judge():
        state.put_fact(fact)
    state.tensions = {one.id: one for one in database.list_tensions("all")}
    state.observations = {one.id: one for one in database.list_observations("all")}
    state.usages = database.usages(fact.id for fact in state.facts.values() if fact.derived_from)
    return state


def _compare(checkup: Checkup, database: FactDatabase, head: tuple[int, str], *, folds: bool) -> Iterator[Finding]:
    position, path = database.position(), checkup.paths.journal
    if position > head[0]:
        message = f"the journal ends at position {head[0]}, but the database knows position {position}"
        yield checkup.finding("journal-short", Level.ERROR, path, message, way_to_mend(checkup.journal, database))
    elif position < head[0] and not is_made_from(checkup.journal, position, database.head_hash()):
        message = f"the record at position {position} is not the one that the database was made from"
        yield checkup.finding("database-differs", Level.ERROR, checkup.paths.database, message)
    elif position < head[0]:
        message = f"the database stands at position {position}, the journal at {head[0]}"
        yield checkup.finding("database-behind", Level.WARNING, checkup.paths.database, message)
    elif position and database.head_hash() != head[1]:
        message = f"the record at position {position} is not the one that the database was made from"
        yield checkup.finding("journal-differs", Level.ERROR, path, message, way_to_mend(checkup.journal, database))
    elif folds and (differing := _differing_tables(checkup, database)):
        message = f"{', '.join(differing)}: not what the journal says"
        yield checkup.finding("database-differs", Level.ERROR, checkup.paths.database, message)


def _differing_tables(checkup: Checkup, database: FactDatabase) -> list[str]:
    found = database.digests()
    try:
        with checkup.fold_journal() as folded:
            expected = folded.digests()
    except UnreadableJournalError:
        return []  # the journal check's finding
    return sorted(table for table in expected if expected[table] != found.get(table))


def way_to_mend(journal: CheckedJournal, database: FactDatabase | None) -> str:
    """Return what mends the journal: a backup where repairing it would not only add."""
    known = [line for _, line in database.journal_tail()] if database is not None else []
    try:
        refusal = journal.plan_repair(known).refusal
    except DamagedJournalError as damage:  # no repair: somebody must look first
        return damage.hint
    return f"put .engram/journal back from a backup: {refusal}" if refusal else FIX


def _check_files(checkup: Checkup, database: FactDatabase) -> Iterator[Finding]:
    parts = (database, checkup.journal, checkup.mirror, checkup.settings)
    life = checkup.paths.life
    for name, kind, plan, _ in find_differences(*parts):
        if kind == "missing":
            yield checkup.finding("mirror-missing", Level.ERROR, life / name, "the file is not there")
        elif kind == "damaged":
            yield checkup.finding("mirror-damaged", Level.ERROR, life / name, plan.damage)
        elif kind == "edited":
            message = f"somebody edited the file: {len(plan.edits)} changes wait to be taken in"
            yield checkup.finding("mirror-edited", Level.INFO, life / name, message, HEARTBEAT)
        elif kind == "stale":
            yield checkup.finding("mirror-behind", Level.INFO, life / name, "the file is an older version", HEARTBEAT)
    if changed := find_changed(*parts):
        message = f"{len(changed)} entities changed since the files were written"
        yield checkup.finding("mirror-behind", Level.INFO, life, message, HEARTBEAT)
