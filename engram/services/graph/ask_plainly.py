"""Questions of fixed forms in plain words: "who leads Atlas", "где живёт Анна", "谁负责Atlas"."""

import re
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.self_names import SELF_NAMES
from engram.base.self_names import first_name
from engram.base.self_names import is_self_name
from engram.errors import UnknownEntityError
from engram.errors import UsageError
from engram.language.compare.slots.asked_attributes import find_asked
from engram.language.compare.slots.question_words import WHAT
from engram.language.compare.slots.question_words import blanked
from engram.language.compare.slots.question_words import find_form
from engram.language.compare.slots.value_questions import asks_beyond_now
from engram.language.matching.patterns import expression
from engram.language.names.mentions import Known
from engram.language.names.mentions import Mention
from engram.language.names.mentions import NameIndex
from engram.language.names.sounds import SoundIndex
from engram.language.terms.terms import terms
from engram.ports.database import FactDatabase
from engram.services.facts.questions import LATEST
from engram.services.facts.questions import TEMPLATES
from engram.services.facts.questions import nearest_first
from engram.services.facts.questions import tells
from engram.services.graph.ask_people import WHO
from engram.services.graph.ask_people import answer_asked
from engram.services.graph.ask_people import answer_from_graph
from engram.services.graph.entity_graph import GraphQuery
from engram.services.visibility import visible_entities

_ALSO: Final = {"preference": "prefers"}  # other words for a form
_KOREAN_ENDING: Final = re.compile("[\uac00-\ud7a3]*")  # particles behind a name


_WORD: Final = re.compile(r"[а-яё]+")


class _Question(NamedTuple):
    template: str
    entity: str  # path
    words: tuple[str, ...]  # that are neither the form's nor the name's
    attributes: tuple[frozenset[str], ...]  # that words of it ask for; each a choice
    heard: str  # the words by whose sound the entity was found; empty: by its name


class AnsweredWords(NamedTuple):
    """What facts say to a question."""

    found: dict[str, Any]  # as `answer_from_graph` returns it
    is_narrowed: bool  # whether it was asked in the words TEMPLATE ENTITY WORDS, which want just facts with these words
    heard: str = ""  # words of the question that are taken for the entity's name, as they sound like it


def answer_words(database: FactDatabase, words: tuple[str, ...], asked: GraphQuery) -> AnsweredWords:
    """Return what `answer_from_graph` does for TEMPLATE ENTITY WORDS, or else for a question in plain words.

    The verb of a question narrows it down where it says how somebody stands to the entity: "who leads". "Where does
    Anna live" asks no more than "where" does, so when no fact has its words, all that the form finds is told.

    Raises:
        UsageError: the words are of no form.
        UnknownEntityError, AmbiguousNameError: they name no entity, or more than one can be meant.
    """
    template, *rest = words
    template = _ALSO.get(template, template)
    if template in TEMPLATES and rest:
        try:
            found = answer_from_graph(database, template, rest[0], rest[1:], asked)
            return AnsweredWords(found, is_narrowed=len(rest) > 1)
        except UnknownEntityError as problem:
            if len(rest) == 1:  # a name by itself is no question in plain words
                raise
            unknown = problem
        try:
            return _answer(database, _read(database, " ".join(words), asked), asked)
        except UnknownEntityError as problem:
            raise problem from unknown
    return _answer(database, _read(database, " ".join(words), asked), asked)


def _answer(database: FactDatabase, question: _Question, asked: GraphQuery) -> AnsweredWords:
    found: dict[str, Any] = {"facts": []}
    if question.template != WHAT:
        found = answer_from_graph(database, question.template, question.entity, question.words, asked)
    if not found["facts"] and question.attributes:
        found = answer_asked(database, question.template, question.entity, question.attributes, asked)
    is_told = not question.attributes or tells(question.template, question.attributes)
    if not found["facts"] and question.words and question.template not in {WHO, WHAT} and is_told:
        found = answer_from_graph(database, question.template, question.entity, (), asked)
        if question.template != LATEST:  # the newest first, whatever it says
            found["facts"] = nearest_first(found["facts"], question.words)
    return AnsweredWords(found, is_narrowed=False, heard=question.heard)


def _owner_in(text: str, names: NameIndex) -> Mention | None:
    """Return where a question says "I" or "my", as a mention of whoever bears the owner's names."""
    said = expression("lines", "singular").search(text)
    path = next((path for name in SELF_NAMES if (path := names.find_path(name))), None)
    return Mention(said.start(), said.end(), path) if said and path else None


def _with_first_name(known: Sequence[Known]) -> list[Known]:
    """Return entities, the owner also called by the first name, where nobody else is called so."""
    taken = {name.casefold() for one in known for name in (*one.names, one.path.partition("/")[2])}
    called = {one.path: first_name(one.names[0]) for one in known if one.names and any(map(is_self_name, one.names))}
    given = {path: name for path, name in called.items() if name and name.casefold() not in taken}
    return [one._replace(names=(*one.names, given[one.path])) if one.path in given else one for one in known]


def _read(database: FactDatabase, text: str, asked: GraphQuery) -> _Question:
    form = find_form(text)
    if form is None:
        raise _no_form(text)
    caller = asked.moment.caller
    entities = database.list_entities() if caller is None else visible_entities(database, caller)
    known = _with_first_name([Known(one.path, (one.title, *one.aliases)) for one in entities])
    names = NameIndex(known)
    mentions = names.find(form.rest) or names.find(_in_capitals(form.rest))
    by_sound = [] if mentions else SoundIndex(known).find(form.rest)
    mentions = mentions or by_sound
    if not mentions and (caller is None or caller.is_owner) and (myself := _owner_in(form.rest, names)) is not None:
        mentions = [myself]
    if not mentions:
        raise UnknownEntityError(
            f"{text!r} names no entity that is known", hint="engram entity list; engram recall takes any question"
        )
    named = mentions[0]
    ending = _KOREAN_ENDING.match(form.rest, named.end)
    name = (named.start, ending.end() if ending else named.end)
    attributes = () if asks_beyond_now(text) else find_asked(blanked(text, name), form.language, form=form.form)
    if form.form == WHAT and not attributes:
        raise _no_form(text)
    rest = blanked(form.rest, name)
    heard = form.rest[named.start : named.end] if by_sound else ""
    return _Question(form.form, named.path, tuple(terms(rest)), attributes, heard)


def _in_capitals(text: str) -> str:
    """Return a text with each word in a capital, as whoever asks may write the case of a name small: "биллинга"."""
    return _WORD.sub(lambda word: word[0][0].upper() + word[0][1:], text)


def _no_form(text: str) -> UsageError:
    return UsageError(
        f"{text!r} asks for none of {', '.join(TEMPLATES)}",
        hint='engram ask "who leads Atlas"; engram recall takes any question',
    )
