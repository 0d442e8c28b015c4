"""Figures of a benchmark as the page of Engram shows them: engram/web/figures/NAME.json."""

import datetime as dt
import json
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any


def write_figures(file: Path, command: str, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write what a benchmark counted, with the version and the day of it."""
    from engram import __version__  # noqa: PLC0415 - the benchmark of crashes must not load Engram before it begins

    today = dt.datetime.now(tz=dt.UTC).date().isoformat()
    figures = {"engram": __version__, "measured_on": today, "command": command, "rows": list(rows)}
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(figures, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
