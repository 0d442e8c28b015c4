"""What became of a statement, and where raw text still says it."""

import pytest

from engram.model.document import Document
from engram.services.recall.validity.superseded import SupersededStatement
from engram.services.recall.validity.superseded import find_retired
from engram.services.recall.validity.superseded import former_versions
from engram.services.recall.validity.superseded import retired_in
from engram.services.recall.validity.superseded import says_only
from engram.workspace import Workspace
from tests.making import make_fact

SHARED = ("shared",)


def write(workspace: Workspace, text: str, **fields: object) -> str:
    result = workspace.submit("write", {"entity": "projects/engram", "text": text, "create": True, **fields})
    assert result.id, result
    return result.id


def raw(text: str) -> Document:
    return Document(id="t1", kind="turn", text=text, indexed_text=text)


def test_the_live_end_of_a_chain_holds_now(workspace: Workspace) -> None:
    first = write(workspace, "The office is in Riga")
    second = write(workspace, "The office is in Oslo", supersedes=[first])
    third = write(workspace, "The office is in Bern", supersedes=[second])

    with workspace.reading() as database:
        found = {one.fact.id: one.now and one.now.id for one in find_retired(database, [first, second, third], SHARED)}

    assert found == {first: third, second: third}


def test_a_successor_that_may_not_be_seen_is_not_named(workspace: Workspace) -> None:
    first = write(workspace, "The office is in Riga", scope="session:demo")
    write(workspace, "The office is in Oslo", supersedes=[first], scope="session:demo")

    with workspace.reading() as database:
        (hidden,) = find_retired(database, [first], SHARED)
        (seen,) = find_retired(database, [first], (*SHARED, "session:demo"))

    assert (hidden.now, seen.now and seen.now.text) == (None, "The office is in Oslo")


def test_a_correction_has_no_former_version_and_a_change_has(workspace: Workspace) -> None:
    changed = write(workspace, "The office is in Riga")
    wrong = write(workspace, "The lamp is green")
    office = write(workspace, "The office is in Oslo", supersedes=[changed])
    lamp = write(workspace, "The lamp is red", supersedes=[wrong], corrects=True)

    with workspace.reading() as database:
        facts = {fact.id: fact for key in (office, lamp) for fact in database.find_facts(key)}
        former = former_versions(database, facts, ("shared",))

    assert {key: fact.text for key, fact in former.items()} == {office: "The office is in Riga"}


@pytest.mark.parametrize(
    ("text", "said", "only"),
    [
        ("The office is in Riga.", True, True),
        ("- **The office is in Riga**", True, True),
        ("We met early. The office is in Riga, so we took the tram and walked back along the sea.", True, False),
        ("The office is in Rigas", False, False),
        ("Our office is in Riga", False, False),
    ],
    ids=["the statement", "as a bullet", "among others", "a longer word", "other words"],
)
def test_raw_text_says_it_word_for_word_or_not(text: str, *, said: bool, only: bool) -> None:
    retired = SupersededStatement(make_fact(text="The office is in Riga", status="superseded"), None)

    assert (retired_in(raw(text), [retired]) is not None) is said
    assert not said or says_only(raw(text), retired) is only
