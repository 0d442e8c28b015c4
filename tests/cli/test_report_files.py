"""Files to show: decay --plot, entity card --svg and heartbeat report --html."""

import json
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests.cli.test_graph_export import Tags
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in

pytestmark = pytest.mark.usefixtures("children_here")

SVG = "{http://www.w3.org/2000/svg}"
MARKUP = "Anna writes <script>alert(1)</script> & more"


def learn(workspace: Workspace) -> None:
    engram = engram_in(workspace)
    engram("session", "add", "club", "--kind", "group")
    for entity, text, *options in (
        ("people/anna", "Anna prefers tea"),
        ("people/anna", MARKUP),
        ("projects/billing", "Anna runs billing", "--related", "people/anna"),
        ("people/cora", "Cora knows Anna", "--related", "people/anna", "--session", "club"),
    ):
        assert engram("write", "--entity", entity, "--create", "--fact", text, *options).code == 0
    assert engram("correct", "anna-001", "--fact", "Anna prefers coffee").code == 0


@pytest.fixture
def known(engram: Engram, workspace_with: WorkspaceWith) -> Engram:
    """Anna with three facts, one of which replaced another; billing names her; cora is a group's."""
    workspace_with(learn)
    return engram


def words_of(file: Path) -> list[str]:
    drawn = ET.fromstring(file.read_text(encoding="utf-8"))
    return [one.text or "" for one in drawn.iter(f"{SVG}text")]


def test_the_tiers_are_drawn_with_their_numbers(known: Engram, tmp_path: Path) -> None:
    file = tmp_path / "tiers.svg"

    told = known("decay", "--plot", str(file), "--forecast", "60d", "--json").json

    words = words_of(file)
    assert (told["tiers"], told["leaving"], told["days"]) == ({"hot": 4, "warm": 0, "cold": 0}, 4, 60)
    assert words[words.index("hot") + 1] == "4"
    assert "facts that leave a tier within 60 days if nobody uses them: 4" in " ".join(words)
    assert len(list(ET.fromstring(file.read_text()).iter(f"{SVG}polygon"))) == 3


def test_other_settings_are_drawn_beside_those_in_force(known: Engram, tmp_path: Path) -> None:
    file = tmp_path / "tiers.svg"
    assert (
        known("decay", "--plot", str(file), "--what-if", "decay.hot_days=0", "--now", "2030-01-01T00:00:00Z").code == 0
    )

    assert len(list(ET.fromstring(file.read_text()).iter(f"{SVG}polyline"))) == 2
    assert any("with the other settings" in one for one in words_of(file))


def test_a_card_shows_what_is_known_of_one(known: Engram, tmp_path: Path) -> None:
    file = tmp_path / "anna.svg"

    told = known("entity", "card", "anna", "--svg", str(file), "--json").json

    words = words_of(file)
    assert (told["entity"], told["facts"], told["relations"]) == ("people/anna", 2, 2)
    assert {"Anna", "people/anna", "Anna prefers coffee", MARKUP, "2 hot", "Joined with"} <= set(words)
    assert "Anna prefers tea" not in words
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_card_of_a_session_shows_nothing_of_another(known: Engram, tmp_path: Path) -> None:
    known("session", "add", "work", "--kind", "group")
    files = {name: tmp_path / f"{name}.svg" for name in ("club", "work")}
    for name, file in files.items():
        assert known("entity", "card", "anna", "--svg", str(file), "--session", name).code == 0

    assert "Cora" in files["club"].read_text()
    assert "Cora" not in files["work"].read_text()
    hidden = known("entity", "card", "cora", "--svg", str(tmp_path / "cora.svg"), "--session", "work")
    assert (hidden.code, (tmp_path / "cora.svg").exists()) == (3, False)


def test_a_card_of_a_past_day_shows_what_was_known_then(engram: Engram, tmp_path: Path) -> None:
    then, later = ("--now", "2026-03-02T10:00:00Z"), ("--now", "2026-03-05T10:00:00Z")
    engram("write", "--entity", "people/anna", "--create", "--fact", "Anna prefers tea", *then)
    billing = ("write", "--entity", "projects/billing", "--create", "--fact", "Anna runs billing")
    engram(*billing, "--related", "people/anna", *later)
    engram("correct", "anna-001", "--fact", "Anna prefers coffee", *later)
    cards = {}
    for name, options in {"then": ("--as-known", "2026-03-03"), "now": ()}.items():
        file = tmp_path / f"{name}.svg"
        assert engram("entity", "card", "anna", "--svg", str(file), *options, *later).code == 0
        cards[name] = set(words_of(file))

    assert "Anna prefers tea" in cards["then"] - cards["now"]
    assert {"Anna prefers coffee", "Joined with"} <= cards["now"] - cards["then"]
    assert any("as known on 2026-03-03" in one for one in cards["then"])


