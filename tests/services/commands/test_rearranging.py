"""Entities are renamed, merged, split, archived and brought back; all around them follows, and comes back with undo."""

import datetime as dt
from typing import Any

import pytest

from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.fact import Actor
from engram.model.fact import Status
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.services.facts.listing import get_entity_path
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.making import NOW

HISTORY = {"commands", "activity", "undoables"}


def do(workspace: Workspace, kind: str, *, actor: str = "user", **args: Any) -> CommandResult:
    return workspace.submit(kind, args, actor=Actor(actor))


def done(workspace: Workspace, kind: str, **args: Any) -> CommandResult:
    result = do(workspace, kind, **args)
    assert result.status != Outcome.REFUSED, result.reason
    return result


def write(workspace: Workspace, entity: str, text: str, **fields: Any) -> str:
    result = done(workspace, "write", entity=entity, text=text, create=True, **fields)
    assert result.id is not None
    return result.id


def said(entity: str, text: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    return "write", {"entity": entity, "text": text, "create": True, **fields}


def digests(workspace: Workspace) -> dict[str, str]:
    """Return the digests of what holds; what was believed before stays with each fact."""
    with workspace.reading() as database:
        return _digests(database)


def folded(workspace: Workspace) -> dict[str, str]:
    """Return the digests of a database that is made of the journal anew."""
    with workspace.store.projection.in_memory() as database:
        return _digests(database)


def _digests(database: FactDatabase) -> dict[str, str]:
    facts = "\n".join(fact.model_dump_json() for fact in database.list_facts(FactFilter(status="all")))
    kept = {table: digest for table, digest in database.digests().items() if table not in HISTORY}
    return {**kept, "facts": facts}


def pages(workspace: Workspace) -> dict[str, bytes]:
    workspace.store.refresh_mirror()
    life = workspace.paths.life
    return {str(path.relative_to(life)): path.read_bytes() for path in sorted(life.rglob("*")) if path.is_file()}


def facts(workspace: Workspace, entity: str, status: str = "active") -> list[str]:
    with workspace.reading() as database:
        return [fact.text for fact in database.list_facts(FactFilter(entity=entity, status=status))]


def find(workspace: Workspace, name: str) -> str:
    with workspace.reading() as database:
        return get_entity_path(database, name)


def know_two_annas(workspace: Workspace) -> None:
    both = ["people/anna", "people/a-petrova"]
    told: list[tuple[str, dict[str, Any]]] = [
        ("entity-add", {"path": "people/anna", "title": "Anna", "aliases": ["Annie"]}),
        ("entity-add", {"path": "people/a-petrova", "title": "A. Petrova"}),
        said("people/anna", "Anna prefers tea"),
        said("people/anna", "Anna lives in Berlin", attribute="location", value="Berlin"),
        said("people/a-petrova", "Anna prefers tea"),
        said("people/a-petrova", "A. Petrova lives in Porto", attribute="location", value="Porto"),
        said("people/boris", "Boris works with Anna", related=["people/a-petrova"]),
        said("people/boris", "Boris wrote to both", related=both),
        ("observe", {"text": "A. Petrova is never in on Fridays", "category": "pattern", "entity": "A. Petrova"}),
    ]
    with workspace.writing("test") as recorder:
        results = recorder.record([workspace.envelope(kind, args) for kind, args in told])
    assert not [result.reason for result in results if result.status == Outcome.REFUSED]


@pytest.fixture
def two_annas(workspace_with: WorkspaceWith) -> Workspace:
    """Anna under two names, and Boris, who knows both."""
    return workspace_with(know_two_annas)


def test_renaming_keeps_ids_and_everything_follows(two_annas: Workspace) -> None:
    done(two_annas, "entity-rename", path="people/a-petrova", new="people/anna-petrova")

    assert facts(two_annas, "people/anna-petrova") == ["Anna prefers tea", "A. Petrova lives in Porto"]
    with two_annas.reading() as database:
        moved = database.list_facts(FactFilter(entity="people/anna-petrova"))
        assert [fact.id for fact in moved] == ["people/a-petrova-001", "people/a-petrova-002"]
        naming = database.list_facts(FactFilter(entity="people/boris"))
        assert [fact.related for fact in naming] == [
            ("people/anna-petrova",),
            ("people/anna", "people/anna-petrova"),
        ]
        assert [one.entity for one in database.list_observations()] == ["people/anna-petrova"]
    assert folded(two_annas) == digests(two_annas)


@pytest.mark.parametrize("name", ["people/a-petrova", "a-petrova", "A. Petrova", "people/anna-petrova", "Anna Petrova"])
def test_the_old_path_and_the_old_name_go_on_finding_a_renamed_entity(two_annas: Workspace, name: str) -> None:
    done(two_annas, "entity-rename", path="people/a-petrova", new="Anna Petrova")
    assert find(two_annas, name) == "people/anna-petrova"


def test_what_is_written_under_the_old_path_is_about_the_renamed_entity(two_annas: Workspace) -> None:
    done(two_annas, "entity-rename", path="people/a-petrova", new="people/anna-petrova")
    fact_id = write(two_annas, "people/a-petrova", "She plays the cello", related=["people/a-petrova"])
    assert fact_id == "people/anna-petrova-003", "the numbers go on"
    assert "She plays the cello" in facts(two_annas, "people/anna-petrova")


def test_no_id_is_ever_given_twice(workspace: Workspace) -> None:
    write(workspace, "people/anna", "Anna prefers tea")
    done(workspace, "entity-rename", path="people/anna", new="people/anya")
    write(workspace, "people/anya", "Anya has a dog")
    done(workspace, "entity-rename", path="people/anya", new="people/anna")
    assert write(workspace, "people/anna", "Anna sings") == "people/anna-003"
    done(workspace, "entity-rename", path="people/anna", new="people/anya")
    assert write(workspace, "people/anya", "Anya runs") == "people/anya-004"


def test_what_is_no_path_is_answered_with_the_kinds_that_there_are(two_annas: Workspace, engram_here: Engram) -> None:
    answer = engram_here("entity", "rename", "people/a-petrova", "organisations/safefall")

    assert "'organisations/safefall' is neither a path nor a name" in answer.err
    assert "write people/NAME, projects/NAME, archives/NAME, or a name without a slash" in answer.err


def test_a_name_that_another_entity_has_is_refused_however_it_is_written(two_annas: Workspace) -> None:
    for new in ("people/anna", "ANNA", "Ánna", "an-na", "A Petrova", "people/a_petrova"):
        path = "people/boris"
        result = do(two_annas, "entity-rename", path=path, new=new)
        assert (result.status, result.exit_code) == (Outcome.REFUSED, 4), new
        assert "entity merge" in (result.hint or ""), new


def test_merging_joins_names_facts_links_and_observations(two_annas: Workspace) -> None:
    result = done(two_annas, "entity-merge", source="people/a-petrova", into="people/anna")

    assert facts(two_annas, "people/anna") == ["Anna prefers tea", "A. Petrova lives in Porto", "Anna lives in Berlin"]
    assert result.tensions == ("tension-0001",), "she cannot live in both"
    with two_annas.reading() as database:
        assert [entity.path for entity in database.list_entities()] == ["people/anna", "people/boris"]
        assert database.list_entities()[0].aliases == ("Annie", "A. Petrova")
        twin = database.find_facts("people/a-petrova-001")[0]
        assert (twin.status, twin.superseded_by) == (Status.SUPERSEDED, "people/anna-001")
        naming = database.list_facts(FactFilter(entity="people/boris"))
        assert [fact.related for fact in naming] == [("people/anna",), ("people/anna",)]
        assert [one.entity for one in database.list_observations()] == ["people/anna"]
    assert {find(two_annas, name) for name in ("A. Petrova", "people/a-petrova", "a-petrova")} == {"people/anna"}
    assert folded(two_annas) == digests(two_annas)


def test_a_trusted_statement_never_gives_way_to_its_doubted_twin(workspace: Workspace) -> None:
    write(workspace, "people/anna", "Anna prefers tea")
    workspace.submit("write", {"entity": "people/ann", "text": "Anna prefers tea", "create": True}, actor=Actor.TOOL)
    done(workspace, "entity-merge", source="people/anna", into="people/ann")
    with workspace.reading() as database:
        [left] = database.list_facts(FactFilter(entity="people/ann"))
    assert left.id == "people/anna-001"


@pytest.mark.parametrize("back", ["split", "split by the former path", "undo"])
def test_merging_and_splitting_gives_back_what_was(two_annas: Workspace, back: str) -> None:
    before, written = digests(two_annas), pages(two_annas)
    merged = done(two_annas, "entity-merge", source="people/a-petrova", into="people/anna")
    assert pages(two_annas) != written
    match back:
        case "undo":
            done(two_annas, "undo")
        case "split":
            done(two_annas, "entity-split", path="people/anna")
        case _:
            done(two_annas, "entity-split", path="people/a-petrova")
    after = digests(two_annas)
    assert {**after, "tensions": ""} == {**before, "tensions": ""}
    with two_annas.reading() as database:
        assert not database.list_tensions("open")
        assert [one.id for one in database.list_tensions("resolved")] == list(merged.tensions)
    assert pages(two_annas) == written
    assert folded(two_annas) == after


def test_what_came_after_a_merge_stays_and_a_later_version_goes_back_with_its_fact(two_annas: Workspace) -> None:
    done(two_annas, "entity-merge", source="people/a-petrova", into="people/anna")
    done(two_annas, "correct", id="people/a-petrova-002", text="A. Petrova lives in Faro")
    write(two_annas, "people/anna", "Anna has a bicycle")
    done(two_annas, "entity-split", path="people/anna")
    assert facts(two_annas, "people/a-petrova") == ["Anna prefers tea", "A. Petrova lives in Faro"]
    assert "Anna has a bicycle" in facts(two_annas, "people/anna")
    assert folded(two_annas) == digests(two_annas)


def test_a_split_that_would_tear_a_chain_apart_is_refused_in_one_sentence(two_annas: Workspace) -> None:
    done(two_annas, "entity-merge", source="people/a-petrova", into="people/anna")
    write(
        two_annas,
        "people/anna",
        "Anna moved to Faro",
        category="correction",
        supersedes=["people/anna-002", "people/a-petrova-002"],
    )
    result = do(two_annas, "entity-split", path="people/anna")
    assert result.status == Outcome.REFUSED
    assert "it was built on since" in (result.reason or "")


def test_some_facts_become_an_entity_of_their_own_with_all_their_versions(two_annas: Workspace) -> None:
    before = digests(two_annas)
    done(two_annas, "entity-split", path="people/anna", facts=["anna-002"], to="Anna Schmidt")
    assert facts(two_annas, "people/anna-schmidt") == ["Anna lives in Berlin"]
    assert facts(two_annas, "people/anna") == ["Anna prefers tea"]
    assert folded(two_annas) == digests(two_annas)
    done(two_annas, "undo")
    assert digests(two_annas) == before


def test_a_split_is_not_undone_where_what_left_was_said_again_since(two_annas: Workspace) -> None:
    done(two_annas, "entity-split", path="people/anna", facts=["anna-002"], to="Anna Schmidt")
    again = write(two_annas, "people/anna", "Anna lives in Berlin")

    refused = do(two_annas, "undo")

    assert refused.status == Outcome.REFUSED
    assert refused.reason == f"it was built on since: {again} says again what people/anna-002 says"
    done(two_annas, "entity-merge", source="people/anna-schmidt", into="people/anna")
    assert facts(two_annas, "people/anna") == ["Anna prefers tea", "Anna lives in Berlin"]


@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("entity-rename", {"path": "people/a-petrova", "new": "people/anna-petrova"}),
        ("entity-rename", {"path": "people/a-petrova", "new": "A. Petrova-Lang"}),
        ("entity-rename", {"path": "people/anna", "new": "ANNA"}),
        ("entity-rename", {"path": "people/anna", "new": "projects/anna"}),
        ("entity-archive", {"path": "people/a-petrova"}),
        ("entity-alias", {"path": "people/a-petrova", "alias": "Petrova"}),
        ("entity-add", {"path": "people/carla", "aliases": ["C"]}),
    ],
)
def test_undo_gives_back_what_was_before_the_callers_last_change(
    two_annas: Workspace, kind: str, args: dict[str, Any]
) -> None:
    before, written = digests(two_annas), pages(two_annas)
    done(two_annas, kind, **args)
    assert digests(two_annas) != before
    done(two_annas, "undo")
    assert digests(two_annas) == before
    assert pages(two_annas) == written
    assert folded(two_annas) == before


