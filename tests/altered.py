"""A pytest plugin that imports engram from altered source, for `scripts/mutate`; the files stay as they are.

With --reached FILE every function notes that it was entered, and the file tells of each test its processor time and
what it entered. With --mutant FILE one module is taken from the JSON object in that file: {"path": ..., "source": ...}.
Only the test's own process is altered, not those that it starts.
"""

import ast
import builtins
import importlib.abc
import importlib.machinery
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
_ENTERED = "_engram_entered"  # the name of a function that generated code calls


class Entered(ast.NodeTransformer):
    """Lets every function tell its name when it is entered."""

    def __init__(self, path: str) -> None:
        self._names = [path]

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        """Look inside."""
        return self._inside(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Put the call behind the docstring."""
        return self._told(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        """Put the call behind the docstring."""
        return self._told(node)

    def _told(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._inside(node)
        name = ":".join((self._names[0], ".".join([*self._names[1:], node.name])))
        call = ast.parse(f"{_ENTERED}({name!r})").body[0]
        for part in ast.walk(call):
            ast.copy_location(part, node.body[0])
        node.body.insert(1 if ast.get_docstring(node, clean=False) is not None else 0, call)
        return node

    def _inside(self, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> ast.AST:
        self._names.append(node.name)
        self.generic_visit(node)
        self._names.pop()
        return node


class Source(importlib.machinery.SourceFileLoader):
    """Compiles a module from altered source, whatever bytecode lies about."""

    def __init__(self, name: str, path: str, mutant: dict[str, str], *, noted: bool) -> None:
        super().__init__(name, path)
        self._mutant, self._noted = mutant, noted

    def get_code(self, fullname: str) -> CodeType:
        """Return the altered code."""
        path = _below_root(self.path)
        mutated = path == self._mutant.get("path")
        tree = ast.parse(self._mutant["source"] if mutated else Path(self.path).read_text(encoding="utf-8"))
        code: CodeType = compile(
            Entered(path).visit(tree) if self._noted else tree, self.path, "exec", dont_inherit=True
        )
        return code


def _below_root(path: str) -> str:
    return Path(path).relative_to(ROOT).as_posix()


class Finder(importlib.abc.MetaPathFinder):
    """Finds engram's modules where they are, and has those that are altered compiled by `Source`."""

    def __init__(self, mutant: dict[str, str], *, noted: bool) -> None:
        self._mutant, self._noted = mutant, noted

    def find_spec(
        self, fullname: str, path: Any, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """Return where the module is, or None for what is not engram's."""
        if fullname.partition(".")[0] != "engram":
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            return spec
        if self._noted or _below_root(str(spec.origin)) == self._mutant.get("path"):
            spec.loader = Source(fullname, str(spec.origin), self._mutant, noted=self._noted)
        return spec


class Record:
    """What every test of this run entered."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entered: set[str] = set()
        self._tests: dict[str, dict[str, Any]] = {}
        self._passed_over: set[str] = set()

    def enter(self, name: str) -> None:
        """Note that a function was entered."""
        self._entered.add(name)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Note one test."""
        self._entered.clear()
        cpu, before = time.process_time(), os.times()
        result = yield
        after = os.times()
        self._tests[item.nodeid] = {
            "cpu_s": round(time.process_time() - cpu, 4),
            "children_cpu_s": round(sum(after[2:4]) - sum(before[2:4]), 4),
            "entered": sorted(self._entered),
        }
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Leave out what fails or is skipped as the code is: it tells nothing of a mutant."""
        if not report.passed:
            self._passed_over.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write one JSON object: by the id of a test that passed, its processor time and what it entered."""
        told = {test: noted for test, noted in self._tests.items() if test not in self._passed_over}
        self._file.write_text(json.dumps(told), encoding="utf-8")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Make the options known."""
    parser.addoption("--reached", metavar="FILE", help="write what each test entered to this file")
    parser.addoption("--mutant", metavar="FILE", help="take one module from this file")


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Alter what is imported from now on, before the first conftest.py imports engram."""
    options = early_config.known_args_namespace
    changed = json.loads(Path(options.mutant).read_text(encoding="utf-8")) if options.mutant else {}
    if options.reached or changed:
        sys.meta_path.insert(0, Finder(changed, noted=options.reached is not None))
    if options.reached:
        record = Record(Path(options.reached))
        setattr(builtins, _ENTERED, record.enter)
        early_config.pluginmanager.register(record, "reached")
