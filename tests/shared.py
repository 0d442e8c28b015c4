"""What stands beside the checkout and is never copied into it: data and programs in `../shared`.

A test that needs some of it is passed over where it is missing, and the run says so aloud at its end, with the count:
`.ci/run` repeats that line among its last.
"""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
SHARED = ROOT.parent / "shared"
_MISSING = "missing beside the checkout: "


def needs(path: Path) -> pytest.MarkDecorator:
    """Return a mark for tests that read this file of `../shared`."""
    name = path.relative_to(ROOT.parent).as_posix()
    return pytest.mark.skipif(not path.exists(), reason=f"{_MISSING}../{name}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Say in one line how many tests lacked such a file, and which; `tests.conftest` hands this on to pytest."""
    skipped = terminalreporter.getreports("skipped")
    reasons = (report.longrepr[2] for report in skipped if isinstance(report.longrepr, tuple))
    missing = Counter(reason.partition(_MISSING)[2] for reason in reasons if _MISSING in reason)
    if missing:
        names = ", ".join(f"{name} ({count})" for name, count in sorted(missing.items()))
        terminalreporter.write_line(f"NOT RUN for want of ../shared, {missing.total()} in all: {names}", yellow=True)
