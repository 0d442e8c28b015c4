"""What is wrong with a field is said in words of people."""

import pydantic
import pytest

from engram.model.commands.field_errors import wrong_field


class Form(pydantic.BaseModel):
    text: str = pydantic.Field("x", min_length=1, max_length=3000)
    names: list[str] = pydantic.Field(["x"], min_length=1)
    count: int = pydantic.Field(1, ge=1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"text": ""}, "text is empty"),
        ({"text": "x" * 3001}, "text has more than 3,000 characters"),
        ({"names": []}, "names is empty"),
        ({"count": 0}, "count: Input should be greater than or equal to 1"),
    ],
)
def test_what_is_wrong_is_said_of_the_field(given: dict[str, object], said: str) -> None:
    with pytest.raises(pydantic.ValidationError) as caught:
        Form.model_validate(given)

    (error,) = caught.value.errors()
    assert wrong_field(str(error["loc"][0]), error) == said
