"""One statement with all that stands around it: what the judge and attribution look at."""

from typing import NamedTuple


class Line(NamedTuple):
    """A statement of a note or a turn, and its surroundings."""

    text: str
    kind: str = "sentence"  # see `language.text.statements`
    headings: tuple[str, ...] = ()  # above it, outermost first
    before: str = ""  # the statement before it
    earlier: tuple[str, ...] = ()  # said in this turn and the one before, or in this section of a note; see `Talk`
    lead: str = ""  # the characters of its own line before it: list marker, checkbox, emphasis
    is_first: bool = True  # of its entry or turn
    line_breaks: int = 0  # in its entry or turn
    speaker: str = ""  # who says it in a conversation; "" in a note
    is_user: bool = False  # the speaker is the user of an agent
    is_agent: bool = False  # the speaker is an agent
    home: str = ""  # name of the project of the conversation, or of the agent of the note
    grade: str = "none"  # of the signal that stands on it: high, low, none
    signals: tuple[str, ...] = ()  # categories of that signal
    is_machine: bool = False  # written by a program
    is_agreed: bool = False  # an agent's proposal that the user accepts; `text` is what is proposed
    is_taken_up: bool = False  # all it does is to agree or choose; what it accepts tells it
    is_answer: bool = False  # a few words behind the question of another, which stands in `text` before them

    @property
    def source(self) -> str:
        """Return what kind of text it stands in: note, user, agent, named."""
        if not self.speaker:
            return "note"
        return "user" if self.is_user else "agent" if self.is_agent else "named"

    @property
    def setting(self) -> str:
        """Return where it is said, which tells how much of it is worth keeping: as `source`, or project.

        "project" is what the user says to an agent that works on a project: of it readers keep three times as much as
        of what people say to an assistant about everything else.
        """
        return "project" if self.is_user and self.home else self.source
