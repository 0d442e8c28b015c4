"""Expressions that are only tried where their words stand are found in the same texts as by themselves."""

import re
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.matching.near_expressions import _ODD
from engram.language.matching.near_expressions import NearExpressions
from engram.language.matching.near_index import INDEXED_AFTER
from engram.language.matching.patterns import joined

KINDS = {kind: joined("kinds", kind) for kind in ("must", "never", "cause", "prefer", "decide", "done")}
ERRORS = {name: joined("errors", name) for name in ("met", "mended")}
WORDS = [
    *(
        "must",
        "ALWAYS",
        "have to",
        "need",
        "don’t",
        "never",
        "because",
        "due",
        "to",
        "prefers",
        "decided",
        "instead of",
    ),
    *("Added", "fixed by", "Immer", "soll", "niemals", "weil", "siempre", "hay que", "toujours", "jamais", "créé"),
    *(
        "нужно",
        "НИКОГДА",
        "решили",
        "из-за",
        "добавлена",
        "исправил",
        "ошибка",
        "упал",
        "必须",
        "不要",
        "因为",
        "已",
        "修复了",
    ),
    *(
        "항상",
        "금지",
        "때문",
        "결정",
        "추가",
        "오류",
        "해서 해결",
        "failed",
        "timed out",
        "crash",
        "the",
        "kiln",
        ",",
        ".",
        "\n",
    ),
    *("mu\u017ft", "\u0130mmer", "ı", "e\u0301"),
]
TEXTS = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=8).map(" ".join)


def indexed(sources: dict[str, str], *, any_case: bool) -> NearExpressions:
    """Make expressions that have read so much that they are taken apart."""
    made = NearExpressions(sources, any_case=any_case)
    made.found_in("-" * INDEXED_AFTER)
    return made


KINDS_APART = indexed(KINDS, any_case=True)
ERRORS_APART = indexed(ERRORS, any_case=False)


@given(TEXTS)
def test_kinds_are_found_as_by_whole_expressions(text: str) -> None:
    expected = [kind for kind, source in KINDS.items() if re.search(f"(?i:{source})", text)]

    assert KINDS_APART.found_in(text) == expected
    assert NearExpressions(KINDS, any_case=True).found_in(text) == expected


@given(TEXTS)
def test_errors_are_found_as_by_whole_expressions(text: str) -> None:
    low = text.lower()

    assert ERRORS_APART.found_in(low) == [name for name, source in ERRORS.items() if re.search(source, low)]


@pytest.mark.parametrize(
    "letters", ["abcdefghijklmnopqrstuvwxyz", "абвгдеёжзийклмнопрстуфхцчшщъыьэюя", "äöüßáéíóúñàâçèêëîïôûœ"]
)
def test_no_letter_is_taken_for_another_unless_it_is_odd(letters: str) -> None:
    others = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)

    taken = re.findall(f"(?i:[{letters}])", others)

    assert [sign for sign in taken if sign.lower() not in letters and not re.match(_ODD, sign)] == []
    assert [sign for sign in others if len(sign.lower()) > 1 and not re.match(_ODD, sign)] == []
