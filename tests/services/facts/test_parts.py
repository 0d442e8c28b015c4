"""What a fact was made of, as it is told by `show`, `why` and the page."""

from typing import Any

import pytest

from engram.errors import UnknownFactError
from engram.mcp.answers import Caller as Server
from engram.mcp.tools import call_tool
from engram.operations.pages.fact_page import fact_page
from engram.rules.life.grounds import Grounds
from engram.services.facts.listing import Moment
from engram.services.facts.listing import get_fact
from engram.services.facts.parts import grounds_of_each
from engram.services.facts.parts import parts_of
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith

SHOP = "projects/shop"
TOLD = ("Friday deploys of the shop fail", "The shop was down after Friday's deploy", "Friday deploys are rolled back")


def write(workspace: Workspace, text: str, entity: str = SHOP, **fields: Any) -> str:
    done = workspace.submit("write", {"entity": entity, "text": text, "create": True, **fields})
    assert done.error is None, done
    return done.id or ""


def fill(workspace: Workspace) -> None:
    for text in TOLD:
        write(workspace, text)
    ids = [f"{SHOP}-00{number}" for number in (1, 2, 3)]
    workspace.submit("observe", {"text": "Fridays are bad for deploys", "facts": ids, "entity": SHOP})
    made = [*ids, "observation-0001"]
    write(
        workspace, "The shop is never deployed on Fridays", "projects/rules", abstraction="pattern", derived_from=made
    )


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def parts(workspace: Workspace, fact_id: str, caller: Caller | None = None) -> list[dict[str, Any]]:
    settings = workspace.settings
    moment = Moment(workspace.now(), settings.decay, settings.zone, caller)
    with workspace.reading() as database:
        return parts_of(database, get_fact(database, fact_id, caller), moment)


def test_parts_have_words_dates_and_say_whether_they_hold(known: Workspace) -> None:
    known.submit("retract", {"id": f"{SHOP}-002", "reason": "it was Thursday"})

    found = parts(known, "projects/rules-001")

    assert [(one["kind"], one["text"], one["status"], one["holds"]) for one in found] == [
        ("fact", TOLD[0], "active", True),
        ("fact", TOLD[1], "retracted", False),
        ("fact", TOLD[2], "active", True),
        ("observation", "Fridays are bad for deploys", "open", True),
    ]
    assert all(one["date"].startswith("20") for one in found)


def test_the_words_of_the_parts_of_parts_are_told_below_them(known: Workspace) -> None:
    made_of = ["projects/rules-001"]
    write(known, "Nothing is deployed on Fridays", "projects/rules", abstraction="principle", derived_from=made_of)

    (pattern,) = parts(known, "projects/rules-002")

    assert [one["text"] for one in pattern["made_of"][:3]] == list(TOLD)


def test_who_may_not_see_a_part_is_not_told_of_it(known: Workspace) -> None:
    known.submit("session-add", {"name": "kept", "kind": "personal"})
    write(known, "Anna breaks deploys", scope="session:kept")
    write(known, "Mind who deploys", derived_from=[f"{SHOP}-004"], scope="session:kept")
    with known.reading() as database:
        own = identify(database, "main", "kept")

    assert [one["text"] for one in parts(known, f"{SHOP}-005", own)] == ["Anna breaks deploys"]
    with pytest.raises(UnknownFactError):
        parts(known, f"{SHOP}-005", Caller(None, "main"))


def test_who_may_not_see_a_part_is_told_of_no_more_parts_than_it_sees(known: Workspace) -> None:
    known.submit("session-add", {"name": "kept", "kind": "personal"})
    write(known, "Anna breaks deploys", scope="session:kept")
    write(known, "Mind who deploys", derived_from=[f"{SHOP}-001", f"{SHOP}-004"], scope="session:kept")
    with known.reading() as database:
        whole = get_fact(database, f"{SHOP}-005", None)
        counted = [grounds_of_each(database, [whole], caller) for caller in (None, Caller(None, "main"))]

    assert counted == [{f"{SHOP}-005": Grounds(2, 2)}, {f"{SHOP}-005": Grounds(1, 1)}]


def test_every_door_shows_them(known: Workspace, engram: Engram) -> None:
    known.submit("retract", {"id": f"{SHOP}-002", "reason": "it was Thursday"})

    shown, why = engram("show", "rules-001"), engram("why", "rules-001")
    as_json = engram("why", "rules-001", "--json").json["made_of"]

    for answer in (shown, why):
        assert "made of, and 1 of these holds no longer:" in answer.out
        assert f"{TOLD[1]}  [retracted]" in answer.out
    assert [one["text"] for one in as_json[:3]] == list(TOLD)
    assert engram("show", "rules-001", "--json").json["made_of"] == as_json
    over_mcp = call_tool(known, Server(), "memory_show", {"id": "rules-001"})
    assert over_mcp.value["made_of"] == as_json
    assert f"text {TOLD[1]}, date " in over_mcp.text
    assert [one["id"] for one in fact_page(known, "projects/rules-001", None)["made_of"]] == [
        one["id"] for one in as_json[:3]
    ]


def test_a_summary_marks_wisdom_that_rests_on_less_although_the_part_is_another_ones(known: Workspace) -> None:
    page = known.paths.life / "projects/rules/summary.md"
    known.store.refresh_mirror()
    assert "made of 3 facts)" in page.read_text()

    known.submit("retract", {"id": f"{SHOP}-002", "reason": "it was Thursday"})
    known.store.refresh_mirror()

    assert "made of 3 facts and now rests on 2)" in page.read_text()
