"""Which names in texts deserve to become entities: a *candidate* carries the number of entries that speak of it."""

import functools
import re
from collections import Counter
from collections import defaultdict
from collections.abc import Iterator
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import parse_entity_path
from engram.base.text import slugify
from engram.language.names.inflection import case_forms
from engram.language.names.inflection import is_oblique
from engram.language.names.mentions import FILE
from engram.language.names.mentions import SHORT_NAME_CHARS
from engram.language.names.mentions import NameIndex
from engram.language.names.mentions import may_name_files
from engram.language.names.nouns import has_capital_nouns
from engram.language.names.nouns import is_noun
from engram.language.names.nouns import may_be_noun
from engram.language.names.nouns import without_roles
from engram.language.names.persons import is_person
from engram.language.names.word_lists import pattern
from engram.language.names.word_lists import words

MIN_MENTIONS = 3  # entries from which a name that nobody introduced deserves to be an entity
RECURRING = "recurring"  # why a name deserves it that no text says anything of
MAX_NAME_WORDS = 3  # of a candidate; longer runs of capitals are titles
_FEWEST_WORDS = 4  # of a sentence: in fewer a capital says nothing
_WORDS_BEFORE = 2  # that are looked at: a name which they never change before is part of a longer one
_ENDING = 2  # letters at the end of a Russian name that change with its case
_CYRILLIC = re.compile("[а-яё]")
_RARELY = 5  # a name is written small at most once for so many times that it is written large

_LETTER = r"[^\W\d_]"
_WORD = re.compile(rf"{_LETTER}[\w'’.+#-]*", re.UNICODE)
_WIKILINK = re.compile(r"\[\[([^\[\]|#\n]{1,80})(?:[#|][^\[\]\n]*)?\]\]")
_HANDLE = re.compile(rf"(?<![\w@./:-])@({_LETTER}[\w-]{{1,38}})(?![\w/.@(]*[/@(])")
_CODE = re.compile(rf"```.*?(?:```|\Z)|`[^`\n]*`|{FILE}", re.DOTALL)
# `FeedStore.add()`, feed-store.ts: how names of a program's parts are written somewhere
_IDENTIFIER = re.compile(
    r"`([A-Z][A-Za-z0-9]{1,60})(?:[.(][^`\n]{0,100})?`|(?<![\w-])([\w-]{1,100})\.(?:tsx?|m?jsx?|py|go|rs|java|kt|cs|rb|css)\b"
)
_SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|\n|[|•→]|\s[—–-]\s")
_CONTRACTION = re.compile(r"(?<!^\w)['’]|['’](?![A-ZА-ЯЁ])")  # I'm, they'd; not O'Brien
_PLURAL_ACRONYM = re.compile(r"[A-Z]+s?\d*")


class Candidate(NamedTuple):
    """A name that deserves to become an entity."""

    path: str  # people/anna or projects/open-claw
    title: str  # as it is written most often
    entries: int  # entries that speak of it
    why: str  # wikilink, handle, label, introduced, titled or recurring


def find_candidates(entries: Sequence[str], index: NameIndex, *, min_mentions: int) -> list[Candidate]:
    """Return names that deserve to become entities, by path.

    A wikilink, a label such as "Project: X" or an introduction such as "the X service" is enough once. An @name must
    stand in `min_mentions` entries, and so must a Korean or Chinese name with a title (김민수 님, 王小明先生), and any
    other name, which also has to be a proper one: mid sentence, hardly ever written small, no common word or platform.
    The cases of a Russian name count as one; a name that was only seen in an oblique case is left.
    """
    evidence = _Evidence()
    for entry in entries:
        evidence.add(entry)
    found: dict[str, Candidate] = {}
    for title, why, count in evidence.rank(min_mentions):
        path = evidence.path_of(title, why)
        if path and path not in found and not _is_known(title, path, index):
            found[path] = Candidate(path, title.rpartition("/")[2] if parse_entity_path(title) else title, count, why)
    return sorted(found.values())


def names_within(prose: str) -> set[str]:
    """Return what stands large in the middle of a sentence of small letters, where a capital makes it a name."""
    return {name for name, _ in _proper_names(prose)}


def find_beginnings(entries: Sequence[str], *, most: int) -> list[str]:
    """Return how the names begin that texts may be evidence for, in small letters, the most frequent first.

    What else is said of a name can be looked for by its beginning, whatever its case: "Анну" gives "анн".
    """
    evidence = _Evidence()
    for entry in entries:
        evidence.add(entry)
    return [name for name, _ in evidence.beginnings().most_common(most)]


def _is_known(title: str, path: str, index: NameIndex) -> bool:
    """Tell whether a name, or a case of it, is that of an entity already."""
    if index.find_path(title) or index.find_path(path):
        return True
    return any(mention.start == 0 and mention.end == len(title) for mention in index.find(title))


