"""The command that puts a fact right: the new one is written and the old one retired in one change."""

from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.errors import RefusedError
from engram.language.compare.contradiction.compare import skeleton
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Source
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import read_args
from engram.services.commands.writes.corrected_days import corrected_days
from engram.services.commands.writes.slot_filling import corrected_slot
from engram.services.commands.writes.write import Write
from engram.services.visibility import refuse_reach
from engram.services.visibility import scope_in


class CorrectArgs(Value):
    """What `correct` takes: the fact, and what is right."""

    id: str
    text: str
    confidence: float | None = None
    category: str | None = None
    value: str | None = None
    valid_to: str | None = None
    valid_to_precision: str | None = None
    source: Source | None = None
    undoable: bool = False  # somebody corrects by hand: `undo` can take it back


class Correct:
    """`correct`: writes the new and retires the old in one change; the old one never held."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._envelope = envelope
        self._context = context
        self._args = read_args(CorrectArgs, envelope)
        self._said_in = self._args.source.session if self._args.source else None

    def keys(self) -> SliceKeys:
        """See Decider."""
        fact_id = self._args.id.casefold()
        entity = fact_id.rpartition("-")[0]
        text = clean_statement(self._args.text)
        statement = (entity, fingerprint(text), skeleton(text), "")
        return SliceKeys(
            fact_ids=frozenset({fact_id}),
            names=frozenset({entity, self._args.id}),  # somebody may name an entity, and no fact
            sessions=frozenset(filter(None, [self._said_in])),
            statements=(statement,),
        )

    def decide(self, state: State) -> Decided:
        """See Decider."""
        old = get_fact(state, self._args.id)
        said_in = state.sessions.get(self._said_in or "")
        refuse_reach(said_in, [old], scope_in(said_in))
        is_same = old.fingerprint == fingerprint(clean_statement(self._args.text))
        is_all = (
            self._args.value is None and self._args.valid_to is None and self._args.category in {None, old.category}
        )
        if is_same and is_all:
            raise RefusedError(f"{old.id} already says that", hint="nothing was changed", id=old.id)
        write = Write(self._envelope.model_copy(update={"args": self._write_command(old).as_args()}), self._context)
        return write.decide(state)

    def _write_command(self, old: Fact) -> WriteCommand:
        new = self._args.model_dump(mode="json", exclude_none=True, exclude={"id", "text", "source"})
        kept = {"category", "attribute", "value", "confidence", "abstraction", "tags", "related", "scope"}
        fields = old.model_dump(mode="json", include=kept, exclude_none=True)
        source = WriteSource(**(self._args.source or Source(actor=self._envelope.actor)).model_dump())
        text, category = clean_statement(self._args.text), Category(self._args.category or old.category)
        fields |= corrected_days(old, text, category, self._context.now, self._context.zone)
        if self._args.value is None:
            fields |= corrected_slot(old, text)
        fields |= {**new, "supersedes": [old.id], "corrects": True}
        return WriteCommand(entity=old.entity, text=self._args.text, source=source, **fields)
