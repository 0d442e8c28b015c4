"""What a table is made of, and the statements that write rows into it."""

import json
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.store.database.tables.column_rows import GIVEN
from engram.store.database.tables.column_rows import read_column


class TableShape(NamedTuple):
    """How rows of one table are written; the parameters of the statements are `$keys`, a list, and `$rows`, JSON.

    The engine's `INSERT OR REPLACE` costs three times what deleting and inserting cost, so it is left for keys of
    several columns. A row by itself, as most are, is told by its values: that takes half the time of a list of one.
    """

    key: str  # the one column that tells rows apart, "" where it takes several
    removal: str  # of rows by key, "" where `insertion` replaces them
    insertion: str
    insertion_of_columns: str  # of `column_rows.as_columns`
    kinds: Mapping[str, str]  # of the columns, by name
    removal_of_one: str  # of the row of `$key`, likewise
    insertion_of_one: str  # of the row of `$c0`, `$c1` and so on, the values of its columns


def values_of(row: Mapping[str, Any], columns: Iterable[str]) -> dict[str, Any]:
    """Return the parameters of `TableShape.insertion_of_one`; a column that the row does not tell is NULL."""
    return {f"c{place}": row.get(name) for place, name in enumerate(columns)}


def read_shapes(select: Callable[[str], Sequence[Mapping[str, Any]]]) -> dict[str, TableShape]:
    """Return the shapes of all tables of the attached file, by name; `select` asks a query of `queries.sql`."""
    columns: dict[str, dict[str, str]] = {}
    for row in select("column_types"):
        columns.setdefault(row["table_name"], {})[row["column_name"]] = row["data_type"]
    keys = {row["table_name"]: row["constraint_column_names"] for row in select("primary_keys")}
    return {table: _shape(table, kinds, keys.get(table, ())) for table, kinds in columns.items()}


def _shape(table: str, kinds: Mapping[str, str], keys: Sequence[str]) -> TableShape:
    as_json = {name: [kind.removesuffix("[]")] if kind.endswith("[]") else kind for name, kind in kinds.items()}
    given = f"BY NAME SELECT unnest(from_json($rows::JSON, '{json.dumps([as_json])}'), recursive := true)"
    values = f"VALUES ({', '.join(f'$c{place}' for place in range(len(kinds)))})"
    columns = f"BY NAME SELECT {', '.join(map(read_column, kinds, kinds.values()))} FROM {GIVEN}"  # noqa: S608 - ours
    if len(keys) != 1:
        insert = f"INSERT OR REPLACE INTO {table}"
        return TableShape("", "", f"{insert} {given}", f"{insert} {columns}", kinds, "", f"{insert} {values}")
    (key,) = keys
    delete, insert = f'DELETE FROM {table} WHERE "{key}"', f"INSERT INTO {table}"  # noqa: S608 - ours
    return TableShape(
        key,
        removal=f"{delete} IN (SELECT unnest($keys::{kinds[key]}[]))",
        insertion=f"{insert} {given}",
        insertion_of_columns=f"{insert} {columns}",
        kinds=kinds,
        removal_of_one=f"{delete} = $key::{kinds[key]}",
        insertion_of_one=f"{insert} {values}",
    )
