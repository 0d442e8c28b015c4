"""The recipes of CONTRIBUTING.md work: each is performed in a copy of the package, with just the files it names."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.recipes import RECIPES
from tests.recipes import Change

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def files_of(recipe: str) -> list[str]:
    """Return the files that a recipe of the page lists, with NAME as it stands there."""
    listed = PAGE.partition(f"<!-- recipe: {recipe} -->\n")[2].partition("<!-- end -->")[0]
    return re.findall(r"^\d+\. `([^`]+)`: ", listed, flags=re.MULTILINE)


def copy_package(folder: Path) -> Path:
    """Return a copy of what a recipe may change; Python compiles only what is changed in it."""
    for name in ("engram", "references", "scripts"):
        shutil.copytree(ROOT / name, folder / name)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def perform(file: Path, changes: tuple[Change, ...]) -> None:
    """Change a file as a recipe says; a text that it replaces must stand there once."""
    for change in changes:
        if isinstance(change, str):
            assert not file.exists()
            file.parent.mkdir(exist_ok=True)
            file.write_text(change, encoding="utf-8")
        else:
            old, new = change
            text = file.read_text(encoding="utf-8")
            assert text.count(old) == 1, (file, old)
            file.write_text(text.replace(old, new), encoding="utf-8")


def test_every_recipe_of_the_page_is_performed() -> None:
    assert list(RECIPES) == re.findall(r"<!-- recipe: (\w+) -->", PAGE)


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_works_with_the_files_that_it_names(name: str, tmp_path: Path) -> None:
    recipe = RECIPES[name]
    copy = copy_package(tmp_path / "copy")
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    assert [file.replace("NAME", recipe.name) for file in files_of(name)] == list(recipe.changes)

    for file, changes in recipe.changes.items():
        perform(copy / file, changes)

    path = os.pathsep.join([str(copy), str(copy / "scripts")])
    done = subprocess.run(
        [sys.executable, "-c", recipe.check],
        cwd=scratch,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_language_is_added_by_data_alone() -> None:
    assert all(file.startswith("engram/language/patterns/") and file.endswith(".toml") for file in files_of("language"))


def test_without_its_files_no_recipe_would_seem_to_work(tmp_path: Path) -> None:
    copy = copy_package(tmp_path / "copy")
    for recipe in RECIPES.values():
        done = subprocess.run(
            [sys.executable, "-c", recipe.check],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": str(copy)},
            capture_output=True,
            check=False,
        )
        assert done.returncode != 0, recipe.name
