"""What a person's edit of a file in life/ asks for."""

import datetime as dt
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import sha256_hex
from engram.rules.edits.plan import plan_edits
from engram.rules.edits.reader import EditedFile
from engram.rules.edits.reader import EditPlan
from engram.rules.life.mirror import render_items
from engram.rules.life.mirror import render_summary
from tests.making import NOW
from tests.making import make_entity
from tests.making import make_fact

ENTITY = make_entity()
TEA = make_fact(1, "Anna prefers tea")
RIGA = make_fact(2, "Anna lives in Riga", category="context")
OLD = make_fact(3, "Anna lived in Tartu", status="superseded", superseded_by=RIGA.id)
ODD = make_fact(4, "Marks lines with ~~two tildes~~ (decision) [see docs]", category="decision")
FACTS = [TEA, RIGA, OLD, ODD]
TIERS = {fact.id: "hot" for fact in FACTS}
SUMMARY = render_summary(ENTITY, FACTS, {}, TIERS, at=NOW, zone=dt.UTC)
ITEMS = render_items(ENTITY, FACTS, {})
TEA_LINE = "- Anna prefers tea (2026-03-01) [001]"
RIGA_LINE = "- Anna lives in Riga (2026-03-01) [002]"
ODD_LINE = "- Marks lines with ~~two tildes~~ (decision) [see docs] (2026-03-01) [004]"


def plan_summary(content: bytes, expected: bytes = SUMMARY) -> EditPlan:
    file = EditedFile("people/anna/summary.md", content, expected, ".engram/edits/copy.md")
    return plan_edits(file, ENTITY, FACTS)


def plan_items(content: bytes) -> EditPlan:
    return plan_edits(EditedFile("people/anna/items.json", content, ITEMS, ".engram/edits/copy.json"), ENTITY, FACTS)


def with_line(old: str, new: str) -> bytes:
    assert old in SUMMARY.decode()
    return SUMMARY.replace(old.encode(), new.encode())


def asked(plan: EditPlan) -> list[tuple[str, ...]]:
    shapes = {"write": ("text", "category"), "correct": ("id", "text"), "retract": ("id", "reason")}
    return [(edit.kind, *(edit.args[key] for key in shapes[edit.kind])) for edit in plan.edits]


STRUCK = "struck out in life/people/anna/summary.md"


@pytest.mark.parametrize(
    ("line", "becomes", "expected"),
    [
        (TEA_LINE, TEA_LINE, []),
        (TEA_LINE, "", []),
        (TEA_LINE, TEA_LINE.replace("tea", "coffee"), [("correct", "people/anna-001", "Anna prefers coffee")]),
        (TEA_LINE, "- Anna prefers coffee [001]", [("correct", "people/anna-001", "Anna prefers coffee")]),
        (
            TEA_LINE,
            "- Anna prefers coffee (black) [001]",
            [("correct", "people/anna-001", "Anna prefers coffee (black)")],
        ),
        (TEA_LINE, TEA_LINE.replace("tea", "~~tea~~ coffee"), [("correct", "people/anna-001", "Anna prefers coffee")]),
        (TEA_LINE, "- ~~Anna prefers tea~~ (preference, 2026-03-01) [001]", [("retract", "people/anna-001", STRUCK)]),
        (TEA_LINE, f"- ~~{TEA_LINE[2:]}~~", [("retract", "people/anna-001", STRUCK)]),
        (TEA_LINE, f"~~{TEA_LINE}~~", [("retract", "people/anna-001", STRUCK)]),
        (TEA_LINE, "- ~~Anna prefers tea~~", [("retract", "people/anna-001", STRUCK)]),
        (TEA_LINE, f"{TEA_LINE}\n- Likes jam", [("write", "Likes jam", "preference")]),
        (RIGA_LINE, f"{RIGA_LINE}\n- Likes jam", [("write", "Likes jam", "context")]),
        (TEA_LINE, f"{TEA_LINE}\n- Likes jam (status)", [("write", "Likes jam", "status")]),
        (TEA_LINE, f"{TEA_LINE}\n* Likes jam (preference)", [("write", "Likes jam", "preference")]),
        (TEA_LINE, f"{TEA_LINE}\n- Reads C (1989) [docs]", [("write", "Reads C (1989) [docs]", "preference")]),
        (TEA_LINE, f"{TEA_LINE}\n- anna lives in riga.", []),
        (TEA_LINE, f"{TEA_LINE}\n- Anna lived in Tartu (preference, 2026-01-01) [003]", []),
        (TEA_LINE, f"{TEA_LINE}\n- Anna lived in Tallinn [003]", [("write", "Anna lived in Tallinn", "preference")]),
        (TEA_LINE, f"{TEA_LINE}\n- ~~Anna lived in Tartu~~ [003]", []),
        (TEA_LINE, f"{TEA_LINE}\r\n- Likes jam\r", [("write", "Likes jam", "preference")]),
        (TEA_LINE, "- Anna prefers tea (preference, 2026-02-27, pinned) [001]", []),
        (
            TEA_LINE,
            "- Анна пьёт кофе [001]\n- Любит варенье (preference)",
            [("correct", "people/anna-001", "Анна пьёт кофе"), ("write", "Любит варенье", "preference")],
        ),
    ],
)
def test_summary_line_becomes_a_command(line: str, becomes: str, expected: list[tuple[str, ...]]) -> None:
    plan = plan_summary(with_line(line, becomes))

    assert asked(plan) == expected
    assert not plan.ignored
    assert not plan.damage


