"""A memory of several machines: each sees what the others wrote; nothing is lost or doubled when the server goes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from engram.cli.setup.status_text import status_text
from engram.errors import RefusedError
from engram.errors import SettingsError
from engram.heartbeat.report.alerts import SERVER_AWAY
from engram.heartbeat.run.runner import run_heartbeat
from engram.operations.examine import examine_workspace
from engram.operations.upkeep import Upkeep
from engram.services.facts.status import overview
from engram.workspace import Workspace
from engram.workspace import journal_access
from tests.postgres.machines import digests_of
from tests.postgres.machines import lines_of
from tests.postgres.machines import make_machine
from tests.postgres.machines import opened
from tests.postgres.machines import texts
from tests.postgres.machines import write
from tests.postgres.server import PostgresServer

pytestmark = pytest.mark.postgres
Machine = Callable[[str], Path]


@pytest.fixture
def url(server: PostgresServer) -> str:
    return server.make_database()


@pytest.fixture
def machine(tmp_path: Path, url: str) -> Machine:
    return lambda name: make_machine(tmp_path / name, url)


@pytest.fixture
def pair(machine: Machine) -> tuple[Workspace, Workspace]:
    return opened(machine("one")), opened(machine("two"))


def test_what_one_machine_writes_another_reads_and_goes_on_from(pair: tuple[Workspace, Workspace]) -> None:
    one, two = pair

    assert write(one, "Anna prefers tea") == "created"
    assert texts(two) == ["Anna prefers tea"]
    second = two.submit("write", {"entity": "people/anna", "text": "Anna plays chess"})
    third = one.submit("write", {"entity": "people/anna", "text": "Anna lives in Riga"})

    assert (second.id, third.id) == ("people/anna-002", "people/anna-003")
    assert texts(one) == texts(two) == ["Anna lives in Riga", "Anna plays chess", "Anna prefers tea"]
    assert lines_of(one) == lines_of(two)
    assert digests_of(one) == digests_of(two)


def test_the_acknowledgement_says_that_it_is_shared(pair: tuple[Workspace, Workspace]) -> None:
    result = pair[0].submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})

    assert result.details["shared"] is True
    kept = [one.result.details for record, _ in pair[0].journal.read() for one in record.decisions]
    assert all("shared" not in details for details in kept)  # it is of this moment, not of the record


def test_the_same_command_sent_from_two_machines_is_one_effect(pair: tuple[Workspace, Workspace]) -> None:
    one, two = pair
    write(one, "Anna prefers tea")

    for workspace in (one, two, one):
        write(workspace, "Anna plays chess", command_id="c-1")

    assert texts(two) == ["Anna plays chess", "Anna prefers tea"]
    assert len(lines_of(one)) == 2


def test_without_the_server_a_command_is_kept_read_on_and_delivered_once(
    server: PostgresServer, pair: tuple[Workspace, Workspace], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(journal_access, "_SLOW_S", 0.0)  # as on a busy machine
    one, two = pair
    write(one, "Anna prefers tea")
    assert texts(two) == ["Anna prefers tea"]
    server.stop()
    try:
        kept = two.submit("write", {"entity": "people/anna", "text": "Anna plays chess"}, command_id="c-2")
        again = two.submit("write", {"entity": "people/anna", "text": "Anna plays chess"}, command_id="c-2")
        assert texts(two) == ["Anna prefers tea"]
    finally:
        server.start()

    assert [str(kept.status), kept.details] == ["accepted", {"shared": False}]
    assert "not yet shared" in (kept.reason or "")
    assert again.details == {"shared": False}
    assert texts(two) == ["Anna plays chess", "Anna prefers tea"]
    assert texts(one) == texts(two)
    assert two.spool.waiting() == []
    assert len(lines_of(one)) == 2


def test_a_replica_may_be_thrown_away(pair: tuple[Workspace, Workspace]) -> None:
    one, two = pair
    for text in ("Anna prefers tea", "Anna plays chess"):
        write(one, text)
    before = digests_of(two)
    shutil.rmtree(two.paths.journal)
    two.paths.database.unlink()

    again = opened(two.paths.root)

    assert digests_of(again) == before
    assert lines_of(again) == lines_of(one)
    assert Upkeep(again).verify().problems == ()


def test_a_replica_that_lost_its_database_answers_without_the_server(
    server: PostgresServer, pair: tuple[Workspace, Workspace]
) -> None:
    one, _ = pair
    write(one, "Anna prefers tea")
    one.paths.database.unlink()
    server.stop()
    try:
        assert texts(opened(one.paths.root)) == ["Anna prefers tea"]
    finally:
        server.start()


def test_a_damaged_segment_is_mended_from_the_server(pair: tuple[Workspace, Workspace]) -> None:
    one, two = pair
    for number in range(5):
        write(one, f"Anna likes tea number {number}")
    texts(two)
    segment = next(two.paths.journal.glob("0*.jsonl"))
    segment.write_bytes(segment.read_bytes().replace(b"number 2", b"number 7"))
    two.paths.database.unlink()

    Upkeep(opened(two.paths.root)).repair_journal()

    assert texts(opened(two.paths.root)) == texts(one)
    assert lines_of(two) == lines_of(one)


@pytest.mark.parametrize("point", ["before-shared-journal", "after-shared-journal", "before-journal", "after-journal"])
def test_a_process_that_dies_on_the_way_leaves_the_command_once(pair: tuple[Workspace, Workspace], point: str) -> None:
    one, two = pair
    write(one, "Anna prefers tea")
    code = (
        "import sys; from tests.postgres.machines import opened, write; from pathlib import Path;"
        " write(opened(Path(sys.argv[1])), 'Anna plays chess')"
    )
    environment = {**os.environ, "ENGRAM_FAULT_AT": point, "PYTHONPATH": os.pathsep.join(sys.path)}

    died = subprocess.run([sys.executable, "-c", code, str(one.paths.root)], env=environment, check=False, timeout=120)

    assert died.returncode == -signal.SIGKILL
    assert texts(one) == ["Anna plays chess", "Anna prefers tea"]
    assert texts(two) == texts(one)
    assert lines_of(one) == lines_of(two)
    assert len(lines_of(one)) == 2


def test_what_is_forgotten_on_one_machine_goes_from_the_others(pair: tuple[Workspace, Workspace]) -> None:
    from engram.operations.forget import Forgetting
    from engram.services.erasure.plan import ForgetQuery

    one, two = pair
    write(one, "Anna prefers tea")
    write(one, "Anna fears spiders")
    assert len(texts(two)) == 2

    forgetting = Forgetting(one)
    forgetting.run(forgetting.plan(ForgetQuery(fact="people/anna-002")), "she asked")

    for workspace in (one, two):
        assert texts(workspace) == ["Anna prefers tea"]
        held = [path for path in workspace.paths.root.rglob("*") if path.is_file() and b"spiders" in path.read_bytes()]
        assert held == []
    assert lines_of(one) == lines_of(two)
    write(two, "Anna plays chess")
    assert texts(one) == ["Anna plays chess", "Anna prefers tea"]


def test_sound_16_what_is_forgotten_elsewhere_takes_no_index_from_under_a_question(
    pair: tuple[Workspace, Workspace],
) -> None:
    from engram.operations.forget import Forgetting
    from engram.services.erasure.plan import ForgetQuery

    one, two = pair
    write(one, "Anna prefers tea")
    write(one, "Anna fears spiders")
    assert len(texts(two)) == 2
    two.index.catch_up()
    forgetting = Forgetting(one)
    forgetting.run(forgetting.plan(ForgetQuery(fact="people/anna-002")), "she asked")

    with two.index.searching() as index:
        before = set(two.paths.index.rglob("*"))
        assert texts(two) == ["Anna prefers tea"]
        assert before <= set(two.paths.index.rglob("*"))
        assert index.count() == 2
    stats = two.index.complete()  # which an index of what was forgotten would refuse

    assert one.index.complete() == stats
    assert [path for path in two.paths.index.rglob("*") if path.is_file() and b"spiders" in path.read_bytes()] == []


def test_a_folder_with_a_journal_of_its_own_is_not_mixed_with_another(
    machine: Machine, tmp_path: Path, url: str
) -> None:
    one = opened(machine("one"))
    write(one, "Anna prefers tea")
    stranger = make_machine(tmp_path / "stranger", "")
    write(opened(stranger), "Bert prefers coffee", "people/bert")
    settings = stranger / "engram.toml"
    own = settings.read_text()
    settings.write_text(f'{own}\n[journal]\nurl = "{url}"\nworkspace = "team"\n')

    with pytest.raises(RefusedError, match="are not those of the shared") as refused:
        write(opened(stranger), "Bert plays chess", "people/bert")
    assert (refused.value.exit_code, "engram import" in refused.value.hint) == (4, True)
    for more in range(3):  # nor once it has more records than the shared journal
        settings.write_text(own)
        write(opened(stranger), f"Bert has {more} dogs", f"people/bert-{more}")
    settings.write_text(f'{own}\n[journal]\nurl = "{url}"\nworkspace = "team"\n')
    with pytest.raises(RefusedError, match="are not those of the shared"):
        write(opened(stranger), "Bert plays chess", "people/bert")
    settings.write_text(f'{own}\n[journal]\nurl = "{url}"\nworkspace = "new"\n')
    with pytest.raises(RefusedError, match="has no journal"):
        write(opened(stranger), "Bert plays chess", "people/bert")
    assert texts(one) == ["Anna prefers tea"]


def test_status_and_doctor_say_where_the_journal_is_shared(machine: Machine, url: str) -> None:
    workspace = opened(machine("one"))

    (before,) = (one for one in examine_workspace(workspace) if one.code == "journal-shared")
    assert write(workspace, "Anna prefers tea") == "created"
    screen = status_text(overview(Upkeep(workspace).standing()), workspace.settings.zone)
    waiting = workspace.envelope("write", {"entity": "people/anna", "text": "Anna sings"})
    workspace.spool.put(waiting.model_dump(mode="json"))
    (after,) = (one for one in examine_workspace(workspace) if one.code == "journal-shared")

    assert "no contact with the server yet; nothing waits" in before.message
    assert f"as team at {url}; last contact 20" in after.message
    assert "1 command waiting for it" in after.message
    assert f"as team at {url}, last contact 20" in screen


def test_a_heartbeat_without_the_server_says_so_once(tmp_path: Path) -> None:
    root = make_machine(tmp_path / "one", "postgresql://engram@127.0.0.1:1/engram")
    assert write(opened(root), "Anna prefers tea") == "accepted"

    first, second = (run_heartbeat(opened(root)) for _ in range(2))

    assert first.alerts == [SERVER_AWAY]
    assert second.alerts in ([], [SERVER_AWAY])
    assert len(opened(root).spool.waiting()) == 1


def test_a_replica_without_its_address_writes_no_fork(pair: tuple[Workspace, Workspace]) -> None:
    one, _ = pair
    write(one, "Anna prefers tea")
    settings = one.paths.settings
    settings.write_text(settings.read_text().partition("[journal]")[0])

    with pytest.raises(SettingsError, match="copy of 'team'"):
        write(opened(one.paths.root), "Anna plays chess")


def test_a_server_that_lost_records_gets_them_back_from_a_replica(url: str, pair: tuple[Workspace, Workspace]) -> None:
    one, two = pair
    for text in ("Anna prefers tea", "Anna plays chess", "Anna lives in Riga"):
        write(one, text)
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("DELETE FROM engram.record WHERE position > 1")

    write(one, "Anna knows Latvian")

    assert len(texts(two)) == 4
    assert lines_of(one) == lines_of(two)


def test_verify_reads_the_server_and_names_what_was_changed_there(url: str, pair: tuple[Workspace, Workspace]) -> None:
    one, _ = pair
    for text in ("Anna prefers tea", "Anna plays chess"):
        write(one, text)
    assert Upkeep(one).verify().problems == ()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE engram.record SET line = set_byte(line, 40, 33) WHERE position = 1")

    problems = Upkeep(opened(one.paths.root)).verify().problems

    assert len(problems) == 1
    assert "shared journal" in problems[0]


def test_the_command_line_says_which_of_the_two_it_was(server: PostgresServer, machine: Machine) -> None:
    root = machine("one")

    def run(*words: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "engram", "--workspace", str(root), *words]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False, timeout=120)

    shared = json.loads(run("--json", "write", "--entity", "people/anna", "Anna prefers tea", "--create").stdout)
    server.stop()
    try:
        kept = run("--json", "write", "--entity", "people/anna", "Anna plays chess")
        said = run("write", "--entity", "people/anna", "Anna lives in Riga")
    finally:
        server.start()

    assert shared["details"]["shared"] is True
    assert json.loads(kept.stdout)["details"] == {"shared": False}
    assert kept.returncode == said.returncode == 0
    assert "kept on this machine, not yet shared" in said.stdout
    assert texts(opened(root)) == ["Anna lives in Riga", "Anna plays chess", "Anna prefers tea"]
