"""Which facts a newer one tells to be over, though nothing has retired them: "we moved from Nomad to Kubernetes". Pure.

Such a fact stays in the store: what was read before the correction was written, or after it, as older conversations are
in a first minute, has met no other. Neither a start block nor an answer about the present shows it by itself.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.language.compare.contradiction.compare import words
from engram.language.compare.reading.stems import fold
from engram.language.compare.updates.former_values import FormerValue
from engram.language.compare.updates.former_values import find_former_values
from engram.language.compare.updates.former_values import says_former_value
from engram.language.names.persons import is_person
from engram.language.names.spans import PROPER
from engram.language.names.spans import find_names
from engram.language.signal.detector import detect
from engram.language.signal.kept_promises import Deed
from engram.language.signal.kept_promises import read_promise
from engram.language.signal.kept_promises import says_it_is_done
from engram.language.signal.order_terms import read_order
from engram.language.signal.order_terms import says_it_happened
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.rules.temporal import due_at
from engram.rules.temporal import has_begun
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import authority_of
from engram.rules.trust.authority import may_retire
from engram.services.recall.validity.likely import LEAST
from engram.services.recall.validity.likely import MOST_COMPARED
from engram.services.recall.validity.likely import ORDERS
from engram.services.recall.validity.likely import LikelyChange
from engram.services.recall.validity.likely import iter_likely
from engram.services.recall.validity.likely import likeliest
from engram.services.recall.validity.likely import may_change
from engram.services.recall.validity.said import Said

# What tells how things are: an order or a wish holds until somebody takes it back.
_OF_THINGS: Final = frozenset(
    {Category.STATUS, Category.DECISION, Category.CONTEXT, Category.MILESTONE, Category.COMMITMENT}
)
_PROJECTS: Final = "projects/"
_AS_WRITTEN: Final = Said()
# A correction retires what it corrects when it is read; what is read after it, as older conversations are in a first
# minute, it has not met.
_TELLING: Final = _OF_THINGS | {Category.CORRECTION}
_FEWEST_OF_A_DEED: Final = 2  # words that tell what others do now: one alone stands in any two sentences of a project
_INSTRUCTION: Final = Category.INSTRUCTION.value  # also as a tag, and as what words are found to be


def find_outdated(
    facts: Sequence[Fact],
    home: Callable[[Fact], str | None],
    telling: Iterable[Fact] | None = None,
    said: Said = _AS_WRITTEN,
) -> dict[str, Fact]:
    """Return, by the id of each fact that is over, the newest fact that says so of the same home.

    A value that is a name stands for itself; a day or a number has to be said of the same thing. Nothing that is
    trusted less makes a fact old. An order "until the release" is over when a person says that it is out, a promise
    when who gave it, or a person, says that just that is done.

    Args:
        facts: that may be over.
        home: the project that a fact belongs to.
        telling: those that may say so; None: all of them.
        said: when each of them was said.
    """
    outdated: dict[str, Fact] = {}
    newest_last = sorted(facts if telling is None else telling, key=lambda fact: (said.at(fact), fact.id))
    for new in newest_last:
        for former in find_former_values(new.text) if new.category in _TELLING else []:
            later = (old for old in facts if said.is_later(new, old) and _may_be_over(old, new, former))
            older = (old for old in later if says_former_value(old.text, former) and not _is_wish(old))
            outdated |= {old.id: new for old in older if home(old) == home(new) and _is_meant(old, new, former)}
    return outdated | _ended(facts, newest_last, home, said) | _kept(facts, newest_last, home, said)


def is_until(fact: Fact) -> bool:
    """Tell whether a fact is an order that an event ends, not a day; its words tell where nobody named a category."""
    if fact.valid_to is not None or not read_order(fact.text).until:
        return False
    is_order = fact.category in ORDERS or _INSTRUCTION in fact.tags
    return is_order or (fact.category == Category.CONTEXT and _INSTRUCTION in detect(fact.text).categories)


def may_tell(facts: Iterable[Fact], listed: Iterable[Fact]) -> list[Fact]:
    """Return those of the facts that may tell one of the listed ones to be over."""
    about = [*listed]
    events = {read_order(fact.text).until for fact in about if is_until(fact)}
    deeds = {deed for fact in about if (deed := promised(fact)) is not None}

    def says_so(text: str) -> bool:
        happened = any(says_it_happened(text, event) for event in events)
        return happened or bool(find_former_values(text)) or any(says_it_is_done(text, deed) for deed in deeds)

    return [fact for fact in facts if says_so(fact.text) or (deeds and promised(fact) in deeds)]


def _ended(
    facts: Sequence[Fact], telling: Sequence[Fact], home: Callable[[Fact], str | None], said: Said
) -> dict[str, Fact]:
    """Return, by the id of each order whose event has happened, the newest fact in which a person says so."""
    orders = [(fact, read_order(fact.text).until) for fact in facts if is_until(fact)]
    by_persons = [fact for fact in telling if fact.category in _TELLING and fact.source.actor in PERSONS]
    return {
        old.id: new
        for old, event in orders
        for new in by_persons
        if _may_end(old, new, said) and says_it_happened(new.text, event) and home(old) == home(new)
    }


def promised(fact: Fact) -> Deed | None:
    """Return what a promise says will be done by a day; None for all else, and where that is not clear.

    Without a day it may be a habit, which is not over when it is done once.
    """
    return None if due_at(fact) is None else read_promise(fact.text)


def _kept(
    facts: Sequence[Fact], telling: Sequence[Fact], home: Callable[[Fact], str | None], said: Said
) -> dict[str, Fact]:
    """Return, by the id of each promise that is kept, the fact that said so first; `telling` is oldest first.

    Where the same is owed for several days, nothing tells which of them was meant.
    """
    if not any(promised(fact) for fact in facts):
        return {}
    given = {fact.id: (fact, deed) for fact in [*facts, *telling] if (deed := promised(fact)) is not None}
    kept: dict[str, Fact] = {}
    for new in telling:
        told = (old for old, deed in given.values() if says_it_is_done(new.text, deed) and old.id not in kept)
        owed = [old for old in told if _may_keep(old, new, said) and home(old) == home(new)]
        if len({old.valid_to for old in owed}) == 1:
            kept |= {old.id: new for old in owed}
    return {fact.id: kept[fact.id] for fact in facts if fact.id in kept}


def _may_keep(old: Fact, new: Fact, said: Said) -> bool:
    if new.category not in _TELLING or not _may_end(old, new, said):
        return False
    return _are_about_one(old, new) and (new.source.actor in PERSONS or new.source.actor == old.source.actor)


def _may_end(old: Fact, new: Fact, said: Said) -> bool:
    return said.is_later(new, old) and old.scope == new.scope and may_retire(authority_of(new), old)


def find_outdated_now(
    facts: Sequence[Fact],
    home: Callable[[Fact], str | None],
    now: dt.datetime,
    telling: Sequence[Fact] | None = None,
    said: Said = _AS_WRITTEN,
) -> dict[str, Fact]:
    """Return what `find_outdated` does of what holds now, and by itself of what is to come.

    What is to come has made nothing old yet but other plans: "from May on we use Kubernetes instead of Nomad".
    """
    by_time = ([one for one in facts if has_begun(one, now)], [one for one in facts if not has_begun(one, now)])
    says = by_time if telling is None else ([one for one in telling if has_begun(one, now)], telling)
    held, planned = (find_outdated(some, home, by, said) for some, by in zip(by_time, says, strict=True))
    return held | planned


def find_likely_now(
    facts: Sequence[Fact], home: Callable[[Fact], str | None], now: dt.datetime, said: Said = _AS_WRITTEN
) -> dict[str, Fact]:
    """Return, by the id of each fact that is probably out of date, the newest fact that makes it so (see `likely`)."""
    return outdated_by(list_likely_now(facts, home, now, LEAST, said))


def outdated_by(changes: Sequence[LikelyChange]) -> dict[str, Fact]:
    """Return, by the id of each fact that is probably out of date, the newest fact that makes it so.

    Args:
        changes: as `list_likely_now` returns them; those below `LEAST` do not count.
    """
    newer = {one.new.id: one.new for one in changes}
    over = likeliest((one.old.id, one.new.id, one.chance) for one in changes if one.chance >= LEAST)
    return {old: newer[new] for old, new in over.items()}


def list_likely_now(
    facts: Sequence[Fact],
    home: Callable[[Fact], str | None],
    now: dt.datetime,
    least: float,
    said: Said = _AS_WRITTEN,
) -> list[LikelyChange]:
    """Return what may have changed with at least this chance, home by home, each in the order of the newer facts.

    What is to come makes only other plans old. What is said on one day of one time is meant side by side: what people
    take back at once they take back outright. How rare a word is hangs on its home alone, and not on what else is
    known: then every door says the same.
    """

    def may_tell(new: Fact, old: Fact) -> bool:
        if (has_begun(old, now) and not has_begun(new, now)) or not said.are_told_apart(old, new):
            return False
        return _are_about_one(old, new) and _may_end(old, new, said)

    oldest_first = sorted(filter(may_change, facts), key=lambda fact: (said.at(fact), fact.id))[-MOST_COMPARED:]
    of_home: dict[str | None, list[Fact]] = defaultdict(list)
    for fact in oldest_first if len(oldest_first) > 1 else []:
        of_home[home(fact)].append(fact)
    return [one for some in of_home.values() for one in iter_likely(some, may_tell, least)]


def newest_of(over: Mapping[str, Fact], fact: Fact) -> Fact:
    """Return what holds in the place of a fact, where what took its place may be over, too: each is newer."""
    while fact.id in over:
        fact = over[fact.id]
    return fact


def _may_be_over(old: Fact, new: Fact, former: FormerValue) -> bool:
    is_told = _is_of_things(old) or (former.is_gone and old.category == Category.RELATIONSHIP)
    is_told = is_told or old.category == Category.PREFERENCE  # so far; see `_is_wish`
    if old.id == new.id or not is_told:
        return False
    if not _are_about_one(old, new):
        return False
    return old.scope == new.scope and may_retire(authority_of(new), old)


def _is_wish(fact: Fact) -> bool:
    """Tell whether a preference says what somebody wants: the judge also calls so what is used instead of another."""
    if fact.category != Category.PREFERENCE:
        return False
    said = detect(fact.text).categories
    return not said or not {one.value for one in ORDERS}.isdisjoint(said)


def _are_about_one(old: Fact, new: Fact) -> bool:
    """Tell whether one fact may speak of the other: what became of one person says nothing about another."""
    return old.entity == new.entity or _is_of_project(old) or _is_of_project(new)


def _is_of_project(fact: Fact) -> bool:
    return fact.entity.startswith(_PROJECTS)


def _is_of_things(fact: Fact) -> bool:
    """Tell whether a fact says how things are; of corrections those do which tell what has changed."""
    is_change = fact.category == Category.CORRECTION and find_former_values(fact.text)
    return fact.category in _OF_THINGS or bool(is_change)


def _is_meant(old: Fact, new: Fact, former: FormerValue) -> bool:
    if former.is_withdrawn:
        names = _names_of_things(new.text) | _names_of_things(old.text)
        return _is_decision(old) and any(f"{former.was} ".startswith(f"{name} ") for name in names)
    if former.is_name:
        return True
    besides = {*words(former.was), *words(old.entity.partition("/")[2])}
    if former.is_gone:  # other people whom both name are no deed that others do now
        besides |= words(" ".join(word for word in old.text.split() if word[0].isupper()))
    shared = {*words(old.text)} & {*words(new.text)} - besides
    return len(shared) >= (_FEWEST_OF_A_DEED if former.is_gone else 1)


def _is_decision(fact: Fact) -> bool:
    return fact.category == Category.DECISION or Category.DECISION.value in detect(fact.text).categories


def _names_of_things(text: str) -> frozenset[str]:
    """Return the names in a statement, folded, without those of people: who is off today is no plan."""
    spans = [span for span in find_names(text) if span.start > 0 or span.form != PROPER]
    return frozenset(fold(span.name) for span in spans if not is_person(text, span.name))
