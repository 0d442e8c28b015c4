"""What the role of one workspace reaches on the server, tried by a client that means harm: its own rows alone."""

import datetime as dt
from collections.abc import Iterator
from types import SimpleNamespace

import psycopg
import pytest
from psycopg import sql

from engram.base.text import sha256_hex
from engram.errors import EngramError
from engram.errors import NotFoundError
from engram.errors import StoreBusyError
from engram.model.changes.record import Record
from engram.ports.journal import Journal
from engram.store.postgres import replacement
from engram.store.postgres.fleet_registry import FleetRegistry
from engram.store.postgres.journal_server import Server
from engram.store.postgres.postgres_journal import PostgresJournal
from engram.store.signature.key import SigningKey
from engram.store.signature.line_signature import LineSigner
from tests.postgres.server import PostgresServer
from tests.store.journal.contract import JournalContract
from tests.store.journal.contract import extend

pytestmark = pytest.mark.postgres
WAIT_S = 5.0


def journal_of(url: str, workspace: str) -> PostgresJournal:
    return PostgresJournal(Server(url, workspace, WAIT_S), LineSigner(SigningKey(b"k" * 32)))


@pytest.fixture(scope="module")
def url(server: PostgresServer) -> str:
    """The address of a database whose fleet has anna and bert, each with a record; no test changes what bert has."""
    address = server.make_database()
    registry = FleetRegistry(address, WAIT_S)
    for name in ("anna", "bert"):
        registry.add(name, host=None, folder=None, every_s=60)
        extend(journal_of(address, name), f"what {name} keeps")
    registry.close()
    return address


class TestJournalOfAMember(JournalContract):
    """The contract of every journal, for one whose workspace has a role of its own, used by that role."""

    @pytest.fixture(autouse=True)
    def _in_database(self, server: PostgresServer) -> None:
        self.admin = server.make_database()
        registry = FleetRegistry(self.admin, WAIT_S)
        registry.add("anna", host=None, folder=None, every_s=60)
        registry.close()
        self.url = self.admin.replace("engram@", f"{role_of(self.admin, 'anna')}@")

    def reopen(self) -> Journal:
        return journal_of(self.url, "anna")

    def spoil(self, position: int, line: bytes) -> None:
        with psycopg.connect(self.admin, autocommit=True) as connection:
            connection.execute(
                "UPDATE engram.record SET line = %s, hash = %s, key = '' WHERE position = %s",
                (line, sha256_hex(line), position),
            )


def role_of(url: str, workspace: str) -> str:
    with psycopg.connect(url) as connection:
        row = connection.execute("SELECT role FROM engram.fleet WHERE workspace = %s", (workspace,)).fetchone()
    assert row is not None
    return str(row[0])


@pytest.fixture
def attacker(url: str) -> Iterator["psycopg.Connection[tuple[object, ...]]"]:
    """A raw connection, as somebody with anna's role."""
    with psycopg.connect(url.replace("engram@", f"{role_of(url, 'anna')}@"), autocommit=True) as connection:
        yield connection


def test_reading_everything_gives_only_the_own_rows(
    attacker: "psycopg.Connection[tuple[object, ...]]",
) -> None:
    for table, column in (("record", "workspace"), ("workspace", "name")):
        shown = sql.SQL("SELECT DISTINCT {} FROM engram.{}").format(*map(sql.Identifier, (column, table)))
        assert attacker.execute(shown).fetchall() == [("anna",)]
    assert attacker.execute("SELECT workspace FROM engram.fleet").fetchall() == [("anna",)]
    lines = attacker.execute("SELECT convert_from(line, 'UTF8') FROM engram.record").fetchall()
    assert lines
    assert "bert" not in str(lines)


ATTACKS = [
    "SELECT * FROM engram.record_bert",
    "TABLE engram.fleet_file",
    "SELECT folder FROM engram.fleet",
    "UPDATE engram.record SET line = 'x'",
    "UPDATE engram.record SET line = 'x' WHERE workspace = 'bert'",
    "DELETE FROM engram.record",
    "DELETE FROM engram.record WHERE workspace = 'bert'",
    "TRUNCATE engram.record",
    "TRUNCATE engram.record_bert",
    "DROP TABLE engram.record_bert",
    "DROP SCHEMA engram CASCADE",
    "ALTER TABLE engram.record DISABLE ROW LEVEL SECURITY",
    "DROP POLICY own ON engram.record",
    "ALTER TABLE engram.record DETACH PARTITION engram.record_bert",
    "INSERT INTO engram.record (workspace, position, hash, line, key, signature) VALUES ('bert', 2, 'h', 'l', '', '')",
    "INSERT INTO engram.record_bert SELECT 'bert', 2, 'h', 'l', '', ''",
    "INSERT INTO engram.workspace (name) VALUES ('mallory')",
    "INSERT INTO engram.fleet (workspace, role, every_s) VALUES ('anna', 'x', 1)",
    "UPDATE engram.fleet SET fence = 99",
    "UPDATE engram.workspace SET generation = 9",
    "UPDATE engram.workspace SET name = 'bert'",
    "CREATE TABLE engram.record_carl (x int)",
    "CREATE FUNCTION engram.own_workspace(asker name, more int) RETURNS text LANGUAGE sql AS $$ SELECT 'bert' $$",
    "CREATE OR REPLACE FUNCTION engram.own_workspace(asker name) RETURNS text LANGUAGE sql AS $$ SELECT 'bert' $$",
    "ALTER FUNCTION engram.own_workspace(name) OWNER TO CURRENT_USER",
    "SET ROLE engram",
    "SET SESSION AUTHORIZATION engram",
    "SET row_security = off; SELECT * FROM engram.record",
    "COPY engram.record TO PROGRAM 'cat'",
    "COPY engram.record_bert TO STDOUT",
    "SELECT pg_read_file('postgresql.conf')",
    "CREATE ROLE mallory SUPERUSER",
    "SELECT * FROM pg_authid",
]


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_reaches_for_more_is_refused_and_changes_nothing(
    attacker: "psycopg.Connection[tuple[object, ...]]", url: str, attack: str
) -> None:
    before = everything(url)

    with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.InvalidParameterValue)):
        attacker.execute(attack.encode())

    assert everything(url) == before


