"""A line with where it was read: the passage that holds it, and its place there."""

from typing import NamedTuple

from engram.language.compare.slots.answers import is_lasting_answer
from engram.language.screen.secrets import answers_with_secret
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import detect
from engram.language.text.machine_text import MachineText
from engram.language.text.statements import Statement
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage


class ReadLine(NamedTuple):
    """A line of a passage."""

    passage: Passage
    machine: MachineText
    statement: Statement
    line: Line
    text: str  # of the passage

    def is_right_behind(self, last: "ReadLine") -> bool:
        """Tell whether both are of one passage, and nothing stands between them."""
        if self.passage.id != last.passage.id:
            return False
        return not self.text[last.statement.end : self.statement.start].strip(" .;!")


def with_question(line: Line) -> Line:
    """Return a line behind the question that it answers, where it is a few words that say nothing without it.

    A question that states or orders something is left out: that would be kept as the answerer's words. So is one for
    a secret.
    """
    if not line.is_first or line.is_agent or not is_lasting_answer(line.before, line.text):
        return line
    if detect(line.before).signal == HIGH or answers_with_secret(line.before, line.text):
        return line
    return line._replace(text=f"{line.before.strip()} {line.text}", before="", is_answer=True)
