"""`engram graph export`: every form can be read, says only what its reader may know, and takes nobody else's place."""

import json
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import networkx as nx
import pytest

from engram.errors import UsageError
from engram.services.pictures.bitmap import png_of
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert(1)</script> "a" & \u202ereversed'


@pytest.fixture(autouse=True)
def _known(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_known)


def write_known(workspace: Workspace) -> None:
    """Write that Anna and billing are joined; dan is joined to nobody, cora is known to a group alone."""
    engram = engram_in(workspace)
    engram("session", "add", "club", "--kind", "group")
    for entity, related, *options in (
        ("people/anna", ""),
        ("projects/billing", "people/anna"),
        ("people/dan", ""),
        ("people/cora", "people/anna", "--session", "club"),
    ):
        said = ("--fact", f"{entity} is here", *(("--related", related) if related else ()), *options)
        assert engram("write", "--entity", entity, "--create", "--tags", "home", *said).code == 0


def exported(engram: Engram, folder: Path, name: str, *options: str) -> Path:
    file = folder / name
    assert engram("graph", "export", str(file), *options).code == 0
    return file


def test_graphml_holds_every_entity_with_what_is_known_of_it(engram: Engram, tmp_path: Path) -> None:
    read = nx.read_graphml(exported(engram, tmp_path, "memory.graphml"))

    assert set(read) == {"people/anna", "people/cora", "people/dan", "projects/billing"}
    assert {frozenset(edge) for edge in read.edges} == {
        frozenset({"people/anna", "projects/billing"}),
        frozenset({"people/anna", "people/cora"}),
    }
    assert (read.nodes["people/dan"]["facts"], read.nodes["people/dan"]["tags"]) == (1, "home")


def test_json_and_dot_hold_the_same(engram: Engram, tmp_path: Path) -> None:
    found = json.loads(exported(engram, tmp_path, "memory.json").read_text())
    dot = exported(engram, tmp_path, "memory.dot").read_text()

    assert {one["path"] for one in found["nodes"]} == {
        "people/anna",
        "people/cora",
        "people/dan",
        "projects/billing",
    }
    assert found["nodes"][0]["tiers"] == {"hot": 1, "warm": 0, "cold": 0}
    assert [(one["first"], one["last"], one["facts"]) for one in found["edges"]] == [
        ("people/anna", "people/cora", 1),
        ("people/anna", "projects/billing", 1),
    ]
    assert '"people/anna" -- "projects/billing" [weight=1];' in dot


def test_a_picture_is_the_same_every_time_and_fetches_nothing(engram: Engram, tmp_path: Path) -> None:
    first = exported(engram, tmp_path, "a.svg", "--as-of", "now").read_bytes()
    second = exported(engram, tmp_path, "b.svg", "--as-of", "now").read_bytes()

    drawn = ET.fromstring(first)
    assert first == second
    shown = {one.text for one in drawn.iter(f"{SVG}text")}
    assert {"anna", "billing", "cora"} <= {str(one).casefold() for one in shown}
    assert b"http" not in first.replace(b"http://www.w3.org/2000/svg", b"")


@pytest.mark.parametrize("form", ["svg", "html", "graphml", "json", "dot"])
def test_what_a_session_may_not_see_is_in_no_export_for_it(engram: Engram, tmp_path: Path, form: str) -> None:
    engram("session", "add", "work", "--kind", "group")

    own = exported(engram, tmp_path, f"own.{form}", "--session", "club").read_text()
    others = exported(engram, tmp_path, f"others.{form}", "--session", "work").read_text()

    assert "cora" in own.casefold()
    assert "cora" not in others.casefold()


class Tags(HTMLParser):
    """The elements of a page, and what stands in scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.names: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.append(tag)
        assert not any(name.startswith("on") or name in {"src", "href"} for name, _ in attrs)


@pytest.mark.parametrize("form", ["svg", "html"])
def test_hostile_names_are_text(engram: Engram, tmp_path: Path, form: str) -> None:
    said = ("--fact", "It is here", "--related", "people/anna")
    engram("entity", "add", "projects/evil", "--title", HOSTILE)
    engram("write", "--entity", "projects/evil", *said)

    text = exported(engram, tmp_path, f"memory.{form}").read_text()

    tags = Tags()
    tags.feed(text)
    assert tags.names.count("script") == (form == "html")
    assert "alert(1)" in text
    assert "\u202e" not in text


def test_a_past_has_its_own_picture(engram: Engram, tmp_path: Path) -> None:
    then = exported(engram, tmp_path, "then.json", "--as-of", "2020-01-01")

    assert json.loads(then.read_text())["nodes"] == []
    assert "as of 2020-01-01" in exported(engram, tmp_path, "then.svg", "--as-of", "2020-01-01").read_text()


def test_a_file_is_private_and_only_an_export_is_replaced(engram: Engram, tmp_path: Path) -> None:
    file = exported(engram, tmp_path, "memory.svg")
    exported(engram, tmp_path, "memory.svg")
    theirs = tmp_path / "thesis.svg"
    theirs.write_text("<svg/>")
    link = tmp_path / "link.svg"
    link.symlink_to(file)

    assert file.stat().st_mode & 0o777 == 0o600
    assert engram("graph", "export", str(theirs)).code == 4
    assert engram("graph", "export", str(link)).code == 4
    assert (theirs.read_text(), link.is_symlink()) == ("<svg/>", True)


def test_a_form_without_a_file_goes_to_standard_output(engram: Engram) -> None:
    assert engram("graph", "export", "--format", "dot").out == engram("graph", "export", "-", "--format", "dot").out


def test_standard_output_takes_an_export(engram: Engram) -> None:
    assert engram("graph", "export", "-", "--format", "dot").out.startswith("// Made by Engram\ngraph memory {")


def test_a_png_is_a_picture_or_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><rect width="3" height="2"/></svg>'
    monkeypatch.setitem(sys.modules, "resvg_py", None)

    with pytest.raises(UsageError) as told:
        png_of(drawing)

    assert "pictures" in str(told.value.hint)


def test_a_drawing_becomes_a_png_of_twice_its_size() -> None:
    pytest.importorskip("resvg_py")
    drawing = b'<svg xmlns="http://www.w3.org/2000/svg" width="3" height="2"><rect width="3" height="2"/></svg>'

    drawn = png_of(drawing)

    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    assert (int.from_bytes(drawn[16:20]), int.from_bytes(drawn[20:24])) == (6, 4)
    assert b"Made by Engram" in drawn
