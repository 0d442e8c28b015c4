"""A forked process is one of its own: streams, environment, folder, exit code and death."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from tests import forked

pytestmark = pytest.mark.integration


def say_what_it_sees() -> None:
    """For a process of its own: print what it was given."""
    told = {"stdin": sys.stdin.read(), "args": sys.argv[1:], "env": dict(os.environ), "cwd": str(Path.cwd())}
    told["umask"] = os.umask(0)
    sys.stderr.write("beside ‘it’")
    sys.stdout.write(json.dumps({**told, "pid": os.getpid()}))
    sys.exit(7)


def wait_long() -> None:
    """For a process of its own: wait to be killed."""
    time.sleep(600)


SEES = "tests.test_forked:say_what_it_sees"


def test_it_has_the_streams_the_environment_and_the_folder_that_it_was_given(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        done = forked.run(["a", "b c"], stdin=b"said", env={"ONLY": "this"}, cwd=tmp_path, target=SEES)
    finally:
        os.umask(before)

    told = json.loads(done.stdout)
    assert done.returncode == 7
    assert told.pop("pid") != os.getpid()
    seen = {"stdin": "said", "args": ["a", "b c"], "env": {"ONLY": "this"}, "cwd": str(tmp_path), "umask": 0o027}
    assert told == seen
    assert done.stderr.decode() == "beside ‘it’"


def test_one_that_is_killed_says_by_what() -> None:
    with tempfile.TemporaryFile() as file:
        process = forked.start([file.fileno()] * 3, [], target="tests.test_forked:wait_long")
        os.kill(process.pid, signal.SIGKILL)

        assert process.wait() == -signal.SIGKILL


def test_what_goes_wrong_in_it_is_told_as_by_any_other() -> None:
    done = forked.run([], target="builtins:int", given=["x"])

    assert done.returncode == 1
    assert done.stderr.decode().splitlines()[-1] == "ValueError: invalid literal for int() with base 10: 'x'"


def test_its_door_is_a_program_that_passes_on_all_of_it(tmp_path: Path) -> None:
    door = forked.door(tmp_path / "engram")
    done = subprocess.run([door, "recal", "it"], cwd=tmp_path, capture_output=True, text=True, check=False)

    assert (done.returncode, done.stdout) == (2, "")
    assert "no command is called 'recal'" in done.stderr
