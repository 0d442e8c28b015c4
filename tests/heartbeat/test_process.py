"""Children in their limits: real processes that end, hang, flood and breed."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from engram.base.ids import new_id
from engram.heartbeat.descendants import MARK
from engram.heartbeat.descendants import end_marked
from engram.heartbeat.process import ENDED
from engram.heartbeat.process import NOT_STARTED
from engram.heartbeat.process import TIMED_OUT
from engram.heartbeat.process import TOO_MUCH_MEMORY
from engram.heartbeat.process import TOO_MUCH_OUTPUT
from engram.heartbeat.process import Limits
from engram.heartbeat.process import run_limited

AMPLE = Limits(timeout_s=30, memory_mb=1024)


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


def test_a_child_that_hangs_is_stopped_with_its_own_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    code = (
        "import os, signal, subprocess, sys, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(pids)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\ntime.sleep(60)\n"
    )
    ending = run_limited(python(code), "", Limits(timeout_s=3, memory_mb=1024))
    left = [int(pid) for pid in pids.read_text().split()]
    deadline = time.monotonic() + 10
    while any(is_alive(pid) for pid in left) and time.monotonic() < deadline:
        time.sleep(0.02)

    assert ending.status == TIMED_OUT
    assert len(left) == 2
    assert not any(is_alive(pid) for pid in left)


def test_a_child_that_leaves_a_process_with_its_output_does_not_keep_us() -> None:
    code = "import os, sys, time\nif os.fork() == 0:\n    time.sleep(60)\nprint('done')"

    assert run_limited(python(code), "", AMPLE)[:2] == (ENDED, "done\n")


HIDING = """
import os, subprocess, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        {more}
        open({pids!r}, "a").write(f"{{os.getpid()}} ")
        time.sleep(120)
    os._exit(0)
while not os.path.exists({pids!r}):
    time.sleep(0.01)
{then}
"""
CLEARED = "os.execve(sys.executable, [sys.executable, '-c', {code!r}], {{}})"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="elsewhere only the process group is ended")
@pytest.mark.parametrize("then", ["print('done')", "time.sleep(120)", "os.kill(os.getpid(), 9)"])
@pytest.mark.parametrize("clears", [False, True])
def test_a_process_that_hides_in_a_session_of_its_own_is_ended(tmp_path: Path, then: str, clears: bool) -> None:
    pids = str(tmp_path / "pids")
    code = f"import os, time; open({pids!r}, 'a').write(str(os.getpid())); time.sleep(120)"
    hiding = HIDING.format(pids=pids, then=then, more=CLEARED.format(code=code) if clears else "")
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    ending = run_limited(python(hiding), "", Limits(timeout_s=5, memory_mb=1024))
    (left,) = [int(pid) for pid in Path(pids).read_text().split()]

    assert ending.status == (TIMED_OUT if "sleep" in then else ENDED)
    assert not Path(f"/proc/{left}").exists()  # not even a zombie
    assert other.poll() is None
    other.communicate(b"\n")


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found by their mark in /proc")
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


def test_a_child_that_floods_its_output_is_stopped() -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 1000000)"

    assert run_limited(python(code), "", AMPLE).status == TOO_MUCH_OUTPUT


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the memory of a process group is read from /proc")
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
