"""The journal in PostgreSQL, on a real server: the contract, and what a server and its connections can do to it."""

import threading
import time
from collections.abc import Callable

import psycopg
import pytest

from engram.base.text import sha256_hex
from engram.errors import BehindError
from engram.errors import DamagedJournalError
from engram.errors import JournalAwayError
from engram.errors import JournalClosedError
from engram.errors import NewerFormatError
from engram.errors import StoreBusyError
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Record
from engram.ports.journal import Journal
from engram.ports.journal import SharedHead
from engram.store.postgres.journal_server import Server
from engram.store.postgres.postgres_journal import PostgresJournal
from engram.store.signature.key import SigningKey
from engram.store.signature.line_signature import LineSigner
from tests.postgres.relay import Relay
from tests.postgres.server import PASSWORD
from tests.postgres.server import SECRETIVE
from tests.postgres.server import PostgresServer
from tests.store.journal.contract import JournalContract
from tests.store.journal.contract import extend
from tests.store.journal.contract import make_records
from tests.store.journal.contract import values_of

pytestmark = pytest.mark.postgres
KEY, OTHER_KEY = SigningKey(b"k" * 32), SigningKey(b"o" * 32)


def opened(url: str, workspace: str = "anna", key: SigningKey | None = KEY, **more: bool) -> PostgresJournal:
    return PostgresJournal(Server(url, workspace, 5.0), LineSigner(key), **more)


@pytest.fixture
def url(server: PostgresServer) -> str:
    return server.make_database()


def execute(url: str, statement: str, *values: object) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(statement.encode(), values)


class TestPostgresJournal(JournalContract):
    """The contract of every journal."""

    @pytest.fixture(autouse=True)
    def _in_database(self, url: str) -> None:
        self.url = url

    def reopen(self) -> Journal:
        return opened(self.url)

    def spoil(self, position: int, line: bytes) -> None:
        # The hash beside it is made to fit: who can write one column can write the other.
        execute(
            self.url,
            "UPDATE engram.record SET line = %s, hash = %s, key = '' WHERE position = %s",
            line,
            sha256_hex(line),
            position,
        )


# -- several workspaces and machines


def test_workspaces_of_one_server_do_not_see_each_other(url: str) -> None:
    extend(opened(url, "anna"), "a1", "a2")
    extend(opened(url, "bert-2"), "b1")

    assert values_of(opened(url, "anna")) == ["a1", "a2"]
    assert values_of(opened(url, "bert-2")) == ["b1"]
    assert opened(url, "nobody").standing() == SharedHead(0, GENESIS, 0)


def test_one_machine_decides_at_a_time_and_the_next_waits_no_longer_than_it_would(url: str) -> None:
    first, second = opened(url), opened(url)

    with first.hold(1):
        begun = time.monotonic()
        outcome: list[Exception] = []

        def wait() -> None:
            try:
                with second.hold(0.3):
                    pass
            except StoreBusyError as busy:
                outcome.append(busy)

        waiting = threading.Thread(target=wait)
        waiting.start()
        waiting.join()
        assert [isinstance(one, JournalAwayError) for one in outcome] == [False]
        assert 0.3 <= time.monotonic() - begun < 5
    with second.hold(0.3), second.hold(0.3):
        extend(second, "a")


def test_many_machines_that_decide_at_once_lose_and_double_nothing(url: str) -> None:
    extend(opened(url), "first")

    def write(name: str) -> None:
        journal = opened(url)
        for number in range(10):
            with journal.hold(60):
                extend(journal, f"{name}{number}")

    machines = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for one in machines:
        one.start()
    for one in machines:
        one.join()

    assert sorted(values_of(opened(url))[1:]) == sorted(f"{name}{number}" for name in "abcd" for number in range(10))


def test_machines_that_do_not_hold_it_are_refused_rather_than_fork(url: str) -> None:
    journal = opened(url)
    extend(journal, "a")
    made = [make_records(journal.head(), journal, [f"of {number}"]) for number in range(6)]
    refused: list[BehindError] = []

    def append(records: list[Record]) -> None:
        try:
            opened(url).append(records)
        except BehindError as behind:
            refused.append(behind)

    machines = [threading.Thread(target=append, args=(records,)) for records in made]
    for one in machines:
        one.start()
    for one in machines:
        one.join()

    assert len(values_of(journal)) == 2
    assert len(refused) == 5


