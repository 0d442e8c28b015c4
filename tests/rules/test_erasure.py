"""Texts taken out of others."""

import datetime as dt
import json
import re
import string
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import fingerprint
from engram.model.changes.change import FactRecorded
from engram.model.changes.record import Record
from engram.model.commands.command import Outcome
from engram.model.vocabulary import ASKED
from engram.rules.erasure import FORGOTTEN
from engram.rules.erasure import Forgotten
from engram.rules.erasure import TextEraser
from engram.rules.erasure import erase_lines
from engram.rules.erasure import fold_latin
from engram.rules.erasure import forget_in
from tests.making import make_fact

SECRET = "Anna's blood type is AB, negative"


@pytest.mark.parametrize(
    "written",
    [
        SECRET,
        SECRET.upper(),
        fingerprint(SECRET),
        "Anna's blood type\n  is AB, negative",
        json.dumps("Anna's blood\ntype is AB, negative"),
        "**Anna's** blood type is `AB`, negative",
    ],
)
def test_a_text_is_found_whatever_stands_between_its_words(written: str) -> None:
    assert "blood" not in TextEraser([SECRET]).erase(f"It is so: {written} (said twice)").casefold()


@pytest.mark.parametrize(
    "text", ["女儿叫果果，马上升三年级", "Мама живёт в Самаре на улице Мира", "우리 딸 이름은 민서이고 세 살이다"]
)
def test_a_text_is_found_as_json_escapes_it(text: str) -> None:
    erased = TextEraser([text]).erase(json.dumps({"text": f"a {text} b"}))

    assert json.loads(erased) == {"text": f"a {FORGOTTEN} b"}


@pytest.mark.parametrize(
    "other", ["Anna's blood type is not known", "AB, negative", "Joanna's blood type is AB, negatives are kept"]
)
def test_what_says_something_else_stays(other: str) -> None:
    assert TextEraser([SECRET]).erase(other) == other


def test_a_letter_is_folded_as_expressions_compare_it() -> None:
    everything = "".join(map(chr, range(sys.maxunicode + 1)))
    for letter in string.ascii_lowercase + string.digits:
        alike = re.findall(letter, everything, re.IGNORECASE)
        assert {fold_latin(one) for one in alike} == {letter}, letter


@pytest.mark.parametrize("written", ["KISS İS FAMILIAR ſtill", "\u212aiſſ ıs familiar STILL", "kiss is Familiar still"])
def test_a_text_is_found_in_whatever_letters_it_is_written(written: str) -> None:
    assert TextEraser(["Kiss is familiar still"]).erase(f"({written})") == f"({FORGOTTEN})"


def test_a_short_text_goes_only_where_it_stands_alone() -> None:
    eraser = TextEraser(["yes"])

    assert eraser.erase("yes, we ship on Friday") == "yes, we ship on Friday"
    assert eraser.erase(" Yes! ") == FORGOTTEN


def test_a_line_that_says_nothing_else_goes_altogether() -> None:
    note = f"# Monday\n\n- {SECRET}\n- {SECRET}; Boris knows\n- The kettle is broken\n"

    assert (
        erase_lines(note, TextEraser([SECRET])) == f"# Monday\n\n- {FORGOTTEN}; Boris knows\n- The kettle is broken\n"
    )


@given(st.text(max_size=80), st.text(alphabet="abcde fgh", min_size=20, max_size=40))
def test_erasing_twice_is_erasing_once(around: str, text: str) -> None:
    eraser = TextEraser([text])
    once = eraser.erase(f"{around} {text} {around}")

    assert eraser.erase(once) == once


def test_a_record_without_it_is_the_same_record() -> None:
    record = _record(make_fact(text="Anna plays chess"))

    assert forget_in(record, Forgotten(frozenset({"people/boris-001"})), TextEraser([SECRET])) is record


def test_a_fact_keeps_its_id_and_loses_its_words() -> None:
    record = _record(make_fact(text=SECRET, value="AB", attribute="blood type", tags=("health",)))

    (change,) = (
        forget_in(record, Forgotten(frozenset({"people/anna-001"}), texts=(SECRET,)), TextEraser([SECRET]))
        .decisions[0]
        .changes
    )

    assert isinstance(change, FactRecorded)
    assert (change.fact.id, change.fact.text) == ("people/anna-001", FORGOTTEN)
    assert (change.fact.value, change.fact.attribute, change.fact.tags) == (None, None, ())


@pytest.mark.parametrize("became", ["created", "confirmed", "refused"])
def test_no_digest_of_what_was_said_stays(became: str) -> None:
    record = _record(make_fact(text=SECRET))
    (decision,) = record.decisions
    details = {ASKED: "0123456789abcdef", "undoable": True}
    about = None if became == "refused" else "people/anna-001"  # it may have been what is to go, and nobody can tell
    result = decision.result.model_copy(update={"id": about, "status": Outcome(became), "details": details})
    changes = decision.changes if became == "created" else ()
    record = record.model_copy(
        update={"decisions": (decision.model_copy(update={"result": result, "changes": changes}),)}
    )

    gone = forget_in(record, Forgotten(frozenset({"people/anna-001"}), texts=(SECRET,)), TextEraser([SECRET]))
    stays = forget_in(record, Forgotten(frozenset({"people/boris-001"})), TextEraser(["something else entirely"]))

    assert gone.decisions[0].result.details == {"undoable": True}
    assert stays.decisions[0].result.details == ({"undoable": True} if became == "refused" else details)


@pytest.mark.parametrize(
    ("entity", "id_"),
    [
        ("people/anna", "people/anna-001"),
        ("people/anna-berg", "people/anna-berg-001"),
        ("people/anna-2", "people/anna-2-001"),
    ],
)
def test_an_entity_leaves_its_own_path_and_no_other(entity: str, id_: str) -> None:
    record = _record(make_fact(id=id_, entity=entity))
    moved = {"people/anna": "people/forgotten-1"}

    (change,) = forget_in(record, Forgotten(moved=moved), TextEraser([])).decisions[0].changes

    assert isinstance(change, FactRecorded)
    is_hers = entity == "people/anna"
    assert change.fact.entity == ("people/forgotten-1" if is_hers else entity)
    assert change.fact.id == ("people/forgotten-1-001" if is_hers else id_)


def _record(fact: object) -> Record:
    at = dt.datetime(2026, 3, 2, tzinfo=dt.UTC)
    result = {"command_id": "c1", "kind": "write", "status": "created"}
    change = FactRecorded.model_validate({"fact": fact})
    decision = {"actor": "user", "asked_at": at, "result": result, "changes": [change]}
    return Record.model_validate({"position": 1, "previous": "0" * 64, "at": at, "decisions": [decision]})
