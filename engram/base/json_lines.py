"""Lines of JSON, as logs are kept."""

from collections.abc import Iterator
from typing import Any

from engram.base.json_values import load_json


def json_rows(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the object that each line holds; what is none, such as a line that a crash cut, is left out."""
    for line in data.splitlines():
        try:
            row = load_json(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row
