"""The floors of the architecture hold, and every module stands on one."""

import ast
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DISK_MODULES = {"os", "shutil", "tempfile"}
DISK_CALLS = {
    *("open", "exists", "is_dir", "is_symlink", "glob", "rglob", "iterdir", "stat", "lstat", "samefile"),
    *("read_bytes", "read_text", "write_bytes", "write_text", "mkdir", "rename", "rmdir", "touch", "unlink"),
}


def contract() -> dict[str, object]:
    with (ROOT / "pyproject.toml").open("rb") as file:
        found: dict[str, object] = tomllib.load(file)["tool"]["importlinter"]["contracts"][0]
    return found


def test_no_module_imports_from_a_floor_above_it_or_from_a_sibling() -> None:
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command; lint_imports_command()"]

    done = subprocess.run([*command, "--no-cache"], cwd=ROOT, capture_output=True, text=True, check=False)

    assert done.returncode == 0, done.stdout + done.stderr


def test_every_module_of_the_package_stands_on_a_floor() -> None:
    layers = contract()["layers"]
    assert isinstance(layers, list)
    placed = {name.strip() for layer in layers for name in layer.split("|")}
    found = {
        f"engram.{path.stem}"
        for path in (ROOT / "engram").iterdir()
        if path.suffix in {"", ".py"} and path.stem not in {"__init__", "__pycache__"}
    }

    assert found <= placed


def test_rules_silos_and_domains_ask_no_file_themselves() -> None:
    rooms = ("rules", "services/silo", "services/domains")
    modules = [path for room in rooms for path in sorted((ROOT / "engram" / room).rglob("*.py"))]

    assert len(modules) > 50
    assert [found for path in modules for found in disk_uses(path)] == []


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