def categorised(plan: EditPlan) -> list[tuple[str, ...]]:
    return [(edit.kind, *(str(edit.args[key]) for key in ("id", "text", "category"))) for edit in plan.edits]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (  # moved to another shelf, whole
            SUMMARY.replace(f"{RIGA_LINE}\n".encode(), b"").replace(
                TEA_LINE.encode(), f"{TEA_LINE}\n{RIGA_LINE}".encode()
            ),
            [("correct", "people/anna-002", "Anna lives in Riga", "preference")],
        ),
        (  # to a shelf that was not there
            SUMMARY.replace(RIGA_LINE.encode(), f"## Who and what\n\n{RIGA_LINE}".encode()),
            [("correct", "people/anna-002", "Anna lives in Riga", "identity")],
        ),
        (  # moved and worded anew
            SUMMARY.replace(RIGA_LINE.encode(), b"## Lessons\n\n- Anna lives in Old Riga (2026-03-01) [002]"),
            [("correct", "people/anna-002", "Anna lives in Old Riga", "lesson")],
        ),
        (  # the category is said in the line
            SUMMARY.replace(RIGA_LINE.encode(), b"- Anna lives in Riga (identity, 2026-03-01) [002]"),
            [("correct", "people/anna-002", "Anna lives in Riga", "identity")],
        ),
        (  # the text itself ends like the marks of a line
            SUMMARY.replace(ODD_LINE.encode(), f"## Lessons\n\n{ODD_LINE}".encode()),
            [("correct", "people/anna-004", ODD.text, "lesson")],
        ),
        (SUMMARY.replace(TEA_LINE.encode(), f"# A title\n\n{TEA_LINE}".encode()), []),
        (SUMMARY.replace(TEA_LINE.encode(), f"## My own heading\n\n{TEA_LINE}".encode()), []),
    ],
)
def test_a_line_under_another_shelfs_heading_gets_its_category(content: bytes, expected: list[tuple[str, ...]]) -> None:
    assert content != SUMMARY
    plan = plan_summary(content)
    assert categorised(plan) == expected


def test_nothing_becomes_a_principle_by_being_moved() -> None:
    plan = plan_summary(with_line(TEA_LINE, f"## Principles\n\n{TEA_LINE}"))

    assert not plan.edits
    assert "moves people/anna-001 to the principles" in plan.ignored[0]


