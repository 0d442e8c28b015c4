"""Which project somebody works on who asks for a start block: named, of the session, or of the folder."""

from pathlib import Path

import pytest

from engram.errors import UnknownEntityError
from engram.services.context.project import find_worked_on
from engram.services.visibility import identify
from engram.workspace import Workspace
from tests.services.context.desk import Desk

PARCELS = "projects/parcels"


@pytest.fixture
def desk(workspace: Workspace) -> Desk:
    made = Desk(workspace)
    made.held("codex/parcels-1", "parcels")
    made.write("Parcels go by ship", PARCELS, title="Parcels")
    made.write("Boris pays", "people/boris")
    return made


def worked_on(desk: Desk, *, session: str | None = None, **where: str | None) -> str | None:
    with desk.workspace.reading() as database:
        return find_worked_on(database, identify(database, "main", session), **where)


@pytest.mark.parametrize("name", ["parcels", "Parcels", PARCELS, "/srv/code/parcels"])
def test_a_project_is_named_by_path_name_or_folder(desk: Desk, name: str) -> None:
    assert worked_on(desk, named=name, folder="/srv/code/atlas") == PARCELS


def test_all_of_them_can_be_asked_for(desk: Desk) -> None:
    assert worked_on(desk, named="all", folder="/srv/code/parcels") is None


def test_a_folder_that_is_named_counts_though_nothing_is_known_of_it(desk: Desk) -> None:
    assert worked_on(desk, named="/srv/code/atlas") == "projects/atlas"


@pytest.mark.parametrize("name", ["atlas", "boris"])
def test_what_is_no_project_here_is_an_error(desk: Desk, name: str) -> None:
    with pytest.raises(UnknownEntityError):
        worked_on(desk, named=name)


def test_a_session_works_where_it_was_held(desk: Desk) -> None:
    assert worked_on(desk, session="codex/parcels-1", folder="/srv/code/atlas") == PARCELS


@pytest.mark.parametrize(
    ("folder", "expected"), [("/srv/code/parcels", PARCELS), ("/srv/code/atlas", None), ("/srv", None), (None, None)]
)
def test_the_working_directory_counts_when_something_is_known_of_its_project(
    desk: Desk, folder: str | None, expected: str | None
) -> None:
    assert worked_on(desk, folder=folder) == expected


def test_a_folder_within_a_repository_is_its_project(desk: Desk, tmp_path: Path) -> None:
    within = tmp_path / "parcels" / "src"
    within.mkdir(parents=True)
    (tmp_path / "parcels" / ".git").mkdir()

    assert worked_on(desk, folder=str(within)) == PARCELS


def test_a_project_that_was_renamed_is_found_by_its_folder(desk: Desk) -> None:
    desk.workspace.submit("entity-rename", {"path": PARCELS, "new": "projects/tracking"})

    assert worked_on(desk, folder="/srv/code/parcels") == "projects/tracking"