def test_a_card_is_drawn_as_a_png_as_well(known: Engram, tmp_path: Path) -> None:
    pytest.importorskip("resvg_py")
    file = tmp_path / "anna.png"
    assert known("entity", "card", "anna", "--png", str(file)).code == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    both = known("entity", "card", "anna", "--png", str(file), "--svg", str(tmp_path / "anna.svg"))
    assert (both.code, (tmp_path / "anna.svg").exists()) == (2, False)


@pytest.mark.parametrize(("form", "name"), [("--png", "anna.svg"), ("--svg", "anna.PNG")])
def test_a_card_is_of_the_form_that_its_file_says(known: Engram, tmp_path: Path, form: str, name: str) -> None:
    refused = known("entity", "card", "anna", form, str(tmp_path / name))

    assert (refused.code, list(tmp_path.glob("anna.*"))) == (2, [])
    assert f"hint: {'--svg' if form == '--png' else '--png'} {tmp_path / name}" in refused.err


def test_the_week_of_a_session_tells_nothing_of_another_and_of_no_run(known: Engram, tmp_path: Path) -> None:
    known("session", "add", "work", "--kind", "group")
    assert known("heartbeat", "run").code == 0
    pages = {}
    for name in ("club", "work"):
        file = tmp_path / f"{name}.html"
        told = known("heartbeat", "report", "--html", str(file), "--session", name, "--json").json
        assert told["runs"] == 0
        pages[name] = file.read_text()

    assert "Cora knows Anna" in pages["club"]
    assert "Cora" not in pages["work"]
    assert "Anna prefers coffee" in pages["work"]
    assert all("Runs of the heartbeat are the owner&#x27;s to see." in page for page in pages.values())


def test_the_week_is_one_page_with_what_was_learnt_and_replaced(known: Engram, tmp_path: Path) -> None:
    assert known("heartbeat", "run").code == 0
    file = tmp_path / "week.html"

    told = known("heartbeat", "report", "--html", str(file), "--json").json

    page = file.read_text()
    tags = Tags()
    tags.feed(page)
    assert "script" not in tags.names
    assert "Anna prefers coffee <del>Anna prefers tea</del>" in page
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; more" in page
    assert (told["runs"], tags.names.count("svg")) == (1, 1)
    assert "Nothing waits." in page


def test_the_week_is_told_as_text_where_no_file_is_named(known: Engram) -> None:
    assert known("heartbeat", "run").code == 0

    told = known("heartbeat", "report")
    week = known("heartbeat", "report", "--json").json
    other = known("heartbeat", "report", "--session", "club").out

    assert told.code == 0
    assert "Anna prefers coffee (was: Anna prefers tea)" in told.out
    assert f"learnt: {week['learnt']['facts']} facts of " in told.out
    assert "heartbeats with work: 1" in told.out
    assert "heartbeats" not in other


def test_a_week_without_anything_says_so(engram: Engram, tmp_path: Path) -> None:
    file = tmp_path / "week.html"
    assert engram("heartbeat", "report", "--html", str(file)).code == 0

    page = file.read_text()
    assert "Nothing was learnt." in page
    assert "No heartbeat that found work ran." in page


def test_what_is_older_than_a_week_is_not_in_it(known: Engram, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "week.html"
    told = known("heartbeat", "report", "--html", str(file), "--json", "--now", "2031-01-01T00:00:00Z").json

    assert (told["learnt"], told["runs"]) == (0, 0)


def test_standard_output_takes_each_of_them(known: Engram) -> None:
    assert known("entity", "card", "anna", "--svg", "-").out.startswith("<svg")
    assert known("heartbeat", "report", "--html", "-").out.startswith("<!DOCTYPE html>")


def test_nobody_elses_file_is_replaced(known: Engram, tmp_path: Path) -> None:
    theirs = tmp_path / "week.html"
    theirs.write_text("<html>mine</html>")

    refused = known("heartbeat", "report", "--html", str(theirs), "--json")

    assert (refused.code, theirs.read_text()) == (4, "<html>mine</html>")
    assert json.loads(refused.err.splitlines()[-1])
