"""What somebody finds who looks at the memory: its news, an entity, a fact, an answer; and what each reader sees."""

import datetime as dt
import functools
import json
from collections.abc import Callable
from typing import Any

import pytest

from engram.errors import NotFoundError
from engram.errors import UnknownEntityError
from engram.errors import UnknownFactError
from engram.operations.answers.start import preview_block
from engram.operations.answers.start import start_block
from engram.operations.pages import entity_page as pages
from engram.operations.pages.entity_page import entity_page
from engram.operations.pages.explanation import explain_answer
from engram.operations.pages.fact_page import fact_page
from engram.operations.pages.news import news_since
from engram.services.context.block import ContextQuery
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.making import NOW

ANNA, SHOP = "people/anna", "projects/shop"
EVER = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
SECRET = "Zebedee"  # stands in what only the session `kept` may see, also as a name


def write(workspace: Workspace, entity: str, text: str, **fields: Any) -> str:
    done = workspace.submit("write", {"entity": entity, "text": text, "create": True, **fields})
    assert done.error is None, done
    return done.id or ""


def fill(workspace: Workspace) -> None:
    write(workspace, ANNA, "Anna lives in Riga", attribute="home", value="Riga", valid_from="2025-01-01")
    write(workspace, ANNA, "Anna lives in Tallinn", attribute="home", value="Tallinn", valid_from="2026-01-01")
    write(workspace, ANNA, "Anna wants short answers", category="preference")
    write(workspace, SHOP, "The shop runs on PostgreSQL", category="decision", related=[ANNA])
    write(workspace, SHOP, "The shop opens in May", derived_from=[f"{SHOP}-001"])
    workspace.submit("session-add", {"name": "kept", "kind": "personal"})
    write(workspace, f"people/{SECRET.lower()}", f"{SECRET} moved away", scope="session:kept", related=[ANNA, SHOP])
    write(workspace, ANNA, f"Anna misses {SECRET}", scope="session:kept", derived_from=[f"{ANNA}-003"])


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def caller_of(workspace: Workspace, session: str | None) -> Caller | None:
    if session is None:
        return None
    with workspace.reading() as database:
        return identify(database, "main", session)


# --- what was learnt -----------------------------------------------------------------------------------------------


def test_what_was_learnt_is_told_by_whom_it_is_about(known: Workspace) -> None:
    found = news_since(known, Caller(None, "main"), EVER)

    groups = {one["entity"]: one for one in found["learnt"]["groups"]}
    assert (found["learnt"]["facts"], found["learnt"]["entities"]) == (4, 2)
    assert (groups[ANNA]["title"], groups[ANNA]["facts"]) == ("Anna", 2)
    texts = {one["text"]: one["was"] for one in groups[ANNA]["shown"]}
    assert texts == {"Anna lives in Tallinn": "Anna lives in Riga", "Anna wants short answers": None}
    assert {one["said"]["origin"] for one in groups[ANNA]["shown"]} == {"person"}


def test_only_what_came_since_is_news(known: Workspace) -> None:
    later = NOW + dt.timedelta(days=1)
    known.now = lambda: later
    write(known, SHOP, "The shop sells books")

    found = news_since(known, None, later)

    assert [one["text"] for group in found["learnt"]["groups"] for one in group["shown"]] == ["The shop sells books"]
    assert found["known"]["facts"] == 7


def test_of_many_facts_those_that_matter_most_are_shown_and_all_are_counted(workspace: Workspace) -> None:
    with workspace.writing("test") as recorder:
        for number in range(9):
            said = {"entity": ANNA, "text": f"Anna saw bird number {number}", "create": True}
            recorder.record([workspace.envelope("write", said)])
    write(workspace, ANNA, "Always answer Anna in English", category="instruction")

    (group,) = news_since(workspace, None, EVER)["learnt"]["groups"]

    assert (group["facts"], len(group["shown"])) == (10, 5)
    assert group["shown"][0]["text"] == "Always answer Anna in English"


