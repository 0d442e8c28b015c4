"""The commands `handoff-send` and `handoff-answer`: what one agent leaves for another one, and what that one says."""

from typing import Annotated
from typing import Literal

from pydantic import Field

from engram.base.text import RECALLED_OPENING
from engram.base.text import has_control
from engram.base.text import slug_problem
from engram.errors import BadValueError
from engram.errors import GivesOrdersError
from engram.errors import NotFoundError
from engram.errors import RefusedError
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import marked_kinds
from engram.language.screen.secrets import redact
from engram.model.changes.change import HandoffSent
from engram.model.changes.change import HandoffSettled
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.sent_handoff import HandoffStatus
from engram.model.sent_handoff import SentHandoff
from engram.model.value import Value
from engram.model.vocabulary import Actor
from engram.ports.database import SliceKeys
from engram.rules.trust.authority import own_trust
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_args
from engram.services.commands.entity_names import refuse_others
from engram.services.visibility import OWNER

MOST_CHARS = 4_000  # of one sent handoff: every start of its addressee shows it
_MOST_REASON = 500
_TAKE_BACK = "whoever sent it takes it back: engram undo COMMAND_ID, with the id that handoff send --json printed"


class SendArgs(Value):
    """What `handoff-send` takes."""

    to: str  # agent
    sender: str  # agent
    text: str
    session: Annotated[str, Field(max_length=200)] | None = None  # in which it is sent


class AnswerArgs(Value):
    """What `handoff-answer` takes."""

    id: str
    answer: Literal["accept", "reject"]
    reason: str | None = None
    agent: str  # that answers
    owner: bool = False  # the store's owner answers, for whichever agent


class SendHandoff:
    """`handoff-send`: it waits for its addressee, in the words and with the trust of who sends it."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read, redact and screen the text; raise BadValueError, GivesOrdersError or RefusedError."""
        refuse_others(envelope)
        self._envelope = envelope
        self._now = context.now
        args = read_args(SendArgs, envelope)
        for name in (args.to, args.sender):
            if problem := slug_problem(name):
                raise BadValueError(f"{name!r} is no agent's name: {problem}", hint="engram handoff send reviewer TEXT")
        if args.sender.casefold() == OWNER and envelope.actor != Actor.USER:
            raise RefusedError(
                f"{OWNER} would seem to be the owner", hint="send it in an agent's name, or as the owner"
            )
        self._args = args.model_copy(update={"text": _read_text(args.text, MOST_CHARS, "the handoff", context)})

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(sessions=frozenset(filter(None, [self._args.session])))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        args, place = self._args, state.sessions.get(self._args.session or "")
        if place is not None and place.kind is not None:
            why = f"what is said in session {place.name} stays in it"
            raise RefusedError(why, hint="send it from a session that is not kept apart")
        sent = SentHandoff(
            id=f"handoff-{state.handoff_count + 1:04d}",
            sender=args.sender,
            actor=self._envelope.actor,
            to=args.to,
            text=args.text,
            trust=own_trust(self._envelope.actor),
            session=args.session,
            sent_at=self._now,
        )
        removed = marked_kinds(args.text)
        reason = f"taken out: {', '.join(removed)}" if removed else None
        return Decided(done(self._envelope, id=sent.id, reason=reason), (HandoffSent(handoff=sent),))


class AnswerHandoff:
    """`handoff-answer`: the addressee, or the owner, takes it on or does not."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError, GivesOrdersError or RefusedError."""
        refuse_others(envelope)
        self._envelope = envelope
        self._now = context.now
        args = read_args(AnswerArgs, envelope)
        if args.answer == "reject" and not (args.reason or "").strip():
            raise BadValueError("a rejection says why", hint=f"engram inbox reject {args.id} --reason R")
        reason = _read_text(args.reason, _MOST_REASON, "the reason", context) if args.reason else None
        self._args = args.model_copy(update={"id": args.id.casefold(), "reason": reason})

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(handoff_ids=frozenset({self._args.id}))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        args = self._args
        found = state.handoffs.get(args.id)
        if found is None or not (args.owner or args.agent in {found.to, found.sender}):
            raise NotFoundError(f"no handoff has the id {args.id!r}", hint="engram inbox lists what waits")
        if not args.owner and args.agent != found.to:
            raise RefusedError(f"{found.id} is for {found.to} to answer", hint=_TAKE_BACK)
        if found.status != HandoffStatus.WAITING:
            raise RefusedError(f"{found.id} was {found.status.value} already", hint="engram inbox --all", id=found.id)
        status = HandoffStatus.ACCEPTED if args.answer == "accept" else HandoffStatus.REJECTED
        by = found.to if args.owner else args.agent
        settled = HandoffSettled(id=found.id, status=status, at=self._now, by=by, reason=args.reason)
        said = f"{status.value}; {found.sender} is told"
        return Decided(done(self._envelope, id=found.id, reason=said), (settled,))


def taken_back(state: State, change: HandoffSent | HandoffSettled, context: Context) -> HandoffSettled:
    """Return the change that takes a sending or an answer back; raise RefusedError when something came in between."""
    is_sending = isinstance(change, HandoffSent)
    handoff_id = change.handoff.id if isinstance(change, HandoffSent) else change.id
    status = state.handoffs[handoff_id].status
    stands = HandoffStatus.WAITING if isinstance(change, HandoffSent) else change.status
    if status != stands:
        raise RefusedError(f"{handoff_id} was {status.value} since", hint="engram inbox --all", id=handoff_id)
    after = HandoffStatus.WITHDRAWN if is_sending else HandoffStatus.WAITING
    return HandoffSettled(id=handoff_id, status=after, at=context.now)


def _read_text(text: str, most: int, what: str, context: Context) -> str:
    cleaned = redact(text.strip()).text
    if not cleaned or has_control(cleaned):
        why = "holds a control character" if cleaned else "is empty"
        raise BadValueError(f"{what} {why}", hint="say it in plain text")
    if len(cleaned) > most:
        why = f"{what} has {len(cleaned)} characters; {most} is the most"
        raise BadValueError(why, hint="put the long part in a file or a note, and name it")
    if RECALLED_OPENING in cleaned:
        raise RefusedError("that is text which Engram itself recalled", hint="say it in your own words")
    if find_injection(cleaned, context.patterns) is not None:
        raise GivesOrdersError(f"{what} tries to give orders to the agent")
    return cleaned
