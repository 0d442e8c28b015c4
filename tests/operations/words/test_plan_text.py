"""Every kind of change has its sentence."""

from typing import get_args

from engram.model.changes.change import Change
from engram.operations.words.plan_text import _TOLD


def test_every_kind_of_change_is_told() -> None:
    union, *_ = get_args(Change)

    assert {kind.model_fields["kind"].default for kind in get_args(union)} == {*_TOLD}
