"""Of two statements of one thing the newer one is shown, whatever entity each is filed under."""

import datetime as dt
from typing import Any

from engram.model.document import Document
from engram.services.recall.validity.renewals import find_renewed
from tests.making import DAY0
from tests.making import make_fact

QUESTION = "which port does Lantern listen on?"
LATER = DAY0 + dt.timedelta(days=7)
OLD, NEW = "Lantern listens on port 8080.", "Lantern now listens on port 9090."


def turn(key: str, text: str, at: dt.datetime, **fields: Any) -> Document:
    """Return a turn of a user as the index holds it."""
    said = f"user: {text}"
    return Document(id=key, kind="turn", text=said, indexed_text=said, at=at, **fields)


def renewed(*documents: Document, question: str = QUESTION, homes: dict[str, str] | None = None) -> dict[str, str]:
    """Return what is out of date among raw texts."""
    return find_renewed(documents, {}, lambda one: (homes or {}).get(one.id), question=question, now=LATER)


def test_a_newer_turn_takes_the_place_of_an_older_one() -> None:
    assert renewed(turn("b", NEW, LATER), turn("a", OLD, DAY0)) == {"a": "b"}


def test_of_a_chain_the_newest_holds() -> None:
    between = DAY0 + dt.timedelta(days=1)
    found = renewed(turn("a", OLD, DAY0), turn("b", NEW.replace("9090", "7070"), between), turn("c", NEW, LATER))

    assert found == {"a": "c", "b": "c"}


def test_what_a_program_says_makes_nothing_old() -> None:
    assert renewed(turn("a", OLD, DAY0), turn("b", NEW, LATER, by_assistant=True)) == {}


def test_two_projects_have_a_port_each() -> None:
    assert renewed(turn("a", OLD, DAY0), turn("b", NEW, LATER), homes={"a": "projects/one", "b": "projects/two"}) == {}


def test_another_scope_makes_nothing_old() -> None:
    assert renewed(turn("a", OLD, DAY0), turn("b", NEW, LATER, scope="session:demo")) == {}


def test_a_word_that_only_begins_the_sentence_is_no_name() -> None:
    older, newer = turn("a", "Walks 20 minutes", DAY0), turn("b", "Walks 30 minutes", LATER)

    assert renewed(older, newer, question="how long does Anna walk?") == {}


def _fact_document(key: str, text: str, trust: str = "trusted") -> Document:
    return Document(id=key, kind="fact", text=text, indexed_text=text, at=DAY0, trust=trust)


def test_facts_of_two_entities_meet_by_their_own_subject() -> None:
    old = make_fact(1, "Omar is the owner of Lantern", entity="people/omar")
    new = make_fact(2, "Priya is the owner of Lantern now", entity="projects/lantern", valid_from=LATER)
    facts = {old.id: old, new.id: new}
    documents = [_fact_document(fact.id, fact.text) for fact in (old, new)]
    found = find_renewed(documents, facts, lambda _: None, question="who owns Lantern?", now=LATER)

    assert {old.id: new.id} == found


def test_what_is_trusted_less_and_what_is_to_come_make_nothing_old() -> None:
    old = make_fact(1, OLD)
    new = make_fact(2, NEW, valid_from=LATER)
    facts = {old.id: old, new.id: new}
    trusted, doubted = _fact_document(old.id, OLD), _fact_document(new.id, NEW, "unverified")
    before = LATER - dt.timedelta(days=1)

    assert find_renewed([trusted, doubted], facts, lambda _: None, question=QUESTION, now=LATER) == {}
    sure = doubted.model_copy(update={"trust": "trusted"})
    assert find_renewed([trusted, sure], facts, lambda _: None, question=QUESTION, now=before) == {}
    assert {old.id: new.id} == find_renewed([trusted, sure], facts, lambda _: None, question=QUESTION, now=LATER)


def test_an_agents_word_makes_no_persons_old_whom_nobody_saw_typing() -> None:
    old = make_fact(1, OLD, trust="unverified")
    new = make_fact(2, NEW, valid_from=LATER, trust="unverified", source={"actor": "agent"})
    documents = [_fact_document(fact.id, fact.text, "unverified") for fact in (old, new)]

    assert find_renewed(documents, {old.id: old, new.id: new}, lambda _: None, question=QUESTION, now=LATER) == {}


def test_who_tells_twice_what_is_over_makes_nothing_old() -> None:
    gone = "Jonas left the company, Mira signs off the changes of Lantern now."

    assert renewed(turn("a", gone, DAY0), turn("b", gone, LATER), question="who signs off?") == {}
