"""What fits into the block that an agent loads: whole items, within every budget, with a receipt of what was cut."""

from hypothesis import given
from hypothesis import strategies as st

from engram.rules.context import Fitted
from engram.rules.context import Item
from engram.rules.context import Part
from engram.rules.context import cost
from engram.rules.context import fit


def words(text: str) -> int:
    """Count a line as its words and its line break."""
    return len(text.split()) + 1


def item(*lines: str, heading: str = "", rank: int = 0) -> Item:
    return Item(lines, "note#1", "note", " ".join(lines), heading, rank)


def part(*texts: str, budget: int = 100, **fields: bool) -> Part:
    return Part("notes", "## Notes", [item(text) for text in texts], budget, **fields)


def fit_one(one: Part, budget: int = 1000) -> Fitted:
    (fitted,) = fit([one], budget, words)
    return fitted


def test_what_fits_stands_under_its_title() -> None:
    assert fit_one(part("a b", "c")).lines() == ["## Notes", "a b", "c"]


def test_the_first_items_are_kept_and_the_others_counted() -> None:
    fitted = fit_one(part("one", "two", "three", "four", "five six seven eight nine ten", budget=15))

    assert fitted.lines() == ["## Notes", "one", "two", "[3 more had no room]"]
    assert (fitted.cut, fitted.tokens) == (3, cost([*fitted.lines(), ""], words))


def test_of_what_grows_at_its_end_the_last_items_are_kept_in_order() -> None:
    fitted = fit_one(part("one a b c", "two a b c", "three", "four", "five a b c", budget=19, newest_last=True))

    assert fitted.lines() == ["## Notes", "three", "four", "five a b c", "[2 more had no room]"]


def test_a_later_small_item_may_fit_where_a_large_one_does_not() -> None:
    assert fit_one(part("one", "a b c d e f g h i", "two", budget=15)).lines() == [
        *("## Notes", "one", "two"),
        "[1 more had no room]",
    ]


def test_a_part_with_nothing_or_no_room_takes_no_tokens() -> None:
    empty, crowded = fit_one(part()), fit_one(part("one", budget=3))

    assert (empty.lines(), empty.tokens, empty.cut) == ([], 0, 0)
    assert (crowded.lines(), crowded.tokens, crowded.cut) == ([], 0, 1)


def test_items_under_one_heading_share_it() -> None:
    items = [item("a", heading="[x]"), item("b", heading="[x]"), item("c", heading="[y]"), item("d")]
    fitted = fit_one(Part("notes", "## Notes", items, 100))

    assert fitted.lines() == ["## Notes", "[x]", "a", "b", "[y]", "c", "d"]
    assert fitted.tokens == cost([*fitted.lines(), ""], words)


def test_what_comes_first_takes_first() -> None:
    first, second = fit([part("a b c"), part("d e f")], 14, words)

    assert (len(first.items), len(second.items), second.cut) == (1, 0, 1)


def test_every_part_has_its_share_before_any_takes_what_is_left() -> None:
    many, few = [str(number) for number in range(20)], ["a", "b"]
    first, second, third = fit([part(*many, grows=True), part(*few), part()], 44, words)

    assert (len(first.items), first.cut) == (13, 7)
    assert (len(second.items), second.cut) == (2, 0)
    assert third.items == ()


def test_only_a_part_that_may_takes_more_than_its_share() -> None:
    many = [str(number) for number in range(20)]
    first, second = fit([part(*many, budget=12), part(*many, budget=12, grows=True)], 100, words)

    assert (len(first.items), len(second.items)) == (1, 20)


def test_items_of_a_lower_rank_are_taken_first_and_all_stand_in_their_order() -> None:
    items = [item("a", heading="[x]"), item("b b b b b b b b", heading="[x]", rank=1), item("c", heading="[y]")]
    fitted = fit_one(Part("notes", "## Notes", items, 19))

    assert fitted.lines() == ["## Notes", "[x]", "a", "[y]", "c", "[1 more had no room]"]


TEXTS = st.text(alphabet="ab \n", max_size=12)
ITEMS = st.lists(st.tuples(st.lists(TEXTS, min_size=1, max_size=3), st.sampled_from(["", "[x]", "[y]"])), max_size=8)
PARTS = st.lists(st.tuples(ITEMS, st.integers(0, 40), st.booleans()), max_size=5)


@given(PARTS, st.integers(0, 90))
def test_no_budget_is_overrun_and_every_item_is_shown_whole_or_counted(
    given_parts: list[tuple[list[tuple[list[str], str]], int, bool]], budget: int
) -> None:
    parts = [
        Part("p", "## P", [item(*lines, heading=heading) for lines, heading in items], limit, newest_last=newest)
        for items, limit, newest in given_parts
    ]
    fitted = fit(parts, budget, words)

    assert sum(one.tokens for one in fitted) <= budget
    for one, of in zip(fitted, parts, strict=True):
        lines = one.lines()
        assert one.tokens <= of.budget
        assert one.tokens == (cost([*lines, ""], words) if lines else 0)
        assert len(one.items) + one.cut == len(of.items)
        assert [kept for kept in of.items if kept in one.items] == list(of.items) or one.cut
