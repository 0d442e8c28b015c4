"""What states nothing in a note: templates, done items, what is struck out; and what does state something."""

import pytest

from engram.language.text.inert import DONE
from engram.language.text.inert import EMPTY
from engram.language.text.inert import STRUCK
from engram.language.text.inert import TEMPLATE
from engram.language.text.inert import why_inert
from engram.language.text.inert import without_struck


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("- [x] Order the buoys", DONE),
        ("1. [X] Order the buoys", DONE),
        ("- ~~Pier 4 is shut~~", STRUCK),
        ("~~Pier 4~~ ~~is shut~~", STRUCK),
        ("- **Name:**", TEMPLATE),
        ("- **Name:** _(what do people call you?)_", TEMPLATE),
        ("- Birthday:", TEMPLATE),
        ("- Birthday: TBD", TEMPLATE),
        ("- **Pronouns:** _(optional)_", TEMPLATE),
        ("_What should the harbour master call you?_", TEMPLATE),
        ("_(Describe the port here)_", TEMPLATE),
        ("_Get to know the port. Write here what you find._", TEMPLATE),
        ("- Hello {{name}}", TEMPLATE),
        ("TODO: fill in the tides", TEMPLATE),
        ("- **Host:** <your host>", TEMPLATE),
        ("- **Порт:** не заполнено", TEMPLATE),
        ("- **港口:** 待填", TEMPLATE),
        ("- - -", EMPTY),
        ("| | |", EMPTY),
    ],
)
def test_what_states_nothing_is_told_with_its_reason(text: str, why: str) -> None:
    assert why_inert(text) == why


@pytest.mark.parametrize(
    "text",
    [
        "- [ ] Order the buoys",
        "- **Name:** Meera",
        "- Pier 4 is shut",
        "- ~~Pier 4~~ Pier 5 is shut",
        "*Meera prefers tea*",
        "- **Host:** 10.0.0.7 _(new)_",
        "- Birthday: 12 May",
        "The rule is: never dock at night",
        "Call `deploy --env=<name>` after `x < y`",
        "[your report](reports/a.md) went out on Friday",
        "- **状态:** 已上线",
        "None of the pilots came",
    ],
)
def test_what_states_something_is_left(text: str) -> None:
    assert why_inert(text) == ""


def test_what_is_struck_out_goes_and_the_rest_stays() -> None:
    assert without_struck("- ~~Pier 4~~ Pier 5 is ~~not~~ shut") == "-  Pier 5 is  shut"
    assert without_struck("5 ~~ 6 ~~ 7") == "5 ~~ 6 ~~ 7"
