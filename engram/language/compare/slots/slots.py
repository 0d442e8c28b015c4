"""Attribute and value of a statement, by the registry in patterns/attributes.toml and the sentences in its folder.

A slot read wrongly makes a newer statement take the place of a true one, so everything here prefers to read nothing:
the whole statement has to say just that, the value has to look like one, and `slot_of` wants the entity as subject.
"""

import re
from collections.abc import Iterable
from collections.abc import Iterator
from functools import cache
from functools import lru_cache
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.lexicon import place_kinds
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.tokens import tokenize
from engram.language.compare.slots.registry import attributes as _registry
from engram.language.compare.slots.slot_templates import Sentences
from engram.language.compare.slots.slot_templates import behind_name
from engram.language.compare.slots.slot_templates import load_sentences
from engram.language.compare.slots.slot_values import fits
from engram.language.compare.slots.subject_days import without_day
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_id import ENGLISH
from engram.language.matching.language_id import latin_languages_of
from engram.language.matching.patterns import NOTHING
from engram.language.matching.prefilter import compiled
from engram.language.names.adverbs import without_adverbs

MAX_CHARS = 200  # a longer statement says more than one attribute

_OF_SYSTEMS = ("database", "hosting")  # attributes whose known values are names and no ordinary words
_HAN = kept("[\u4e00-\u9fff]")
_whole = cache(kept)  # expressions of templates
_NAME_WORD = re.compile(r"[\w+#.]{1,60}")
_ENDS = " .!。\"'“”«»"


class Slot(NamedTuple):
    """A statement as subject, attribute and value."""

    who: str  # the subject as folded text; empty when it is left out
    attribute: str  # a name from the registry
    value: str  # as the statement wrote it, white space folded
    inflected: bool = True  # the subject may stand in any case: "у Анны", not only "Анна"


def single_valued(attribute: str) -> bool:
    """Tell whether the attribute, by any of its names, holds one value at a time; unknown ones may hold many."""
    entry = _registry().get(canonical(attribute))
    return entry is not None and entry.single


def holds_several(attribute: str) -> bool:
    """Tell whether the attribute is known to hold several values at a time; nothing is known of unknown ones."""
    entry = _registry().get(canonical(attribute))
    return entry is not None and not entry.single


def canonical(attribute: str) -> str:
    """Return the registry's name for an attribute, by any of its names in any language; others as they are, folded."""
    word = fold(attribute).replace(" ", "-").replace("_", "-")
    return _names().get(word, word)


def attribute_names(attribute: str) -> frozenset[str]:
    """Return every name that means the same attribute as this one, itself included, as a writer may have spelled it."""
    wanted = canonical(attribute)
    same = {name for name, meant in _names().items() if meant == wanted}
    return frozenset({attribute, wanted, *same, *(name.replace("-", sign) for name in same for sign in "_ ")})


def is_of_people(attribute: str) -> bool:
    """Tell whether the attribute, by its name in the registry, is one of people only."""
    return attribute in _registry() and _registry()[attribute].kind == "people"


def is_of_a_thing(text: str, name: str) -> bool:
    """Tell whether a text states an attribute of what bears a name, one that people have not."""
    slot = read_slot(text)
    if slot is None or slot.who != fold(name):
        return False
    entry = _registry()[slot.attribute]
    return entry.kind == "projects" or (not entry.kind and not entry.personal)


def value_shape(attribute: str) -> str:
    """Return what a value of the attribute, by its name in the registry, looks like; see attributes.toml."""
    return _registry()[attribute].shape


def same_value(a: str, b: str) -> bool:
    """Tell whether two values of a slot may both hold: the same words or amount, or one says more than the other.

    Case endings and units do not matter. "Acme GmbH" says more than "Acme", and "1 June" more than "June".
    """
    if _bare(a, frozenset()) == _bare(b, frozenset()) or _says_more(a, b) or _says_more(b, a):
        return True
    meant = tokenize(a).content
    return bool(meant) and meant == tokenize(b).content


