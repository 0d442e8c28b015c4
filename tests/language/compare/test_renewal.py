"""A newer statement gives another value of the very thing that an older one speaks of."""

import pytest

from engram.language.compare.change_words import without_lead
from engram.language.compare.renewal import is_renewed
from engram.language.compare.renewal import renewal_keys
from engram.language.compare.slots import read_slot


def renews(old: str, new: str) -> bool:
    """Tell whether the two meet, and the newer one has another value."""
    return bool(renewal_keys(old) & renewal_keys(new)) and is_renewed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lantern listens on port 8080.", "Lantern now listens on port 9090."),
        ("The quota of Lantern is 20 requests.", "The quota of Lantern is currently 40 requests."),
        ("Omar is the owner of Lantern.", "Priya is the owner of Lantern now."),
        ("The owner of Lantern is Omar.", "Priya is now the owner of Lantern."),
        ("Lantern stores its data in MySQL.", "Change of plans: Lantern stores its data in PostgreSQL."),
        ("The deadline of Lantern is 3 March.", "The deadline of Lantern has been moved to 9 March."),
        ("Лантерн слушает порт 8080", "Лантерн теперь слушает порт 9090"),
        ("Lantern 的端口是 8080。", "Lantern 的端口现在是 9090。"),
        ("Lantern의 포트는 8080입니다.", "Lantern의 포트는 이제 9090입니다."),
    ],
)
def test_another_value_of_the_same_thing_renews(old: str, new: str) -> None:
    assert renews(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lantern listens on port 8080.", "Comet now listens on port 9090."),
        ("Lantern listens on port 8080.", "Lantern now listens on port 8080."),
        ("Omar is the owner of Lantern.", "Omar is the owner of Comet now."),
        ("It listens on port 8080.", "Lantern now stores its data in MySQL."),
        ("Lantern paid 20 dollars for lunch.", "Lantern paid 30 dollars for lunch."),
        ("Lantern supports Python 3.11.", "Lantern supports Python 3.12."),
    ],
)
def test_another_thing_or_another_occasion_renews_nothing(old: str, new: str) -> None:
    assert not renews(old, new)


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("We changed that: Lantern is blue.", "Lantern is blue."),
        ("Update: Lantern is blue.", "Lantern is blue."),
        ("Всё поменялось: Лантерн синий.", "Лантерн синий."),
        ("更新一下：端口是 9090。", "端口是 9090。"),
        ("변경했습니다. 포트는 9090입니다.", "포트는 9090입니다."),
        ("Updates of Lantern run at 9:15.", "Updates of Lantern run at 9:15."),
        ("Update:", "Update:"),
    ],
)
def test_a_lead_of_change_is_no_part_of_what_is_said(text: str, rest: str) -> None:
    assert rest == without_lead(text)


def test_the_subject_of_a_slot_has_no_adverb() -> None:
    slot = read_slot("Lantern finally stores its data in MySQL.")

    assert slot is not None
    assert slot.who == "lantern"
