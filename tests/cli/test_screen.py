"""What of an answer a screen has room for."""

from engram.cli.screen import fit
from engram.workspace import Workspace
from tests.cli.test_drawing import HEIGHT
from tests.cli.test_drawing import on_terminal
from tests.conftest import Engram

WIDTH = 40
HEAD, END, NOTE = "=== recalled: 3 from memory ===", "=== end ===", "note: no embedding model: words only"


def answer(*hits: list[str]) -> str:
    lines = [line for number, hit in enumerate(hits, 1) for line in [f"{number}. people/anna-00{number}  (fact)", *hit]]
    return "\n".join([HEAD, *lines, END, NOTE])


def test_what_fits_is_left_as_it_is() -> None:
    whole = answer(["| Anna prefers tea"], ["| Anna sings"])

    assert fit(whole, 7, WIDTH) == whole


def test_hits_without_room_are_counted() -> None:
    shown = fit(answer(["| Anna prefers tea"], ["| Anna sings", "   was: Anna hums"], ["| Anna rows"]), 6, WIDTH)

    assert shown.splitlines() == [
        HEAD,
        "1. people/anna-001  (fact)",
        "| Anna prefers tea",
        END,
        "2 more: -k 3 shows them all, --detail ID the whole text of one",
        NOTE,
    ]


def test_the_first_hit_is_always_shown() -> None:
    shown = fit(answer(["| Anna prefers tea"] * 9, ["| Anna sings"]), 3, WIDTH)

    assert shown.count("| Anna prefers tea") == 9
    assert "1 more" in shown


def test_a_line_takes_as_many_rows_as_it_is_wide() -> None:
    assert "1 more" in fit(answer(["| " + "tea " * 20], ["| Anna sings"]), 7, WIDTH)
    assert "1 more" in fit(answer(["| " + "茶" * 30], ["| Anna sings"]), 7, WIDTH)
    assert "more" not in fit(answer(["| " + "茶" * 30], ["| Anna sings"]), 9, WIDTH)


def test_a_line_of_text_that_looks_like_a_hit_is_none() -> None:
    assert "1 more" in fit(answer(["| 2. not a hit", "| 3. nor this"], ["| Anna sings"]), 6, WIDTH)


def test_an_answer_without_hits_is_left_as_it_is() -> None:
    assert fit("nothing is known about that", 0, WIDTH) == "nothing is known about that"


def test_a_person_sees_what_fits_and_a_pipe_or_who_says_how_many_gets_all(workspace: Workspace, engram: Engram) -> None:
    lines = "".join(
        f'{{"entity": "people/anna", "create": true, "fact": "Anna keeps book {n} {"on the long shelf " * n}"}}\n'
        for n in range(1, 11)
    )
    engram("write", "--jsonl", "-", stdin=lines)

    shown = on_terminal(workspace, "recall", "which book does Anna keep").splitlines()

    assert len(shown) < HEIGHT
    assert any(" more: -k " in line for line in shown)
    assert " more: -k " not in on_terminal(workspace, "recall", "which book does Anna keep", "-k", "10")
    assert " more: -k " not in engram("recall", "which book does Anna keep").out