FORMER = """\
# Anna

## Now

- Anna prefers tea (preference, 2026-03-01) [001]
- Marks lines with ~~two tildes~~ (decision) [see docs] (decision, 2026-03-01) [004]

## Also known

- Anna lives in Riga (context, 2026-03-01) [002]

And 2 facts more, in items.json.

And 1 fact, not used lately, in items.json.
"""


def test_a_summary_as_it_was_written_before_there_were_shelves_is_not_an_edit() -> None:
    assert plan_summary(FORMER.encode()).is_empty


def test_an_edit_of_such_a_summary_is_one() -> None:
    plan = plan_summary(FORMER.replace("prefers tea", "prefers coffee").encode())

    assert asked(plan) == [("correct", "people/anna-001", "Anna prefers coffee")]
    assert not plan.ignored


@pytest.mark.parametrize(
    ("added", "why"),
    [
        ("A whole paragraph by hand.", "neither a bullet"),
        ("- Anna likes jam [099]", "no fact of people/anna"),
        ("- ~~Something else~~", "no fact here"),
        ("- (preference, 2026-03-01) [003]", "without text"),
        ("- Anna prefers coffee [001]", "stands there already"),
        ("- Anna lived in Tartu (milestone, 2026-03-01) [003]", "it is superseded"),
        ("- (context)", "empty bullet"),
    ],
)
def test_what_cannot_become_a_command_is_said_with_its_line(added: str, why: str) -> None:
    plan = plan_summary(SUMMARY + added.encode() + b"\n")

    assert asked(plan) == []
    assert len(plan.ignored) == 1
    assert why in plan.ignored[0]
    assert f"line {len(SUMMARY.splitlines()) + 1} " in plan.ignored[0]


def test_the_new_facts_source_is_the_span_of_the_words_in_the_kept_copy() -> None:
    content = with_line(TEA_LINE, f"{TEA_LINE}\n-   Любит варенье (preference)")

    source = plan_summary(content).edits[0].args["source"]

    span = content[source["start"] : source["end"]]
    assert span.decode() == "Любит варенье"
    assert source["sha256"] == sha256_hex(span)
    assert (source["actor"], source["path"]) == ("file", ".engram/edits/copy.md")


def test_an_older_version_of_the_summary_is_not_an_edit() -> None:
    before = render_summary(make_entity(title="Anya"), FACTS[:1], {}, {TEA.id: "cold"}, at=NOW, zone=dt.UTC)

    assert plan_summary(before).is_empty


def test_the_same_edit_asks_for_nothing_once_its_fact_is_recorded() -> None:
    content = with_line(TEA_LINE, TEA_LINE.replace("tea", "coffee"))
    retired = TEA.model_copy(update={"status": "superseded"})
    coffee = make_fact(5, "Anna prefers coffee")
    file = EditedFile("people/anna/summary.md", content, SUMMARY, "copy")

    assert plan_edits(file, ENTITY, [retired, RIGA, coffee, OLD, ODD]).is_empty


@given(st.integers(0, len(SUMMARY) - 1))
def test_half_of_a_summary_is_never_an_edit(length: int) -> None:
    newer = SUMMARY.replace(b"# Anna\n", b"# Anna Petrova\n")

    assert plan_summary(SUMMARY[:length]).damage
    assert not plan_summary(SUMMARY[:length], newer).edits
    assert not plan_summary(SUMMARY[:length], newer).ignored


@given(st.integers(0, len(ITEMS) - 2))
def test_half_of_an_items_file_is_damage(length: int) -> None:
    assert plan_items(ITEMS[:length]).damage
    assert plan_items(ITEMS[:length] + b" ").damage


@given(st.binary(max_size=200))
def test_any_bytes_give_a_plan(content: bytes) -> None:
    assert isinstance(plan_summary(content), EditPlan)
    assert isinstance(plan_items(content), EditPlan)


@given(st.text(max_size=80))
def test_any_added_line_gives_a_plan_that_says_what_it_did(line: str) -> None:
    plan = plan_summary(SUMMARY + f"- {line}\n".encode(errors="replace"))

    assert all(edit.args["source"]["end"] >= edit.args["source"]["start"] for edit in plan.edits)


