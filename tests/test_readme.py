"""The consoles of README and docs/ run as they are printed: each `$` line in a shell, with what it says below it.

In other blocks every `engram` command has to be one, with options that it has.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click

from engram.cli.invocation.words import understood
from engram.cli.main import COMMANDS
from engram.cli.main import cli
from tests import forked
from tests.cases import for_each

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [
    *("README.md", "references/README.md", "plugins/engram/README.md", "engram/language/patterns/README.md"),
    *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "docs").glob("*.md"))),
]
MOST_LINES = 200  # of the README: a page that is read


def steps(page: str) -> list[tuple[str, str]]:
    """Return (command, expected output) of every console block in order; `...` stands for anything."""
    found: list[tuple[str, str]] = []
    for block in re.findall(r"```console\n(.*?)```", text_of(page), flags=re.DOTALL):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, expected = part.partition("\n")
            found.append((command, expected))
    return found


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def pattern(expected: str) -> str:
    """Return the expected output as a pattern for the whole output."""
    return ".*".join(re.escape(part) for part in expected.rstrip("\n").split("...")) + r"\s*"


def commands(page: str) -> list[str]:
    """Return the `engram` commands of a page: lines of shell blocks, and those in the text that are whole."""
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text_of(page), flags=re.DOTALL))
    lines = [line.split(" #")[0].strip() for line in blocks.splitlines() if line.startswith("engram ")]
    prose = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    spans = [" ".join(span.split()) for span in re.findall(r"`(engram [a-z][^`]*)`", prose)]
    return [*lines, *spans]


def unknown_parts(words: list[str]) -> list[str]:
    """Return what of a command line is neither a command nor one of its options."""
    words = understood(words, COMMANDS)
    command: click.Command | None = cli
    context = click.Context(cli)
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        below = command.get_command(context, words[0])
        if below is None:
            return [] if command.invoke_without_command or words[0].isupper() else [words[0]]
        command, words = below, words[1:]
    assert command is not None
    options = {name for one in command.get_params(click.Context(command)) for name in (*one.opts, *one.secondary_opts)}
    return [word for word in words if word.startswith("--") and word.partition("=")[0] not in options]


def test_the_consoles_run_as_they_are_printed(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    door = forked.door(tmp_path / "bin" / "engram")
    path = f"{door.parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)}

    assert len(steps("README.md")) > 5
    for page in PAGES:
        folder = tmp_path / page.replace("/", "-")
        folder.mkdir()
        for command, expected in steps(page):
            if command.startswith("cd "):
                folder = folder / command.removeprefix("cd ")
                continue
            done = subprocess.run(
                ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, (page, command, done.stderr)
            assert re.fullmatch(pattern(expected), done.stdout, flags=re.DOTALL), (page, command, done.stdout)


def test_the_python_of_the_readme_runs(tmp_path: Path) -> None:
    programs = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)

    assert programs
    for program in programs:
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stdout) == (0, "Anna prefers tea\n"), done.stderr


@for_each("page", PAGES)
def test_every_command_on_a_page_is_one_with_options_that_it_has(page: str) -> None:
    for line in commands(page):
        words = shlex.split(line.replace("'", "").replace("|", " "))[1:]
        assert unknown_parts(words) == [], (page, line)


def test_a_command_or_an_option_that_is_none_is_seen() -> None:
    assert unknown_parts(["recal", "what"]) == ["recal"]
    assert unknown_parts(["hooks", "instal", "codex"]) == ["instal"]
    assert unknown_parts(["recall", "--index", "--indexes"]) == ["--indexes"]


def test_both_commands_of_the_start_are_there_and_can_be_run() -> None:
    for page in PAGES:
        blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text_of(page), flags=re.DOTALL))
        for name in re.findall(r"^(scripts/\w+)", blocks, flags=re.MULTILINE):
            assert os.access(ROOT / name, os.X_OK), (page, name)
    assert re.search(r"^scripts/quickstart", README, flags=re.MULTILINE)
    assert re.search(r"^scripts/test", README, flags=re.MULTILINE)


@for_each("page", PAGES)
def test_every_link_to_a_file_leads_to_one(page: str) -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text_of(page)):
        assert ((ROOT / page).parent / target).exists(), (page, target)


def test_the_readme_can_be_read_in_one_go() -> None:
    assert len(README.splitlines()) <= MOST_LINES
