"""Lines that the judge may want for their words, and that tell nothing that lasts."""

from engram.language.signal.detector import HIGH
from engram.language.text.talk.fleeting_remarks import is_of_the_moment
from engram.language.text.talk.fleeting_remarks import is_unreal
from engram.language.text.talk.fleeting_remarks import only_asks
from engram.model.vocabulary import Category
from engram.services.extract.lines.line import Line

_ORDERS = frozenset({Category.INSTRUCTION, Category.IDENTITY})  # what words of a request may hold that stays


def is_fleeting(line: Line) -> bool:
    """Tell whether a line says what would be, asks its agent for something once, or tells of the moment.

    What is answered or agreed to was said by two and holds. A note gives no orders to an agent, and a day in it counts.
    """
    if line.is_answer or line.is_agreed:
        return False
    if is_unreal(line.text):
        return True
    if line.speaker and is_of_the_moment(line.text):
        return True
    is_order = line.grade == HIGH and not _ORDERS.isdisjoint(line.signals)
    return line.is_user and not is_order and only_asks(line.text)
