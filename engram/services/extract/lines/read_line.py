"""A line with where it was read: the passage that holds it, and its place there."""

from typing import NamedTuple

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
