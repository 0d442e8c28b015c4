"""The words by which statements are compared, read from patterns/comparing: one file a language."""

import re
from collections.abc import Callable
from functools import cache
from typing import Annotated
from typing import Any
from typing import NamedTuple
from typing import get_type_hints

from engram.language.compare.reading import lexicon_parts as parts
from engram.language.compare.reading.lexicon_parts import Group
from engram.language.compare.reading.lexicon_parts import Sentence
from engram.language.compare.reading.lexicon_parts import State
from engram.language.compare.reading.lexicon_parts import Unit
from engram.language.compare.reading.phrases import Phrases
from engram.language.compare.reading.stems import fold
from engram.language.compare.reading.stems import stem
from engram.language.matching.language_files import Table
from engram.language.matching.language_files import read_languages


class From(NamedTuple):
    """How a part of a lexicon is read; a test holds its type to what its reader returns."""

    read: Callable[[list[Table], str], Any]
    key: str = ""  # its name in the files, where that is not the field's


Words = Annotated[frozenset[str], From(parts.read_words)]  # folded
Stems = Annotated[frozenset[str], From(parts.read_stems)]
Endings = Annotated[tuple[str, ...], From(parts.read_listed)]  # folded, in order
Mapping = Annotated[dict[str, str], From(parts.read_mapping)]  # of folded words
Sentences = Annotated[tuple[Sentence, ...], From(parts.read_sentences)]
Expressions = Annotated[Phrases, From(parts.read_phrases)]


class Lexicon(NamedTuple):
    """The words of all languages together; single words are stems unless said otherwise."""

    dropped: Words  # folded words that carry no meaning of their own
    stop: Words  # folded words that are not content
    subjects: Words  # folded words for the entity itself
    # Pronouns for the entity of which one cannot be the other: he, she
    apart: Annotated[frozenset[tuple[str, str]], From(parts.read_permutations)]
    negation: Words  # folded words that turn a statement round
    denying: Stems  # stems that do so with any ending
    joining: Words  # folded words that begin another clause
    # The end of a question, or of a clause that supposes: nothing is stated
    asks: Annotated[Phrases, From(parts.read_pattern)]
    logged: Sentences  # lines of logs and records: they state nothing that stays
    occasions: Sentences  # what happened, or is due, once: there may be another such occasion
    strengthening: Words  # folded words that only strengthen a negation
    # Folded word to the words that it stands for
    contractions: Annotated[dict[str, str], From(parts.read_contractions)]
    # Folded words to the one that they stand for
    phrases: Annotated[dict[str, str], From(parts.read_joined, "contractions")]
    cessation: Expressions  # phrases: what held has ended
    lasting: Expressions  # phrases that say so together with a negation: any more
    changed: Expressions  # "was moved to" and the like: what follows is what is
    replaced: Sentences  # `old` has ended, `new` came
    usage: Stems  # stems that say no more than that something is so
    preference: Stems  # stems that make a statement a preference
    preferring: Stems  # those of them that leave room for one thing only
    status: Sentences  # `subject` `works` or `fails`, `not`; `rest` is said besides, `because` leads to why
    reversed: Sentences  # `first` is preferred to `second`
    naming: Words  # folded words that make the number behind them a name
    versioning: Words  # folded words that make the number behind them a version
    months: Words  # folded words
    month_numbers: Mapping  # first three or four letters of a month to its number
    days: Annotated[frozenset[str], From(parts.read_words_and_stems)]  # folded words and their stems
    dating: Words  # folded words that only lead to a date
    numbers: Mapping  # folded word to digits
    units: Annotated[dict[str, Unit], From(parts.read_units)]  # folded word to unit
    opposites: Annotated[dict[str, tuple[str, int]], From(parts.read_all_opposites)]  # stem to pair and side
    # Pairs that exclude each other only as predicates: a fast car and a slow one
    contraries: Annotated[frozenset[str], From(parts.read_pair_names)]
    # Stems joined by spaces to groups and the place in each
    groups: Annotated[dict[str, tuple[tuple[Group, int], ...]], From(parts.read_groups)]
    prefixes: Words  # beginnings by which a word becomes its contrary: unreliable
    # Stems, and words in -ing, of predicates that may hold of several things at once
    many: Annotated[frozenset[str], From(parts.read_stems_but_ing)]
    several: Stems  # stems of predicates that may hold of several versions at once
    people: Stems  # stems for anybody: what "nobody" denies
    # Stem to the stems of the kinds that it belongs to: beer is alcohol
    kinds: Annotated[dict[str, frozenset[str]], From(parts.read_kinds)]
    relatives: Stems  # stems for others who belong to the entity: they are not the entity
    possessives: Endings  # endings of whoever something belongs to
    subject_marks: Endings  # endings of the subject, where it stands before a verb that comes last
    verb_endings: Endings  # by which a word that begins a statement is known as its verb
    # Expressions: a part of {name} is spoken of, not {name}
    part_subjects: Annotated[tuple[str, ...], From(parts.read_texts, "part_subject")]
    # A noun, and a verb written together with it: there is (no) such thing
    existence: Annotated[tuple[re.Pattern[str], ...], From(parts.read_expressions)]
    absent: Mapping  # stem of such a verb that denies to the verb that it denies
    present: Annotated[frozenset[str], From(parts.read_stems_of_values, "absent")]  # stems of those verbs
    nobody: Annotated[re.Pattern[str], From(parts.read_expression)]  # begins the denial of a whole kind
    states: Annotated[tuple[State, ...], From(parts.read_states)]  # one a language
    whole: Annotated[frozenset[str], From(parts.read_chinese)]  # words of Chinese, which has no spaces


def place_kinds(text: str) -> frozenset[str]:
    """Return what kinds of place the words may name, of city, country and region; empty for other words."""
    key = " ".join(map(stem, fold(text).split()))
    return frozenset(group.place for group, _ in load_lexicon().groups.get(key, ()) if group.place)


@cache
def load_lexicon() -> Lexicon:
    """Read the words of every language once."""
    files = list(read_languages("comparing").values())
    fields = get_type_hints(Lexicon, include_extras=True)
    how = {name: next(one for one in field.__metadata__ if isinstance(one, From)) for name, field in fields.items()}
    return Lexicon(**{name: one.read(files, one.key or name) for name, one in how.items()})
