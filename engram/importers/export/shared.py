"""What of a store others may see: what holds now and is open to all, without people and how to reach them. Pure.

Each person that the memory knows becomes "Person 1" and so on, in paths, titles and texts alike, under every name
that it knows for them and in every case of it. Sources, history, private scopes, quarantine and use are left out.
A name that the memory does not know as somebody's stays: nobody can tell it from other words.
"""

import datetime as dt
import re
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from functools import partial
from typing import Final
from typing import NamedTuple

from engram.base.self_names import is_self_name
from engram.base.text import fingerprint
from engram.base.text import slugify
from engram.importers.export.items import is_exported
from engram.importers.export.packed_facts import PackedFacts
from engram.language.compare.contradiction.compare import skeleton
from engram.language.names.inflection import case_forms
from engram.language.screen.secrets import redact
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.rules.temporal import holds_now

_PEOPLE: Final = "people/"
_WORD: Final = re.compile(r"[^\W_]+")
_CJK: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")  # scripts that are written without spaces
_REACHED_BY: Final = (  # ways to reach or to find somebody, each with what stands in its place
    (re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"), "[email]"),
    (re.compile(r"(?<![\w.+/-])\+?\d(?:[\s().-]{0,2}\d){8,14}(?![\w/-]|\.\d)"), "[phone]"),
    (re.compile(r"(?<![\w@])@\w{2,}"), "[handle]"),
    (re.compile(r"(?<![\w./])(?:/home|/Users)/[^\s/'\"]+"), "[home]"),
)
_DAY: Final = re.compile(r"\d{4}-\d{2}-\d{2}")  # also a run of digits


class Shared(NamedTuple):
    """What is shown."""

    entities: list[Entity]  # by path
    facts_of: Callable[[str], Sequence[Fact]]  # those of an entity, made when they are asked for
    fact_count: int
    left_out: int  # facts that are not shown


def is_open(fact: Fact, now: dt.datetime) -> bool:
    """Tell whether others may see a fact: it holds and is open to all."""
    return fact.scope == SHARED and is_exported(fact) and holds_now(fact, now)


def for_others(entities: Sequence[Entity], facts: PackedFacts) -> Shared:
    """Return what others may see of a store; `facts` are those that are open to all."""
    veil = Veil(entities)
    shown = {one.path: veil.entity(one) for one in entities if one.path in facts.counts}
    known = {one.path: path for path, one in shown.items()}  # where what is shown of an entity comes from

    def facts_of(about: str) -> list[Fact]:
        own = enumerate(facts.of(known[about]), 1)
        return [veil.fact(fact, about, number, _shown_paths(fact, shown)) for number, fact in own]

    numbered = [one.model_copy(update={"next_number": facts.counts[known[one.path]] + 1}) for one in shown.values()]
    return Shared(sorted(numbered, key=lambda one: one.path), facts_of, facts.count, facts.left_out)


def _shown_paths(fact: Fact, shown: Mapping[str, Entity]) -> tuple[str, ...]:
    return tuple(sorted({shown[path].path for path in fact.related if path in shown}))


class Veil:
    """Puts others' names in the place of people."""

    def __init__(self, entities: Sequence[Entity]) -> None:
        """Take all entities; each person gets a number in the order of their creation."""
        people = [one for one in entities if one.path.startswith(_PEOPLE)]
        ordered = sorted(people, key=lambda one: (one.created_at, one.path))
        self._number = {one.path: number for number, one in enumerate(ordered, 1)}
        self._by_word: dict[str, str] = {}
        self._unspaced: dict[str, str] = {}
        for one in ordered:
            for word in _words_of(one):
                place = self._unspaced if _CJK.search(word) else self._by_word
                for form in (*case_forms(word), f"{word}s"):  # also what a slug makes of "Anna's"
                    place.setdefault(form, self._title(one))
        self._taken: set[str] = set()

    def entity(self, entity: Entity) -> Entity:
        """Return an entity as others see it."""
        title = self._title(entity) if entity.path in self._number else self.text(entity.title)
        aliases = () if entity.path in self._number else tuple(sorted({self.text(one) for one in entity.aliases}))
        update = {"path": self._path(entity), "title": title, "aliases": aliases, "archived_from": None}
        return entity.model_copy(update=update)

    def fact(self, fact: Fact, about: str, number: int, related: tuple[str, ...]) -> Fact:
        """Return a fact as others see it, as the first of its chain and from nowhere."""
        text, fact_id = self.text(fact.text), f"{about}-{number:03d}"
        return fact.model_copy(
            update={
                "id": fact_id,
                "entity": about,
                "text": text,
                "value": self.text(fact.value) if fact.value else None,
                "tags": tuple(sorted({self.text(tag) for tag in fact.tags})),
                "related": related,
                "source": Source(actor=fact.source.actor),
                "lineage": fact_id,
                "version": 1,
                "supersedes": (),
                "derived_from": (),
                "superseded_by": None,
                "reason": None,
                "beliefs": (),
                "fingerprint": fingerprint(text),
                "skeleton": skeleton(text),
            }
        )

    def text(self, text: str) -> str:
        """Return a text without secrets, people, and ways to reach somebody."""
        shown = redact(text).text
        for pattern, instead in _REACHED_BY:
            shown = pattern.sub(partial(_veiled, instead), shown)
        for name in sorted(self._unspaced, key=len, reverse=True):
            shown = re.sub(re.escape(name), self._unspaced[name], shown, flags=re.IGNORECASE)
        return "".join(self._pieces(shown))

    def _pieces(self, text: str) -> Iterator[str]:
        """Yield a text with titles in the place of names; of a first and a last name, one."""
        end, last = 0, ""
        for word in _WORD.finditer(text):
            between, end = text[end : word.start()], word.end()
            instead = self._by_word.get(word[0].casefold().replace("ё", "е"), "")
            if instead and instead == last and between.isspace():
                continue
            yield between
            yield instead or word[0]
            last = instead
        yield text[end:]

    def _title(self, person: Entity) -> str:
        return f"Person {self._number[person.path]}"

    def _path(self, entity: Entity) -> str:
        kind, _, slug = entity.path.partition("/")
        if entity.path in self._number:
            return f"{kind}/person-{self._number[entity.path]}"
        shown = slugify(self.text(slug)) or "thing"
        free = next(f"{shown}{ending}" for ending in _endings() if f"{kind}/{shown}{ending}" not in self._taken)
        self._taken.add(f"{kind}/{free}")
        return f"{kind}/{free}"


def _veiled(instead: str, found: re.Match[str]) -> str:
    return found[0] if _DAY.match(found[0]) else instead


def _endings() -> Iterator[str]:
    yield ""
    number = 1
    while number := number + 1:
        yield f"-{number}"


def _words_of(person: Entity) -> set[str]:
    """Return every word that a person is called by, folded; a single letter tells nobody."""
    names = [person.title, *person.aliases, person.path.partition("/")[2]]
    spoken = [name for name in names if not is_self_name(name)]
    words = {word.casefold() for name in spoken for word in _WORD.findall(name)}
    return {word for word in words if len(word) > 1 and not is_self_name(word)}