def _says_more(longer: str, shorter: str) -> bool:
    whole, part = (fold(value).replace(",", " ").split() for value in (longer, shorter))
    if len(part) >= len(whole) or not any(map(str.isalpha, "".join(part))):
        return False  # 3 is not 3 million
    return whole[: len(part)] == part or (whole[-len(part) :] == part and part[0] in load_lexicon().months)


@lru_cache(maxsize=40_000)  # statements are made of the same words
def kinds_of_technology(word: str) -> tuple[str, ...]:
    """Return the attributes of a system, such as its database, of which a word is a known value; mostly none."""
    return _technologies().get(fold(word), ())


def find_slot(text: str) -> tuple[str, str] | None:
    """Return (attribute, value) when the whole statement says just that, whoever it is about, else None."""
    slot = read_slot(text)
    return (slot.attribute, slot.value) if slot else None


def slot_of(text: str, path: str, names: Iterable[str]) -> Slot | None:
    """Return the slot that a statement states of this very entity, else None.

    `path` is such as people/anna, `names` are its title and aliases. The subject has to be one of the names, a pronoun
    or a noun for the entity's kind, or left out: "Anna's brother lives in Riga" says nothing of Anna.
    """
    slot = read_slot(text)
    return slot if slot and is_stated_of(slot, path, names) else None


def is_stated_of(slot: Slot, path: str, names: Iterable[str]) -> bool:
    """Tell whether a slot is one of the entity with this path, title and aliases; see `slot_of`."""
    kind = path.partition("/")[0]
    wanted = _registry()[slot.attribute].kind
    if kind in {"people", "projects"} and wanted not in {"", kind}:
        return False
    return _is_entity(slot, kind, path, names)


def is_named(words: str, path: str, names: Iterable[str]) -> bool:
    """Tell whether words are a name of the entity with this path, title and aliases, in any case, and no more."""
    who = _subject(fold(words), _plain_articles())
    is_pronoun = any(who in listed for name, listed in _subjects().items() if name != "generic")
    return bool(who) and not is_pronoun and _is_entity(Slot(who, "", ""), path.partition("/")[0], path, names)


def names_subject(slot: Slot) -> bool:
    """Tell whether a slot says whose it is by a name or a noun of its own: not "it", not "we", and not left out."""
    return bool(slot.who) and not any(slot.who in words for name, words in _subjects().items() if name != "generic")


def may_state(folded: str) -> bool:
    """Tell whether a folded text, or any part of it, may state an attribute: by the words of which one has to stand."""
    return any(True for one in load_sentences() if one.are_for(folded) for _ in one.near(folded))


@lru_cache(maxsize=8192)  # asked again for each statement that the text is compared with
def read_slot(text: str) -> Slot | None:
    """Return the statement as subject, attribute and value, else None."""
    if len(text) > MAX_CHARS:
        return None
    written = " ".join(text.split()).strip(_ENDS)
    folded = fold(written)
    if not folded or "?" in text or "？" in text:
        return None
    if len(folded) != len(written):  # folding joined or split characters: then only the folded text has places
        spelled = written.replace("ß", "ss")
        written = spelled if len(spelled) == len(folded) else folded
    latin = latin_languages_of(text)
    languages = [one for one in load_sentences() if one.are_for(folded) and (not one.is_latin or one.code in latin)]
    return next((slot for one in languages if (slot := _read(written, folded, one))), None)


# --- one language ------------------------------------------------------------------------------------------------


def _read(written: str, folded: str, language: Sentences) -> Slot | None:
    start = match.end() if (match := compiled(language.lead).match(folded)) else 0
    tail = compiled(language.tail + r"\Z").search(folded, start)
    end = tail.start() if tail else len(folded)
    written, folded = written[start:end], folded[start:end]
    return next(_matches(written, folded, language), None)


def _matches(written: str, folded: str, language: Sentences) -> Iterator[Slot]:
    for template in language.near(folded):
        match = _whole(template.source).fullmatch(folded)
        if match is None:
            continue
        found = match.groupdict()
        attribute = template.attribute or _attribute_of(found["noun"], language)
        place = match.span("value")
        value = written[slice(*place)].strip(_ENDS)
        entry = _registry()[attribute]
        who = found.get("who") or ""
        words = language.words._replace(known=entry.known)
        elsewhere = place_kinds(value) and place_kinds(value) <= entry.never
        if (
            not elsewhere
            and not _is_denied(who, language)
            and not compiled(_joined("goes_on")).search(value)
            and fits(value, entry.shape, words)
        ):
            yield Slot(_subject(who, language.articles), attribute, value, template.inflected)


