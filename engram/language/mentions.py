"""Which entities a text speaks of, and which names in it deserve to become entities.

A *mention* is a known name that stands in the text as whole words. A *candidate* is a name that nobody introduced yet,
with the number of entries that give evidence for it.
"""

import functools
import re
import tomllib
from collections import Counter
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from engram.base.text import parse_entity_path
from engram.base.text import slugify

MAX_NAME_WORDS = 3  # of a candidate; longer runs of capitals are titles
_RARELY = 5  # a name is written small at most once for so many times that it is written large
SHORT_NAME_CHARS = 3  # up to here a name is found only in its exact case

_LETTER = r"[^\W\d_]"
_WORD = re.compile(rf"{_LETTER}[\w'’.+#-]*", re.UNICODE)
_TOKEN = re.compile(r"\w+(?:[.+#-]+\w+)*[+#]*")
_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]{1,80})(?:[#|][^\[\]\n]*)?\]\]")
_HANDLE = re.compile(rf"(?<![\w@./:-])@({_LETTER}[\w-]{{1,38}})(?![\w/.@(]*[/@(])")
# Lengths are bounded so that no text can make the search quadratic.
_FILE = (
    r"https?://\S+|(?<![\w@\[])[\w.~-]{0,100}/[\w./-]+|\b[\w.]{1,100}\(\)|"
    r"\b[\w-]{1,100}\.(?:md|py|tsx?|m?js|json|toml|ya?ml|sh|txt|html|css|db)\b"
)
_PATHLIKE = re.compile(_FILE)  # where a name is part of an address
_CODE = re.compile(rf"```.*?(?:```|\Z)|`[^`\n]*`|{_FILE}", re.DOTALL)
_ENTITY_PATH = re.compile(r"(?<![\w/.-])(?:people|projects|archives)/[\w.-]{0,120}\w(?![\w/])", re.IGNORECASE)
# "project Zephyr uses", "the zephyr-api service": words that say what kind of thing a name is (one match in 6,578 lines
# of real notes, and that a true one).
_NAMED_AFTER = re.compile(
    r"(?<![\w-])(?:[Pp]roject|[Пп]роект[а-я]{0,3})\s+"
    r"([A-ZА-ЯЁ][\w+#-]{1,40}(?:\s[A-ZА-ЯЁ][\w+#-]{1,40}){0,2})(?=\s+[a-zа-яё])"
)
_NAMED_BEFORE = re.compile(
    r"(?<!\w)(?:[Tt]he|[Oo]ur)\s+"
    r"([A-Z][\w+#-]{2,40}(?:\s[A-Z][\w+#-]{1,40}){0,2}|`[A-Za-z][\w-]{2,40}`|[a-z]{2,20}(?:-[a-z0-9]{1,20}){1,3})"
    r"\s+(?:project|service|repo|repository|app|library|package)(?![\w-])"
)
_PLURAL_ACRONYM = re.compile(r"[A-Z]+s?\d*")
_CYRILLIC = re.compile(r"[а-яё]+", re.IGNORECASE)
_CASE_ENDING = re.compile(r"(?:ами|ями|ах|ях|ов|ев|ом|ем|ой|ей|ою|ею|ым|[аеёиоуыэюяйь])$")
_LONGEST_WORD = 60  # letters; what is longer has no cases
_STEM_CHARS = 3  # a Cyrillic name is never cut below this


class Known(NamedTuple):
    """An entity with every name that it is called by."""

    path: str
    names: tuple[str, ...]  # title, aliases; the slug is added by itself


class Mention(NamedTuple):
    """A name of a known entity in a text: `text[start:end]`."""

    start: int
    end: int
    path: str


class Candidate(NamedTuple):
    """A name that deserves to become an entity."""

    path: str  # people/anna or projects/open-claw
    title: str  # as it is written most often
    entries: int  # entries that speak of it
    why: str  # wikilink, handle, label, introduced or recurring


class NameIndex:
    """The names of known entities, ready to be looked for. Built once, asked for every statement."""

    def __init__(self, known: Iterable[Known]) -> None:
        """Take the entities; a name that two of them share finds neither."""
        owners: dict[str, set[str]] = defaultdict(set)
        shown: dict[str, str] = {}
        for entity in known:
            for name in {*entity.names, entity.path.partition("/")[2].replace("-", " "), entity.path.partition("/")[2]}:
                folded = " ".join(name.casefold().split())
                owners[folded].add(entity.path)
                shown[folded] = name if name in entity.names else shown.get(folded, name)
        self._by_first: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
        for folded, paths in owners.items():
            if len(paths) == 1 and folded:
                self._by_first[_key(_first_token(folded))].append((folded, shown[folded], next(iter(paths))))
        for names in self._by_first.values():
            names.sort(key=lambda row: -len(row[0]))
        self._paths = {path for paths in owners.values() for path in paths}

    def find(self, text: str) -> list[Mention]:
        """Return the mentions in a text in order, longest first where they overlap; links and @names count too."""
        prose = _PATHLIKE.sub(_blank, _ENTITY_PATH.sub(_blank, text))
        paths = (Mention(*one.span(), one[0].casefold()) for one in _ENTITY_PATH.finditer(text))
        found = [mention for mention in paths if mention.path in self._paths]
        end = 0
        for token in _TOKEN.finditer(prose):
            if token.start() >= end and (mention := self._mention_at(prose, token)):
                found.append(mention)
                end = mention.end
        return sorted(found)

    def _mention_at(self, text: str, token: re.Match[str]) -> Mention | None:
        for folded, shown, path in self._by_first.get(_key(token[0].casefold()), ()):
            stop = _match(text, token, folded, shown)
            # Who is only known as @pipeline is not meant by "the pipeline".
            handle_only = path.startswith("people/") and shown.islower() and token[0][0].islower()
            if stop and (not handle_only or text[: token.start()].endswith(("@", "[["))):
                return Mention(token.start(), stop, path)
        return None

    def find_path(self, name: str) -> str | None:
        """Return the path that exactly this name means, or None."""
        parsed = parse_entity_path(name)
        if parsed and "/".join(parsed) in self._paths:
            return "/".join(parsed)
        folded = " ".join(name.casefold().split())
        rows = self._by_first.get(_key(_first_token(folded)), ())
        return next((path for known, _, path in rows if known == folded), None)


def find_candidates(entries: Sequence[str], index: NameIndex, *, min_mentions: int) -> list[Candidate]:
    """Return names that deserve to become entities, by path.

    A wikilink, a label such as "Project: X" or an introduction such as "the X service" is enough once. An @name must
    stand in `min_mentions` entries, and so must any other name, which also has to be a proper one: mid sentence, hardly
    ever written small, no common word or platform.
    """
    evidence = _Evidence()
    for entry in entries:
        evidence.add(entry)
    found: dict[str, Candidate] = {}
    for title, why, count in evidence.rank(min_mentions):
        path = evidence.path_of(title, why)
        if path and path not in found and index.find_path(title) is None and index.find_path(path) is None:
            found[path] = Candidate(path, title.rpartition("/")[2] if parse_entity_path(title) else title, count, why)
    return sorted(found.values())


# --- known names -------------------------------------------------------------------------------------------------


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])


