"""Two years of conversations for benchmarks of speed: Mara's talks about many projects, and much work in between.

What is worth keeping are the statements of `tests.newcomer.talks`, said of other projects with other numbers. Around
each stand requests and answers as they come up every day, and what tools printed, which is most of every transcript.
"""

import random
import re
from collections.abc import Iterator
from pathlib import Path

from tests.newcomer.history import PROJECTS
from tests.newcomer.history import folder_of
from tests.newcomer.history import write_talks
from tests.newcomer.talks import PAST
from tests.newcomer.talks import Talk

_NAMES = (
    *("amber", "birch", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper"),
    *("kestrel", "lagoon", "maple", "nimbus", "onyx", "prairie", "quartz", "raven", "saffron", "tundra"),
)
_PLACES = (
    "parser",
    "cache",
    "router",
    "scheduler",
    "importer",
    "login form",
    "report page",
    "webhook handler",
    "queue",
)
_TROUBLES = ("is slow", "fails on the second run", "leaks a handle", "logs too much", "times out", "swallows an error")
_REQUESTS = (
    "Can you look at why the {place} {trouble}?",
    "The {place} {trouble}. Please find out where that comes from.",
    "Rename the function in the {place} so that one sees what it returns.",
    "Show me the diff of the {place} before you go on.",
    "Add a test for the case that the {place} {trouble}.",
    "ok, go on",
    "That is not what I meant, look at the {place} again.",
)
_ANSWERS = (
    "I looked at the {place}. It {trouble}, as the result is read too early. I changed the order; all tests pass.",
    "Done. The {place} has its own function now, and the two callers use it. Nothing else was changed.",
    "The {place} {trouble} when the list is empty. I added a check at the door, and a test that shows it.",
)
_LINE = "src/{place}/module_{number}.rs:{number}: note: the value is moved here, in iteration {number} of the loop"
_ASIDES = 12  # pairs of a request and an answer after each statement of a talk
_PRINTED_CHARS = 2500  # that a tool prints on average
_NUMBER = re.compile(r"(?<![\w.])\d{2,4}(?![\w.])")


def write_long_past(home: Path, size: int) -> list[Path]:
    """Write so many bytes of transcripts below a home, about, with a folder for every project; return them."""
    files: list[Path] = []
    written = 0
    for number, talk in enumerate(_talks()):
        (folder_of(home, talk.project) / ".git").mkdir(parents=True, exist_ok=True)
        made = write_talks(home, [talk], _printed(number))
        files += made
        written += sum(file.stat().st_size for file in made)
        if written >= size:
            return files
    return files


def _talks() -> Iterator[Talk]:
    """Yield the talks as they are, then again and again, of other projects, each day later by a little."""
    turn = 0
    while True:
        for talk in PAST:
            chance = random.Random(f"{turn} {talk.day} {talk.program}")
            yield _with_asides(_moved(talk, turn, chance) if turn else talk, chance)
        turn += 1


def _moved(talk: Talk, turn: int, chance: random.Random) -> Talk:
    """Return a talk of another project, before or after the first ones, with other numbers."""
    names = {name: f"{_NAMES[turn % len(_NAMES)]}-{name}" for name in PROJECTS}
    said = tuple(_other(text, names, chance) for text in talk.said)
    return talk._replace(day=talk.day - 30 * turn, project=names[talk.project], said=said)


def _other(text: str, names: dict[str, str], chance: random.Random) -> str:
    for name, other in names.items():
        text = re.sub(rf"\b{name}\b", other, text, flags=re.IGNORECASE)
    return _NUMBER.sub(lambda found: str(chance.randrange(10 ** (len(found[0]) - 1), 10 ** len(found[0]))), text)


def _with_asides(talk: Talk, chance: random.Random) -> Talk:
    said: list[str] = []
    for place in range(0, len(talk.said), 2):
        said += talk.said[place : place + 2]
        for _ in range(_ASIDES):
            words = {"place": chance.choice(_PLACES), "trouble": chance.choice(_TROUBLES)}
            said += [chance.choice(_REQUESTS).format(**words), chance.choice(_ANSWERS).format(**words)]
    return talk._replace(said=tuple(said))


def _printed(number: int) -> str:
    """Return what a tool printed; each conversation has its own."""
    chance = random.Random(number)
    lines: list[str] = []
    while sum(map(len, lines)) < _PRINTED_CHARS:
        lines.append(_LINE.format(place=chance.choice(_PLACES), number=chance.randrange(9999)))
    return "\n".join(lines)