def changed_items(change: Callable[[list[dict[str, Any]]], object]) -> EditPlan:
    whole = json.loads(ITEMS)
    change(whole["facts"])
    return plan_items(json.dumps(whole, indent=1).encode())


def test_items_changed_in_form_only_ask_for_nothing() -> None:
    assert changed_items(lambda items: items.reverse()).is_empty


def test_item_with_another_text_is_corrected() -> None:
    plan = changed_items(lambda items: items[0].update(text="Anna prefers coffee"))

    assert asked(plan) == [("correct", "people/anna-001", "Anna prefers coffee")]


def test_a_corrected_line_takes_its_new_category_along() -> None:
    changed = with_line(TEA_LINE, "- Anna decided for coffee (decision, 2026-03-01) [001]")

    assert plan_summary(changed).edits[0].args["category"] == "decision"
    plan = changed_items(lambda items: items[0].update(text="Anna decided for coffee", category="decision"))
    assert plan.edits[0].args["category"] == "decision"
    assert not plan.ignored


def test_item_set_to_retracted_is_retracted_with_its_reason() -> None:
    plan = changed_items(lambda items: items[0].update(status="retracted", reason="she said so"))

    assert asked(plan) == [("retract", "people/anna-001", "she said so")]


def test_item_set_to_retracted_without_a_reason_gets_the_file_as_reason() -> None:
    plan = changed_items(lambda items: items[0].update(status="retracted"))

    assert asked(plan) == [("retract", "people/anna-001", "retracted in life/people/anna/items.json")]


def test_item_without_an_id_is_written_with_the_fields_it_brings() -> None:
    plan = changed_items(lambda items: items.append({"text": "Likes jam", "category": "preference", "tags": ["food"]}))

    assert asked(plan) == [("write", "Likes jam", "preference")]
    args = plan.edits[0].args
    assert args["tags"] == ["food"]
    assert args["entity"] == "people/anna"


def test_item_of_another_category_is_a_new_version() -> None:
    plan = changed_items(lambda items: items[0].update(category="lesson"))

    assert categorised(plan) == [("correct", "people/anna-001", "Anna prefers tea", "lesson")]
    assert not plan.ignored


@pytest.mark.parametrize(
    ("change", "kind"),
    [({"status": "active"}, "confirm"), ({"status": "retracted"}, "retract"), ({"text": "Likes tea"}, "correct")],
)
def test_item_that_is_a_candidate_can_be_believed_taken_back_and_put_right(change: dict[str, str], kind: str) -> None:
    waiting = make_fact(7, "Anna may like tea", status="candidate")
    items = render_items(ENTITY, [waiting], {})
    whole = json.loads(items)
    whole["facts"][0].update(change)
    file = EditedFile("people/anna/items.json", json.dumps(whole).encode(), items, "copy")

    plan = plan_edits(file, ENTITY, [waiting])

    assert [(edit.kind, edit.args["id"]) for edit in plan.edits] == [(kind, waiting.id)]


def test_item_that_is_gone_is_no_retraction() -> None:
    assert changed_items(lambda items: items.pop()).is_empty


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"tags": ["x"]}, "another tags"),
        ({"id": "people/anna-077"}, "no fact of people/anna"),
        ({"id": 7}, "no fact of people/anna"),
        ({"text": ""}, "no text"),
        ({"text": None}, "no text"),
    ],
)
def test_item_changed_beyond_its_text_is_said(change: dict[str, Any], why: str) -> None:
    plan = changed_items(lambda items: items[0].update(change))

    assert asked(plan) == []
    assert why in plan.ignored[0]


@pytest.mark.parametrize(
    "content", [b"[]", b'{"facts": 3}', b'{"facts": [1]}', b"{", b"\xff", b'{"facts": []}\0', b"  \n"]
)
def test_file_that_is_no_items_file_is_damage(content: bytes) -> None:
    assert plan_items(content).damage
