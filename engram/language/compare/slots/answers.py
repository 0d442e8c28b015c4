"""Whether somebody answers another's question with something that lasts: "Which region do you deploy to?" "eu-west-1".

By the files in patterns/answers. An answer of a few words is kept together with its question, so the question has to be
a short one that asks what is so for long; what is so at the moment ("what error do you see?") is none.
"""

import re
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.answer_kinds import find_kind
from engram.language.compare.slots.answer_kinds import holds_kind
from engram.language.matching.kept_expressions import kept
from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import ENGLISH
from engram.language.matching.language_id import language_of
from engram.language.matching.language_id import latin_languages_of
from engram.language.matching.patterns import Pattern

MOST_OF_AN_ANSWER: Final = 60  # characters; a longer one is a sentence of its own
QUESTION_ENDS: Final = ("?", "？")

_MOST_OF_A_QUESTION: Final = 120  # characters; a longer one tells more than it asks
_PARTED: Final = re.compile(r"([^?？\n]{1,120}[?？])\s+(\S.*)")
_SENTENCE_END: Final = re.compile(r"[.!?;]\s|[。！？；]|\n")


class Patterns(NamedTuple):
    """What the file of a language knows of questions and answers; its README says how each is used."""

    asks: re.Pattern[str]  # the beginning of a question for something that lasts
    passing: re.Pattern[str]  # words of a question for what is so at the moment
    empty: re.Pattern[str]  # the beginning of an answer that tells nothing by itself
    later: re.Pattern[str]  # all of what somebody says who will answer later
    wants: re.Pattern[str]  # words of a question how somebody wants something done
    proposes: re.Pattern[str]  # the words of a proposal before what is proposed
    accepts: re.Pattern[str]  # all of what somebody says who only agrees
    suggests: re.Pattern[str]  # all of a proposal of how something is to be; group `what`
    plans: re.Pattern[str]  # the same, as people say it who plan among themselves
    fixed: re.Pattern[str]  # what such a plan has that is worth keeping
    brief: re.Pattern[str]  # words by which a proposal is for the moment
    settles: re.Pattern[str]  # a question whether something is to be so from then on; group `what`
    lasts: re.Pattern[str]  # what such a question has that is about no piece of work: a name, a number, a purpose
    once: re.Pattern[str]  # words of such a question by which it is about a piece of work
    either: re.Pattern[str]  # what stands between two of which one is asked for
    consent: re.Pattern[str]  # all of a question that only asks whether somebody agrees
    picks: re.Pattern[str]  # all of what somebody says who chooses; a group for each way to name an option
    offers: re.Pattern[str]  # what leads to options; group `topic`


def is_lasting_answer(question: str, answer: str) -> bool:
    """Tell whether a text answers a question in a few words with something that lasts. Linear in their lengths.

    The question is one sentence: what else stood beside it would be kept as the answerer's words.
    """
    said, patterns = answer.strip(), patterns_of(question)
    if patterns is None or len(said) > MOST_OF_AN_ANSWER or said.endswith(QUESTION_ENDS):
        return False
    if not any(map(str.isalnum, said)) or patterns.empty.match(said) is not None:
        return False
    if patterns.later.fullmatch(said) is not None:
        return False
    return asks_for_long(question) or _names_alternative(question, said, patterns)


def asks_for_long(question: str) -> bool:
    """Tell whether a text is one short question for something that lasts."""
    asked, patterns = question.strip(), patterns_of(question)
    if patterns is None or not _is_one_question(asked):
        return False
    return patterns.asks.match(asked) is not None and patterns.passing.search(asked) is None


def part_answer(text: str) -> tuple[str, str] | None:
    """Return the question and the answer of a text that is both; None where it is anything else."""
    parted = _PARTED.match(text)
    return (parted[1], parted[2]) if parted and is_lasting_answer(parted[1], parted[2]) else None


def tells_nothing(answer: str) -> bool:
    """Tell whether an answer begins with words that tell nothing by themselves: "I don't know", "the second one"."""
    patterns = _load().get(language_of(answer))
    return patterns is not None and patterns.empty.match(answer.strip()) is not None


def asks_how(question: str) -> bool:
    """Tell whether a question asks how somebody wants something done, so that its answer is an instruction."""
    patterns = patterns_of(question)
    return patterns is not None and patterns.wants.search(question) is not None


def puts_off(question: str, reply: str) -> bool:
    """Tell whether all that a reply says is that a question will be answered later: "one moment"."""
    said = reply.strip()
    return any(one.later.fullmatch(said) for one in (*possible_patterns(question), *possible_patterns(said)))


def fits_kind(question: str, answer: str) -> bool:
    """Tell whether an answer may be one to a question by its kind: a sum, a number, a name. Unsure is yes."""
    kind = find_kind(question)
    return kind is None or holds_kind(answer, kind, question)


def patterns_of(text: str) -> Patterns | None:
    """Return the patterns of a text's language; None where there are none."""
    return _load().get(language_of(text))


def may_settle(what: str, patterns: Patterns) -> bool:
    """Tell whether what a question asks for would be so from then on: it names something, and is no piece of work."""
    return patterns.lasts.search(what) is not None and patterns.once.search(what) is None


def possible_patterns(text: str) -> list[Patterns]:
    """Return the patterns of the languages that a few words may be in, the likeliest first."""
    likeliest = language_of(text)
    others = sorted(latin_languages_of(text)) if likeliest == ENGLISH else []
    return [_load()[code] for code in dict.fromkeys([likeliest, *others]) if code in _load()]


def _is_one_question(asked: str) -> bool:
    if len(asked) > _MOST_OF_A_QUESTION or not asked.endswith(QUESTION_ENDS):
        return False
    return _SENTENCE_END.search(asked[:-1]) is None


def _names_alternative(question: str, answer: str, patterns: Patterns) -> bool:
    """Tell whether an answer is one of two that a question names: "Should we use Redis or Memcached?" "Redis"."""
    asked, picked = question.strip(), patterns.picks.fullmatch(answer)
    settled = patterns.settles.fullmatch(asked) if _is_one_question(asked) else None
    if settled is None or not may_settle(settled["what"], patterns) or picked is None or not picked["named"]:
        return False
    name = re.escape(picked["named"].strip())
    either = patterns.either.pattern.removeprefix("(?i:").removesuffix(")")
    beside = rf"(?i:(?<!\w){name}\W{{1,3}}(?:{either})|(?:{either})\W{{1,3}}{name}(?!\w))"
    return re.search(beside, settled["what"]) is not None


@cache
def _load() -> dict[str, Patterns]:
    return {
        language: Patterns(
            *(kept(f"(?i:{Pattern(data[name], data.get('parts', {})).source})") for name in Patterns._fields)
        )
        for language, data in read_languages("answers").items()
    }
