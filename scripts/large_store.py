"""Makes a large store of generated text, through the journal: python scripts/large_store.py FOLDER [--facts N].

People and projects name each other, statements are replaced, days spread over a year: what a view that shows a whole
store has to stand up to. Nothing else is measured on it.
"""

import argparse
import datetime as dt
import random
from collections.abc import Iterator
from pathlib import Path

from generated_text import Conversations

from engram.base.clock import utc_now
from engram.base.text import fingerprint
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRecorded
from engram.model.changes.change import FactSuperseded
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from engram.workspace import open_workspace

CHANGES_A_RECORD = 500
DAYS = 365  # over which the facts are spread
REPLACED = 0.1  # share of facts that take the place of the one before
RELATED = 0.3  # share of facts that name another entity
_CATEGORIES = ("preference", "decision", "milestone", "status", "context")
_TAGS = ("home", "release", "travel", "health", "money")


def make_large_store(root: Path, entities: int, facts: int) -> Workspace:
    """Make a workspace with that many entities and facts in a folder that is not there."""
    make_workspace(root, {"timezone": "UTC", "owner": "people/name-1"}, now=utc_now, force=False, dry_run=False)
    with (root / "engram.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
    workspace = open_workspace(str(root))
    with workspace.writing("large store"):
        position, previous = workspace.journal.head()
    begin = utc_now() - dt.timedelta(days=DAYS)
    made = _changes(entities, facts // entities, begin, random.Random(20261123))
    while changes := [change for _, change in zip(range(CHANGES_A_RECORD), made, strict=False)]:
        position += 1
        at = _latest(changes, begin)
        result = CommandResult(command_id=f"large-{position}", kind="write", status=Outcome.CREATED)
        decision = Decision(actor=Actor.USER, asked_at=at, result=result, changes=tuple(changes))
        workspace.journal.append([Record(position=position, previous=previous, at=at, decisions=(decision,))])
        previous = workspace.journal.head()[1]
    with workspace.writing("large store"):
        pass
    return workspace


def _changes(entities: int, each: int, begin: dt.datetime, chance: random.Random) -> Iterator[Change]:
    words = Conversations()
    paths = [f"{'people' if number % 2 else 'projects'}/name-{number}" for number in range(entities)]
    for number, path in enumerate(paths):
        title = f"Name {number}"
        yield EntityCreated(entity=Entity(path=path, title=title, created_at=begin, next_number=each + 1))
    for place in range(1, each + 1):  # a day of everybody after the other, so that the journal's time only goes on
        for number, path in enumerate(paths):
            at = begin + dt.timedelta(days=DAYS) * ((place - 1 + number / entities) / each)
            other = paths[chance.choice((number // 7, (number * 31 + place) % entities, number - 1))]
            yield from _fact(path, f"Name {number}", place, at.replace(microsecond=0), other, words, chance)


def _fact(
    path: str, title: str, place: int, at: dt.datetime, other: str, words: Conversations, chance: random.Random
) -> Iterator[Change]:
    said = words.text(chance.randrange(1_000_000)).split()[:12]
    is_related = chance.random() < RELATED and other != path
    replaces = place > 1 and chance.random() < REPLACED
    fact_id, before = f"{path}-{place:03d}", f"{path}-{place - 1:03d}"
    text = f"{title} {chance.choice(('uses', 'likes', 'wants', 'has'))} {' '.join(said)} {place}"
    yield FactRecorded(
        fact=Fact.model_validate(
            {
                "id": fact_id, "entity": path, "text": text, "category": chance.choice(_CATEGORIES),
                "confidence": chance.randint(50, 99) / 100, "abstraction": "episode", "trust": "trusted",
                "source": {"actor": "user"}, "lineage": before if replaces else fact_id,
                "version": 2 if replaces else 1, "supersedes": [before] if replaces else [], "valid_from": at,
                "recorded_at": at, "fingerprint": fingerprint(text), "skeleton": fingerprint(text),
                "tags": [chance.choice(_TAGS)] if place % 4 == 0 else [], "related": [other] if is_related else [],
            }
        )
    )  # fmt: skip
    if replaces:
        yield FactSuperseded(id=before, by=fact_id, at=at, valid_to=at, was_wrong=False)


def _latest(changes: list[Change], begin: dt.datetime) -> dt.datetime:
    said = [change.fact.recorded_at for change in changes if isinstance(change, FactRecorded)]
    return max(said, default=begin)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--entities", type=int, default=2000)
    parser.add_argument("--facts", type=int, default=100_000)
    options = parser.parse_args()
    make_large_store(options.folder, options.entities, options.facts)
