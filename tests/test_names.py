"""Names: modules are nouns, and a word that was given up for the field's own does not come back."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "engram"
# Nouns in -ing that a dictionary or the field knows as such.
NOUNS = frozenset(
    [
        "embedding",
        "filling",
        "finding",
        "listing",
        "matching",
        "onboarding",
        "ranking",
        "reading",
        "setting",
        "stemming",
    ]
)
# Given up -> what is said instead.
NOT_USED = {
    "Circumstances": "RecallContext",
    "Gatherer": "CandidateSource",
    "Foreseen": "PrefetchingEmbedder",
    "GivenOut": "RecallReceipt",
    "Noticed": "ObservationKey",
    "Pool": "CandidateSet",
    "Retired": "SupersededStatement",
    "Waiter": "PendingItem",
    "WordsJudge": "LexicalJudge",
    "bare_words": "strip_markdown",
    "hold_file": "locked_file",
    "look_around": "workspace_fingerprint",
    "read_inside": "read_within",
    "spell_every": "format_interval",
    "tame": "sanitise_answer",
    "where_now": "current_path",
    "written_span": "format_duration",
}


def modules() -> list[Path]:
    return [path for path in PACKAGE.rglob("*.py") if path.stem != "__init__"]


def definitions(module: Path) -> set[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return {node.name for node in ast.walk(tree) if isinstance(node, kinds)}


def test_a_module_and_a_room_are_called_by_nouns() -> None:
    names = {path.stem for path in modules()} | {path.parent.name for path in modules()}

    gerunds = {name for name in names if name.endswith("ing") and name.rpartition("_")[2] not in NOUNS}

    assert gerunds == set()


def test_a_word_that_was_given_up_names_nothing() -> None:
    found = {
        f"{module.relative_to(PACKAGE)}: {word}, say {NOT_USED[word]}"
        for module in modules()
        for word in NOT_USED.keys() & definitions(module)
    }

    assert found == set()
