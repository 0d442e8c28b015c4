"""What is installed has a name of its own, and brings what a plain install needs to recall by meaning."""

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest

from engram.base.machine.install_hints import DISTRIBUTION
from engram.base.machine.install_hints import EXTRAS

ROOT = Path(__file__).resolve().parent.parent
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
INSTALLER = r"(?:pip3?|pipx|uv|uvx|poetry|pdm|rye|conda|mamba|hatch)"
TAKEN_NAME = re.compile(
    rf"\b{INSTALLER}\b(?: +(?:tool|pip))? +(?:install|add|run|inject|upgrade|download)\b"
    r"[^\n`]*?(?<![\w./-])engram(?![\w./-])"
    r"|\buvx +(?:--\S+ +)*engram(?![\w./-])"
    r"|(?<![\w./-])engram\[[a-z]"
)
EXTRA = re.compile(rf"{DISTRIBUTION}\[([\w,-]+)\]|install_command\([\"']([\w-]+)[\"']\)")


def texts() -> list[Path]:
    """Return every text file of the repository but this one and the numbers of the judges."""
    folders = [ROOT / name for name in ("engram", "references", "docs", "scripts", "tests")]
    paths = [*ROOT.iterdir(), *(path for folder in folders for path in folder.rglob("*"))]
    read = {".md", ".py", ".toml", ".jsonl", ".sh", ".txt", ".yml", ".yaml", ""}
    return [path for path in paths if path.suffix in read and path.is_file() and path != Path(__file__).resolve()]


@pytest.mark.parametrize(
    "told",
    [
        "pip install engram",
        "pip install 'engram[mcp]'",
        "pipx install --force engram",
        "uv tool install engram",
        "uvx engram mcp",
        "uv pip install --upgrade engram",
        "the extra engram[offline]",
    ],
)
def test_the_check_knows_the_taken_name(told: str) -> None:
    assert TAKEN_NAME.search(told)


@pytest.mark.parametrize(
    "told",
    [
        "uv tool install engram-heartbeat",
        "pipx install 'engram-heartbeat[mcp]'",
        "pip install -e .",
        "engram hooks install claude-code",
        "`uv tool install .`, then `engram setup`",
    ],
)
def test_the_check_leaves_this_name_alone(told: str) -> None:
    assert not TAKEN_NAME.search(told)


def test_nothing_tells_a_person_to_install_the_taken_name() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group()}"
        for path in texts()
        for match in TAKEN_NAME.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]

    assert found == []


def test_the_distribution_has_its_own_name_and_the_command_the_short_one() -> None:
    assert PROJECT["name"] == DISTRIBUTION
    assert list(PROJECT["scripts"]) == ["engram"]


@pytest.mark.parametrize(
    "name",
    [
        *("pydantic", "duckdb", "networkx", "click", "portalocker", "regex", "qdrant-client", "qdrant-edge-py"),
        *("fastembed", "onnxruntime", "tokenizers", "numpy", "httpx", "psutil"),
    ],
)
def test_a_plain_install_brings_what_the_project_stands_on(name: str) -> None:
    assert name in {re.split(r"[<>=!~;\[ ]", one)[0] for one in PROJECT["dependencies"]}


def test_every_extra_that_is_named_somewhere_is_one() -> None:
    named = {
        extra
        for path in texts()
        for match in EXTRA.finditer(path.read_text(encoding="utf-8", errors="replace"))
        for extra in (match[1] or match[2]).split(",")
    }

    assert {"mcp", "offline", "numpy-model"} <= named <= set(PROJECT["optional-dependencies"]) == set(EXTRAS)