def test_the_owner_comes_first(known: Workspace) -> None:
    known.settings = known.settings.model_copy(update={"owner": SHOP})

    found = news_since(known, None, EVER)

    assert found["learnt"]["groups"][0]["entity"] == SHOP
    assert found["known"]["owner"] == {"path": SHOP, "title": "Shop", "facts": 2}


def test_what_waits_is_counted_and_the_first_is_shown(known: Workspace) -> None:
    known.submit("tension-add", {"text": "which one?", "fact1": f"{SHOP}-001", "fact2": f"{SHOP}-002"})

    waiting = news_since(known, None, EVER)["waiting"]

    assert waiting["counts"]["tensions"] == 1
    assert [(one["kind"], len(one["sides"])) for one in waiting["first"]] == [("tension", 2)]


def test_the_project_of_the_latest_session_comes_first(known: Workspace) -> None:
    for number, name in enumerate(("shop", "site")):
        known.now = functools.partial(_hours_later, number)
        turn = {"id": f"turn/{number:032x}", "speaker": "user", "text": "hello"}
        fields = {"project": f"projects/{name}", "project_title": name.title()}
        known.submit("capture", {"session": f"claude-code/{name}", "turns": [turn], **fields})

    found = news_since(known, None, EVER)["projects"]

    assert [(one["path"], one["title"], one["sessions"]) for one in found] == [
        ("projects/site", "Site", 1),
        ("projects/shop", "Shop", 1),
    ]


def _hours_later(hours: int) -> dt.datetime:
    return NOW + dt.timedelta(hours=hours)


# --- an entity -----------------------------------------------------------------------------------------------------


def test_an_entity_is_told_with_its_facts_summary_and_relations(known: Workspace) -> None:
    page = entity_page(known, "Anna", Caller(None, "main"))

    facts = {one["text"]: one for one in page["facts"]}
    assert (page["entity"]["path"], page["entity"]["title"]) == (ANNA, "Anna")
    assert facts["Anna lives in Riga"]["superseded_by"] == f"{ANNA}-002"
    summary = {one["shelf"]: list(one["ids"]) for one in page["summary"]}
    assert summary == {"Preferences": [f"{ANNA}-003"], "Background": [f"{ANNA}-002"]}
    (relation,) = page["relations"]
    assert (relation["entity"], relation["title"], relation["facts"]) == (SHOP, "Shop", 1)
    assert relation["shown"] == [{"id": f"{SHOP}-001", "text": "The shop runs on PostgreSQL", "about": SHOP}]


def test_of_an_entity_with_many_facts_the_newest_are_told(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pages, "MOST_VERSIONS", 3)
    for number in range(5):
        write(workspace, ANNA, f"Anna saw bird {number} of {number}")

    page = entity_page(workspace, ANNA, None)

    assert {one["id"] for one in page["facts"]} == {f"{ANNA}-003", f"{ANNA}-004", f"{ANNA}-005"}
    assert (page["left"], page["counts"]) == (2, {"active": 5})


