# ruff: noqa: N815 - names that ast looks for
"""What can be broken in a module, one place at a time; see `scripts/mutate`."""

import ast
import copy
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
_TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Break(NamedTuple):
    """One place and what is written there instead."""

    path: str  # below the root
    function: str  # qualified; empty at the level of the module
    kind: str
    line: int  # from 1
    start: int  # in bytes from the beginning of the file
    end: int
    new: str

    def source(self) -> str:
        """Return the broken module."""
        old = (ROOT / self.path).read_bytes()
        return (old[: self.start] + self.new.encode() + old[self.end :]).decode()

    def shown(self) -> str:
        """Return where it is, what stands there and what is put there."""
        old = (ROOT / self.path).read_bytes()[self.start : self.end].decode()
        return f"{self.path}:{self.line} {self.function} ({self.kind})\n    - {old}\n    + {self.new}"


def list_breaks(path: str) -> list[Break]:
    """Return all that can be broken in a module of the repository, in the order of the file."""
    found = _Breaks(path)
    found.visit(ast.parse((ROOT / path).read_bytes()))
    return sorted(found.breaks)


class _Breaks(ast.NodeVisitor):
    """Passes over what means nothing when the code runs: types, decorators, docstrings, and strings with fields."""

    def __init__(self, path: str) -> None:
        self.breaks: list[Break] = []
        self._path = path
        self._names: list[str] = []
        self._returns: list[list[ast.expr]] = []  # what the functions around give back
        self._starts = [0]
        for line in (ROOT / path).read_bytes().splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def _add(self, node: ast.expr | ast.stmt, kind: str, new: str) -> None:
        start = self._starts[node.lineno - 1] + node.col_offset
        end = self._starts[(node.end_lineno or node.lineno) - 1] + (node.end_col_offset or 0)
        self.breaks.append(Break(self._path, ".".join(self._names), kind, node.lineno, start, end, new))

    def _visit_body(self, name: str, body: Sequence[ast.stmt]) -> None:
        self._names.append(name)
        for statement in body:
            self.visit(statement)
        self._names.pop()

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._visit_body(node.name, node.body)

    def visit_FunctionDef(self, node: Function) -> None:
        for default in filter(None, (*node.args.defaults, *node.args.kw_defaults)):
            self.visit(default)
        self._returns.append([each.value for each in ast.walk(node) if isinstance(each, ast.Return) and each.value])
        self._visit_body(node.name, node.body)
        self._returns.pop()

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Its parts have no place of their own before Python 3.12."""

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value:
            self.visit(node.value)

    def visit_If(self, node: ast.If | ast.While | ast.IfExp) -> None:
        if ast.unparse(node.test) == "TYPE_CHECKING":
            return
        self._add(node.test, "condition", f"(not ({ast.unparse(node.test)}))")
        self.generic_visit(node)

    visit_While = visit_IfExp = visit_If

    def visit_Compare(self, node: ast.Compare) -> None:
        for place, operator in enumerate(node.ops):
            turned = copy.copy(node)
            turned.ops = [*node.ops[:place], _TURNED[type(operator)](), *node.ops[place + 1 :]]
            self._add(node, "comparison", f"({ast.unparse(turned)})")
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        turned = copy.copy(node)
        turned.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        self._add(node, "and/or", f"({ast.unparse(turned)})")
        self.generic_visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not):
            self._add(node, "not", f"({ast.unparse(node.operand)})")
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._add(node, "constant", str(not node.value))
        elif isinstance(node.value, int | float):
            self._add(node, "constant", f"({node.value!r} + 1)")

    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call | ast.Await):
            self._add(node, "left out", "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        if isinstance(node.targets[0], ast.Attribute | ast.Subscript):
            self._add(node, "left out", "pass")
        self.visit(node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        self._add(node, "left out", "pass")
        self.visit(node.value)

    def visit_Raise(self, node: ast.Raise | ast.Continue) -> None:
        self._add(node, "left out", "pass")

    visit_Continue = visit_Raise

    def visit_Return(self, node: ast.Return) -> None:
        if node.value is None:
            return
        own = ast.unparse(node.value)
        others = [new for value in self._returns[-1] if (new := ast.unparse(value)) != own]
        if others or own != "None":
            self._add(node, "return", f"return {others[0] if others else None}")
        self.visit(node.value)
