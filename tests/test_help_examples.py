"""Each command's help ends with an example, and the examples run, in the order of the command table."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from engram.cli.main import COMMANDS
from engram.cli.main import cli
from engram.cli.main import main
from tests.conftest import call_here
from tests.heartbeat.in_process import answer_in_process

ROOT = Path(__file__).resolve().parent.parent
CHAT = (
    '{"session": "demo", "speaker": "user", "text": "I prefer short meetings"}\n'
    '{"session": "demo", "speaker": "agent", "text": "Noted."}\n'
)


def leaves(name: str, command: click.Command) -> Iterator[tuple[str, click.Command]]:
    """Yield every command and every group of commands, with its whole name."""
    if isinstance(command, click.Group):
        yield name, command
        context = click.Context(command)
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            assert found is not None
            yield from leaves(f"{name} {below}", found)
    else:
        yield name, command


def all_leaves() -> list[tuple[str, click.Command]]:
    context = click.Context(cli)
    found = ((name, cli.get_command(context, name)) for name in COMMANDS)
    return [leaf for name, command in found if command is not None for leaf in leaves(name, command)]


def examples(command: click.Command) -> list[str]:
    """Return the lines below `Example:` with which a command's help ends."""
    _, mark, tail = command.get_help(click.Context(command)).rpartition("\nExample:\n")
    return [line.strip() for line in tail.splitlines() if line.strip()] if mark else []


@pytest.mark.parametrize("name", [name for name, _ in all_leaves()])
def test_the_help_of_every_command_ends_with_an_example_of_it(name: str) -> None:
    found = examples(dict(all_leaves())[name])

    assert found
    assert all(line.startswith("engram ") for line in found)
    assert any(re.search(rf"\b{re.escape(name)}\b", line) for line in found)


@pytest.fixture
def prepared(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The workspace that the examples speak of."""
    home = tmp_path_factory.mktemp("home")  # beside the workspace, as it is for a person
    monkeypatch.chdir(tmp_path)
    answer_in_process(monkeypatch)
    monkeypatch.setenv("HOME", str(home))  # what is in somebody's own is no matter of a test
    note = tmp_path / "memory/main/main/2026-02-24.md"
    note.parent.mkdir(parents=True)
    note.write_text("# 2026-02-24\n\n## Decisions\n\n- Billing keeps its invoices for ten years.\n", encoding="utf-8")
    note.with_name("handoff.md").write_text("# Hand-off\n\n## One\n\n- tea\n\n## Two\n\n- more tea\n", encoding="utf-8")
    (tmp_path / "chat.jsonl").write_text(CHAT, encoding="utf-8")
    billing = ["--entity", "projects/billing"]
    for args in (
        ["init", ".", "--owner", "people/anna"],
        ["entity", "add", "projects/billing", "--title", "Billing"],
        ["write", "--entity", "people/anna", "--fact", "Anna prefers tea", "--category", "preference"],
        ["write", *billing, "--fact", "Billing uses PostgreSQL 16", "--category", "decision"],
        ["session", "add", "demo"],
        ["handoff", "send", "reviewer", "Please read the plan", "--agent", "builder"],
        [
            "write",
            "--entity",
            "people/anna",
            "--fact",
            "Anna reads the bills",
            "--source",
            "https://example.org/billing",
        ],
    ):
        assert main(args) == 0
    return tmp_path


FLEET = {"fleet", "fleet list", "fleet tick", "fleet move"}  # tests/postgres runs them on a server; here is none
OWN_PROCESS = {"mcp", "hooks serve"}  # a server ends the process that it is


def test_every_example_runs(prepared: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for name, command in all_leaves():
        stdin = b'{"prompt": "I prefer tea", "session_id": "demo"}' if name.startswith("hooks") else b""
        for line in examples(command):
            args = shlex.split(line, comments=True)[1:]
            if name in OWN_PROCESS:
                program = [sys.executable, "-m", "engram", *args]
                done = subprocess.run(
                    program, cwd=prepared, env=environment, input=stdin, capture_output=True, check=False
                )
            else:
                done = call_here(args, stdin, {})
            assert done.returncode == (5 if name in FLEET else 0), (line, done.stdout, done.stderr)


def test_the_help_of_the_whole_groups_every_command() -> None:
    done = subprocess.run([sys.executable, "-m", "engram", "--help"], capture_output=True, text=True, check=False)

    assert done.returncode == 0
    sections = dict.fromkeys(entry.section for entry in COMMANDS.values())
    places = [done.stdout.index(f"\n{section}:") for section in sections]
    assert places == sorted(places)
    assert all(re.search(rf"^  {name} ", done.stdout, flags=re.MULTILINE) for name in COMMANDS)
