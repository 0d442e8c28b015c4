"""The floors of the architecture hold, and every module stands on one."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DISK_MODULES = {"os", "shutil", "tempfile"}
DISK_CALLS = {
    *("open", "exists", "is_dir", "is_symlink", "glob", "rglob", "iterdir", "stat", "lstat", "samefile"),
    *("read_bytes", "read_text", "write_bytes", "write_text", "mkdir", "rename", "rmdir", "touch", "unlink"),
}


OWN_DATA = {"weights.py", "canvas.py", "graph_page.py", "page.py"}  # which read what the package brings along


def contract(name: str) -> dict[str, Any]:
    """Return the contract whose name begins with that word."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts: list[dict[str, Any]] = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return next(one for one in contracts if one["name"].startswith(f"{name}:"))


def test_no_module_imports_from_a_floor_above_it_or_from_a_sibling() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]

    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_of_the_package_stands_on_a_floor() -> None:
    placed = {name.strip() for layer in contract("Floors")["layers"] for name in layer.split("|")}
    found = {
        f"engram.{path.stem}"
        for path in (ROOT / "engram").iterdir()
        if path.suffix in {"", ".py"} and path.stem not in {"__init__", "__pycache__"}
    }

    assert found <= placed


def test_what_decides_asks_no_file_itself() -> None:
    rooms = [ROOT / name.replace(".", "/") for name in contract("Files")["source_modules"]]
    modules = [path for room in rooms for path in (sorted(room.rglob("*.py")) or [room.with_suffix(".py")])]

    assert len(modules) > 250
    assert [found for path in modules if path.name not in OWN_DATA for found in disk_uses(path)] == []


def test_a_module_that_asks_a_file_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text("import os\nfrom shutil import rmtree\ndef look(path): return open(path), path.is_dir()\n")

    assert disk_uses(module) == ["module.py:1 os", "module.py:2 shutil", "module.py:3 open", "module.py:3 is_dir"]


def disk_uses(path: Path) -> list[str]:
    """Return where a module imports what works on files, or calls a method of paths that does."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [(node.lineno, one.name) for one in node.names if one.name in DISK_MODULES]
        elif isinstance(node, ast.ImportFrom) and node.module in DISK_MODULES:
            found.append((node.lineno, node.module))
        elif isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            found += [(node.lineno, name)] if name in DISK_CALLS else []
    return [f"{path.name}:{line} {name}" for line, name in found]
