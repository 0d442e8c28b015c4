"""Whether somebody answers another's question with something that lasts: "Which region do you deploy to?" "eu-west-1".

By the files in patterns/answers. An answer of a few words is kept together with its question, so the question has to be
a short one that asks what is so for long; what is so at the moment ("what error do you see?") is none.
"""

import re
from functools import cache
from typing import Final
from typing import NamedTuple

from engram.language.matching.language_files import read_languages
from engram.language.matching.language_id import language_of
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled

_MOST_OF_A_QUESTION: Final = 120  # characters; a longer one tells more than it asks
_MOST_OF_AN_ANSWER: Final = 60  # characters; a longer one is a sentence of its own
_PARTED: Final = re.compile(r"([^?？\n]{1,120}[?？])\s+(\S.*)")
_ENDS: Final = ("?", "？")
_SENTENCE_END: Final = re.compile(r"[.!?;]\s|[。！？；]|\n")


class _Patterns(NamedTuple):
    asks: re.Pattern[str]  # the beginning of a question for something that lasts
    passing: re.Pattern[str]  # words of a question for what is so at the moment
    empty: re.Pattern[str]  # the beginning of an answer that tells nothing by itself
    wants: re.Pattern[str]  # words of a question how somebody wants something done
    proposes: re.Pattern[str]  # the words of a proposal before what is proposed
    accepts: re.Pattern[str]  # all of what somebody says who only agrees


def is_lasting_answer(question: str, answer: str) -> bool:
    """Tell whether a text answers a question in a few words with something that lasts. Linear in their lengths.

    The question is one sentence: what else stood beside it would be kept as the answerer's words.
    """
    asked, said = question.strip(), answer.strip()
    if len(asked) > _MOST_OF_A_QUESTION or len(said) > _MOST_OF_AN_ANSWER or not asked.endswith(_ENDS):
        return False
    if said.endswith(_ENDS) or not any(map(str.isalnum, said)) or _SENTENCE_END.search(asked[:-1]):
        return False
    patterns = _load().get(language_of(asked))
    if patterns is None or patterns.asks.match(asked) is None or patterns.passing.search(asked) is not None:
        return False
    return patterns.empty.match(said) is None


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
    patterns = _load().get(language_of(question))
    return patterns is not None and patterns.wants.search(question) is not None


def agreed_proposal(said: str, reply: str) -> str:
    """Return what a statement proposes, where the reply only agrees ("I'd suggest Redis." "sounds good"); else ""."""
    patterns = _load().get(language_of(said))
    if patterns is None or len(reply) > _MOST_OF_AN_ANSWER:
        return ""
    proposed, replied = patterns.proposes.match(said), _load().get(language_of(reply), patterns)
    is_agreed = any(map(str.isalpha, reply)) and replied.accepts.fullmatch(reply.strip()) is not None
    return said[proposed.end() :].strip() if proposed and is_agreed else ""


@cache
def _load() -> dict[str, _Patterns]:
    return {
        language: _Patterns(*(compiled(f"(?i:{Pattern(data[name]).source})") for name in _Patterns._fields))
        for language, data in read_languages("answers").items()
    }
