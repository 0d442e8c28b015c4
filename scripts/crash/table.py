"""The table that `bench crash` prints: a row for what was done, with how often, and how often it broke the promise."""

from collections import Counter
from collections.abc import Iterable


class Row:
    """One kind of fault, done to one kind of work."""

    def __init__(self, fault: str, work: str) -> None:
        """Begin without a trial."""
        self.fault = fault
        self.work = work
        self.trials = 0
        self.broken: list[tuple[str, list[str]]] = []  # where, and what was wrong

    def add(self, place: str, problems: list[str]) -> None:
        """Count one trial."""
        self.trials += 1
        if problems:
            self.broken.append((place, problems))


def table(rows: Iterable[Row]) -> str:
    """Return the rows as a Markdown table, one line a fault and its work."""
    lines = ["| fault | of | trials | lost, doubled or unopenable |", "| --- | --- | ---: | ---: |"]
    lines += [f"| {row.fault} | {row.work} | {row.trials:,} | {len(row.broken)} |" for row in rows]
    return "\n".join(lines)


def findings(rows: Iterable[Row], shown: int = 20) -> str:
    """Return what was wrong, the commonest first."""
    kinds: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for row in rows:
        for place, problems in row.broken:
            kinds[problems[0]] += 1
            examples.setdefault(problems[0], f"{row.fault}, {row.work}, {place}")
    return "\n".join(f"{count} x {what}\n    {examples[what]}" for what, count in kinds.most_common(shown))