def _first_token(folded: str) -> str:
    token = _TOKEN.search(folded)
    return token[0] if token else folded


@functools.lru_cache(maxsize=65536)
def _key(word: str) -> str:
    """Return the form under which the cases of a Cyrillic name are one word; other words are their own key."""
    while len(word) <= _LONGEST_WORD and _CYRILLIC.fullmatch(word):
        shorter = _CASE_ENDING.sub("", word)
        if len(shorter) < _STEM_CHARS or shorter == word:
            break
        word = shorter
    return word.replace("ё", "е")


def _match(text: str, token: re.Match[str], folded: str, shown: str) -> int:
    """Return where the name ends that begins at this token, or 0. One Cyrillic word may stand in any case."""
    stop = token.start() + len(folded)
    said = text[token.start() : stop]
    if " ".join(said.casefold().split()) == folded and not _goes_on(text, stop):
        needs_case = len(folded) <= SHORT_NAME_CHARS or folded in words("common")
        return 0 if needs_case and said != shown else stop
    if _CYRILLIC.fullmatch(folded) and token[0][0].isupper() and folded not in words("common"):
        return token.end()  # the keys are equal already
    return 0


def _goes_on(text: str, stop: int) -> bool:
    """Tell whether a word goes on at this place: `Bill` in "Billing", "C" in "C++", "engram" in "engram.py"."""
    after = text[stop : stop + 2]
    return bool(after) and (after[0].isalnum() or after[0] in "_+#" or (after[0] in ".-@" and after[1:].isalnum()))


# --- new names ---------------------------------------------------------------------------------------------------


