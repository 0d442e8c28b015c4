"""Taking back what somebody added to the review by hand: a tension, or what they noticed."""

from engram.errors import RefusedError
from engram.model.changes.change import Change
from engram.model.changes.change import ObservationOpened
from engram.model.changes.change import ObservationResolved
from engram.model.changes.change import ObservationSeen
from engram.model.changes.change import TensionOpened
from engram.model.changes.change import TensionResolved
from engram.model.changes.state import State
from engram.model.changes.undoable import Undoable
from engram.model.observation import TAKEN_BACK
from engram.model.observation import ObservationStatus
from engram.model.tension import TensionStatus
from engram.services.commands.decider import Context


def unsay_tension(state: State, found: Undoable, context: Context) -> list[Change]:
    """Close a tension that somebody added; raise RefusedError when it was settled since."""
    tension = state.tensions[next(one.tension.id for one in found.changes if isinstance(one, TensionOpened))]
    if tension.status != TensionStatus.OPEN:
        hint = f"engram tension reopen {tension.id}"
        raise RefusedError(f"{tension.id} was settled since", hint=hint, id=tension.id)
    return [TensionResolved(id=tension.id, resolution=TAKEN_BACK, at=context.now)]


def unnotice(state: State, found: Undoable, context: Context) -> list[Change]:
    """Dismiss what was noticed first; nothing for what was only counted.

    Raises RefusedError when it was noticed again or settled since.
    """
    made = next((one.observation for one in found.changes if isinstance(one, ObservationOpened)), None)
    if made is None:
        return []
    known = state.observations[made.id]
    since = "noticed again" if known.seen > made.seen else known.status.value
    if known.seen > made.seen or known.status != ObservationStatus.OPEN:
        hint = f"engram review answer {known.id} dismiss"
        raise RefusedError(f"{known.id} was {since} since", hint=hint, id=known.id)
    dismissed = ObservationStatus.DISMISSED
    return [ObservationResolved(id=known.id, status=dismissed, at=context.now, resolution=TAKEN_BACK)]


def only_counted(found: Undoable) -> str:
    """Return what is told of a command that changed nothing which could be put back: it was only counted."""
    return f"{', '.join(noticed_in(found))} was noticed before; that it was noticed once more stays counted"


def noticed_in(found: Undoable) -> frozenset[str]:
    """Return the ids of the observations that were made or seen again."""
    made = {change.observation.id for change in found.changes if isinstance(change, ObservationOpened)}
    return frozenset(made | {change.id for change in found.changes if isinstance(change, ObservationSeen)})
