"""Two entities that may be one are a question of the review: they are one, or they are two, and nobody asks again."""

import pytest

from engram.cli.review import review_session
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from tests.cli.test_review_session import Keys
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.services.commands.test_rearranging import done

PAIR = "people/mira+people/meera"


@pytest.fixture
def alike(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(write_alike)


def write_alike(workspace: Workspace) -> None:
    """Write more of Meera than of Mira."""
    for path, text in [
        ("people/meera", "Meera leads the parser"),
        ("people/meera", "Meera lives in Riga"),
        ("people/mira", "Mira wants an export"),
    ]:
        workspace.submit("write", {"entity": path, "text": text, "create": True})
    for path in ("people/sergei", "people/sergey"):
        workspace.submit("entity-add", {"path": path})


def owners(workspace: Workspace) -> list[str]:
    """Whom each fact is about."""
    with workspace.reading() as database:
        return sorted(fact.entity for fact in database.list_facts(FactFilter()))


def asked(engram: Engram) -> list[str]:
    items = engram("review", "list", "--kind", "names", "--json").json["items"]
    return [one["id"] for one in items if "serge" not in one["id"]]


def test_the_question_shows_what_is_known_of_both(engram: Engram, alike: Workspace) -> None:
    assert alike
    shown = engram("review", "next", "--kind", "names").out

    assert shown.startswith(f"{PAIR}: are they one?")
    assert all(text in shown for text in ("Meera leads the parser", "Meera lives in Riga", "Mira wants an export"))
    assert {"merge", "two"} == engram("review", "next", "--kind", "names", "--json").json["next"]["outcomes"].keys()
    assert "names 2" in engram("review").out


def test_two_are_two_from_then_on_also_under_other_paths(engram: Engram, alike: Workspace) -> None:
    assert engram("review", "answer", PAIR, "two").code == 0

    assert asked(engram) == []
    done(alike, "entity-rename", path="people/mira", new="people/mirah")
    assert asked(engram) == []
    assert "people/mirah" not in engram("doctor").out
    assert owners(alike) == ["people/meera", "people/meera", "people/mirah"]


def test_an_answer_taken_back_is_asked_again(engram: Engram, alike: Workspace) -> None:
    assert alike
    engram("review", "answer", PAIR, "two")

    assert engram("review", "undo").code == 0

    assert asked(engram) == [PAIR]


@pytest.mark.parametrize(("keep", "stays"), [((), "people/meera"), (("--keep", "people/mira"), "people/mira")])
def test_one_is_one_and_undo_parts_them(engram: Engram, alike: Workspace, keep: tuple[str, ...], stays: str) -> None:
    assert engram("review", "answer", PAIR, "merge", *keep).code == 0
    assert [stays] * 3 == owners(alike)
    assert asked(engram) == []

    engram("undo")

    assert owners(alike) == ["people/meera", "people/meera", "people/mira"]
    assert asked(engram) == [PAIR]


def test_what_is_no_answer_about_names_is_refused(engram: Engram, alike: Workspace) -> None:
    assert engram("review", "answer", PAIR, "merge", "--keep", "people/anna").code == 2
    assert engram("review", "answer", PAIR, "dismiss").code == 2
    assert engram("review", "answer", "people/mira+people/nobody", "two").code == 3
    assert owners(alike) == ["people/meera", "people/meera", "people/mira"]


@pytest.mark.parametrize(("keys", "left"), [("m", 3), ("mu", 2), ("2", 2), ("2u", 2)])
def test_one_key_decides(
    alike: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], keys: str, left: int
) -> None:
    monkeypatch.setattr(review_session, "_Keyboard", lambda: Keys(keys))

    review_session.ReviewSession(alike).run()

    assert left == owners(alike).count("people/meera")
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("0 settled" if keys.endswith("u") else "1 settled")
    assert ("; engram undo takes" in said) is (keys == "m")


def test_a_session_that_is_kept_apart_hears_of_no_pair(engram: Engram, alike: Workspace) -> None:
    assert alike
    engram("session", "add", "club", "--kind", "group")

    found = engram("review", "list", "--session", "club", "--json").json

    assert (found["items"], found["waiting"]["names"]) == ([], 0)
