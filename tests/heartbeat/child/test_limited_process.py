"""Children in their limits: real processes that end, hang, flood and breed."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from engram.base.ids import new_id
from engram.heartbeat.child import process_tree
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import NOT_STARTED
from engram.heartbeat.child.limited_process import TIMED_OUT
from engram.heartbeat.child.limited_process import TOO_MUCH_MEMORY
from engram.heartbeat.child.limited_process import TOO_MUCH_OUTPUT
from engram.heartbeat.child.limited_process import Limits
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.child.process_tree import MARK
from engram.heartbeat.child.process_tree import end_marked

pytestmark = pytest.mark.integration

AMPLE = Limits(timeout_s=60, memory_mb=1024)


def python(code: str) -> list[str]:
    return [sys.executable, "-c", code]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_a_child_gets_its_input_and_its_output_is_kept() -> None:
    ending = run_limited(
        python("import sys; print(sys.stdin.read()[::-1]); print('oh', file=sys.stderr); sys.exit(3)"), "abc é", AMPLE
    )

    assert ending == (ENDED, "é cba\n", "oh", 3)


def test_a_child_that_dies_of_a_signal_says_which() -> None:
    assert run_limited(python("import os, signal; os.kill(os.getpid(), signal.SIGKILL)"), "", AMPLE).exit_code == -9


def test_a_child_that_never_reads_a_large_input_does_not_block() -> None:
    assert run_limited(python("print('done')"), "x" * 10_000_000, AMPLE).output == "done\n"


@pytest.mark.parametrize("command", [["no-such-program-anywhere"], [""], ["/"], ["a\0b"]])
def test_a_program_that_cannot_be_started_is_a_result(command: list[str]) -> None:
    ending = run_limited(command, "", AMPLE)

    assert ending.status == NOT_STARTED
    assert ending.errors


class StoppedError(Exception):
    """What the caller of a child raises to end it."""


def stop_on(file: Path) -> Callable[[], None]:
    """Return what ends a child as soon as a file is there: no clock decides whether a grandchild has begun."""

    def check() -> None:
        if file.exists():
            raise StoppedError

    return check


def test_a_child_that_hangs_is_stopped_with_its_own_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, signal, subprocess, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(pids)!r} + '-', 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"os.rename({str(pids)!r} + '-', {str(pids)!r})\ntime.sleep(60)\n"
    )
    with pytest.raises(StoppedError):
        run_limited(python(code), "", AMPLE, check=stop_on(pids))
    left = [int(pid) for pid in pids.read_text().split()]
    deadline = time.monotonic() + 30
    while any(is_alive(pid) for pid in left) and time.monotonic() < deadline:
        time.sleep(0.02)

    assert len(left) == 2
    assert not any(is_alive(pid) for pid in left)


def test_a_child_that_is_late_is_stopped() -> None:
    limits = Limits(timeout_s=0.2, memory_mb=1024)

    assert run_limited(python("import time; time.sleep(60)"), "", limits)[::3] == (TIMED_OUT, None)


def test_a_child_that_leaves_a_process_with_its_output_does_not_keep_us() -> None:
    code = "import os, sys, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('done')"

    assert run_limited(python(code), "", AMPLE)[:2] == (ENDED, "done\n")


HIDING = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {more}
        open({pids!r} + "-", "w").write(str(os.getpid()))
        os.rename({pids!r} + "-", {pids!r})
        time.sleep(120)
    os._exit(0)
while not os.path.exists({pids!r}):
    time.sleep(0.01)
{then}
"""
CLEARED = "os.execve(sys.executable, [sys.executable, '-c', {code!r}], {{}})"
ADOPTING = AMPLE._replace(adopts_orphans=True)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="elsewhere nobody adopts orphans")
@pytest.mark.parametrize("then", ["print('done')", "time.sleep(120)", "os.kill(os.getpid(), 9)"])
@pytest.mark.parametrize(("clears", "limits"), [(False, AMPLE), (False, ADOPTING), (True, ADOPTING)])
def test_a_process_that_hides_in_a_session_of_its_own_is_ended(
    tmp_path: Path, then: str, clears: bool, limits: Limits
) -> None:
    pids = tmp_path / "pids"
    code = (
        f"import os, time; open({str(pids)!r} + '-', 'w').write(str(os.getpid()));"
        f"os.rename({str(pids)!r} + '-', {str(pids)!r}); time.sleep(120)"
    )
    hiding = HIDING.format(pids=str(pids), then=then, more=CLEARED.format(code=code) if clears else "")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    if "sleep" in then:
        with pytest.raises(StoppedError):
            run_limited(python(hiding), "", limits, check=stop_on(pids))
    else:
        assert run_limited(python(hiding), "", limits).status == ENDED
    left = int(pids.read_text())

    # Where its parents leave it to us not even a zombie is left; elsewhere it is the system's to bury.
    assert not is_alive(left)
    assert not (limits.adopts_orphans and Path(f"/proc/{left}").exists())
    assert other.poll() is None
    other.communicate(b"\n")


