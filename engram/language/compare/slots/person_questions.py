"""Whether a question asks for what only people have."""

from engram.language.compare.slots.asked_attributes import find_asked
from engram.language.compare.slots.question_words import find_form
from engram.language.compare.slots.slots import is_of_people


def asks_of_a_person(question: str) -> bool:
    """Tell whether a question asks for what only people have: a name, an age, where they live."""
    if (asked := find_form(question)) is None:
        return False
    return any(all(map(is_of_people, one)) for one in find_asked(question, asked.language, form=asked.form))
