"""What somebody promises to do, and which statement says that it is done. Pure.

One file a language in `patterns/promises`, of which the expressions see a text as rules of signals do, without the
mark at its end:

* `promise`: what will be done: the groups `verb` and `object`, and `who` where it is somebody by name; `done`: the
  same of what somebody has done. All that may stand beside these, such as days, an expression names itself;
* `light`: words that do not tell one thing from another: articles; `vague`: words that name nothing by themselves;
* `first`: who speaks of themselves;
* `inflected`: a verb has another form when it is done; else verb and object are read as one, without blanks.

Whatever else a statement says, it is about something else: "ordered the wrong disk" keeps no promise of the disk.
"""

from collections.abc import Iterable
from functools import cache
from functools import lru_cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import Pattern
from engram.language.matching.patterns import ScriptRules
from engram.language.matching.prefilter import compiled
from engram.language.signal.user_statements import normalize
from engram.language.terms.stemming import ENGLISH
from engram.language.terms.stemming import stems
from engram.language.terms.stemming import term_languages

_KIND: Final = "promises"
_MOST_CHARS: Final = 300  # a longer statement says more than that one thing is done
_ENDS: Final = " .!。！"
_ASKING: Final = frozenset("?？")
_WRITTEN_TWO_WAYS: Final = "[е']"
_LEAST_SIGNS: Final = 3  # of a verb and its object where they are read as one


class Deed(NamedTuple):
    """Something that somebody will do, or has done."""

    who: str  # a name in small letters; "": whoever says it
    verb: str  # as it is said; "" where it is part of `things`
    things: tuple[str, ...]  # words that follow it, in their order, without light ones
    language: str = ENGLISH  # the code of the one in which it is said

    @property
    def cue(self) -> str:
        """Small letters that stand in every statement that this is done, however it writes ё and apostrophes."""
        if not self.verb:
            return self.things[0][-2:]
        return max((part for thing in self.things for part in compiled(_WRITTEN_TWO_WAYS).split(thing)), key=len)


class _Promises(ScriptRules):
    """What the file of one language says."""

    __slots__ = ("code", "done", "first", "inflected", "light", "promise", "vague")

    def __init__(self, code: str, data: Table) -> None:
        super().__init__(data)
        self.code = code
        self.promise, self.done = ([Pattern(one, data["parts"]) for one in data[name]] for name in ("promise", "done"))
        self.light, self.vague, self.first = (frozenset(data[name].split()) for name in ("light", "vague", "first"))
        self.inflected: bool = data["inflected"]

    def read(self, patterns: Iterable[Pattern], said: str) -> list[Deed]:
        """Return what the expressions find, each in its way."""
        found = (one.search(said) for one in patterns)
        deeds = (self._deed(match.groupdict(default="")) for match in found if match is not None)
        return [deed for deed in deeds if deed is not None]

    def _deed(self, groups: dict[str, str]) -> Deed | None:
        verb, words = groups.get("verb", ""), groups["object"].split()
        who = groups.get("who", "")
        who = "" if who in self.first else who
        if not self.inflected:
            whole = "".join([verb, *words])
            return Deed(who, "", (whole,)) if len(whole) >= _LEAST_SIGNS else None
        things = tuple(word for word in words if word not in self.light)
        return Deed(who, verb, things, self.code) if set(things) - self.vague else None


@lru_cache(maxsize=4096)  # every door asks it of the same promises
def read_promise(text: str) -> Deed | None:
    """Return what a promise says will be done; None where that is not clear. Never raises."""
    said = _said(text)
    return next((deed for one in _rules_for(said) for deed in one.read(one.promise, said)), None)


def says_it_is_done(text: str, promised: Deed) -> bool:
    """Tell whether a statement says that what was promised is done, by who promised it, and nothing else."""
    if promised.cue not in text.lower():  # most statements are about something else
        return False
    return any(
        (deed.who, deed.things) == (promised.who, promised.things) and _is_form_of(deed.verb, promised)
        for deed in _read_done(text)
    )


@lru_cache(maxsize=4096)  # a start block compares all statements with each promise
def _read_done(text: str) -> tuple[Deed, ...]:
    said = _said(text)
    return tuple(deed for one in _rules_for(said) for deed in one.read(one.done, said))


def _said(text: str) -> str:
    """Return a statement as the expressions see it; "" for a question, and for what is too long."""
    if len(text) > _MOST_CHARS or not _ASKING.isdisjoint(text):
        return ""
    return normalize(text).strip(_ENDS)


def _is_form_of(done: str, promised: Deed) -> bool:
    """Tell whether two words are forms of one verb, and not the same: what is done has a form of its own."""
    verb = promised.verb
    if done == verb:
        return not verb
    codes = {ENGLISH, promised.language} & term_languages().keys()
    return any(not set(stems(done, code)).isdisjoint(stems(verb, code)) for code in codes)


def _rules_for(said: str) -> Iterable[_Promises]:
    return (one for one in _load() if one.are_for(said)) if said else ()


@cache
def _load() -> tuple[_Promises, ...]:
    return tuple(_Promises(code, data) for code, data in read_languages(_KIND).items())