def test_what_is_believed_is_told_before_what_is_not(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MOST_VERSIONS", 1)
    write(workspace, ANNA, "Anna plays chess")
    workspace.submit("retract", {"id": write(workspace, ANNA, "Anna plays go"), "reason": "no"})

    page = entity_page(workspace, ANNA, None)

    assert [one["text"] for one in page["facts"]] == ["Anna plays chess"]
    assert page["counts"] == {"active": 1, "retracted": 1}


def test_what_waits_about_an_entity_stands_on_its_page(known: Workspace) -> None:
    known.submit("tension-add", {"text": "which one?", "fact1": f"{SHOP}-001", "fact2": f"{SHOP}-002"})
    known.submit("observe", {"text": "Anna asks for less every week", "entity": ANNA})

    kinds = {name: [one["kind"] for one in entity_page(known, name, None)["waiting"]] for name in (ANNA, SHOP)}

    assert kinds == {ANNA: ["observation"], SHOP: ["tension"]}


def test_two_entities_that_may_be_one_are_proposed_on_both_pages(workspace: Workspace) -> None:
    write(workspace, ANNA, "Anna plays chess")
    workspace.submit("entity-alias", {"path": ANNA, "alias": "Annie"})
    write(workspace, "people/annie-b", "She lives in Riga", title="annie")

    kinds = [
        [one["kind"] for one in entity_page(workspace, path, None)["waiting"]] for path in (ANNA, "people/annie-b")
    ]

    assert kinds == [["names"], ["names"]]


# --- a fact --------------------------------------------------------------------------------------------------------


def test_a_fact_is_told_with_its_versions_and_what_came_of_it(known: Workspace) -> None:
    start_block(known, ContextQuery(caller=Caller(None, "main")))

    home, shop = fact_page(known, "anna-002", None), fact_page(known, f"{SHOP}-001", None)

    assert [(one["text"], one["passage"]["state"]) for one in home["versions"]] == [
        ("Anna lives in Riga", "stated"),
        ("Anna lives in Tallinn", "stated"),
    ]
    assert [one["id"] for one in shop["derived"]] == [f"{SHOP}-002"]
    assert [one["id"] for one in fact_page(known, f"{SHOP}-002", None)["made_of"]] == [f"{SHOP}-001"]
    assert shop["shown"]["doors"] == {"context": 1}


def test_open_tensions_of_a_fact_name_the_other_side(known: Workspace) -> None:
    known.submit("tension-add", {"text": "which one?", "fact1": f"{SHOP}-001", "fact2": f"{SHOP}-002"})

    (tension,) = fact_page(known, f"{SHOP}-002", None)["tensions"]

    assert (tension["other"], tension["text"]) == (f"{SHOP}-001", "The shop runs on PostgreSQL")


# --- an answer -----------------------------------------------------------------------------------------------------


def test_every_candidate_of_an_answer_is_told_with_its_words_or_is_a_hit(known: Workspace) -> None:
    found = explain_answer(known, {"query": "Where does Anna live?", "k": 1})

    assert [hit["text"] for hit in found["hits"]] == ["Anna lives in Tallinn"]
    assert found["hits"][0]["legs"]
    dropped = found["explain"]["dropped"]
    assert len(dropped) == found["explain"]["candidates"] - 1 > 0
    unseen = [one["id"] for one in dropped if one["known"] is None]
    assert unseen == [f"{ANNA}-004"]  # private to a session: the owner's own view is told that it is there
    assert all(one["exit"] and one["known"]["text"] for one in dropped if one["id"] not in unseen)


def test_an_answer_of_another_day_says_what_held_then(known: Workspace) -> None:
    found = explain_answer(known, {"query": "Where does Anna live?", "as_of": "2025-06-01", "k": 1})

    assert [hit["text"] for hit in found["hits"]] == ["Anna lives in Riga"]


def test_looking_at_an_answer_or_at_a_start_block_is_no_use_of_it(known: Workspace) -> None:
    explain_answer(known, {"query": "Where does Anna live?"})
    preview_block(known, None, None)

    assert known.answers.accesses.rows() == []


# --- the next start ------------------------------------------------------------------------------------------------


def test_the_preview_is_the_block_that_an_agent_starts_with(known: Workspace) -> None:
    preview = preview_block(known, None, SHOP)
    asked = ContextQuery(caller=Caller(None, "main"), budget=preview["budget"])
    block = start_block(known, asked, named=SHOP)

    assert (preview["text"], preview["tokens"], preview["project"]) == (block.text, block.tokens, SHOP)
    lines = [line for part in preview["parts"] for item in part["items"] for line in item["lines"]]
    assert lines
    assert all(line in block.text for line in lines)
    assert {item["id"] for part in preview["parts"] for item in part["items"]} >= {f"{SHOP}-001"}


def test_a_correction_stands_in_the_next_preview(known: Workspace) -> None:
    known.submit("correct", {"id": f"{ANNA}-003", "text": "Anna wants long answers"})

    text = preview_block(known, None, None)["text"]

    assert "long answers" in text
    assert "short answers" not in text


# --- who sees what -------------------------------------------------------------------------------------------------

Look = Callable[[Workspace, Caller | None], Any]
LOOKS: dict[str, Look] = {
    "news": lambda workspace, caller: news_since(workspace, caller, EVER),
    "entity": lambda workspace, caller: entity_page(workspace, ANNA, caller),
    "fact": lambda workspace, caller: fact_page(workspace, f"{ANNA}-003", caller),
    "start": lambda workspace, caller: preview_block(workspace, caller, None),
    "answer": lambda workspace, caller: explain_answer(
        workspace, {"query": "Who moved away?", **({"session": caller.session} if caller else {})}
    ),
}


@pytest.mark.parametrize("look", LOOKS)
def test_a_reader_of_one_session_sees_nothing_of_anothers(known: Workspace, look: str) -> None:
    known.submit("session-add", {"name": "other"})
    workspace = known

    theirs = json.dumps(LOOKS[look](workspace, caller_of(workspace, "other")))
    own = json.dumps(LOOKS[look](workspace, caller_of(workspace, "kept")))

    assert SECRET.casefold() not in theirs.casefold()
    assert SECRET.casefold() in own.casefold()


def test_what_a_reader_may_not_see_does_not_count(known: Workspace) -> None:
    known.submit("session-add", {"name": "other"})
    caller = caller_of(known, "other")

    found = news_since(known, caller, EVER)

    assert (found["known"]["facts"], found["known"]["entities"], found["learnt"]["facts"]) == (4, 2, 4)


def test_what_a_reader_may_not_see_is_not_there(known: Workspace) -> None:
    known.submit("session-add", {"name": "other"})
    caller = caller_of(known, "other")

    with pytest.raises(UnknownEntityError):
        entity_page(known, f"people/{SECRET.lower()}", caller)
    with pytest.raises(UnknownFactError):
        fact_page(known, f"{ANNA}-004", caller)
    with pytest.raises(NotFoundError):
        fact_page(known, f"people/{SECRET.lower()}-001", caller)


def test_news_count_the_proposals_of_domains_among_what_waits(workspace: Workspace, engram: Engram) -> None:
    engram("domain", "add", "release", "--type", "meta")
    engram("domain", "propose", "release", "Billing is released on Thursdays")
    waiting = news_since(workspace, None, workspace.now())["waiting"]
    assert waiting["counts"]["proposals"] == 1
    assert [one["text"] for one in waiting["first"]] == ["Billing is released on Thursdays"]


def test_a_promise_that_is_kept_is_overdue_in_no_view(workspace: Workspace) -> None:
    disk = "I'll order the disk by the end of May"
    promise = write(workspace, SHOP, disk, category="commitment", valid_from="2026-01-01", valid_to="2026-01-31")
    late = [
        news_since(workspace, None, EVER)["learnt"]["groups"][0]["shown"][0],
        entity_page(workspace, SHOP, None)["facts"][0],
        fact_page(workspace, promise, None)["versions"][0],
    ]

    kept = write(workspace, SHOP, "Ordered the disk today")

    group = news_since(workspace, None, EVER)["learnt"]["groups"][0]
    done = [
        next(one for one in group["shown"] if one["id"] == promise),
        next(one for one in entity_page(workspace, SHOP, None)["facts"] if one["id"] == promise),
        fact_page(workspace, promise, None)["versions"][0],
    ]
    assert [one["overdue_since"] for one in late] == ["2026-01-31"] * 3
    assert [(one["overdue_since"], one["outdated_by"]) for one in done] == [(None, kept)] * 3
