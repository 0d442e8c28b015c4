"""The quick reader of data files says what `tomllib` says."""

import tomllib
from pathlib import Path

import pytest

from engram.base.disk import plain_tables
from engram.base.disk.plain_tables import read_plain_tables
from tests.cases import for_each
from tests.language.examples import PATTERNS

FILES = sorted(path for kind in ("signal", "corrections") for path in (PATTERNS / kind).glob("*.toml"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_files_of_the_hook_path_are_read_without_a_parser(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = path.read_text("utf-8")
    monkeypatch.setattr(plain_tables, "load_toml", lambda _: {})

    assert read_plain_tables(source) == tomllib.loads(source)


@for_each(
    "source",
    [
        "",
        "# only a comment\n",
        "[a]\nb = 'c'\n",
        "[a.b]\nc = 0.5\n[[d]]\ne = \"f|g \"\n\n[[d]]\ne = '''\nh\n i'''\n",
        'a = "b\\u00e9"\n',
        "a = [1, 2]\n",
        "a = 1\n[b]\nc = true\n",
        "a = true\nb = false  # no\nc = '''# d'''  # e\n",
        'a = "b" # why\n',
        "a = 0.5",
    ],
)
def test_any_other_text_is_read_all_the_same(source: str) -> None:
    assert read_plain_tables(source) == tomllib.loads(source)


@for_each("source", ["a = \n", "a = '''b\n", "[a\nb = 0.5\n", "nothing\n"])
def test_what_is_no_toml_is_refused(source: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError):
        read_plain_tables(source)
