"""Whether something was noticed before: the decision table."""

import pytest

from engram.model.observation import Observation
from engram.services.commands.observation_match import find_known
from engram.services.commands.observation_match import read_noticed
from tests.making import NOW


def known(text: str, entity: str | None = None, **more: object) -> Observation:
    """An open observation."""
    read = read_noticed(text, entity)
    return Observation.model_validate(
        {
            "id": "observation-0001",
            "text": text,
            "category": "friction",
            "entity": entity,
            "fingerprint": read.fingerprint,
            "words": read.words,
            "opened_at": NOW,
            "seen_at": NOW,
            **more,
        }
    )


@pytest.mark.parametrize(
    ("new", "old", "same"),
    [
        ("deploys of Billing are SLOW", "Deploys of Billing are slow.", True),
        ("Billing deploys are very slow", "Deploys of Billing are slow", True),
        ("Deploy failed 4 times this week", "Deploy failed 3 times this week", True),
        ("Deploys of Billing are not slow", "Deploys of Billing are slow", False),
        ("Deploys of Billing are slow", "Reviews of Billing take days", False),
        ("Recall missed the birthday of Anna", "Recall missed the deadline of Anna", False),
        ("Phase 2 fails often", "Phase 3 fails often", False),
        ("Деплой снова упал на этапе миграции", "Деплой опять упал на этапе миграции", True),
        ("Отчёт не готов к понедельнику", "Отчёт готов к понедельнику", False),
        ("部署又失败了四次", "部署又失败了三次", True),
        ("배포가 세 번 실패했다", "회의가 너무 길다", False),
    ],
)
def test_the_same_thing_in_other_words(new: str, old: str, *, same: bool) -> None:
    assert (find_known(read_noticed(new, None), [known(old)]) is not None) == same


def test_things_of_different_entities_are_different() -> None:
    one = known("Deploys are slow", "projects/billing")

    assert find_known(read_noticed("Deploys are slow", "projects/site"), [one]) is None
    assert find_known(read_noticed("Deploys are slow", None), [one]) is one


def test_a_principle_is_not_the_pattern_that_it_was() -> None:
    def suggested(abstraction: str) -> dict[str, str]:
        return {"target": "fact", "text": "Anna works late", "abstraction": abstraction}

    one = known("Came up 3 times: Anna works late", suggestion=suggested("pattern"))
    again = known("Came up 9 times: Anna works late", suggestion=suggested("pattern")).suggestion
    higher = known("Came up 3 times: Anna works late", suggestion=suggested("principle")).suggestion

    assert find_known(read_noticed("Came up 9 times: Anna works late", None, again), [one]) is one
    assert find_known(read_noticed("Came up 3 times: Anna works late", None, higher), [one]) is None


def test_what_waits_counts_before_what_is_settled() -> None:
    settled = known("Deploys are slow", status="dismissed")
    waiting = known("Deploys are very slow", id="observation-0002")

    assert find_known(read_noticed("Deploys are slow", None), [settled, waiting]) is waiting
