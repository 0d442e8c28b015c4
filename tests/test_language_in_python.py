"""What Engram knows of words is data, in engram/language/patterns: no expression of a language stands in Python.

Looked at are the strings of every module but docstrings: words in letters that are not ASCII, and bars between words.
Classes of characters and ranges of a script are no words.
"""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "engram"
_CLASS = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
_RANGES = re.compile(r"(?:[^\W\d_]-[^\W\d_])+")
_FOREIGN = re.compile(r"[^\W\d_\x00-\x7f]{2,}")
_EITHER = re.compile(r"(?<![\w\\<{/.-])[a-z]{2,}\??\|[a-z]{2,}(?![\w>}=/-])")

# Words of programs and formats, and letters: no language is added by them.
OF_NO_LANGUAGE = {
    "base/dates.py": "what an option of the command line takes",
    "base/disk/plain_tables.py": "values of TOML",
    "base/project.py": "names of folders",
    "base/tokens/estimate.py": "where a tokenizer cuts English words",
    "language/dates/clock.py": "UTC and GMT",
    "language/compare/corrections/names.py": "letters",
    "language/names/mentions.py": "endings of files, kinds of entities",
    "language/names/new_entities.py": "endings of files",
    "language/names/same_name.py": "Cyrillic letters with Latin ones for them",
    "language/names/spans.py": "endings of files, ends of addresses, hosts of repositories",
    "language/screen/intent.py": "ends of addresses",
    "language/screen/obfuscation.py": "letters that look like others",
    "language/screen/secret_values.py": "placeholders in the files of programs",
    "language/signal/user_statements.py": "words of programming languages",
    "language/terms/korean.py": "syllables of the stemmer",
    "language/terms/terms.py": "ranges of scripts",
    "language/text/machine_text.py": "what programs print",
    "language/text/statements.py": "tags that hosts put around blocks",
    "rules/edits/summary.py": "what Engram itself writes",
    "rules/notes/rollup.py": "what Engram itself writes",
}


def _strings(module: Path) -> Iterator[str]:
    tree = ast.parse(module.read_text(encoding="utf-8"))
    holders = (ast.Module, ast.FunctionDef, ast.ClassDef)
    first = [node.body[0] for node in ast.walk(tree) if isinstance(node, holders) and node.body]
    docstrings = {id(one.value) for one in first if isinstance(one, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def _words_of_a_language(text: str) -> list[str]:
    bare = _RANGES.sub("", _CLASS.sub("[]", text))
    return [*_FOREIGN.findall(bare), *_EITHER.findall(bare)]


@cache
def modules_with_words() -> frozenset[str]:
    found = (path for path in PACKAGE.rglob("*.py") if any(map(_words_of_a_language, _strings(path))))
    return frozenset(path.relative_to(PACKAGE).as_posix() for path in found)


def test_no_other_module_holds_an_expression_of_a_language() -> None:
    assert modules_with_words() - OF_NO_LANGUAGE.keys() == set()


def test_no_module_is_listed_that_holds_none() -> None:
    assert OF_NO_LANGUAGE.keys() - modules_with_words() == set()


def test_words_are_told_from_letters_and_from_names_of_groups() -> None:
    assert _words_of_a_language(r"(?:да|нет)") == ["да", "нет"]
    assert _words_of_a_language("maybe|perhaps") == ["maybe|perhaps"]
    assert _words_of_a_language(r"[а-яё]+|[\u4e00-\u9fff]|(?P<word>\w+)|а-яА-Я") == []
