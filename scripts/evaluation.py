"""What the benchmarks of text share: the evaluation sets, which are not part of the repository, and shares."""

import gzip
import json
from pathlib import Path
from typing import Any

Row = dict[str, Any]
DATA = Path(__file__).parents[2] / "shared" / "data"


def read_rows(folder: Path, name: str) -> list[Row]:
    """Return the rows of one set, or none when it is not there."""
    plain, packed = folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"
    if packed.exists():
        return [json.loads(line) for line in gzip.open(packed, "rt", encoding="utf-8")]
    return [json.loads(line) for line in plain.read_text("utf-8").splitlines()] if plain.exists() else []


def share(part: int, whole: int) -> str:
    """Return a share with three digits, or a dash when there is nothing to share."""
    return f"{part / whole:.3f}" if whole else "-"
