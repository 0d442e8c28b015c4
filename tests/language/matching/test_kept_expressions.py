"""An expression that is kept finds what a compiled one does, and is compiled once."""

import re
import sys
from pathlib import Path

import pytest

from engram.language.matching import kept_expressions
from engram.language.matching.kept_expressions import kept
from tests.cases import for_each

WORDS = r"(?P<word>(?:tea|чай|茶)s?)(?: (?P<number>\d+))?"
TEXTS = ("two TEAS 12 and чай", "茶 7", "", "nothing", "ТЕА чАЙ 1")
CASES = [
    (WORDS, 0),
    (WORDS, re.IGNORECASE),
    (r"[\u3040-\u9fff\d]+", 0),
    (r"(?m)^(a)|(?<=t)ea", re.ASCII),
    (r"(?!)", 0),
    ("\ud800", 0),
]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))


@for_each(("source", "flags"), CASES)
def test_it_is_what_re_makes_of_it_new_and_kept(source: str, flags: int) -> None:
    compiled = re.compile(source, flags)
    for found in (kept(source, flags), kept(source, flags)):
        assert found == compiled
        assert (found.pattern, found.flags, found.groups) == (compiled.pattern, compiled.flags, compiled.groups)
        assert dict(found.groupindex) == dict(compiled.groupindex)
        for text in TEXTS:
            assert _all_in(text, found) == _all_in(text, compiled)


def _all_in(text: str, expression: re.Pattern[str]) -> list[object]:
    return [(match.span(), match.groupdict(), match.lastgroup) for match in expression.finditer(text)]


def test_it_is_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept(WORDS)
    kept(WORDS, re.IGNORECASE)
    assert len(list(tmp_path.rglob("expression-*"))) == 2

    monkeypatch.setattr(kept_expressions, "_compiled_parts", lambda *_: pytest.fail("compiled again"))

    assert kept(WORDS).search("чай 3")
    assert kept(WORDS, re.IGNORECASE).search("TEA")


def test_what_is_kept_and_damaged_is_made_again(tmp_path: Path) -> None:
    kept(WORDS)
    (file,) = tmp_path.rglob("expression-*")
    file.write_bytes(b"\0" * 40)

    assert kept(WORDS) == re.compile(WORDS)


def test_what_the_engine_refuses_is_compiled_by_re(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_expressions, "read_kept", lambda *_: (0, [99, 99, 99], 0, {}, (None,)))

    assert kept(WORDS) == re.compile(WORDS)


def test_a_bad_expression_is_refused_as_by_re() -> None:
    with pytest.raises(re.error):
        kept("(")
