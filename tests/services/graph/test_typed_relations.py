"""Relations as facts state them, read from a real store in four languages."""

import datetime as dt
import os
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.errors import BadValueError
from engram.errors import SettingsError
from engram.services.doctor.relations import find_drift
from engram.services.facts.listing import Moment
from engram.services.graph.ask_people import answer_from_graph
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.entity_graph import entity_graph
from engram.services.graph.near_entities import relations_of
from engram.services.graph.neighbours import neighbours
from engram.services.graph.ontology_file import read_ontology
from engram.services.graph.typed_relations import list_relations
from engram.services.recall.retrieval.graph_leg import spread
from engram.services.visibility import Caller
from engram.store.text_files import WorkspaceFiles
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW

SAID = [
    ("people/omar", "Omar leads Billing", "Omar", ()),
    ("people/anna", "Anna reports to Omar", "Anna", ()),
    ("people/анна", "Анна Петрова подчиняется Омару", "Анна Петрова", ()),
    ("people/омар", "Омар живёт в Риге", "Омар", ()),
    ("people/李雷", "李雷带领支付团队", "李雷", ()),
    ("people/안나", "안나는 민수에게 보고한다", "안나", ()),
    ("people/민수", "민수는 결제 팀을 이끈다", "민수", ()),
    ("projects/billing", "Billing depends on the Ledger service", "Billing", ()),
    ("projects/ledger", "Ledger is part of Atlas", "Ledger", ()),
]


def write(workspace: Workspace, entity: str, text: str, title: str, **fields: object) -> str:
    return str(workspace.submit("write", {"entity": entity, "text": text, "title": title, "create": True, **fields}).id)


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(write_all)


def write_all(workspace: Workspace) -> None:
    for entity, text, title, _ in SAID:
        write(workspace, entity, text, title)


def asked(workspace: Workspace, caller: Caller | None = None, as_of: dt.datetime | None = None) -> GraphQuery:
    moment = Moment(workspace.now(), workspace.settings.decay, workspace.settings.zone, caller)
    return GraphQuery(moment, as_of=as_of, ontology=read_ontology(workspace.files))


def stated(workspace: Workspace, name: str = "", kind: str = "", **query: object) -> set[tuple[str, str, str]]:
    with workspace.reading() as database:
        found = list_relations(database, asked(workspace, **query), name=name, kind=kind)  # type: ignore[arg-type]
    return {(one.source, one.type.name, one.target) for one in found}


def test_relations_are_read_in_four_languages_also_where_a_name_stands_in_a_case(known: Workspace) -> None:
    assert stated(known) == {
        ("people/omar", "leads", "projects/billing"),
        ("people/anna", "reports_to", "people/omar"),
        ("people/анна", "reports_to", "people/омар"),
        ("people/омар", "located_in", "Риге"),
        ("people/李雷", "leads", "支付团队"),
        ("people/안나", "reports_to", "people/민수"),
        ("people/민수", "leads", "결제 팀"),
        ("projects/billing", "depends_on", "projects/ledger"),
        ("projects/ledger", "part_of", "Atlas"),
    }
    assert stated(known, "omar") == {
        ("people/omar", "leads", "projects/billing"),
        ("people/anna", "reports_to", "people/omar"),
    }
    assert stated(known, kind="part-of") == {("projects/ledger", "part_of", "Atlas")}


def test_a_neighbour_stands_in_no_relation_that_is_for_other_kinds(known: Workspace) -> None:
    write(known, "projects/ledger", "Ledger reports to Anna", "Ledger", attribute="manager", value="Anna")

    with known.reading() as database:
        _, near = neighbours(database, "ledger", 1, asked(known))

    assert ("people/anna", []) in [(one.entity, one.relations) for one in near]
    assert stated(known, "ledger", "reports_to") == set()


def test_an_end_that_is_known_later_is_joined_then(known: Workspace) -> None:
    write(known, "projects/atlas", "Atlas began in May", "Atlas")

    assert stated(known, kind="part_of") == {("projects/ledger", "part_of", "projects/atlas")}


def test_a_relation_holds_as_long_as_its_fact(known: Workspace) -> None:
    known.now = lambda: NOW + dt.timedelta(days=10)
    write(known, "people/anna", "Anna reports to Boris", "Anna")

    assert stated(known, "anna") == {("people/anna", "reports_to", "Boris")}
    assert stated(known, "anna", as_of=NOW + dt.timedelta(days=5)) == {("people/anna", "reports_to", "people/omar")}


