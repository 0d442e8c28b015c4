"""What one accepts of what another proposes, or chooses of what another offers, by the files in patterns/answers."""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.slots.answers import MOST_OF_AN_ANSWER
from engram.language.compare.slots.answers import QUESTION_ENDS
from engram.language.compare.slots.answers import Patterns
from engram.language.compare.slots.answers import asks_for_long
from engram.language.compare.slots.answers import may_settle
from engram.language.compare.slots.answers import patterns_of
from engram.language.compare.slots.answers import possible_patterns
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages

MOST_OF_AN_OPTION: Final = 80  # characters of what it is called

_PLACES: Final = ("first", "second", "third", "fourth")
_DIGITS: Final = {"一": "1", "二": "2", "三": "3", "四": "4"}
_LIKE: Final = 4  # first letters that a word shares with another form of it: cheap, cheaper
_WORD: Final = re.compile(r"[^\W_]+")
_CJK: Final = kept("[\u3400-\u9fff가-힣]")
_WHAT_ELSE: Final = re.compile(r"\s*(?:[:：(（]|\s[–—-]+\s).*", re.DOTALL)  # behind what an option is called
_SIGNS: Final = "*_`\"' .。"


class Option(NamedTuple):
    """One of several that somebody offers."""

    label: str  # "1", "b"; "" for none
    text: str  # all that is said of it in its first sentence

    @property
    def name(self) -> str:
        """What it is called, without what is said of it: "Redis" of "**Redis**: quick, needs a server"."""
        return _WHAT_ELSE.sub("", self.text.replace("**", "")).strip(_SIGNS)


def agreed_proposal(said: str, reply: str) -> str:
    """Return what a statement proposes, where the reply only agrees ("I'd suggest Redis." "sounds good"); else ""."""
    patterns = patterns_of(said)
    proposed = patterns.proposes.match(said) if patterns and only_agrees(said, reply) else None
    return said[proposed.end() :].strip() if proposed else ""


def settled_question(said: str, reply: str) -> str:
    """Return what a question asks for, where it would be so from then on and the reply only agrees; else "".

    "Shall I use Redis for the cache?" "yes". What is done once ("Shall I run the tests?") settles nothing, and of two
    that are named ("Redis or Memcached?") nobody knows which is accepted.
    """
    for patterns in possible_patterns(said) if only_agrees(said, reply) else ():
        if asked := patterns.settles.fullmatch(said.strip()):
            is_sure = may_settle(asked["what"], patterns) and patterns.either.search(said) is None
            return _closed(asked["what"].strip()) if is_sure else ""
    return ""


def suggested(said: str, reply: str, *, among_people: bool) -> str:
    """Return what a proposal would have be so from then on, where the reply only agrees; else "".

    "How about £9 for kids?" "Ooh yes, do that". People also say so of what they plan ("let's meet at Paco's on
    Fridays"); of an agent, such words are about its next step.
    """
    text = said.strip()
    for patterns in possible_patterns(said) if only_agrees(said, reply) else ():
        found = patterns.suggests.fullmatch(text) or (patterns.plans.fullmatch(text) if among_people else None)
        if found:
            what = next(filter(None, found.groups()), "").strip()
            is_kept = found.re is patterns.suggests or patterns.fixed.search(what) is not None
            is_open = any(one.search(what) for one in (patterns.either, patterns.brief))
            return what if is_kept and may_settle(what, patterns) and not is_open else ""
    return ""


def only_agrees(said: str, reply: str) -> bool:
    """Tell whether a reply does no more than agree, in the language of what was said or in its own."""
    text = reply.strip()
    if len(text) > MOST_OF_AN_ANSWER or not any(map(str.isalpha, text)):
        return False
    return any(one.accepts.fullmatch(text) for one in _both(said, text))


def only_asks_consent(question: str) -> bool:
    """Tell whether a question asks no more than whether somebody agrees: "OK?", "What do you think?"."""
    asked = question.strip()
    return any(one.consent.fullmatch(asked) for one in possible_patterns(asked))


