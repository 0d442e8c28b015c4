"""How often a process looks for garbage."""

import gc
import subprocess
import sys

import pytest

from engram.base.machine.garbage import seldom_collect


def test_a_process_that_makes_much_looks_seldom_for_garbage() -> None:
    before = gc.get_threshold()
    try:
        seldom_collect()
        after = gc.get_threshold()
    finally:
        gc.set_threshold(*before)

    assert after[0] >= 100_000
    assert gc.isenabled()


@pytest.mark.integration
@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("engram.cli.entry", "run"),
        ("engram.heartbeat.child.__main__", "main"),
        ("engram.heartbeat.child.words_process", "main"),
    ],
)
def test_every_process_of_a_heartbeat_does(module: str, name: str) -> None:
    # What it is asked is nonsense, and comes behind.
    code = (
        f"import contextlib, gc, os, sys\nos._exit, sys.argv = sys.exit, ['engram', '--no-such-option']\n"
        f"from {module} import {name} as begin\n"
        f"with contextlib.suppress(BaseException):\n"
        f"    begin() if {name!r} == 'run' else begin(['x', 'no-such-phase', 'no-such-moment'])\n"
        "print(gc.get_threshold()[0], file=sys.__stdout__)"
    )

    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert int(ended.stdout.split()[-1]) >= 100_000, ended.stderr
