"""Which entities a text speaks of: a *mention* is a known name that stands in the text as whole words.

Russian words of a name may stand in any case, Korean names may carry particles, and Chinese names need no spaces.
"""

import re
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Final
from typing import NamedTuple

from engram.base.self_names import is_self_name
from engram.base.self_names import is_sought_in_text
from engram.base.text import parse_entity_path
from engram.language.matching.kept_expressions import kept
from engram.language.names.inflection import case_forms
from engram.language.names.inflection import particles_end
from engram.language.names.word_lists import words

SHORT_NAME_CHARS: Final = 3  # up to here a name is found only in its exact case

# Lengths are bounded so that no text can make the search quadratic.
FILE: Final = (
    r"https?://\S+|(?<![\w@\[])[\w.~-]{0,100}/[\w./-]+|\b[\w.]{1,100}\(\)|"
    r"\b[\w-]{1,100}\.(?:md|py|tsx?|m?js|json|toml|ya?ml|sh|txt|html|css|db)\b"
)
_PATHLIKE = re.compile(FILE)  # where a name is part of an address
_ENTITY_PATH = re.compile(r"(?<![\w/.-])(?:people|projects|archives)/[\w.-]{0,120}\w(?![\w/])", re.IGNORECASE)
_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_IS_HAN = kept(f"[{_HAN}]")
_HANGUL = kept("[\uac00-\ud7a3]")
_TOKEN = kept(rf"[^\W{_HAN}]+(?:[.+#-]+[^\W{_HAN}]+)*[+#]*")
_GAP = re.compile(r"\s{1,4}")
_LONGEST_TOKEN = 60  # characters in which a Korean name is looked for
_SHORT_HAN = 2  # signs of a person's name that may be the beginning of a longer one


class Known(NamedTuple):
    """An entity with every name that it is called by."""

    path: str
    names: tuple[str, ...]  # title, aliases; the slug is added by itself


class Mention(NamedTuple):
    """A name of a known entity in a text: `text[start:end]`."""

    start: int
    end: int
    path: str


class _Name(NamedTuple):
    words: tuple[frozenset[str], ...]  # the forms of each word
    folded: str
    shown: str
    path: str


