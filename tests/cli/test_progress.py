"""The line that says how far it is: on a terminal, and nowhere else."""

import io
import os
import pty
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from engram.cli.terminal import progress
from engram.cli.terminal.progress import TerminalProgress
from engram.cli.terminal.progress import passing
from tests import forked
from tests.heartbeat.in_process import run_engram


def shown(*said: tuple[float, str, int, int, float | None]) -> list[str]:
    """Return what stands on the line after each thing that was said at its second."""
    times: Iterator[float] = iter([0.0, *(at for at, *_ in said)])
    stream = io.StringIO()
    line = TerminalProgress(stream, lambda: next(times))
    lines = []
    for _, what, done, total, most_s in said:
        before = stream.tell()
        line(what, done, total, most_s)
        lines.append(stream.getvalue()[before:].removeprefix("\x1b[2K\r").removesuffix("\r"))
    return lines


def test_what_is_over_at_once_has_no_line() -> None:
    assert shown((0.1, "extraction", 0, 0, None), (0.4, "embedding", 0, 10, None)) == ["", ""]


def test_it_says_what_is_done_how_far_it_is_and_how_long_it_will_take() -> None:
    lines = shown(
        (1, "embedding", 0, 28_000, None),
        (2, "embedding", 100, 28_000, None),
        (11, "embedding", 1_000, 28_000, None),
        (21, "embedding", 27_000, 28_000, None),
    )

    assert lines == [
        "embedding: 0 of 28,000",
        "embedding: 100 of 28,000",
        "embedding: 1,000 of 28,000, about 4 min left",
        "embedding: 27,000 of 28,000, about 5 s left",
    ]


def test_where_the_time_is_bounded_that_is_what_is_left() -> None:
    lines = shown((1, "embedding", 0, 28_000, 30.0), (11, "embedding", 1_000, 28_000, 20.0))

    assert lines[-1] == "embedding: 1,000 of 28,000, 20 s left in this run"


def test_hours_are_said_as_hours() -> None:
    assert shown((1, "embedding", 0, 100, None), (101, "embedding", 1, 100, None))[-1].endswith("about 2.8 h left")


def test_what_has_no_number_is_named_alone_and_each_has_its_own_speed() -> None:
    lines = shown((1, "extraction", 0, 0, None), (9, "embedding", 50, 100, None), (10, "embedding", 51, 100, None))

    assert lines == ["extraction ...", "embedding: 50 of 100", "embedding: 51 of 100"]


def test_it_is_drawn_ten_times_a_second_at_most() -> None:
    assert shown((1, "embedding", 1, 9, None), (1.05, "embedding", 2, 9, None))[1] == ""


def test_the_line_is_taken_away_once() -> None:
    stream = io.StringIO()
    times = iter([0.0, 1.0])
    line = TerminalProgress(stream, lambda: next(times))
    line("extraction")

    line.clear()
    line.clear()

    assert stream.getvalue() == "\x1b[2K\rextraction ...\r\x1b[2K\r"


def run_at_once() -> None:
    """Be `engram` that tells from the first moment how far it is: a `target` of `tests.forked`."""
    progress._QUIET_S = 0
    run_engram()


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("heartbeat run", "extraction ..."),
        ("capture chat.md", "reading conversations, kB: 0 of 1"),
        ("import openclaw .", "importing openclaw ..."),
        ("heartbeat run --json", ""),
        ("capture chat.md --json", ""),
    ],
)
def test_a_terminal_is_told_and_json_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, told: str
) -> None:
    monkeypatch.setenv("ENGRAM_EMBEDDINGS", "none")
    workspace = tmp_path / "w"
    assert forked.run(["init", str(workspace)]).returncode == 0
    (workspace / "memory" / "2026-01-05.md").write_text("- We met in Riga\n", encoding="utf-8")
    (workspace / "chat.md").write_text("Anna: We met in Riga\n", encoding="utf-8")
    ours, terminal = pty.openpty()

    with tempfile.TemporaryFile() as out, open(os.devnull, "rb") as nothing:  # noqa: PTH123 - no file
        streams = (nothing.fileno(), out.fileno(), terminal)
        target = f"{__name__}:{run_at_once.__name__}"
        assert forked.start(streams, command.split(), cwd=workspace, target=target).wait() == 0
        out.seek(0)
        printed = out.read()

    os.write(terminal, b"end")
    said = ""
    while not said.endswith("end"):
        said += os.read(ours, 100_000).decode()
    os.close(ours)
    os.close(terminal)
    assert told in said
    assert said.endswith("\x1b[2K\rend") if told else said == "end"
    assert b"\x1b" not in printed


def test_what_cannot_be_measured_is_told_with_how_long_it_takes() -> None:
    said: list[str] = []
    heard = threading.Event()

    def tell(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        said.append(what)
        heard.set()

    with passing(tell, "converting the model", every_s=0.001):
        assert heard.wait(60)

    told = len(said)
    assert said[0].startswith("converting the model, 0 s so far")
    assert told == len(said)  # nobody is told when it is over
