"""Which class decides a command of which kind."""

from collections.abc import Callable

from engram.model.commands.command import Envelope
from engram.services.commands.access_counts import CountUses
from engram.services.commands.answers.answer import Answer
from engram.services.commands.answers.reopen import Undo
from engram.services.commands.capture import Capture
from engram.services.commands.capture import NoteRead
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decider
from engram.services.commands.entities.entity import AddEntity
from engram.services.commands.entities.entity import AddSession
from engram.services.commands.entities.entity import AliasEntity
from engram.services.commands.entities.merge import Merge
from engram.services.commands.entities.open_session import OpenSession
from engram.services.commands.entities.owner import NameOwner
from engram.services.commands.entities.rename import Archive
from engram.services.commands.entities.rename import Rename
from engram.services.commands.entities.rename import Restore
from engram.services.commands.entities.split import Split
from engram.services.commands.fact import Access
from engram.services.commands.fact import AddTension
from engram.services.commands.fact import Confirm
from engram.services.commands.fact import Forget
from engram.services.commands.fact import Pin
from engram.services.commands.fact import Retract
from engram.services.commands.fact import Unpin
from engram.services.commands.observe import Observe
from engram.services.commands.sent_handoffs import AnswerHandoff
from engram.services.commands.sent_handoffs import SendHandoff
from engram.services.commands.undo import UndoCommand
from engram.services.commands.verdict import Rate
from engram.services.commands.writes.correct import Correct
from engram.services.commands.writes.write import Write

DECIDERS: dict[str, Callable[[Envelope, Context], Decider]] = {
    "write": Write,
    "correct": Correct,
    "retract": Retract,
    "forget": Forget,
    "confirm": Confirm,
    "access": Access,
    "uses": CountUses,
    "feedback": Rate,
    "pin": Pin,
    "unpin": Unpin,
    "tension-add": AddTension,
    "observe": Observe,
    "review-answer": Answer,
    "review-undo": Undo,
    "entity-add": AddEntity,
    "entity-alias": AliasEntity,
    "owner": NameOwner,
    "entity-rename": Rename,
    "entity-merge": Merge,
    "entity-split": Split,
    "entity-archive": Archive,
    "entity-restore": Restore,
    "undo": UndoCommand,
    "handoff-send": SendHandoff,
    "handoff-answer": AnswerHandoff,
    "session-add": AddSession,
    "session-open": OpenSession,
    "capture": Capture,
    "note-read": NoteRead,
}
