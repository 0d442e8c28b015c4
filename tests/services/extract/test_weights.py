"""Weights by the names of features: what is remembered changes nothing, and several scores are those of each."""

import zlib
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engram.services.extract import weights
from engram.services.extract.weights import Weights
from engram.services.extract.weights import packed
from engram.services.extract.weights import packed_keys

NAMES = [*"abcdefg", "a long name of a feature that nobody remembers"]
KEYS = sorted(zlib.crc32(name.encode()) for name in NAMES[1:])
FEATURES = st.dictionaries(st.sampled_from([*NAMES, "unknown"]), st.floats(-2, 2), max_size=len(NAMES))


def output(values: list[int]) -> dict[str, Any]:
    text, scale = packed(values, "b")
    return {"bias": 0.5, "scale": scale, "weights": text}


WEIGHTS = {"all": [1, -2, 3, 4, -5, 127, 7], "some": [-127, 8]}  # the second has none for the last rows
RAW = {
    "format": weights.FORMAT,
    "keys": packed_keys(KEYS),
    "outputs": {name: output(values) for name, values in WEIGHTS.items()},
}
MADE = Weights(RAW)


def rows_of(features: dict[str, float]) -> list[tuple[int, float]]:
    keys = ((zlib.crc32(name.encode()), value) for name, value in features.items())
    return [(KEYS.index(key), value) for key, value in keys if key in KEYS]


@given(FEATURES)
def test_what_is_remembered_of_names_changes_nothing(features: dict[str, float]) -> None:
    assert MADE.rows(features) == rows_of(features)
    assert MADE.rows(features) == rows_of(features)


@given(FEATURES)
def test_a_score_is_the_sum_of_what_each_feature_counts(features: dict[str, float]) -> None:
    rows = MADE.rows(features)
    sums = [sum(value * own[row] for row, value in rows if row < len(own)) + 0.5 for own in WEIGHTS.values()]

    assert MADE.scores(WEIGHTS, rows) == sums
    assert [MADE.score(name, rows) for name in WEIGHTS] == sums
    assert MADE.scores([], rows) == []


def test_the_names_that_are_remembered_are_bounded(monkeypatch: Any) -> None:
    monkeypatch.setattr(weights, "_MOST_NAMES", 3)
    for number in range(10):
        MADE.rows({f"n{number}": 1.0})

    assert len(MADE._row_of) <= 3