def test_undo_goes_back_step_by_step(two_annas: Workspace) -> None:
    states = [digests(two_annas)]
    for new in ("people/one", "people/two", "people/three"):
        done(
            two_annas, "entity-rename", path="people/anna" if new == "people/one" else find(two_annas, "anna"), new=new
        )
        states.append(digests(two_annas))
    for before in reversed(states[:-1]):
        done(two_annas, "undo")
        assert digests(two_annas) == before


def test_what_was_written_since_moves_back_with_a_renamed_entity(two_annas: Workspace) -> None:
    done(two_annas, "entity-rename", path="people/anna", new="people/anna-lang")
    write(two_annas, "people/anna-lang", "Anna has a bicycle")
    done(two_annas, "undo")
    assert "Anna has a bicycle" in facts(two_annas, "people/anna")
    assert find(two_annas, "people/anna-lang") == "people/anna", "an id was born there: the path stays taken"


def test_an_older_change_that_was_built_on_is_not_taken_back(two_annas: Workspace) -> None:
    first = done(two_annas, "entity-rename", path="people/anna", new="people/one")
    done(two_annas, "entity-rename", path="people/one", new="people/two")
    result = do(two_annas, "undo", id=first.command_id)
    assert result.status == Outcome.REFUSED
    assert result.exit_code == 4
    assert "it was built on since: people/one is people/two" in (result.reason or "")


