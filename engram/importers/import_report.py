"""What became of an import, for people and for machines."""

from collections import Counter
from typing import Any
from typing import NamedTuple

from engram.importers.memories.items import Effect
from engram.importers.memories.items import Remark

_SHOWN = 8  # remarks of one effect in the text for people


class ImportReport(NamedTuple):
    """What one import did, or with `dry_run` would do. Every item of the source is counted or remarked on."""

    import_id: str | None  # None: nothing was new, or an archive was taken over as it is
    format: str
    source: str
    items: int  # statements, entities, notes and turns that were understood
    facts: dict[str, int]  # outcome -> how many statements; "known": recorded by an earlier import
    entities: int  # that were made
    notes: dict[str, int]  # written, added (to the end of a file), known
    turns: dict[str, int]  # captured, known
    remarks: list[Remark]
    dry_run: bool
    records: dict[str, int] = {}  # of an archive that was taken over as it is: restored, known  # noqa: RUF012
    candidates: int = 0  # of the facts that were created, those that wait for a second mention or a review

    @property
    def refused(self) -> list[Remark]:
        """What is not in the store."""
        return [remark for remark in self.remarks if remark.effect == Effect.REFUSED]

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return {**self._asdict(), "remarks": [remark._asdict() for remark in self.remarks]}

    def as_text(self) -> str:
        """Return the report for people: the figures, then the first remarks of each kind."""
        would = "would import" if self.dry_run else "imported"
        head = f"{would} from {self.format}: {self.source}"
        lines = [head if self.import_id is None or self.dry_run else f"{head}  ({self.import_id})"]
        for name, counts in (
            ("records", self.records),
            ("facts", self.facts),
            ("notes", self.notes),
            ("turns", self.turns),
        ):
            if any(counts.values()):
                shown = ", ".join(f"{count} {how}" for how, count in counts.items() if count)
                lines.append(f"  {name}: {shown}")
        if self.candidates:
            lines.append(f"  candidates: {self.candidates} of these wait for a second mention or a review")
        if self.entities:
            lines.append(f"  entities: {self.entities} made")
        if not self._is_new():
            lines.append("  nothing new")
        for effect in Effect:
            lines += _shown(effect, [remark for remark in self.remarks if remark.effect == effect])
        return "\n".join(lines)

    def _is_new(self) -> bool:
        counts = (self.records, self.facts, self.notes, self.turns)
        return self.import_id is not None or any(sum(one.values()) > one.get("known", 0) for one in counts)


def say(remark: Remark) -> str:
    """Return a remark in one line."""
    where = f"{remark.file}: {remark.place}" if remark.place else remark.file
    return f"{where}: {remark.reason}"


def _shown(effect: Effect, remarks: list[Remark]) -> list[str]:
    if not remarks:
        return []
    lines = [f"  {effect.value}: {len(remarks)}", *(f"    {say(remark)}" for remark in remarks[:_SHOWN])]
    if len(remarks) > _SHOWN:
        reasons = Counter(remark.reason for remark in remarks)
        lines.append(f"    and {len(remarks) - _SHOWN} more of {len(reasons)} kinds; --json lists them all")
    return lines
