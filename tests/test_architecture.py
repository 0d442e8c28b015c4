"""docs/ARCHITECTURE.md is drawn from the code, and its walks pass the modules that it names."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cases import for_each

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "ARCHITECTURE.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"<!-- walk: (\w+) -->\n(.*?)<!-- end -->", PAGE, flags=re.DOTALL))
Passed = dict[str, set[str]]


def modules_of(walk: str) -> list[str]:
    """Return the modules that a walk names, as the page writes them."""
    return re.findall(r"`([a-z_]+(?:\.[a-z_]+)+)`", WALKS[walk])


@pytest.fixture(scope="module")
def passed(tmp_path_factory: pytest.TempPathFactory) -> Passed:
    """Take the walks once, in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.walking", str(tmp_path_factory.mktemp("walks"))],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return {walk: set(modules) for walk, modules in json.loads(done.stdout.splitlines()[-1]).items()}


def test_the_page_has_four_walks_of_numbered_steps() -> None:
    assert list(WALKS) == ["prompt", "question", "note", "mcp"]
    for walk, steps in WALKS.items():
        numbers = [int(number) for number in re.findall(r"^(\d+)\. ", steps, flags=re.MULTILINE)]
        assert numbers == list(range(1, len(steps.splitlines()) + 1))
        assert len(modules_of(walk)) >= len(numbers)


@for_each("walk", WALKS)
def test_a_walk_passes_every_module_that_it_names(walk: str, passed: Passed) -> None:
    missed = [name for name in modules_of(walk) if name not in passed[walk]]

    assert missed == []


@for_each("walk", WALKS)
def test_a_walk_names_modules_that_are_there(walk: str) -> None:
    missing = [
        name for name in modules_of(walk) if not (ROOT / "engram" / name.replace(".", "/")).with_suffix(".py").is_file()
    ]

    assert missing == []


def test_every_file_that_keeps_an_invariant_is_there() -> None:
    table = PAGE.partition("## What must stay true")[2].partition("\n## ")[0]
    named = [name.strip("/") for name in re.findall(r"`([a-z_/]+(?:\.py|/))`", table)]

    assert len(named) > 15
    assert [name for name in named if not ((ROOT / "engram" / name).exists() or (ROOT / name).exists())] == []


def test_the_drawing_is_that_of_the_code() -> None:
    done = draw(ROOT, "--check")

    assert done.returncode == 0, done.stderr


def test_an_import_that_is_new_makes_the_drawing_stale_until_it_is_drawn_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("scripts/house_plan.py", "docs/ARCHITECTURE.md", "pyproject.toml"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "engram", tmp_path / "engram", ignore=shutil.ignore_patterns("__pycache__", "patterns"))
    run = drawing_in(tmp_path, monkeypatch)
    assert run("--check") == 0
    room = tmp_path / "engram" / "services" / "doctor" / "new.py"
    room.write_text("def look():\n    from engram.services.imports import ledger\n", encoding="utf-8")

    stale, drawn, after = run("--check"), run(), run("--check")

    assert [stale, drawn, after] == [1, 0, 0]
    drawing = " ".join((tmp_path / "docs/ARCHITECTURE.md").read_text(encoding="utf-8").split())
    assert "-> mirror, recall, review, graph, facts, index, imports" in drawing


def drawing_in(root: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., int]:
    """Return the script of a copy as a function of its options, in this process: a file is parsed only once."""
    spec = importlib.util.spec_from_file_location("drawing", root / "scripts" / "house_plan.py")
    assert spec is not None
    assert spec.loader is not None
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)

    def run(*options: str) -> int:
        monkeypatch.setattr(sys, "argv", ["house_plan.py", *options])
        return int(script.main())

    return run


def draw(root: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(root / "scripts" / "house_plan.py"), *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)