# --- evidence ---------------------------------------------------------------------------------------------------


class _Evidence:
    """Counts, over all entries, what speaks for a name."""

    def __init__(self) -> None:
        self._links: Counter[str] = Counter()
        self._handles: Counter[str] = Counter()
        self._labels: Counter[str] = Counter()
        self._introduced: Counter[str] = Counter()  # "project X", "the X service"
        self._proper: Counter[str] = Counter()
        self._titled: Counter[str] = Counter()  # 김민수 님, 王小明先生
        self._code: Counter[str] = Counter()  # identifiers in code and file names, without - and _
        self._small: Counter[str] = Counter()  # words written small anywhere
        self._before: dict[str, set[str]] = defaultdict(set)  # the words before each proper name
        self._person: Counter[str] = Counter()  # entries in which a name does what people do
        self._plain: set[str] = set()  # names whose capital says nothing: German writes every noun with one
        self._nouns: set[str] = set()  # those of them that are nouns

    def add(self, entry: str) -> None:
        """Count one entry."""
        prose = _CODE.sub(" ", entry) if "`" in entry or may_name_files(entry) else entry
        if "[[" in prose:
            self._links.update({" ".join(name.split()) for name in _WIKILINK.findall(prose)} - words("handles"))
        if "@" in prose:
            self._handles.update({name.casefold() for name in _HANDLE.findall(prose)} - words("handles"))
        if label := _label_pattern().match(prose):
            self._labels[" ".join(label[1].split())] += 1
        self._introduced.update(_introduced_names(entry))
        self._titled.update(set(_named("titled", prose)) - words("untitled"))
        if "`" in entry or "." in entry:
            parts = (one or other for one, other in _IDENTIFIER.findall(entry))
            self._code.update({name.replace("-", "").replace("_", "").casefold() for name in parts})
        self._small.update(set(filter(str.islower, _WORD.findall(prose))))
        found = _proper_names(prose)
        for name, before in found:
            self._before[name].add(before)
        names = {name for name, _ in found}
        self._proper.update(names)
        self._person.update({name for name in names | _names_in_front(prose) if is_person(prose, name)})
        nouns = {name for name in names if may_be_noun(prose, name)}
        self._plain.update(nouns)
        self._nouns.update(name for name in nouns if is_noun(prose, name))

    def rank(self, min_mentions: int) -> list[tuple[str, str, int]]:
        """Return (title, why, entries), strongest evidence first."""
        rows = [(name, "wikilink", count) for name, count in self._links.items()]
        rows += [(name, "label", count) for name, count in self._labels.items()]
        rows += [(name, "introduced", count) for name, count in self._introduced.items()]
        rows += [(name, "handle", count) for name, count in self._handles.items() if count >= min_mentions]
        rows += [(name, "titled", count) for name, count in self._titled.items() if count >= min_mentions]
        return rows + [(name, RECURRING, count) for name, count in self._recurring(min_mentions)]

    def beginnings(self) -> Counter[str]:
        """Return how the names that need more than one entry begin, and in how many entries they stood."""
        counts: Counter[str] = Counter()
        for name, count in (*self._handles.items(), *self._titled.items(), *self._proper.items()):
            low = name.casefold()
            counts[low[:-_ENDING] if _CYRILLIC.search(low) and len(low) > 2 * _ENDING else low] += count
        return counts

    def path_of(self, title: str, why: str) -> str | None:
        """Return the entity path for a new name, or None when none can be made of it."""
        if parsed := parse_entity_path(title):
            return "/".join(parsed)
        kind = (
            "people"
            if why in {"handle", "titled"} or (why not in {"label", "introduced"} and self._person[title] > 0)
            else "projects"
        )
        parsed = parse_entity_path(f"{kind}/{slugify(title)}")
        return "/".join(parsed) if parsed else None

    def _recurring(self, min_mentions: int) -> list[tuple[str, int]]:
        kept = {}
        for name, count in self._in_one_case().items():
            parts = name.split()
            said_small = any(self._is_common(part, count) or self._is_code(part, count) for part in parts)
            is_part = len(self._before[name]) == 1 and min_mentions > 1  # "... of the Dead", always
            is_part = is_part or name.casefold() in words("numbered")  # "Reading Level", "Level 3"
            is_part = is_part or name in self._nouns or (name in self._plain and not self._person[name])
            if count >= min_mentions and not is_part and not said_small and not any(map(is_no_name, parts)):
                kept[name] = count
        whole = " ".join(f"|{name}|" for name in kept)
        return [(name, count) for name, count in kept.items() if f" {name}|" not in whole and f"|{name} " not in whole]

    def _in_one_case(self) -> Counter[str]:
        """Return the proper names with the cases of a Russian one counted under its dictionary form."""
        counts = Counter(self._proper)
        for name in sorted(self._proper):
            for form in case_forms(name.casefold()) - {name.casefold()}:
                case = form.capitalize()
                if case in counts and name in counts:
                    counts[name] += counts.pop(case)
                    self._before[name] |= self._before[case]
                    self._person[name] += self._person[case]
        return Counter({name: count for name, count in counts.items() if not is_oblique(name.casefold())})

    def _is_common(self, word: str, count: int) -> bool:
        """Tell whether a word is also written small, so that its capital means nothing. OpenClaw may be a command."""
        return word[1:].islower() and self._small[word.casefold()] * _RARELY > count

    def _is_code(self, word: str, count: int) -> bool:
        """Tell whether a word such as FeedStore is a class of some program: also written in code or as a file name."""
        return not word[1:].islower() and self._code[word.casefold()] * _RARELY >= count