def test_notifications_tell_who_listens_what_is_new(url: str) -> None:
    with psycopg.connect(url, autocommit=True) as listening:
        listening.execute("LISTEN engram")
        extend(opened(url), "a", "b")
        told = [one.payload for one in listening.notifies(timeout=5, stop_after=1)]

    assert told == ["anna 2"]


def test_a_journal_that_was_moved_elsewhere_takes_nothing_until_it_is_opened_again(url: str) -> None:
    journal = opened(url)
    extend(journal, "a")
    journal.set_open(is_open=False)

    with pytest.raises(JournalClosedError):
        extend(opened(url), "b")
    assert values_of(opened(url)) == ["a"]
    assert not opened(url).standing().is_open

    journal.set_open(is_open=True)
    extend(opened(url), "b")
    assert values_of(opened(url)) == ["a", "b"]


# -- connections that break


def test_a_connection_that_was_cut_before_is_made_anew(server: PostgresServer, url: str) -> None:
    journal = opened(url)
    with journal.hold(5):
        extend(journal, "a")
        made = make_records(journal.head(), journal, ["b"])
        assert server.cut_connections() == 1
        journal.append(made)
        with pytest.raises(StoreBusyError):  # the lock is held again, too
            _in_thread(lambda: opened(url).hold(0.2).__enter__())

    assert values_of(opened(url)) == ["a", "b"]


def test_a_lost_lock_under_which_another_has_written_is_no_fork(server: PostgresServer, url: str) -> None:
    journal = opened(url)
    with journal.hold(5):
        extend(journal, "a")
        made = make_records(journal.head(), journal, ["mine"])
        server.cut_connections()
        _in_thread(lambda: extend(opened(url), "another's"))
        with pytest.raises(BehindError):
            journal.append(made)

    assert values_of(opened(url)) == ["a", "another's"]


@pytest.mark.parametrize("after_commit", [True, False])
def test_an_answer_that_is_lost_on_its_way_makes_nothing_twice(
    server: PostgresServer, url: str, after_commit: bool
) -> None:
    extend(opened(url), "a")
    with Relay(server.port) as relay:
        journal = opened(url.replace(str(server.port), str(relay.port)))
        made = make_records(journal.head(), journal, ["b", "c"])
        relay.cut_at(b"COMMIT", lets_through=after_commit)
        journal.append(made)
        assert relay.cuts == 1

    assert values_of(opened(url)) == ["a", "b", "c"]


def test_a_server_that_is_killed_and_comes_back_is_waited_for(server: PostgresServer, url: str) -> None:
    journal = opened(url)
    extend(journal, "a")
    made = make_records(journal.head(), journal, ["b"])
    with journal.hold(5):
        server.kill()
        back = threading.Thread(target=server.start)
        back.start()
        journal.append(made)
        back.join()

    assert values_of(opened(url)) == ["a", "b"]


def test_a_server_that_is_away_is_told_within_the_time(url: str) -> None:
    nobody = PostgresJournal(Server("postgresql://engram@127.0.0.1:9/x", "anna", 1.0), LineSigner(None))
    begun = time.monotonic()

    with pytest.raises(JournalAwayError, match="cannot be used"):
        nobody.standing()
    with pytest.raises(JournalAwayError):
        nobody.append(make_records((0, GENESIS), nobody, ["a"]))
    assert time.monotonic() - begun < 10


# -- who may


