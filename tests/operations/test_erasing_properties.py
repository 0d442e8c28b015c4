"""Random memories: what is forgotten stands nowhere, and what a tainted source led to is found to the last fact."""

import gzip
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import Phase
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from engram.services.silo.daily_note import add_note
from engram.services.silo.daily_note import note_place
from engram.services.silo.decision_log import log_decision
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import write_handoff
from engram.services.silo.working_memory import set_working_memory
from engram.workspace import Workspace
from tests.conftest import engram_in
from tests.effort import examples
from tests.making import NOW
from tests.services.test_silos_hold import make

ANNA = "people/anna"
SECRET = "Anna keeps the quokkaword{} key under the third stone"
KEPT = "Anna prefers green tea in the morning"
BAD = "https://globex.example/page"
GOOD = "https://initech.example/page"

_few = hypothesis_settings(
    max_examples=examples(2),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # making a failing memory smaller would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("erasing") / "workspace"


# --- where a sentence can be told ----------------------------------------------------------------------------------


def told_in_a_note(workspace: Workspace, text: str) -> None:
    place = note_place(workspace.paths.memory, "main", None, now=NOW, zone=workspace.settings.zone)
    add_note(workspace.files, place, text, now=NOW, zone=workspace.settings.zone)


def told_in_a_turn(workspace: Workspace, text: str) -> None:
    row = {"id": f"turn/{len(text):032x}", "speaker": "user", "text": f"Remember this. {text}. And now the weather."}
    workspace.submit("capture", {"session": "talk", "turns": [row]})


def told_in_a_handoff(workspace: Workspace, text: str) -> None:
    write_handoff(workspace.files, silo_folder("main", None), f"- {text}\n- go on with the invoices", now=NOW)


def told_in_working_memory(workspace: Workspace, text: str) -> None:
    set_working_memory(workspace.files, silo_folder("main", None), f"- {text}")


def told_in_a_decision(workspace: Workspace, text: str) -> None:
    log_decision(workspace.files, silo_folder("main", None), text, now=NOW, zone=workspace.settings.zone)


def told_again_and_corrected(workspace: Workspace, text: str) -> None:
    workspace.submit("write", {"entity": ANNA, "text": f"{text} now", "supersedes": [f"{ANNA}-002"]})


def told_as_a_candidate(workspace: Workspace, text: str) -> None:
    workspace.submit("write", {"entity": "projects/house", "create": True, "text": text, "candidate": True})


def told_by_what_was_made_of_it(workspace: Workspace, text: str) -> None:
    workspace.submit("write", {"entity": ANNA, "text": f"So {text}", "derived_from": [f"{ANNA}-002"]})


def told_in_memory_md(workspace: Workspace, text: str) -> None:
    workspace.paths.self_file.write_text(f"# Memory\n\n- {text}\n- {KEPT}\n")


def told_in_a_log(workspace: Workspace, text: str) -> None:
    (workspace.paths.state / "hooks.log").write_text(f"{text}\n")


PLACES = (
    *(told_in_a_note, told_in_a_turn, told_in_a_handoff, told_in_working_memory, told_in_a_decision),
    *(told_again_and_corrected, told_as_a_candidate, told_by_what_was_made_of_it, told_in_memory_md, told_in_a_log),
)


def holding(root: Path, word: str) -> list[str]:
    """Return the files in whose bytes a word stands, packed ones included."""
    return [str(path.relative_to(root)) for path, raw in _bytes_of(root) if word.encode() in raw]


def _bytes_of(root: Path) -> Iterator[tuple[Path, bytes]]:
    for path in sorted(root.rglob("*")):
        if path.is_file():
            raw = path.read_bytes()
            yield path, gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw


@_few
@given(places=st.lists(st.sampled_from(PLACES), unique=True, min_size=2, max_size=7), number=st.integers(1, 9))
def test_what_is_forgotten_stands_in_no_byte_and_comes_back_by_nothing(
    folders: Callable[[], Path], places: list[Callable[[Workspace, str], None]], number: int
) -> None:
    workspace = make(folders())
    engram, root = engram_in(workspace), workspace.paths.root
    text, word = SECRET.format(number), f"quokkaword{number}"
    for said in (KEPT, text):
        workspace.submit("write", {"entity": ANNA, "create": True, "text": said})
    for tell in places:
        tell(workspace, text)
    assert engram("rebuild", "all").code == 0
    before = root.parent / "before"
    assert engram("backup", str(before)).code == 0

    assert len(holding(root, word)) > len(places)
    assert holding(before, word) != []

    receipt = engram("forget", f"{ANNA}-002", "--reason", "she asked", "--yes", "--json").json

    assert receipt["left"] == []
    assert holding(root, word) == []
    assert [Path(place).is_relative_to(before) for place in receipt["kept_in_backups"]] == [True]
    assert engram("rebuild", "all").code == 0
    after = root.parent / "after"
    assert engram("backup", str(after)).code == 0
    assert [*holding(root, word), *holding(after, word)] == []
    assert engram("verify", "--json").json["problems"] == []
    assert KEPT in [fact["text"] for fact in engram("facts", "--json").json["facts"]]


# --- taint ---------------------------------------------------------------------------------------------------------

FACTS = st.lists(st.tuples(st.sampled_from([BAD, GOOD, None]), st.lists(st.integers(0, 11), max_size=3)), max_size=12)


def depends(facts: list[tuple[str | None, list[int]]]) -> set[int]:
    """Return the places of facts that come from the bad source, or were made of one that does: said in other words."""
    bad: set[int] = set()
    for place, (source, made_of) in enumerate(facts):
        if source == BAD or bad & {one for one in made_of if one < place}:
            bad.add(place)
    return bad


@_few
@given(facts=FACTS)
def test_all_that_depends_on_a_tainted_source_is_taken_back_and_nothing_else(
    folders: Callable[[], Path], facts: list[tuple[str | None, list[int]]]
) -> None:
    workspace = make(folders())
    engram = engram_in(workspace)
    ids: list[str] = []
    for place, (source, made_of) in enumerate(facts):
        said: dict[str, Any] = {
            "entity": f"projects/p{place}",
            "create": True,
            "text": f"Remark number {place} of many",
        }
        said |= {"source": {"actor": "user", "label": source}} if source else {}
        said["derived_from"] = [ids[one] for one in made_of if one < place]
        ids.append(str(workspace.submit("write", said).id))
    wanted = sorted(ids[place] for place in depends(facts))
    if not wanted:
        assert engram("taint", BAD, "--retract").code == 3  # nothing comes from it
        return

    listed = engram("taint", BAD, "--json").json
    taken = engram("taint", BAD, "--retract", "--json").json

    assert sorted(fact["id"] for fact in listed["facts"]) == wanted
    assert sorted(taken["retracted"]) == wanted
    active = [fact["id"] for fact in engram("facts", "--json").json["facts"]]
    assert sorted(active) == sorted({*ids} - {*wanted})
