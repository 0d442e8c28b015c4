from engram.language.signal.categories import fact_category
from engram.language.signal.rules import load_rules
from engram.model.vocabulary import Category
from tests.cases import for_each


@for_each(
    ("signal", "fact"),
    [
        ("preference", Category.PREFERENCE),
        ("decision", Category.DECISION),
        ("correction", Category.CORRECTION),
        ("milestone", Category.MILESTONE),
        ("relationship", Category.RELATIONSHIP),
        ("commitment", Category.COMMITMENT),
        ("instruction", Category.INSTRUCTION),
        ("lesson", Category.LESSON),
        ("identity", Category.IDENTITY),
        ("a word that facts do not know", Category.CONTEXT),
    ],
)
def test_each_signal_becomes_a_fact_of_a_known_category(signal: str, fact: Category) -> None:
    assert fact_category(signal) is fact


@for_each("language", ["de", "en", "fr", "ru", "zh", "ko"])
def test_the_rules_use_no_category_beside_the_nine_and_context(language: str) -> None:
    rules = load_rules(language)
    assert rules is not None

    used = {rule.category for rule in rules.rules}

    nine = {"preference", "decision", "correction", "milestone", "instruction", "lesson", "identity", "relationship"}
    assert used == nine | {"commitment", "context"}
