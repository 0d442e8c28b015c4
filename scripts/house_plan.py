#!/usr/bin/env python3
"""Draws the floors and rooms of the code into docs/ARCHITECTURE.md, from its imports; --check only compares.

A room is a package inside `services`, `language` or `heartbeat`, or a module beside them. What a room is for is the
first sentence of its docstring; what it needs is read from every import in it, deferred ones included. The order of
floors is that of the contracts in pyproject.toml.
"""

import argparse
import ast
import functools
import re
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "ARCHITECTURE.md"
PACKAGE = "engram"
BEGIN, END = "<!-- generated: plan -->", "<!-- end: plan -->"
_WIDTH = 110  # characters of a line of the drawing
_RULE = re.compile(r"\s*[|:]\s*")  # what stands between two rooms of one floor in a contract
_GROUND = 3  # lowest floors of the package: arrows to them are not drawn, because almost every room needs them


class Room(NamedTuple):
    """A package or module of the drawing."""

    name: str  # as the contract writes it
    purpose: str  # first sentence of its docstring
    needs: tuple[str, ...]  # rooms of the same drawing that it imports, in the order of the floors


def floors(contracts: Sequence[dict[str, Any]], container: str | None) -> list[list[str]]:
    """Return the rooms of each floor, top to bottom, as the contract of a container (None: the package) orders them."""
    wanted = [container] if container else None
    found = next(one for one in contracts if one["type"] == "layers" and one.get("containers") == wanted)
    return [[room.removeprefix(f"{PACKAGE}.") for room in _RULE.split(floor)] for floor in found["layers"]]


def draw_rooms(package: Path, inside: str, order: Sequence[Sequence[str]], ground: int = 0) -> list[list[Room]]:
    """Return the rooms of each floor with what each needs of the others.

    Args:
        package: the folder of the whole package.
        inside: dotted name of the package whose rooms are drawn.
        order: names of the rooms, floor by floor.
        ground: how many of the lowest floors no arrow leads to.
    """
    shown = {name for floor in order[: len(order) - ground] for name in floor}
    names = [name for floor in order for name in floor]
    home = package.joinpath(*inside.split(".")[1:])
    drawn = {}
    for name in names:
        met = {other for target in _imports(home / name) if (other := _room_of(target, inside)) in shown}
        drawn[name] = Room(name, _purpose(home / name), tuple(one for one in names if one in met - {name}))
    return [[drawn[name] for name in floor] for floor in order]


def render(drawn: Sequence[Sequence[Room]]) -> str:
    """Return a drawing as text: a line between floors, and per room its name, its purpose and what it needs."""
    column = max(len(room.name) for floor in drawn for room in floor) + 2
    lines = []
    for floor in drawn:
        lines.append("-" * _WIDTH)
        for room in floor:
            lines += _wrapped(room.name.ljust(column), room.purpose, column)
            if room.needs:
                lines += _wrapped(" " * column, f"-> {', '.join(room.needs)}", column + 3)
    return "\n".join(["```text", *lines[1:], "```"])


def plan(root: Path) -> str:
    """Return the whole generated part for the repository in a folder."""
    with (root / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    parts = ["### The package", "", render(draw_rooms(root / PACKAGE, PACKAGE, floors(contracts, None), _GROUND))]
    for contract in contracts:
        for container in contract.get("containers", []) if contract["type"] == "layers" else []:
            drawn = draw_rooms(root / PACKAGE, container, floors(contracts, container))
            parts += ["", f"### {container.removeprefix(PACKAGE + '.')}/", "", render(drawn)]
    return "\n".join(parts)


def page() -> str:
    """Return docs/ARCHITECTURE.md with its drawing made anew; raise ValueError when a mark is missing."""
    text = PAGE.read_text(encoding="utf-8")
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise ValueError(f"{PAGE.name} needs the marks {BEGIN} and {END}, each once")
    head, _, rest = text.partition(BEGIN)
    return f"{head}{BEGIN}\n{plan(ROOT)}\n{END}{rest.partition(END)[2]}"


def main() -> int:
    """Write the drawing, or with --check tell whether it is that of the code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 when the drawing is stale")
    check = parser.parse_args().check
    made = page()
    if made == PAGE.read_text(encoding="utf-8"):
        print("docs/ARCHITECTURE.md is up to date")
        return 0
    if check:
        print("stale: docs/ARCHITECTURE.md; run scripts/house_plan.py", file=sys.stderr)
        return 1
    PAGE.write_text(made, encoding="utf-8")
    print("brought up to date: docs/ARCHITECTURE.md")
    return 0


def _wrapped(first: str, text: str, indent: int) -> list[str]:
    return textwrap.wrap(text, _WIDTH, initial_indent=first, subsequent_indent=" " * indent, break_on_hyphens=False)


def _files(room: Path) -> list[Path]:
    return sorted(room.rglob("*.py")) if room.is_dir() else [room.with_suffix(".py")]


def _purpose(room: Path) -> str:
    source = room / "__init__.py" if room.is_dir() else room.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(source.read_text(encoding="utf-8"))) or ""
    return " ".join(docstring.partition("\n\n")[0].split())


def _room_of(target: str, inside: str) -> str:
    """Return the name of the room that a dotted import leads into; empty when it leads elsewhere."""
    return target[len(inside) + 1 :].partition(".")[0] if target.startswith(f"{inside}.") else ""


def _imports(room: Path) -> Iterator[str]:
    """Yield the dotted name of everything that is imported in a room."""
    for file in _files(room):
        yield from _imported(file.read_text(encoding="utf-8"))


@functools.cache  # a room of the package is drawn again with the rooms inside it
def _imported(source: str) -> tuple[str, ...]:
    found: list[str] = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            # `from engram.services import visibility` names a room only together with what is imported.
            found += [f"{node.module}.{alias.name}" for alias in node.names]
    return tuple(found)


if __name__ == "__main__":
    sys.exit(main())
