"""What one refresh of life/ did, counted and listed while it goes on."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any

from engram.base.text import sha256_hex
from engram.ports.mirror import Mirror
from engram.rules.life.decay import COLD
from engram.rules.life.decay import HOT
from engram.rules.life.decay import Demotion
from engram.services.mirror.view import Difference

_MOST_ENTITIES = 10  # that a report of demotions names


class Report:
    """What a refresh did."""

    def __init__(self) -> None:
        """Begin with nothing done."""
        self.entities = 0
        self.files_written = 0
        self.edits = 0
        self.refused: list[str] = []
        self.ignored: list[str] = []
        self.damaged: list[str] = []
        self.kept: list[str] = []
        self.behind: tuple[str, ...] = ()
        self.demoted: dict[str, Any] | None = None
        self.held_since: str | None = None
        self.read: dict[str, str] = {}  # file -> SHA-256 of what was read and taken in

    def note(self, mirror: Mirror, differences: Iterable[Difference]) -> None:
        """Keep a copy of every file that holds somebody's words, or the rest of a damaged one."""
        for name, kind, plan, content in differences:
            self.ignored += plan.ignored
            self.read[name] = sha256_hex(content)
            if kind == "damaged":
                self.damaged.append(f"life/{name}: {plan.damage}")
            if kind in {"damaged", "edited"}:
                self.kept.append(mirror.keep(name, content))

    def note_demotions(self, found: Sequence[Demotion]) -> None:
        """Note which facts have lower tiers than before."""
        self.demoted = {
            "left_hot": sum(one.before == HOT for one in found),
            "left_warm": sum(one.after == COLD for one in found),
            "left_summaries": sum(one.leaves_summary for one in found),
            "entities": dict(Counter(one.fact.entity for one in found).most_common(_MOST_ENTITIES)),
        }

    def stats(self) -> dict[str, Any]:
        """Return it as `services.mirror.refresh` does."""
        shown = {name: value for name, value in vars(self).items() if name != "read"}
        return {**shown, "behind": list(self.behind)}