def test_a_split_can_be_undone_and_made_again(two_annas: Workspace) -> None:
    before = digests(two_annas)
    done(two_annas, "entity-merge", source="people/a-petrova", into="people/anna")
    done(two_annas, "entity-split", path="people/anna")
    done(two_annas, "undo")
    assert find(two_annas, "people/a-petrova") == "people/anna"
    done(two_annas, "entity-split", path="people/anna")
    assert {**digests(two_annas), "tensions": ""} == {**before, "tensions": ""}


def test_an_agent_takes_back_its_own_change_and_no_persons(two_annas: Workspace) -> None:
    by_person = done(two_annas, "entity-rename", path="people/anna", new="people/one")
    assert do(two_annas, "undo", actor="agent").status == Outcome.REFUSED
    assert do(two_annas, "undo", actor="agent", id=by_person.command_id).status == Outcome.REFUSED
    do(two_annas, "entity-rename", actor="agent", path="people/boris", new="people/bob")
    done(two_annas, "undo")
    assert find(two_annas, "boris") == "people/bob", "the person's own change was the last of hers"
    assert find(two_annas, "Anna") == "people/anna"


@pytest.mark.parametrize("actor", ["tool", "file", "import"])
@pytest.mark.parametrize(
    ("kind", "args"),
    [
        ("entity-rename", {"path": "people/anna", "new": "people/owned"}),
        ("entity-merge", {"source": "people/anna", "into": "people/boris"}),
        ("entity-split", {"path": "people/anna", "facts": ["anna-001"], "to": "people/x"}),
        ("entity-archive", {"path": "people/anna"}),
        ("entity-restore", {"path": "people/anna"}),
        ("undo", {}),
    ],
)
def test_only_people_and_agents_say_who_is_who(
    two_annas: Workspace, kind: str, args: dict[str, Any], actor: str
) -> None:
    before = digests(two_annas)
    result = do(two_annas, kind, actor=actor, **args)
    assert (result.status, result.exit_code) == (Outcome.REFUSED, 4)
    assert digests(two_annas) == before


