"""Ids: which ones a sender may choose."""

import pytest

from engram.base.ids import check_command_id
from engram.base.ids import new_id
from engram.errors import BadValueError


@pytest.mark.parametrize("chosen", ["once", "row-1", "a.b_c", "x" * 100])
def test_a_word_can_be_the_id_of_a_command(chosen: str) -> None:
    assert chosen == check_command_id(chosen)


def test_an_id_of_ours_can_be_chosen_again() -> None:
    own = new_id()

    assert own == check_command_id(own)


@pytest.mark.parametrize("chosen", ["", ".", "..", "../away", "a/b", "-x", "a b", "a\n", "é", "x" * 101])
def test_what_cannot_name_a_file_is_no_id(chosen: str) -> None:
    with pytest.raises(BadValueError):
        check_command_id(chosen)