def test_the_graph_is_joined_by_values_and_says_how(known: Workspace) -> None:
    with known.reading() as database:
        edges = {(one.first, one.last) for one in entity_graph(database, asked(known)).edges}
        _, near = neighbours(database, "omar", 2, asked(known))
        card = relations_of(database, "people/omar", asked(known).moment)

    assert ("people/anna", "people/omar") in edges
    assert ("people/omar", "projects/billing") in edges
    assert {(one.entity, one.hops, *one.relations) for one in near} == {
        ("people/anna", 1, "reports_to"),
        ("projects/billing", 1, "leads"),
        ("projects/ledger", 2, "depends_on"),
    }
    assert {one["entity"]: [(said["type"], said["from"]) for said in one["relations"]] for one in card} == {
        "people/anna": [("reports_to", "people/anna")],
        "projects/billing": [("leads", "people/omar")],
    }


def test_who_is_also_told_by_facts_about_people(known: Workspace) -> None:
    with known.reading() as database:
        found = answer_from_graph(database, "who", "billing", (), asked(known))

    assert [fact["text"] for fact in found["facts"]] == ["Omar leads Billing"]


def test_recall_reaches_over_relations(known: Workspace) -> None:
    with known.reading() as database:
        found = spread(database, {"people/anna"}, ("shared",))

    texts = {fact.text for fact, _ in found.values()}
    assert {"Anna reports to Omar", "Omar leads Billing"} <= texts


def test_another_agent_learns_no_end_that_is_hidden_from_it(workspace: Workspace) -> None:
    write(workspace, "people/anna", "Anna reports to Omar", "Anna")
    write(workspace, "people/omar", "Omar is ill", "Omar", scope="agent:main")
    outsider = Caller("elsewhere/main", "elsewhere", foreign=True)

    assert stated(workspace, caller=outsider) == {("people/anna", "reports_to", "Omar")}
    assert stated(workspace) == {("people/anna", "reports_to", "people/omar")}


def test_another_agent_learns_no_end_that_a_tag_joins_and_that_is_hidden_from_it(workspace: Workspace) -> None:
    write(workspace, "people/omar", "Omar is ill", "Omar", scope="agent:main")
    write(workspace, "people/anna", "Anna is advised", "Anna", tags=["reports_to"], related=["people/omar"])
    outsider = Caller("elsewhere/main", "elsewhere", foreign=True)

    assert stated(workspace) == {("people/anna", "reports_to", "people/omar")}
    assert stated(workspace, caller=outsider) == set()


def test_a_workspace_has_its_own_types(known: Workspace) -> None:
    known.paths.ontology.parent.mkdir()
    known.paths.ontology.write_text("[mentors]\nfrom = 'people'\n\n[leads]\nenabled = false\n", encoding="utf-8")
    write(known, "people/omar", "Omar mentors Anna", "Omar", attribute="mentors", value="Anna")

    assert stated(known, "omar") == {
        ("people/omar", "mentors", "people/anna"),
        ("people/anna", "reports_to", "people/omar"),
    }


@pytest.mark.parametrize("text", ["[works_at", "[works_at]\nof = 3\n", "\udcff"])
def test_a_file_that_says_nothing_is_an_error_and_no_default(tmp_path: Path, text: str) -> None:
    path = tmp_path / "references" / "ontology.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode("utf-8", "surrogateescape"))

    with pytest.raises(SettingsError, match=r"ontology\.toml"):
        read_ontology(WorkspaceFiles(Paths(tmp_path)))


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "large"])
def test_what_is_no_file_of_the_workspace_is_neither_followed_nor_waited_for(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "references" / "ontology.toml"
    path.parent.mkdir()
    match kind:
        case "link":
            (tmp_path / "elsewhere").write_text("[mentors]\n", encoding="utf-8")
            path.symlink_to(tmp_path / "elsewhere")
        case "pipe":
            os.mkfifo(path)
        case "folder":
            path.mkdir()
        case _:
            path.write_bytes(b"#" * (1 << 20) + b"\n")

    with pytest.raises(SettingsError, match=r"ontology\.toml cannot be read: \w"):
        read_ontology(WorkspaceFiles(Paths(tmp_path)))


def test_a_type_that_is_not_there_is_said_with_those_that_are(known: Workspace) -> None:
    with known.reading() as database, pytest.raises(BadValueError) as raised:
        list_relations(database, asked(known), kind="hates")

    assert "works_at" in raised.value.hint


def test_doctor_tells_of_relations_that_drift(known: Workspace) -> None:
    write(known, "projects/billing", "Billing works at Omar", "Billing", attribute="employer", value="Omar")
    for name in ("Anna", "Omar", "Ledger"):
        write(known, "people/eve", f"Eve annoys {name}", "Eve", attribute="annoys", value=name)
    with known.reading() as database:
        found = {one.code: one for one in find_drift(database, read_ontology(known.files))}

    assert set(found) == {"relation-unfit", "relation-untyped"}
    assert "works_at goes from people" in found["relation-unfit"].message
    assert "[annoys]" in str(found["relation-untyped"].command)
