"""The grammar of entries with a `pattern`, the same in every data file; README.md beside the files describes it."""

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages
from engram.language.matching.prefilter import compiled
from engram.language.matching.prefilter import stands_in

NO_PARTS: Mapping[str, str] = {}
NOTHING = "(?!)"  # an expression that matches nothing

_PART = r"\{([a-z_]+)\}"
_BAR = r"(?<!\\)\|"


def phrases(listed: str) -> tuple[str, ...]:
    r"""Return phrases as a file lists them: divided by bars, each with its blanks; `\|` is a bar in a phrase."""
    if "\\" not in listed:
        return tuple(filter(None, listed.split("|")))
    return tuple(phrase.replace("\\|", "|") for phrase in compiled(_BAR).split(listed) if phrase)


def filled(source: str, parts: Mapping[str, str]) -> str:
    """Return an expression on one line, with the parts of its file in the place of their names: `{name}`.

    A part may name other parts. Raises KeyError for a name that the file does not give.
    """
    source = source.replace("\n", "")
    while "{" in source:
        whole = compiled(_PART).sub(lambda found: parts[found[1]], source)
        if whole == source:
            break
        source = whole
    return source


@cache
def joined(kind: str, name: str) -> str:
    """Return what the files of a kind have under a name, an expression that fits wherever one of them does.

    The lines of each are joined. It fits nothing where no language has one.
    """
    sources = (data.get(name, "").replace("\n", "") for data in read_languages(kind).values())
    return "|".join(filter(None, sources)) or NOTHING


@cache
def expression(kind: str, name: str, form: str = "%s") -> re.Pattern[str]:
    """Return what `joined` does as an expression, compiled, in the place of `%s` in a form.

    To put a form around words anew for each text takes longer than most searches do.
    """
    return kept(form.replace("%s", joined(kind, name)))


class ScriptRules:
    """What a file says, and which texts it is for: those with a character of `script` and with none of `not_script`.

    Both are expressions; an empty `script` is that of every text.
    """

    __slots__ = ("_not_script", "script")

    def __init__(self, data: Mapping[str, Any]) -> None:
        """Read the head of a file."""
        self.script: str = data["script"]
        self._not_script: str = data.get("not_script", "")

    def are_for(self, text: str) -> bool:
        """Tell whether a text has words of this language's script."""
        if self.script and not stands_in(self.script, text):
            return False
        return not (self._not_script and stands_in(self._not_script, text))


class Pattern:
    """An expression, and words of which one stands in every text that it can match; compiled when it is first tried."""

    __slots__ = ("_parts", "_source", "_written", "near")

    def __init__(self, entry: Mapping[str, Any], parts: Mapping[str, str] = NO_PARTS) -> None:
        """Read an entry of a file; without `near` every text is tried."""
        self.near = phrases(entry.get("near", ""))
        self._written: str = entry["pattern"]
        self._parts = parts
        self._source: str | None = None

    @property
    def source(self) -> str:
        """The whole expression."""
        if self._source is None:
            self._source = filled(self._written, self._parts)
        return self._source

    def is_near(self, text: str) -> bool:
        """Tell whether the expression can match a text, which is in the form that the file is written for."""
        for word in self.near:  # a plain loop, quicker than any()
            if word in text:
                return True
        return not self.near

    def search(self, text: str) -> re.Match[str] | None:
        """Find the expression in a text, if one of its words stands there."""
        return compiled(self.source).search(text) if self.is_near(text) else None
