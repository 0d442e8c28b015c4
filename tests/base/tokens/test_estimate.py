"""Counting tokens without a vocabulary: what real tokenizers agree on, and what holds for every text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.tokens.estimate import estimate_tokens


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 1, 1),
        ("a", 1, 1),
        ("The cat sat on the mat.", 7, 7),
        ("We decided to use PostgreSQL 16 for the billing service.", 10, 13),
        ("internationalisation", 2, 6),
        ("2026-03-02", 5, 7),
        ("Мы решили перенести базу данных на новый сервер.", 9, 14),
        ("我们决定把数据库迁移到新的服务器上。", 10, 16),
        ("우리는 데이터베이스를 새 서버로 옮기기로 했다.", 12, 22),
        ("def read_handoff(files: Paths, folder: str) -> Handoff | None:", 14, 20),
        ("    " * 8 + "return", 2, 4),
        ("=" * 12, 1, 3),
        ("getElementById", 3, 5),
    ],
)
def test_a_text_counts_about_as_much_as_for_a_tokenizer(text: str, least: int, most: int) -> None:
    assert least <= estimate_tokens(text) <= most


@given(st.text(max_size=200))
def test_every_text_has_tokens_and_no_more_than_it_has_bytes(text: str) -> None:
    assert 1 <= estimate_tokens(text) <= max(1, len(text.encode("utf-8", "surrogatepass")))


@given(st.lists(st.sampled_from(["tea", "Riga", "база", "数据", "x1", "--", "\n"]), max_size=40))
def test_more_lines_never_count_less(words: list[str]) -> None:
    text = " ".join(words)
    assert estimate_tokens(f"{text}\nand a line more") > estimate_tokens(text)