def _is_denied(who: str, language: Sentences) -> bool:
    """Tell whether what stands before the verb ends in a negation and the like: "Anna never" works somewhere."""
    eastern = tuple(word for word in language.words.vague if _HAN.match(word))
    return any(word in language.words.vague for word in who.split()[-1:]) or who.endswith(eastern)


def _attribute_of(noun: str, language: Sentences) -> str:
    return next(attribute for nouns, attribute in language.attribute_of_noun if compiled(nouns).fullmatch(noun))


def _subject(who: str, articles: Iterable[str] = ()) -> str:
    """Return the bare subject: without article, possessive ending and the like."""
    for article in articles:
        who = who.removeprefix(article)
    return without_day(compiled(_joined("possessive")).sub("", without_adverbs(who.strip())), _subjects()["people"])


# --- whether the subject is the entity ---------------------------------------------------------------------------


def _is_entity(slot: Slot, kind: str, path: str, names: Iterable[str]) -> bool:
    who, subjects = slot.who, _subjects()
    if not who or who in subjects.get(kind, subjects["any"]):
        return True
    bare = _bare if slot.inflected else _words  # "Александра живет" is not about Александр
    generic = subjects["generic"] if kind != "people" else frozenset()
    slug = path.partition("/")[2].replace("-", " ").replace("_", " ")
    known = {bare(name, generic) for name in (*names, slug)}
    if kind == "people":  # by the first or the last name alone
        known |= {(word,) for name in known for word in name}
    return bare(who, generic) in known


def _bare(name: str, generic: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a name without case endings."""
    return tuple(map(_without_ending, _words(name, generic)))


def _words(name: str, generic: frozenset[str]) -> tuple[str, ...]:
    """Return the words of a name without those that only say what kind of thing it is, unless nothing else is left."""
    words = tuple(compiled(behind_name(generic)).sub("", word) for word in _NAME_WORD.findall(fold(name)))
    return tuple(word for word in words if word not in generic) or words


def _without_ending(word: str) -> str:
    """Return a name without its case ending; words of languages whose names have no cases as they are."""
    endings = (one.expressions["cases"] for one in load_sentences() if one.expressions["cases"] and one.begins(word))
    return next((compiled(ending).sub("", word) or word for ending in endings), word)


# --- the data ----------------------------------------------------------------------------------------------------


@cache
def _subjects() -> dict[str, frozenset[str]]:
    names = dict.fromkeys(name for language in load_sentences() for name in language.subjects)
    return {name: frozenset(w for one in load_sentences() for w in one.subjects.get(name, ())) for name in names}


@cache
def _plain_articles() -> tuple[str, ...]:
    """Return the articles that begin no name in any language: not "la", which La Poste bears."""
    plain = (one for one in load_sentences() if not one.is_latin or one.code == ENGLISH)
    return tuple(article for one in plain for article in one.articles)


@cache
def _joined(name: str) -> str:
    """Return an expression of every language that has one of that name."""
    return "|".join(one.expressions[name] for one in load_sentences() if one.expressions[name]) or NOTHING


@cache
def _technologies() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for attribute in _OF_SYSTEMS:
        for word in _registry()[attribute].known:
            found[word] = (*found.get(word, ()), attribute)
    return found


@cache
def _names() -> dict[str, str]:
    found = {other: name for name, entry in _registry().items() for other in (name, *entry.names)}
    for language in sorted(load_sentences(), key=lambda one: one.code):
        for nouns, attribute in language.attribute_of_noun:
            for noun in nouns.split("|"):
                plain = noun.replace(" ?-?", "-").replace(" ?", "-").replace("ou?r", "our").replace("?", "")
                found.setdefault(fold(plain).replace(" ", "-"), attribute)
    return found