def choice_text(lead: str, chosen: Sequence[str]) -> str:
    """Return what is decided by a choice, by what leads to the options; "" where that does not tell, or not for long.

    "Which cache should we use?" and "There are two options for the cache:" do.
    """
    names = ", ".join(chosen)
    if asks_for_long(lead):
        return f"{lead.strip()} {names}"
    for patterns in possible_patterns(lead):
        offered = patterns.offers.fullmatch(lead.strip())
        if offered and not lead.strip().endswith(QUESTION_ENDS) and patterns.passing.search(lead) is None:
            topic = offered["topic"].strip()
            return f"{topic[0].upper()}{topic[1:]}: {names}"
    return ""


def find_choice(lead: str, reply: str, options: Sequence[Option]) -> list[int]:
    """Return the places of the options that a reply chooses, and does nothing else; none where that is not clear."""
    text = reply.strip()
    if len(text) > MOST_OF_AN_ANSWER or text.endswith(QUESTION_ENDS):
        return []
    for patterns in _both(lead, text):
        picked = patterns.picks.fullmatch(text)
        if picked is not None and (places := _places(picked.groupdict(""), options)):
            return places
    return []


def _places(picked: dict[str, str], options: Sequence[Option]) -> list[int]:
    """Return the places that the groups of `picks` mean; none where there is no such option, or more than one."""
    if label := (picked["label"] or picked["sign"]).casefold():
        return _labelled(_DIGITS.get(label, label), options)
    if picked["both"]:
        return [0, 1] if len(options) == len([0, 1]) else []
    if picked["last"]:
        return [len(options) - 1]
    for place, name in enumerate(_PLACES):
        if picked[name]:
            return [place] if place < len(options) else []
    if picked["kind"]:
        clear = [place for place, one in enumerate(options) if _is_of_kind(picked["kind"], one.text)]
        return clear if len(clear) == 1 and not _denies(options[clear[0]].text) else []
    named = [place for place, one in enumerate(options) if _is_named(picked["named"], one.name)]
    return named if len(named) == 1 else []


def _labelled(label: str, options: Sequence[Option]) -> list[int]:
    found = [place for place, one in enumerate(options) if one.label == label]
    if not any(one.label for one in options) and label.isdigit() and int(label) <= len(options):
        found = [int(label) - 1]
    return found if len(found) == 1 else []


def _is_named(said: str, name: str) -> bool:
    """Tell whether all words of a reply stand in the name of an option."""
    words, own = _words(said), _words(name)
    return bool(words) and (all(word in own for word in words) or (_is_joined(said) and said.strip() in name))


def _is_of_kind(said: str, text: str) -> bool:
    """Tell whether a text says what somebody calls the option that they mean: "the cheaper one"."""
    own = _words(text)
    if _is_joined(said):
        return said.strip() in text
    return all(any(word == other or _is_like(word, other) for other in own) for word in _words(said))


def _is_like(word: str, other: str) -> bool:
    return min(len(word), len(other)) >= _LIKE and (word.startswith(other) or other.startswith(word))


def _denies(text: str) -> bool:
    return not load_lexicon().negation.isdisjoint(_words(text))


def _is_joined(text: str) -> bool:
    """Tell whether no spaces part the words of a text, or particles are joined to them."""
    return _CJK.search(text) is not None


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _both(said: str, reply: str) -> list[Patterns]:
    """Return the patterns of the language of what was said, and of the reply's: "ja" alone is of no language."""
    return [*possible_patterns(said), *possible_patterns(reply)]


def _closed(what: str) -> str:
    """Return what is asked for as what is so, where a language asks by the ending of the verb."""
    for asking, told in _endings():
        if what.endswith(asking):
            return what.removesuffix(asking) + told
    return what


@cache
def _endings() -> list[tuple[str, str]]:
    """Return the endings of verbs that ask, longest first, with those that tell."""
    files = read_languages("answers").values()
    words = [word for data in files for word in data["settles"].get("endings", "").split()]
    return sorted(zip(words[::2], words[1::2], strict=True), key=lambda pair: -len(pair[0]))