def test_what_the_program_starts_itself_meanwhile_is_not_taken_for_an_orphan(tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    own: list[subprocess.Popen[bytes]] = []

    def start_own() -> None:
        if not own:
            own.append(subprocess.Popen(python("input()"), stdin=subprocess.PIPE, start_new_session=True))
            begun.touch()

    waits = f"import os, time\nwhile not os.path.exists({str(begun)!r}): time.sleep(0.01)"
    ending = run_limited(python(waits), "", AMPLE, check=start_own)

    assert ending.status == ENDED
    assert own[0].poll() is None
    own[0].communicate(b"\n")
    assert own[0].returncode == 0


def test_what_a_killed_runner_left_is_found_by_its_mark(tmp_path: Path) -> None:
    mark = new_id()
    mine = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={**os.environ, MARK: mark})
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env={**os.environ, MARK: "r"})

    assert end_marked(mark) == 1
    mine.communicate(timeout=10)
    assert mine.returncode == -9
    assert other.poll() is None
    other.communicate(b"\n")


def test_memory_of_a_grandchild_in_another_session_counts() -> None:
    code = (
        "import subprocess, sys, time\n"
        "taking = 'import time; kept = bytearray(b\"x\") * 400_000_000; time.sleep(60)'\n"
        "subprocess.run([sys.executable, '-c', taking], start_new_session=True)\n"
    )

    assert run_limited(python(code), "", Limits(timeout_s=30, memory_mb=200)).status == TOO_MUCH_MEMORY


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no list of children is kept")
def test_memory_is_counted_without_a_look_at_every_process_of_the_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import time; kept = bytearray(b'x') * 50_000_000; print(flush=True); time.sleep(60)"
    starter = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], start_new_session=True)"
    child = subprocess.Popen(python(starter), stdout=subprocess.PIPE, start_new_session=True)
    try:
        assert child.stdout is not None
        child.stdout.readline()  # the grandchild has its memory now
        every = process_tree.group_memory(child.pid)
        with monkeypatch.context() as patched:
            patched.setattr(psutil.Process, "children", lambda *_, **__: pytest.fail("it looked at every process"))
            listed = process_tree.group_memory(child.pid)
        with monkeypatch.context() as patched:
            patched.setattr(process_tree, "_listed_children", no_list)
            looked_for = process_tree.group_memory(child.pid)
    finally:
        for one in psutil.Process(child.pid).children(recursive=True):
            one.kill()
        child.communicate()

    assert min(every, listed, looked_for) > 50_000_000


def no_list(pid: int) -> Iterator[int]:
    raise FileNotFoundError(pid)
    yield


@pytest.mark.parametrize("output", ["stdout", "stderr"])
def test_a_child_that_floods_its_output_is_stopped(output: str) -> None:
    code = f"import sys\nwhile True: sys.{output}.write('x' * 1000000)"

    assert run_limited(python(code), "", AMPLE).status == TOO_MUCH_OUTPUT


def test_a_child_that_takes_too_much_memory_is_stopped() -> None:
    code = "import time\nkept = bytearray(b'x') * 400_000_000\ntime.sleep(60)"

    assert run_limited(python(code), "", Limits(timeout_s=30, memory_mb=200)).status == TOO_MUCH_MEMORY


def test_output_that_is_no_text_is_readable() -> None:
    ending = run_limited(python("import sys; sys.stdout.buffer.write(b'a\\xffb')"), "", AMPLE)

    assert ending.output == "a\N{REPLACEMENT CHARACTER}b"


def test_the_child_runs_in_the_folder_and_environment_given(tmp_path: Path) -> None:
    code = "import os; print(os.getcwd(), os.environ['MARK'])"
    ending = run_limited(python(code), "", AMPLE, folder=tmp_path, environment={**os.environ, "MARK": "here"})

    assert ending.output == f"{tmp_path} here\n"