class _Evidence:
    """Counts, over all entries, what speaks for a name."""

    def __init__(self) -> None:
        self._links: Counter[str] = Counter()
        self._handles: Counter[str] = Counter()
        self._labels: Counter[str] = Counter()
        self._introduced: Counter[str] = Counter()  # "project X", "the X service"
        self._proper: Counter[str] = Counter()
        self._small: Counter[str] = Counter()  # words written small anywhere
        self._person: Counter[str] = Counter()  # entries in which a name does what people do

    def add(self, entry: str) -> None:
        """Count one entry."""
        prose = _CODE.sub(" ", entry)
        self._links.update({" ".join(name.split()) for name in _WIKILINK.findall(prose)} - words("handles"))
        self._handles.update({name.casefold() for name in _HANDLE.findall(prose)} - words("handles"))
        if label := _label_pattern().match(prose):
            self._labels[" ".join(label[1].split())] += 1
        self._introduced.update(_introduced_names(entry))
        self._small.update({word for word in _WORD.findall(prose) if word.islower()})
        names = set(_proper_names(prose))
        self._proper.update(names)
        self._person.update({name for name in names if _is_person(prose, name)})

    def rank(self, min_mentions: int) -> list[tuple[str, str, int]]:
        """Return (title, why, entries), strongest evidence first."""
        rows = [(name, "wikilink", count) for name, count in self._links.items()]
        rows += [(name, "label", count) for name, count in self._labels.items()]
        rows += [(name, "introduced", count) for name, count in self._introduced.items()]
        rows += [(name, "handle", count) for name, count in self._handles.items() if count >= min_mentions]
        return rows + [(name, "recurring", count) for name, count in self._recurring(min_mentions)]

    def path_of(self, title: str, why: str) -> str | None:
        """Return the entity path for a new name, or None when none can be made of it."""
        if parsed := parse_entity_path(title):
            return "/".join(parsed)
        kind = (
            "people"
            if why == "handle" or (why not in {"label", "introduced"} and self._person[title] > 0)
            else "projects"
        )
        parsed = parse_entity_path(f"{kind}/{slugify(title)}")
        return "/".join(parsed) if parsed else None

    def _recurring(self, min_mentions: int) -> list[tuple[str, int]]:
        kept = {}
        for name, count in self._proper.items():
            parts = name.split()
            said_small = any(self._is_common(part, count) for part in parts)
            if (
                count >= min_mentions
                and not said_small
                and not any(part.casefold() in words("common") for part in parts)
            ):
                kept[name] = count
        whole = " ".join(f"|{name}|" for name in kept)
        return [(name, count) for name, count in kept.items() if f" {name}|" not in whole and f"|{name} " not in whole]

    def _is_common(self, word: str, count: int) -> bool:
        """Tell whether a word is also written small, so that its capital means nothing. OpenClaw may be a command."""
        return word[1:].islower() and self._small[word.casefold()] * _RARELY > count


def _introduced_names(entry: str) -> set[str]:
    """Return names that the text itself says are projects."""
    found = {
        " ".join(name.strip("`").split()) for name in (*_NAMED_AFTER.findall(entry), *_NAMED_BEFORE.findall(entry))
    }
    return {
        name for name in found if len(name) >= SHORT_NAME_CHARS and not set(name.casefold().split()) & words("common")
    }


def _proper_names(prose: str) -> list[str]:
    """Return runs of capitalised words that stand in the middle of a sentence written in small letters."""
    names = []
    for sentence in re.split(r"(?<=[.!?:;])\s+|\n|[|•→]|\s[—–-]\s", prose):
        tokens = _WORD.findall(sentence)
        small = sum(token.islower() for token in tokens)
        if small * 2 < len(tokens) or len(tokens) < 4:
            continue  # a title or a list of names, where capitals say nothing
        run: list[str] = []
        for place, token in enumerate([*tokens, "."]):
            bare = token.rstrip(".'’-").removesuffix("'s").removesuffix("’s")
            joined = bool(run) and f"{run[-1]} {bare}" in sentence
            if place and _looks_proper(bare) and (joined or not run):
                run.append(bare)
                continue
            if run and len(run) <= MAX_NAME_WORDS:
                names.append(" ".join(run))
            run = [bare] if place and _looks_proper(bare) else []
    return names


def _looks_proper(word: str) -> bool:
    if len(word) < SHORT_NAME_CHARS or not word[0].isupper() or "_" in word or "." in word:
        return False
    return any(ch.islower() for ch in word) and not _PLURAL_ACRONYM.fullmatch(word)


def _is_person(prose: str, name: str) -> bool:
    after, before = _people_patterns()
    for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", prose):
        if after.match(prose, found.end()) or before.search(prose[max(0, found.start() - 30) : found.start()]):
            return True
    return False


@functools.cache
def words(name: str) -> frozenset[str]:
    """Return one list of mention_words.toml."""
    return frozenset(_word_lists()[name])


@functools.cache
def _word_lists() -> dict[str, list[str]]:
    return tomllib.loads(Path(__file__).with_name("mention_words.toml").read_text(encoding="utf-8"))


@functools.cache
def _label_pattern() -> re.Pattern[str]:
    labels = "|".join(sorted(words("project_labels")))
    return re.compile(
        rf"\s*(?:[-*+]\s+)?\**(?:{labels})\**\s*:\**\s*\**([^\W\d_][\w .+#-]{{0,40}}?)\**\s*(?:$|[\n,;(—]|\s-\s)",
        re.IGNORECASE,
    )


@functools.cache
def _people_patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    verbs = "|".join(
        re.escape(verb[:-1]) + r"\w*" if verb.endswith("-") else re.escape(verb)
        for verb in sorted(words("people_verbs"))
    )
    nouns = "|".join(sorted(words("people_before")))
    return re.compile(rf"\s+(?:also\s+|has\s+|had\s+|уже\s+)?(?:{verbs})(?!\w)", re.IGNORECASE), re.compile(
        rf"(?<!\w)(?:{nouns})\s+$", re.IGNORECASE
    )
