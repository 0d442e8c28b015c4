"""What stands behind an order: its case, where that does not only say the sentence again."""

import datetime as dt

from engram.model.fact import Category
from engram.rules.life.shelves import shelf_of
from engram.services.context.shelves import IN_A_CASE
from engram.services.context.shelves import by_case
from engram.services.recall.presentation.order_marks import order_marks
from tests.conftest import Engram
from tests.making import make_fact

TODAY = dt.date(2026, 11, 21)
TWO_ORDERS = "always run the linter before you commit, and never touch anything in migrations/ without asking me first"


def test_a_case_of_many_words_is_not_said_again() -> None:
    assert order_marks({"when": "before you commit", "by": "the owner"}) == ["before you commit", "by the owner"]
    assert order_marks({"when": "before you " + "add, " * 12 + "or commit", "by": "the owner"}) == ["by the owner"]


def test_a_case_ends_where_another_order_begins(engram: Engram) -> None:
    engram("write", "--entity", "people/anna", "--create", "--fact", TWO_ORDERS, "--category", "instruction")

    assert "before you commit; by " in engram("recall", "--standing").out
    assert ", before you commit)" in engram("context").out


def test_an_order_of_which_a_part_holds_always_stands_with_those_that_hold_always() -> None:
    both = make_fact(text=TWO_ORDERS, category=Category.INSTRUCTION)
    one = make_fact(text="always run the linter before you commit", category=Category.INSTRUCTION)
    shelf = shelf_of(one, {}).title

    assert by_case(shelf, one, (), TODAY) == IN_A_CASE
    assert by_case(shelf, both, (), TODAY) == shelf