def test_a_wrong_password_is_told_and_never_shown(
    server: PostgresServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", SECRETIVE):
        server.execute(f"CREATE ROLE {SECRETIVE} LOGIN PASSWORD '{PASSWORD}'")
    execute(url, f"GRANT CREATE ON DATABASE {url.rpartition('/')[2]} TO {SECRETIVE}")
    private = url.replace("engram@", f"{SECRETIVE}@")
    monkeypatch.setenv("PGPASSWORD", "wrong horse")

    with pytest.raises(JournalAwayError) as refused:
        opened(private).standing()
    assert "pgpass" in refused.value.hint
    assert "wrong horse" not in f"{refused.value.message} {refused.value.__cause__} {refused.value.details}"

    monkeypatch.setenv("PGPASSWORD", PASSWORD)
    extend(opened(private), "a")
    assert values_of(opened(private)) == ["a"]


def test_a_role_without_a_right_is_told_what_to_do(server: PostgresServer, url: str) -> None:
    extend(opened(url), "a")
    if not server.execute("SELECT 1 FROM pg_roles WHERE rolname = 'guest'"):
        server.execute("CREATE ROLE guest LOGIN")

    with pytest.raises(JournalAwayError, match="permission denied") as refused:
        opened(url.replace("engram@", "guest@")).standing()
    assert "grant" in refused.value.hint


def test_tables_of_a_newer_engram_are_left_alone(url: str) -> None:
    extend(opened(url), "a")
    execute(url, "UPDATE engram.format SET version = 2")

    for attempt in (lambda: opened(url).head(), lambda: list(opened(url).read())):
        with pytest.raises(NewerFormatError):
            attempt()
    journal = opened(url)
    with pytest.raises(NewerFormatError):
        journal.append(make_records((0, GENESIS), journal, ["b"]))


# -- signatures


def test_a_forged_line_whose_hashes_fit_fails_by_its_signature(url: str) -> None:
    journal = opened(url)
    extend(journal, "a", "b")
    record = next(journal.read(after=1))[0]
    mark = record.watermarks[0].model_copy(update={"value": "x"})
    forged = journal.encode(record.model_copy(update={"watermarks": (mark,)}))
    execute(url, "UPDATE engram.record SET line = %s, hash = %s WHERE position = 2", forged, sha256_hex(forged))

    with pytest.raises(DamagedJournalError, match="signature"):
        values_of(opened(url))
    assert values_of(opened(url, key=OTHER_KEY)) == ["a", "x"]  # who has no key cannot tell


def test_lines_without_our_signature_are_refused_where_the_settings_say_so(url: str) -> None:
    extend(opened(url), "a")
    extend(opened(url, key=OTHER_KEY), "b")

    assert values_of(opened(url)) == ["a", "b"]
    with pytest.raises(DamagedJournalError, match="position 2"):
        values_of(opened(url, requires_signature=True))


# -- forgetting


def test_a_journal_written_anew_keeps_its_positions_and_leaves_nothing_behind(url: str) -> None:
    journal = opened(url)
    extend(journal, "a", "secret", "c")
    before = journal.standing()

    changed = journal.rewrite(lambda record: _without(record, "secret"))

    after = journal.standing()
    assert changed == 1
    assert (after.position, after.generation) == (3, before.generation + 1)
    assert after.head != before.head
    assert values_of(opened(url)) == ["a", "gone", "c"]
    extend(journal, "d")
    assert values_of(opened(url)) == ["a", "gone", "c", "d"]
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT count(*) FROM engram.record WHERE position(%s::bytea IN line) > 0", (b"secret",)
        )
        assert found.fetchall() == [(0,)]


def test_writing_anew_what_needs_no_change_changes_nothing(url: str) -> None:
    journal = opened(url)
    extend(journal, "a", "b")
    before = journal.standing()

    assert journal.rewrite(lambda record: record) == 0
    assert journal.standing() == before
    assert journal.rewrite(lambda record: _without(record, "a")) == 1  # a second time works as the first


def _without(record: Record, word: str) -> Record:
    mark = record.watermarks[0]
    if mark.value != word:
        return record
    return record.model_copy(update={"watermarks": (mark.model_copy(update={"value": "gone"}),)})


def _in_thread(action: Callable[[], object]) -> None:
    raised: list[BaseException] = []

    def run() -> None:
        try:
            action()
        except BaseException as problem:  # noqa: BLE001 - raised again below
            raised.append(problem)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
