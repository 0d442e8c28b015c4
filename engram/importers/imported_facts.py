"""The statements of a source as `write` commands, with their own dates, oldest versions first."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.clock import to_iso
from engram.importers.memories.chains import ChainPlan
from engram.importers.memories.chains import plan_chains
from engram.importers.memories.items import Effect
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Remark
from engram.importers.memories.items import content_of
from engram.importers.recorder import ImportRecorder
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Envelope
from engram.model.commands.command import Outcome
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.fact import Actor
from engram.services.imports import ledger
from engram.workspace import Workspace

ALONE: Final = "-alone"  # ends the id of a command that was to replace something, and could not
OWN: Final = "-own"  # ends the id of a command by which a person says that it is their own word
_MADE: Final = frozenset({Outcome.CREATED, Outcome.SUPERSEDED, Outcome.TENSION, Outcome.QUARANTINED})
_NOT_REPLACED: Final = frozenset({"Refused", "UnknownFact"})  # why a fact could not take the place of another
_KNOWN: Final = "known"  # recorded by an earlier import
_MAX_LABEL_CHARS: Final = 200  # of a file's name in a fact's source


class FactWriter:
    """Writes the statements of one import."""

    def __init__(self, workspace: Workspace, recorder: ImportRecorder) -> None:
        """Take where to and as what they are written."""
        self.remarks: list[Remark] = []
        self._workspace = workspace
        self._recorder = recorder
        self._items: Sequence[FactItem] = ()
        self._ids: list[str] = []
        self._results: dict[int, CommandResult] = {}  # by place in the items

    def write(self, items: Sequence[FactItem]) -> dict[str, int]:
        """Write all statements and return how many had which outcome; `remarks` says what is not as it was there."""
        self._items = items
        self._ids = self._recorder.current_ids(self._content_ids())
        plan = plan_chains(items)
        for level in plan.levels:
            self._write_level(level, plan)
            self._retire([place for place in level if place in plan.lost], plan)
        replaced = {gone for result in self._results.values() for gone in result.superseded}
        self._retire([place for place in plan.follower if self._results[place].id not in replaced], plan)
        self._count_uses()
        self._pin()
        for place in range(len(items)):
            self._remark(place)
        return self._counts()

    def count_candidates(self) -> int:
        """Return how many of the facts that were created now wait as candidates."""
        waiting = (place for place, item in enumerate(self._items) if item.waits and self._is_fresh(place))
        return sum(self._results[place].status == Outcome.CREATED for place in waiting)

    def _content_ids(self) -> list[str]:
        """Return ids of what the items say in their source, each once."""
        seen: Counter[str] = Counter()
        ids = []
        for item in self._items:
            plain = ledger.command_id(self._recorder.entry.format, item.file, item.key, content_of(item))
            plain += OWN if item.is_persons else ""
            seen[plain] += 1
            ids.append(plain if seen[plain] == 1 else f"{plain}-{seen[plain]}")
        return ids

    def _write_level(self, level: Sequence[int], plan: ChainPlan) -> None:
        before: dict[int, list[str]] = {}
        for past, after in plan.follower.items():
            if self._is_ours(past):
                before.setdefault(after, []).append(str(self._results[past].id))
        wanted = [self._envelope(place, sorted(set(before.get(place, ())))) for place in level]
        results = dict(zip(level, self._recorder.record(wanted), strict=True))
        again = [place for place, result in results.items() if result.error in _NOT_REPLACED and before.get(place)]
        plain = [self._envelope(place, [], ALONE) for place in again]
        results |= zip(again, self._recorder.record(plain), strict=True)
        self._results |= results

    def _is_ours(self, place: int) -> bool:
        """Tell whether a statement was recorded as a fact of its own, by this or an earlier import."""
        return place in self._results and self._results[place].status in _MADE

    def _retire(self, places: Sequence[int], plan: ChainPlan) -> None:
        """Take back past statements that nothing replaced here."""
        current = {result.id for place, result in self._results.items() if not self._items[place].is_past}
        reasons: dict[int, str] = {}
        for place in places:
            result = self._results[place]
            if result.status == Outcome.REFUSED:
                continue
            if self._is_ours(place) and result.id not in current:
                reasons[place] = plan.lost.get(place) or self._not_taken(plan.follower.get(place))
            else:
                self._say(place, f"it is past in the source, but {result.id} says the same and stays", Effect.CHANGED)
        envelopes = []
        for place, reason in reasons.items():
            args = {"id": str(self._results[place].id), "reason": reason}
            envelopes.append(self._command("retract", args, place, f"{self._ids[place]}-past"))
        for place, result in zip(reasons, self._recorder.record(envelopes), strict=True):
            if result.status == Outcome.DONE:  # else something took its place since it was first imported
                self._say(place, f"{reasons[place]}: taken back here", Effect.CHANGED)

    def _not_taken(self, after: int | None) -> str:
        result = self._results.get(after) if after is not None else None
        why = f"{result.id or 'a statement'} ({result.status})" if result else "a statement"
        return f"superseded in the source, by {why}"

    def _count_uses(self) -> None:
        """Take over how often the source used its facts: of each once, also when an import was killed before this."""
        envelopes = []
        for place, item in enumerate(self._items):
            if item.uses and item.used_at and self._is_ours(place):
                at = to_iso(self._past(item.used_at))
                use = {"id": str(self._results[place].id), "at": at, "count": item.uses}
                envelopes.append(self._command("uses", {"uses": [use]}, place, f"{self._ids[place]}-uses"))
        self._recorder.record(envelopes)

    def _pin(self) -> None:
        self._recorder.record(
            [
                self._command("pin", {"id": str(self._results[place].id)}, place, f"{self._ids[place]}-pin")
                for place, item in enumerate(self._items)
                if item.is_pinned and not item.is_past and self._is_ours(place)
            ]
        )

    def _remark(self, place: int) -> None:
        result = self._results[place]
        reason = result.reason or ""
        if result.status == Outcome.REFUSED:
            self._say(place, reason, Effect.REFUSED)
        elif result.status == Outcome.QUARANTINED:
            self._say(place, f"{result.id} is in quarantine: {reason}", Effect.CHANGED)
        elif "taken out: " in reason:
            self._say(place, f"{result.id}: secrets {reason[reason.rindex('taken out: ') :]}", Effect.CHANGED)

    def _say(self, place: int, reason: str, effect: Effect) -> None:
        item = self._items[place]
        self.remarks.append(Remark(item.file, item.place, reason, effect))

    def _counts(self) -> dict[str, int]:
        counts = Counter(
            result.status.value if self._is_fresh(place) or result.status == Outcome.REFUSED else _KNOWN
            for place, result in self._results.items()
        )
        return dict(sorted(counts.items()))

    def _is_fresh(self, place: int) -> bool:
        return self._results[place].command_id in self._recorder.fresh

    def _envelope(self, place: int, supersedes: Sequence[str], ending: str = "") -> Envelope:
        item = self._items[place]
        label = f"imported from {self._recorder.entry.format}: {item.file[-_MAX_LABEL_CHARS:]}"
        label += f", by {item.written_by[:_MAX_LABEL_CHARS]}" if item.written_by else ""
        command = WriteCommand(
            entity=item.entity,
            text=item.text,
            category=item.category,
            confidence=item.confidence,
            abstraction=item.abstraction,
            tags=item.tags,
            related=item.related,
            supersedes=supersedes,
            source=WriteSource(_asked_by(item), label=label),
            scope=item.scope,
            create=True,
            title=item.title or None,
            attribute=item.attribute,
            value=item.value,
            trust=item.trust or None,
            candidate=item.waits and not supersedes,
            valid_from=to_iso(item.valid_from) if item.valid_from else None,
            valid_to=to_iso(item.valid_to) if item.valid_to else None,
            valid_from_precision=item.precisions[0] if item.valid_from else None,
            valid_to_precision=item.precisions[1] if item.valid_to else None,
        )
        return self._command("write", command.as_args(), place, self._ids[place] + ending)

    def _command(self, kind: str, args: dict[str, Any], place: int, command_id: str) -> Envelope:
        """Return a command as it would have been asked for when the source recorded the statement."""
        item = self._items[place]
        envelope = self._workspace.envelope(kind, args, actor=_asked_by(item), command_id=command_id)
        return envelope.model_copy(update={"at": self._past(item.at or item.valid_from)})

    def _past(self, at: dt.datetime | None) -> dt.datetime:
        now = self._workspace.now()
        return min(at, now) if at else now


def _asked_by(item: FactItem) -> Actor:
    return Actor.USER if item.is_persons else Actor.IMPORT
