"""Whether words look like the value of an attribute: by its shape, and by the words that no value holds."""

import re
from collections.abc import Callable
from typing import NamedTuple

from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.stems import fold
from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

_TOKEN = re.compile(r"[^\s,()/]+")
_CJK = kept("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_MAX_WORDS = {"name": 5, "term": 4, "phrase": 8, "state": 5, "date": 6, "amount": 6, "version": 4}
_EMAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{2,64}){1,4}")
_PHONE = re.compile(r"\+?\d[\d ().-]{5,20}")
_VERSION = re.compile(r"(?:[a-z+#.-]{2,20} )?v?\d+(?:\.\d+){0,4}(?:[-.+]?[a-z]{1,8}[\d.]{0,6})?")
_PORT = re.compile(r"\d{2,5}")
_HOST = re.compile(
    r"localhost(?::\d{2,5})?|[a-z0-9][\w-]{0,62}(?:\.[\w-]{1,63}){1,6}(?::\d{2,5})?|[\w-]+-[\w-]+(?::\d{2,5})?"
)
_URL = re.compile(r"(?:https?://|git@)\S{3,200}|[\w-]{1,60}(?:\.[\w-]{1,60}){1,4}(?:/\S{0,200})?")
_PATH = re.compile(r"(?:~|\.{0,2}|[a-z]:)?[/\\]\S{1,200}|[\w.-]+[/\\]\S{0,200}")
_SLUG = re.compile(r"(?=[\w+]*[\d./-])[\w./+-]{2,60}")


class Words(NamedTuple):
    """The words that a language keeps out of values, folded."""

    known: frozenset[str]  # names of technology that people write small
    function: frozenset[str]  # words that no name and no term holds
    clause: frozenset[str]  # words that join or open a clause
    dating: frozenset[str]  # function words that a date may hold
    vague: frozenset[str]  # words that say nothing: they judge, deny, leave it open
    generic: frozenset[str]  # words for a kind of thing, which are no name by themselves: a bank, a factory


def fits(value: str, shape: str, words: Words) -> bool:
    """Tell whether a value, as written, has a shape of the registry; False when it leaves the matter open."""
    folded = fold(value)
    tokens = _TOKEN.findall(folded)
    if not tokens or len(tokens) > _MAX_WORDS.get(shape, 8) or _is_vague(folded, tokens, words.vague):
        return False
    return _SHAPES[shape](value, folded, words)


def _is_vague(folded: str, tokens: list[str], vague: frozenset[str]) -> bool:
    if tokens[0] in vague or tokens[-1] in {"?", "-"}:
        return True
    return bool(_CJK.match(folded)) and any(folded.startswith(word) for word in vague if _CJK.match(word))


def _is_name(value: str, folded: str, words: Words) -> bool:
    """Tell whether it is a proper name: written large, or in a script without large letters, and of name words only."""
    if any(token in words.function for token in _TOKEN.findall(folded)):
        return False
    first = value[0]
    if _CJK.match(first):
        return (
            len(folded) > 1
            and folded not in words.generic
            and not any(folded.endswith(word) for word in words.function if len(word) > 1)
        )
    return first.isupper()


def _is_term(value: str, folded: str, words: Words) -> bool:
    tokens = _TOKEN.findall(folded)
    if tokens[0] in words.known or folded in words.known:
        return not any(token in words.function for token in tokens[1:])
    return _is_name(value, folded, words) or ("/" in value and value[0].isupper())


def _is_phrase(_value: str, folded: str, words: Words) -> bool:
    """Tell whether a few words could be a title: no clause, no judgement."""
    return not any(token in words.clause or token in words.vague for token in _TOKEN.findall(folded))


def _is_date(_value: str, folded: str, words: Words) -> bool:
    lexicon = load_lexicon()
    tokens = re.findall(r"[\w:./-]+", folded)
    if any(token in words.function - words.dating for token in tokens):
        return False
    named = any(token in lexicon.months or token in lexicon.days for token in tokens)
    number = compiled(rf"\d{{1,2}}(?:{joined('values', 'ordinal')})?\b|\d{{4}}|q[1-4]")
    return named or bool(expression("values", "day").search(folded)) or bool(number.match(folded))


def _is_amount(_value: str, folded: str, words: Words) -> bool:
    tokens = folded.split()
    number = compiled(rf"(?:{joined('values', 'about')})?[$€£₽¥₩~]?\d")
    numbered = number.match(folded) or tokens[0] in load_lexicon().numbers
    return bool(numbered) and not any(token in words.clause for token in tokens)


def _by(pattern: re.Pattern[str]) -> Callable[[str, str, Words], bool]:
    return lambda _value, folded, _words: pattern.fullmatch(folded) is not None


_SHAPES: dict[str, Callable[[str, str, Words], bool]] = {
    "name": _is_name,
    "term": _is_term,
    "phrase": _is_phrase,
    "state": _is_phrase,
    "date": _is_date,
    "amount": _is_amount,
    "version": _by(_VERSION),
    "email": _by(_EMAIL),
    "phone": _by(_PHONE),
    "port": _by(_PORT),
    "host": _by(_HOST),
    "url": _by(_URL),
    "path": _by(_PATH),
    "slug": lambda _value, folded, words: folded in words.known or _SLUG.fullmatch(folded) is not None,
}
