"""The turns of each conversation, in order, among lines that were read."""

from collections.abc import Iterator
from collections.abc import Sequence

from engram.services.extract.lines.read_line import ReadLine

Turn = list[int]  # the places of its lines, at least one


def iter_conversations(read: Sequence[ReadLine]) -> Iterator[list[Turn]]:
    """Yield the turns of each conversation that has lines among those that were read."""
    talks: dict[str, list[Turn]] = {}
    for place, one in enumerate(read):
        if not one.passage.is_turn:
            continue
        turns = talks.setdefault(one.passage.occasion, [])
        if turns and read[turns[-1][-1]].passage is one.passage:
            turns[-1].append(place)
        else:
            turns.append([place])
    yield from talks.values()