def test_archiving_and_restoring_brings_an_entity_back_to_where_it_was(two_annas: Workspace) -> None:
    before, written = digests(two_annas), pages(two_annas)
    assert done(two_annas, "entity-archive", path="Anna").id == "archives/anna"
    assert find(two_annas, "people/anna") == find(two_annas, "Anna") == "archives/anna"
    assert "archives/anna/summary.md" in pages(two_annas)
    assert not (two_annas.paths.life / "people/anna").exists()
    assert done(two_annas, "entity-restore", path="people/anna").id == "people/anna"
    assert find(two_annas, "archives/anna") == "people/anna"
    done(two_annas, "undo")
    assert find(two_annas, "Anna") == "archives/anna"
    done(two_annas, "undo")
    assert digests(two_annas) == before
    assert pages(two_annas) == written


def test_two_of_one_name_are_archived_side_by_side(workspace: Workspace) -> None:
    write(workspace, "people/mars", "Mars is a cat")
    write(workspace, "projects/mars", "Mars is a rocket")
    assert done(workspace, "entity-archive", path="people/mars").id == "archives/mars"
    assert done(workspace, "entity-archive", path="projects/mars").id == "archives/mars-2"
    assert done(workspace, "entity-restore", path="archives/mars-2").id == "projects/mars"
    assert done(workspace, "entity-restore", path="people/mars").id == "people/mars"


def test_commands_of_one_batch_see_what_those_before_them_did(two_annas: Workspace) -> None:
    kinds = [
        ("entity-rename", {"path": "people/anna", "new": "people/one"}),
        ("write", {"entity": "people/anna", "text": "Anna has a bicycle"}),
        ("entity-rename", {"path": "people/one", "new": "people/two"}),
        ("undo", {}),
    ]
    envelopes = [two_annas.envelope(kind, args) for kind, args in kinds]
    with two_annas.writing("test") as recorder:
        results = recorder.record(envelopes)
    assert [result.status for result in results] == ["done", "created", "done", "done"], results
    assert "Anna has a bicycle" in facts(two_annas, "people/one")
    assert folded(two_annas) == digests(two_annas)


def test_undoing_a_rename_leaves_what_was_noticed_of_a_name_before_anybody_had_it(workspace: Workspace) -> None:
    done(workspace, "entity-add", path="people/anna")
    for text, path in (("often late", "people/boris"), ("never late", "people/anna")):
        done(workspace, "observe", text=text, category="pattern", entity=path)
    before = digests(workspace)
    workspace.now = lambda: NOW + dt.timedelta(hours=1)

    done(workspace, "entity-rename", path="people/anna", new="people/boris", title="Anna")
    done(workspace, "undo")

    assert digests(workspace) == before
