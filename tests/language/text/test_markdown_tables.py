"""Rows of tables as statements."""

from engram.language.text.markdown_tables import are_columns
from engram.language.text.markdown_tables import column_names
from engram.language.text.markdown_tables import row_statement
from tests.cases import for_each


@for_each(
    ("row", "heading", "first", "statement"),
    [
        ("Use DuckDB | Anna | done", "Decision | Owner | Status", "Decision", "Use DuckDB (Owner: Anna; Status: done)"),
        ("| Use DuckDB | Anna |", "Decision | Owner", "Decision", "Use DuckDB (Owner: Anna)"),
        ("1 | Use DuckDB", "# | Decision", "Decision", "Use DuckDB"),
        ("DuckDB | fast", "Choice | Why", "", "Choice: DuckDB; Why: fast"),
        ("Use DuckDB | - | n/a", "Decision | Owner | Status", "Decision", "Use DuckDB"),
        ("Use DuckDB | Anna | more", "Decision | Owner", "Decision", "Use DuckDB (Owner: Anna)"),
        ("- | Anna", "Decision | Owner", "Decision", "Owner: Anna"),
        ("a \\| b | c", "Lesson | From", "Lesson", "a | b (From: c)"),
        ("决定用DuckDB | 安娜", "决定 | 谁", "决定", "决定用DuckDB (谁: 安娜)"),
        ("", "Decision | Owner", "Decision", ""),
    ],
)
def test_a_row_below_its_head(row: str, heading: str, first: str, statement: str) -> None:
    assert row_statement(row, heading, first) == statement


def test_the_head_of_a_table_is_known_as_one() -> None:
    assert column_names("| Decision |  Owner | ") == "Decision | Owner"
    assert are_columns("Decision | Owner")
    assert not are_columns("Decision")
    assert not are_columns("a|b")