class NameIndex:
    """The names of known entities, ready to be looked for. Built once, asked for every statement."""

    def __init__(self, known: Iterable[Known]) -> None:
        """Take the entities; a name that two of them share finds neither, and one for the owner only by itself.

        "Me" and the like mean whoever has them as a further name, whatever project is called so.
        """
        owners: dict[str, set[str]] = defaultdict(set)
        known = list(known)
        mine = {_fold_name(name): one.path for one in known for name in one.names[1:] if is_self_name(name)}
        shown: dict[str, str] = {}
        for entity in known:
            slug = entity.path.partition("/")[2]
            for name in dict.fromkeys((*entity.names, slug.replace("-", " "), slug)):
                folded = _fold_name(name)
                owners[folded].add(mine.get(folded, entity.path))
                shown[folded] = name if name in entity.names else shown.get(folded, name)
        self._paths = {entity.path for entity in known}
        self._by_name = {name: next(iter(paths)) for name, paths in owners.items() if len(paths) == 1 and name}
        # By how the first word begins, then by how the second one does; "" for a name of one word. Many names may begin
        # alike ("Project ..."), and few of their second words stand in one text.
        self._by_start: dict[str, dict[str, list[_Name]]] = defaultdict(lambda: defaultdict(list))
        for folded, path in self._by_name.items():
            if not is_sought_in_text(folded):
                continue
            forms = tuple(case_forms(word) for word in folded.split())
            made = _Name(forms, folded, shown[folded], path)
            for start in {_start_of(form) for form in forms[0]}:
                for second in {_start_of(form) for form in forms[1]} if len(forms) > 1 else {""}:
                    self._by_start[start][second].append(made)

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in a text in order, longest first where they overlap; links and @names count too."""
        prose, found = text, []
        if "/" in text:
            paths = (Mention(*one.span(), one[0].casefold()) for one in _ENTITY_PATH.finditer(text))
            prose, found = _ENTITY_PATH.sub(_blank, text), [mention for mention in paths if mention.path in self._paths]
        prose = _PATHLIKE.sub(_blank, prose) if may_name_files(prose) else prose
        low = _fold(prose)
        end = 0
        starts = _starts(low)
        present = {"", *(key for _, keys in starts for key in keys)}
        for start, keys in starts:
            if start >= end and (mention := self._mention_at(prose, low, start, self._names(keys, present))):
                found.append(mention)
                end = mention.end
        return sorted(found)

    def find_path(self, name: str) -> str | None:
        """Return the path that exactly this name means, or None."""
        parsed = parse_entity_path(name)
        if parsed and "/".join(parsed) in self._paths:
            return "/".join(parsed)
        return self._by_name.get(_fold_name(name))

    def _names(self, keys: list[str], present: set[str]) -> Iterator[_Name]:
        """Yield the names that may begin where these keys do, in a text with these keys."""
        for key in keys:
            if by_second := self._by_start.get(key):
                for second in by_second.keys() & present:
                    yield from by_second[second]

    def _mention_at(self, text: str, low: str, start: int, names: Iterable[_Name]) -> Mention | None:
        """Return the longest name that begins here; of equally long ones that in its own form, if there is but one."""
        rows = []
        for name in names:
            end = _end_of(name, low, start)
            if end and _may_be(name, text[start:end], low[start:end], before=text[:start][-2:]):
                rows.append((end, " ".join(low[start:end].split()) == name.folded, name.path))
        if not rows:
            return None
        end, is_own_form, _ = max(rows)
        best = {path for at, own, path in rows if (at, own) == (end, is_own_form)}
        return Mention(start, end, best.pop()) if len(best) == 1 else None


def may_name_files(text: str) -> bool:
    """Tell whether a text has one of the signs without which `FILE` finds nothing."""
    return "/" in text or "." in text or "()" in text


def _fold(text: str) -> str:
    """Return a text in lower case with every character in its place."""
    low = text.casefold()
    if len(low) != len(text):
        low = "".join(ch.casefold() if len(ch.casefold()) == 1 else ch for ch in text)
    return low.replace("ё", "е")


def _fold_name(name: str) -> str:
    return " ".join(_fold(name).split())


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _start_of(word: str) -> str:
    """Return the key under which a name is found: its first sign when that is Chinese, else its first token."""
    if _IS_HAN.match(word):
        return word[0]
    token = _TOKEN.search(word)
    return token[0] if token else word


def _starts(low: str) -> list[tuple[int, list[str]]]:
    """Return the places where a name may begin, in order, and the keys of those that may."""
    if low.isascii():
        return [(token.start(), [token[0]]) for token in _TOKEN.finditer(low)]
    places = [(sign.start(), [sign[0]]) for sign in _IS_HAN.finditer(low)]
    for token in _TOKEN.finditer(low):
        keys = [token[0]]
        if _HANGUL.search(token[0]):
            keys += [token[0][:size] for size in range(1, min(len(token[0]), _LONGEST_TOKEN))]
        places.append((token.start(), keys))
    return sorted(places)


def _end_of(name: _Name, low: str, start: int) -> int:
    """Return where the name ends that begins here, or 0. A Korean particle is not part of it."""
    place = start
    for number, forms in enumerate(name.words):
        gap = _GAP.match(low, place) if number else None
        if number and not gap:
            return 0
        place = gap.end() if gap else place
        is_last = number == len(name.words) - 1
        ends = [place + len(form) for form in forms if low.startswith(form, place)]
        place = max((end for end in ends if not is_last or not _goes_on(name, low, start, end)), default=0)
        if not place:
            return 0
    return place


def _goes_on(name: _Name, low: str, start: int, end: int) -> bool:
    """Tell whether a word goes on at this place: `Bill` in "Billing", "C" in "C++", "engram" in "engram.py"."""
    after = low[end : end + 2]
    if _IS_HAN.match(low[end - 1]):
        if len(name.folded) == 1:  # a single sign is a word only by itself
            return any(map(_IS_HAN.match, low[max(0, start - 1) : start] + after[:1]))
        is_short = name.path.startswith("people/") and len(name.folded) <= _SHORT_HAN
        return is_short and _IS_HAN.match(after) is not None and after[0] not in words("after_han_name")
    if not after or _IS_HAN.match(after):
        return False
    if _HANGUL.match(after):
        return end - start == 1 or particles_end(low, end) < 0
    return after[0].isalnum() or after[0] in "_+#" or (after[0] in ".-@" and after[1:].isalnum())


def _may_be(name: _Name, said: str, low: str, *, before: str) -> bool:
    """Tell whether the letters are large or small as the name needs them to be."""
    # Who is only known as @pipeline is not meant by "the pipeline".
    if name.path.startswith("people/") and name.shown.islower() and said[0].islower() and name.shown.isascii():
        return before.endswith(("@", "[["))
    if " ".join(low.split()) != name.folded:  # a case of it
        return said[0].isupper() and name.folded not in words("common")
    folded = name.folded
    needs_case = len(folded) <= SHORT_NAME_CHARS or folded in words("common") or folded in words("also_words")
    return not needs_case or " ".join(said.split()) == name.shown
