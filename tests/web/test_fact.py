"""What the page tells of a fact beyond its words: how much it rests on, and whether it is to be kept for good."""

import json
import re
from typing import Any

import pytest

from engram.operations.promotion import explain_promotion
from engram.rules.life.promotion import Use
from engram.services.synthesis.promotion import Surroundings
from engram.services.synthesis.promotion import reasons_against
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.making import NOW
from tests.making import make_fact
from tests.web.making import open_page
from tests.web.test_front import LANGUAGES
from tests.web.test_front import MESSAGES

SHOP, RULES = "projects/shop", "projects/rules"
TOLD = ("Friday deploys of the shop fail", "The shop was down after Friday's deploy", "Friday deploys are rolled back")


def fill(workspace: Workspace) -> None:
    """A pattern of three facts, of which one was taken back since, and a session that is kept apart."""
    for text in TOLD:
        write(workspace, SHOP, text)
    made_of = [f"{SHOP}-00{number}" for number in (1, 2, 3)]
    write(workspace, RULES, "The shop is never deployed on Fridays", abstraction="pattern", derived_from=made_of)
    workspace.submit("retract", {"id": f"{SHOP}-002", "reason": "it was Thursday"})
    workspace.submit("session-add", {"name": "hers", "kind": "personal"})


def write(workspace: Workspace, entity: str, text: str, **fields: Any) -> None:
    done = workspace.submit("write", {"entity": entity, "text": text, "create": True, **fields})
    assert done.error is None, done


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def ask(workspace: Workspace, place: str, reader: Reader = Reader()) -> dict[str, Any]:  # noqa: B008
    with open_page(workspace, reader) as client:
        answer = client.get(f"/api/{place}")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_fact_says_how_many_it_was_made_of_and_how_many_of_them_still_stand(filled: Workspace) -> None:
    whole = ask(filled, f"fact/{RULES}-001")

    assert whole["grounds"] == {"parts": 3, "standing": 2}
    assert [(one["id"], one["holds"]) for one in whole["made_of"]] == [
        (f"{SHOP}-001", True),
        (f"{SHOP}-002", False),
        (f"{SHOP}-003", True),
    ]
    assert ask(filled, f"fact/{SHOP}-001")["grounds"] == {"parts": 0, "standing": 0}


def test_the_entity_marks_what_rests_on_less(filled: Workspace) -> None:
    (pattern,) = ask(filled, f"entity/{RULES}")["facts"]
    assert pattern["grounds"] == {"parts": 3, "standing": 2}
    assert {"grounds" in one for one in ask(filled, f"entity/{SHOP}")["facts"]} == {False}


def test_whether_a_fact_is_proposed_is_told_as_why_promotion_tells_it(filled: Workspace) -> None:
    told = ask(filled, f"promotion/{SHOP}-001")
    assert told == {"promotion": json.loads(json.dumps(explain_promotion(filled, f"{SHOP}-001")))}
    assert told["promotion"]["by_use"]["least"] == {"asked": 6, "questions": 3, "days": 3}


def test_a_reader_is_not_told_of_the_use_that_others_made_of_a_fact(filled: Workspace) -> None:
    assert ask(filled, f"promotion/{SHOP}-001", Reader(session="hers")) == {"promotion": None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_why_and_why_not_have_words_in_every_language(language: str) -> None:
    keys = json.loads((MESSAGES / language / "phrases.json").read_text("utf-8"))
    forms = [re.sub(r"\\{\w+\\}", ".+", re.escape(key)) for key in keys]
    around = Surroundings(NOW, frozenset({"people/anna-001"}), frozenset({"people/anna-001"}), frozenset(), is_off=True)
    kept = [make_fact(scope=scope) for scope in ("session:hers", "agent:main", "experience")]
    gone = [
        make_fact(status=status, trust=trust)
        for status in ("retracted", "superseded", "pending", "candidate")
        for trust in ("quarantined", "unverified")
    ]
    use = Use(6, 3, 3).said()
    said = {why for fact in (*kept, *gone) for why in reasons_against(fact, around)}
    said |= {f"it was {use}", "it was said on 3 occasions"}

    assert len(said) > 12
    assert [one for one in sorted(said) if not any(re.fullmatch(form, one) for form in forms)] == []
