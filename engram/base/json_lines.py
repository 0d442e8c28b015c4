"""Lines of JSON, as logs are kept."""

import json
from collections.abc import Iterator
from typing import Any


def json_rows(data: bytes) -> Iterator[dict[str, Any]]:
    """Yield the object that each line holds; what is none, such as a line that a crash cut, is left out."""
    for line in data.splitlines():
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if isinstance(row, dict):
            yield row
