"""What was said right before a statement, in a conversation or a section: what a pronoun at its beginning may mean."""

from engram.language.matching.patterns import expression
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage

_MOST = 12  # statements that are remembered; what lies further back is not meant


class Talk:
    """The statements of the newest turn of the last speaker, of the one before it, and of the answers in between.

    A turn that begins with such a pronoun goes on with what was said before it.
    """

    def __init__(self) -> None:
        """Begin with nothing said."""
        self._occasion = ""
        self._turn = ""  # id of the speaker's newest turn
        self._speaker = ""
        self._before: list[str] = []  # said in the turn before, and in answer to it
        self._now: list[str] = []  # said in the newest turn, and in answer to it
        self._section: tuple[str, tuple[str, ...]] = ("", ())  # of a note: the note, and the headings
        self._noted: list[str] = []  # what stands in it

    def told(self, passage: Passage, line: Line) -> Line:
        """Return a line with what was said before it, and remember what it says. Lines come in order."""
        if not passage.is_turn:
            return self._written(passage, line)
        if passage.occasion != self._occasion:
            self._before, self._now, self._turn, self._speaker = [], [], "", ""
            self._occasion = passage.occasion
        if not line.is_agent and passage.id != self._turn:
            goes_on = self._now and expression("lines", "unclear", r"(?i:\W*(?:%s))").match(self._now[0])
            said = [*(self._before if goes_on else []), *self._now][-_MOST:]
            self._before, self._now = (said if line.speaker == self._speaker else []), []
            self._turn, self._speaker = passage.id, line.speaker
        earlier = tuple([*self._before, *self._now][-_MOST:])
        self._now.append(line.text)
        return line._replace(earlier=earlier)

    def _written(self, passage: Passage, line: Line) -> Line:
        """Return the same of a line of a note: what stands before it below the same headings."""
        section = (passage.occasion, passage.headings)
        if section != self._section:
            self._section, self._noted = section, []
        earlier = tuple(self._noted[-_MOST:])
        self._noted.append(line.text)
        return line._replace(earlier=earlier)
