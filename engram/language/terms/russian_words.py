"""The dictionary of Russian word forms."""

import pymorphy3
import pymorphy3_dicts_ru


def open_analyzer() -> pymorphy3.MorphAnalyzer:
    """Return what tells the lemmas of a word, as tuples."""
    # With the path it does not look through all installed packages for dictionaries.
    return pymorphy3.MorphAnalyzer(path=pymorphy3_dicts_ru.get_path(), lang="ru", result_type=None)
