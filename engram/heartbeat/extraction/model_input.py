"""What of the unread text is worth a model's tokens: lines that the built-in judge does not rule out, and around them.

The judge costs nothing and looks at everything. What it would keep, be it as a candidate, is sent. On marked texts that
is 75 % of the bytes of notes, which are dense, and 49 % of those of conversations; a line between that it rules out
holds next to nothing of what careful readers keep, so no lower chance would find more.
"""

from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.language.text.statements import Statement
from engram.services.extract.extract import Vectors
from engram.services.extract.extract import find_promising
from engram.services.extract.judge import CANDIDATE_FROM
from engram.services.extract.lines.passage import read_passages

_GAP: Final = "\n[...]\n"  # between lines that do not follow each other: a quote over it stands nowhere, and is refused
_MOST_BEFORE: Final = 200  # characters of the line before a passage


def rows_worth_sending(rows: Sequence[Mapping[str, Any]], vectors: Vectors) -> dict[str, dict[str, Any]]:
    """Return by id the rows that hold a promising line, each cut to such lines and the one before each.

    Args:
        rows: passages as extraction asks about them, with `occasion`; see
            `services.extract.lines.passage.read_passages`.
        vectors: of the texts of their lines, those there are.

    Returns:
        Rows in the order given, without `occasion`. `text` is made of whole lines of the row's own. A row that begins
        with a promising line has `before`, the line before it at the same occasion, unless that was just sent.
    """
    found: dict[str, list[Statement]] = {}
    before: dict[str, str] = {}
    for passage, statement, line in find_promising(read_passages(rows), vectors, CANDIDATE_FROM):
        found.setdefault(passage.id, []).append(statement)
        if line.is_first and line.before:
            before.setdefault(passage.id, line.before[:_MOST_BEFORE])
    chosen: dict[str, dict[str, Any]] = {}
    sent = ""  # text of the row before
    for row in rows:
        if row["id"] not in found:
            continue
        kept = {name: value for name, value in row.items() if name != "occasion"}
        earlier = before.get(row["id"], "")
        said = {} if earlier in sent else {"before": earlier}
        sent = _cut(row["text"], found[row["id"]])
        chosen[row["id"]] = {**kept, **said, "text": sent}
    return chosen


def _cut(text: str, statements: Sequence[Statement]) -> str:
    """Return the lines of a text that statements stand in and the one before each, in order."""
    lines = [f"{line}\n" for line in text.split("\n")]
    wanted: set[int] = set()
    for statement in statements:
        first, last = text.count("\n", 0, statement.start), text.count("\n", 0, statement.end)
        earlier = next((place for place in range(first - 1, -1, -1) if lines[place].strip()), first)
        wanted |= {earlier, *range(first, last + 1)}
    return _GAP.join(_joined(lines, sorted(wanted & set(range(len(lines))))))


def _joined(lines: Sequence[str], places: Sequence[int]) -> Iterator[str]:
    """Yield the runs of lines that follow each other, but for blank ones."""
    run = ""
    last = None
    for place in places:
        if last is not None and any(line.strip() for line in lines[last + 1 : place]):
            yield run.strip("\n")
            run = ""
        elif last is not None:
            run += "".join(lines[last + 1 : place])
        run += lines[place]
        last = place
    if run:
        yield run.strip("\n")
