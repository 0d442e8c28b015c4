"""Words in the form in which they are compared."""

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from engram.language.compare.reading.stems import fold


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_a_text_in_ascii_is_folded_like_any_other(text: str) -> None:
    whole = fold(f"{text} ё")

    assert whole == f"{fold(text)} е".lstrip()
    assert unicodedata.is_normalized("NFKC", fold(text))
