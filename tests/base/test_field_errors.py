"""What is wrong with a field is said in words of people."""

from enum import StrEnum
from typing import Literal

import pydantic
import pytest

from engram.model.commands.field_errors import wrong_field


class Drink(StrEnum):
    TEA = "tea"
    COFFEE = "coffee"


class Form(pydantic.BaseModel):
    text: str = pydantic.Field("x", min_length=1, max_length=3000)
    names: list[str] = pydantic.Field(["x"], min_length=1, max_length=3)
    count: int = pydantic.Field(1, ge=1)
    share: float = pydantic.Field(1, le=1)
    all: bool = False
    kind: Literal["tea", "coffee"] = "tea"
    drink: Drink = Drink.TEA


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": ""}, "text is empty"),
        ({"text": "x" * 3001}, "text has more than 3,000 characters"),
        ({"names": []}, "names is empty"),
        ({"count": 0}, "count is less than 1"),
        ({"share": 3}, "share is more than 1"),
        ({"count": "many"}, "count is no whole number"),
        ({"share": "much"}, "share is no number"),
        ({"text": 7}, "text is no text"),
        ({"names": "a,b"}, "names is no list"),
        ({"names": ["a"] * 4}, "names has more than 3 values"),
        ({"all": "maybe"}, "all is neither true nor false"),
        ({"kind": "gossip"}, "kind can be 'tea' or 'coffee'"),
        ({"drink": "gin"}, "drink can be 'tea' or 'coffee'"),
        ({"share": float("inf")}, "share is more than 1"),
    ],
)
def test_what_is_wrong_is_said_of_the_field(given: dict[str, object], said: str) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Form.model_validate(given)

    (error,) = caught.value.errors()
    assert wrong_field(str(error["loc"][0]), error) == said