def test_bert_s_role_cannot_be_taken_on(attacker: "psycopg.Connection[tuple[object, ...]]", url: str) -> None:
    bert = sql.Identifier(role_of(url, "bert"))
    for statement in ("SET ROLE {}", "GRANT {} TO CURRENT_USER", "ALTER ROLE {} PASSWORD 'x'"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            attacker.execute(sql.SQL(statement).format(bert))


def test_other_workspaces_rows_that_are_named_are_not_changed(
    attacker: "psycopg.Connection[tuple[object, ...]]", url: str
) -> None:
    before = everything(url)

    assert attacker.execute("UPDATE engram.workspace SET is_open = false WHERE name = 'bert'").rowcount == 0

    assert everything(url) == before


def test_a_condition_that_looks_at_every_row_it_is_given_sees_no_other(
    attacker: "psycopg.Connection[tuple[object, ...]]",
) -> None:
    """A cheap function in the condition must not be asked about rows before the policy is."""
    seen: list[str] = []
    attacker.add_notice_handler(lambda notice: seen.append(str(notice.message_primary)))
    attacker.execute(
        "CREATE FUNCTION pg_temp.look(said text) RETURNS boolean LANGUAGE plpgsql COST 0.0001"
        " AS $$ BEGIN RAISE NOTICE '%', said; RETURN true; END $$"
    )

    attacker.execute("SELECT 1 FROM engram.record WHERE pg_temp.look(workspace)").fetchall()

    assert seen == ["anna"]


def test_the_functions_of_the_owner_work_for_the_workspace_of_who_asks(
    attacker: "psycopg.Connection[tuple[object, ...]]", url: str
) -> None:
    before = everything(url)["bert"]
    attacker.execute(
        "CREATE TEMP TABLE fleet (workspace text, role name)"
    )  # which must not be found in the place of ours
    attacker.execute("INSERT INTO fleet VALUES ('bert', current_user)")

    attacker.execute("SELECT engram.begin_rewriting(), engram.end_rewriting(true)")

    assert everything(url)["bert"] == before
    assert attacker.execute("SELECT engram.own_workspace(current_user)").fetchone() == ("anna",)


def test_a_role_of_one_workspace_cannot_follow_another_s_journal(url: str) -> None:
    mine = url.replace("engram@", f"{role_of(url, 'anna')}@")

    assert list(journal_of(mine, "bert").read()) == []
    assert journal_of(mine, "bert").standing().generation == 0
    with pytest.raises(EngramError, match="permission denied"):
        extend(journal_of(mine, "carl"), "what mallory says")
    journal_of(mine, "bert").set_open(is_open=False)  # which reaches no row
    with pytest.raises(EngramError):
        extend(journal_of(mine, "bert"), "what mallory says")
    assert len(everything(url)["bert"]) == 1


@pytest.mark.parametrize(
    "name",
    [
        "x'; DELETE FROM engram.record; --",
        'x"; DROP TABLE engram.record_bert; --',
        "bert' OR '1'='1",
        "%s",
        "%(name)s",
        "{}",
        "bert\\'",
    ],
)
def test_a_name_that_holds_sql_is_a_name(url: str, name: str) -> None:
    before = everything(url)

    assert list(journal_of(url, name).read()) == []
    assert journal_of(url, name).standing().position == 0
    registry = FleetRegistry(url, WAIT_S)
    with pytest.raises(NotFoundError):
        registry.get(name)
    registry.close()
    extend(journal_of(url, name), "said")

    after = everything(url)
    assert {one: after[one] for one in before} == before
    assert set(after) - set(before) == {name}


def test_with_its_own_role_a_workspace_is_written_read_and_written_anew(url: str) -> None:
    mine = journal_of(url.replace("engram@", f"{role_of(url, 'anna')}@"), "anna")
    extend(mine, "more", "and more")
    places = [record.position for record, _ in mine.read()]
    assert places == list(range(1, len(places) + 1))

    before = mine.standing().generation
    changed = mine.rewrite(lambda record: record.model_copy(update={"at": record.at + dt.timedelta(days=1)}))

    assert changed == len(places) >= 2
    assert mine.standing().generation == before + 1
    assert [record.position for record, _ in mine.read()] == places
    assert mine.rewrite(lambda record: record) == 0
    extend(mine, "and more")
    assert len(everything(url)["bert"]) == 1


def test_who_owns_the_tables_takes_on_the_role_of_the_workspace(url: str, server: PostgresServer) -> None:
    with journal_of(url, "anna").hold(WAIT_S):
        (row,) = server.execute(
            "SELECT count(*) FROM pg_locks JOIN pg_stat_activity USING (pid) WHERE locktype = 'advisory'"
            " AND application_name = 'engram'"
        )
        assert row == (1,)
    with journal_of(url, "anna")._connections.connect() as connection:
        assert connection.execute("SELECT current_user").fetchone() == (role_of(url, "anna"),)
        assert connection.execute("SELECT DISTINCT workspace FROM engram.record").fetchall() == [("anna",)]


def test_a_function_that_a_member_leaves_where_names_are_looked_up_is_not_run_by_who_owns_the_tables(
    server: PostgresServer,
) -> None:
    """Up to PostgreSQL 14 everybody may make functions in the schema public, and one that fits better is chosen."""
    url = server.make_database()
    registry = FleetRegistry(url, WAIT_S)
    registry.add("anna", host="here", folder=None, every_s=60)
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("GRANT CREATE ON SCHEMA public TO PUBLIC")
    with psycopg.connect(url.replace("engram@", f"{role_of(url, 'anna')}@"), autocommit=True) as attacker:
        for takes, gives in (("power(integer, integer)", "float8"), ("hashtextextended(text, integer)", "bigint")):
            attacker.execute(
                f"CREATE FUNCTION public.{takes} RETURNS {gives} LANGUAGE plpgsql"
                " AS $$ BEGIN RAISE EXCEPTION 'mallory runs as %', current_user; END $$".encode()
            )

    lease = registry.take("worker", "here", 60.0)
    assert lease is not None
    registry.finish(lease, "failed", 1.0, said="why")
    extend(journal_of(url, "anna"), "said")

    assert registry.get("anna").failures == 1
    registry.close()


def test_a_reader_that_does_not_end_keeps_neither_a_forgetting_nor_all_others_waiting(
    attacker: "psycopg.Connection[tuple[object, ...]]", url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replacement, "_TURN_S", 0.05)
    monkeypatch.setattr(replacement, "_TURNS", 2)
    before = everything(url)

    def one_day_later(record: Record) -> Record:
        return record.model_copy(update={"at": record.at + dt.timedelta(days=1)})

    with attacker.transaction():
        attacker.execute("SELECT 1 FROM engram.record")
        for name in ("bert", "carl"):  # with a role of its own, and without
            extend(journal_of(url, name), "said") if name == "carl" else None
            with pytest.raises(StoreBusyError, match="others read"):
                journal_of(url, name).rewrite(one_day_later)
            assert list(journal_of(url, name).read()) != []

    assert everything(url)["bert"] == before["bert"]
    for name in ("anna", "carl"):
        extend(journal_of(url, name), "said")
        with psycopg.connect(url) as reader:
            reader.execute("SELECT 1 FROM engram.record")
            monkeypatch.setattr(replacement, "time", SimpleNamespace(sleep=lambda _s, reader=reader: reader.rollback()))
            assert journal_of(url, name).rewrite(one_day_later) > 0  # in the turn after the reader has ended


def test_a_member_that_locks_its_own_row_keeps_no_worker_waiting(
    attacker: "psycopg.Connection[tuple[object, ...]]", url: str
) -> None:
    registry = FleetRegistry(url, 0.1)
    with psycopg.connect(url, autocommit=True) as owner:
        owner.execute("UPDATE engram.fleet SET due_at = now() - interval '1 day' WHERE workspace = 'anna'")
    lease = registry.take("worker", "here", 60.0, name="anna")
    assert lease is not None

    with attacker.transaction():
        attacker.execute("SELECT engram.holds(%s)", (lease.fence,))
        with pytest.raises(StoreBusyError, match="register"):
            registry.renew(lease, 60.0)
        with pytest.raises(StoreBusyError, match="register"):
            registry.finish(lease, "ok", 1.0)

    registry.finish(lease, "ok", 1.0)
    registry.close()


def test_a_server_without_a_fleet_is_used_as_before(server: PostgresServer) -> None:
    url = server.make_database()
    extend(journal_of(url, "anna"), "a")

    assert [record.position for record, _ in journal_of(url, "anna").read()] == [1]


def everything(url: str) -> dict[str, list[str]]:
    """Return the lines of every workspace by digest, and what is said of it, as the owner of the tables sees them."""
    with psycopg.connect(url) as connection:
        names = [str(row[0]) for row in connection.execute("SELECT name FROM engram.workspace").fetchall()]
        rows = connection.execute("SELECT workspace, line FROM engram.record ORDER BY workspace, position").fetchall()
    return {name: [sha256_hex(bytes(line)) for workspace, line in rows if workspace == name] for name in names}
