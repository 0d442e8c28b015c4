"""Many cases in one test: every one is tried, and all that fail are named.

pytest spends more on a test that it knows by name than a sentence takes to be read, and one broken rule would fail
hundreds of them. So a table whose cases need nothing fresh (no folder, no patch) is one test.
"""

import functools
import inspect
import traceback
from collections.abc import Callable
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

_ROOT = Path(__file__).resolve().parent.parent


def for_each(
    names: str | tuple[str, ...], cases: Iterable[Any]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that calls a test with every case; the arguments are those of `pytest.mark.parametrize`.

    The test fails once, with a message that names each case that failed, where, and why. Fixtures are made once for
    all cases. Raises ValueError for a table without cases and for a case with too many values or too few.
    """
    named = (names,) if isinstance(names, str) else names
    table = [dict(zip(named, (case,) if isinstance(names, str) else case, strict=True)) for case in cases]
    if not table:
        raise ValueError(f"no case of {', '.join(named)}: the test could not fail")

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def try_all(**fixtures: Any) -> None:
            failures = [failure for case in table if (failure := _failure(test, fixtures, case))]
            if failures:
                pytest.fail("\n".join([f"{len(failures)} of {len(table)} cases failed", *failures]), pytrace=False)

        signature = inspect.signature(test)
        rest = [parameter for name, parameter in signature.parameters.items() if name not in named]
        try_all.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined] # read by pytest
        return try_all

    return decorate


def _failure(test: Callable[..., None], fixtures: dict[str, Any], case: dict[str, Any]) -> str:
    try:
        test(**fixtures, **case)
    except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - whatever fails, the other cases are tried
        shown = ", ".join(f"{name}={_shown(value)}" for name, value in case.items())
        places = [f"{_place(frame)}" for frame in traceback.extract_tb(error.__traceback__)[1:]]
        why = f"{type(error).__name__}: {error}".replace("\n", "\n    ")
        return f"\n{shown}\n    {' > '.join(places)}\n    {why}"
    return ""


def _place(frame: traceback.FrameSummary) -> str:
    path = Path(frame.filename)
    return f"{path.relative_to(_ROOT) if path.is_relative_to(_ROOT) else path}:{frame.lineno}"


def _shown(value: Any) -> str:
    return str(value) if "__str__" in vars(type(value)) and not isinstance(value, str) else repr(value)
