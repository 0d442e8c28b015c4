"""Who may take back, or bring up to date, what somebody else has said."""

from engram.base.speaker_names import is_own_speech
from engram.model.changes.state import State
from engram.model.fact import Source

_GROUP = "group"  # kind of a session


def may_replace(state: State, new: Source, old: Source) -> bool:
    """Tell whether a newer statement may take the place of an older one, by who said them.

    In a group nobody speaks for another one; elsewhere the user does, who is whoever nobody names there.
    """
    if new.turn is None or old.turn is None:
        return True
    said_in = state.sessions.get(new.session or "")
    is_group = said_in is not None and said_in.kind == _GROUP
    mine, theirs = (state.turns.get(turn) for turn in (new.turn, old.turn))
    if mine is None or theirs is None:
        return not is_group  # of a group nobody knows who it was
    if mine.speaker == theirs.speaker:
        return True
    if is_group:
        return theirs.speaker is None
    return is_own_speech(mine.speaker)
