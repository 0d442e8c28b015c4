"""The sentences that the rules of a language were written beside are judged right, all of them."""

import importlib
import tomllib
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
LANGUAGES = sorted(path.stem for path in (SCRIPTS / "language_cases").glob("*.toml"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_the_rules_were_written_beside_is_judged_right(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(SCRIPTS))
    bench = importlib.import_module("bench_language_cases")

    seen = tomllib.loads((SCRIPTS / "language_cases" / f"{language}.toml").read_text("utf-8"))["seen"]
    cases = [(read, *case) for kind, read in bench.READERS.items() for case in bench.read_cases(seen.get(kind, ""))]

    assert len(cases) > len(bench.READERS)
    assert [(text, found) for read, text, expected in cases if (found := read(text)) != expected] == []