def _named(which: str, text: str) -> Iterator[str]:
    """Yield what an expression of the data names, in whatever language: one of its groups."""
    return ("".join(filter(None, found.groups())) for found in pattern(which).finditer(text))


def _introduced_names(entry: str) -> set[str]:
    """Return names that the text itself says are projects."""
    found = {
        " ".join(name.strip("`").split()) for which in ("named_after", "named_before") for name in _named(which, entry)
    }
    return {
        name for name in found if len(name) >= SHORT_NAME_CHARS and not any(is_no_name(part) for part in name.split())
    }


@functools.lru_cache(maxsize=4096)  # an entry of one line is read as an entry and as a line
def _proper_names(prose: str) -> tuple[tuple[str, str], ...]:
    """Return runs of capitalised words in the middle of a sentence of small letters, each with the words before it."""
    names = []
    for sentence in _SENTENCE_END.split(prose):
        tokens = _WORD.findall(sentence)
        if len(tokens) < _FEWEST_WORDS or all(map(str.islower, tokens[1:])):
            continue
        small = sum(map(str.islower, tokens))
        if small * (3 if has_capital_nouns(prose) else 2) < len(tokens):
            continue  # a title or a list of names, where capitals say nothing
        run: list[str] = []
        for place, token in enumerate([*tokens, "."]):
            bare = _bare(token)
            joined = bool(run) and f"{run[-1]} {bare}" in sentence
            if place and _looks_proper(bare) and (joined or not run):
                run.append(bare)
                continue
            if run and len(run) <= MAX_NAME_WORDS:
                run = without_roles(prose, run)
                begin = place - len(run)
                names.append((" ".join(run), " ".join(tokens[max(0, begin - _WORDS_BEFORE) : begin]).casefold()))
            run = [bare] if place and _looks_proper(bare) else []
    return tuple(names)


def _names_in_front(prose: str) -> set[str]:
    """Return what sentences begin with that may be names: that it is large says nothing, what it does may."""
    found = (_WORD.match(sentence.lstrip()) for sentence in _SENTENCE_END.split(prose))
    return {name for name in (_bare(word[0]) for word in found if word) if _looks_proper(name) and not is_no_name(name)}


def _bare(word: str) -> str:
    """Return a word without what may stand behind a name: a full stop, the English genitive."""
    return word.rstrip(".'’-").removesuffix("'s").removesuffix("’s")


def _looks_proper(word: str) -> bool:
    if len(word) < SHORT_NAME_CHARS or not word[0].isupper() or "_" in word or "." in word:
        return False
    if _CONTRACTION.search(word) or any(part[:1].islower() for part in word.split("-")):  # I'm, FDIC-insured
        return False
    return any(ch.islower() for ch in word) and not _PLURAL_ACRONYM.fullmatch(word)


def is_no_name(word: str) -> bool:
    """Tell whether a capitalised word is a common word or an adjective, or names a place, a people or a feast."""
    low = word.casefold()
    if _is_numbered(low):
        return True
    if (
        low in words("common")
        or low in words("places")
        or low in words("plain_nouns")
        or low.removesuffix("s") in words("common")
    ):
        return True
    return "-" in low and pattern("adjectives").fullmatch(low) is not None


def _is_numbered(name: str) -> bool:
    """Tell whether a name, in small letters, is one of several of a kind: Option B, Feb 2026; not Nemotron 3."""
    kind, _, number = name.partition(" ")
    is_number = number.isdigit() or (len(number) == 1 and number.isalpha())
    return is_number and (kind in words("numbered") or kind in words("common"))


@functools.cache
def _label_pattern() -> re.Pattern[str]:
    labels = "|".join(sorted(words("project_labels")))
    return re.compile(
        rf"\s*(?:[-*+]\s+)?\**(?:{labels})\**\s*[:：]\**\s*\**([^\W\d_][\w .+#-]{{0,40}}?)\**\s*(?:$|[\n,;(—]|\s-\s)",
        re.IGNORECASE,
    )
