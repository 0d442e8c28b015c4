"""Entities and facts as an archive of their own: a journal that begins with them."""

import datetime as dt
import zlib
from collections.abc import Callable
from collections.abc import Iterable
from typing import BinaryIO

from engram.base.text import sha256_hex
from engram.importers.archive_lines import ArchiveWriter
from engram.model.changes.change import Change
from engram.model.changes.change import EntityCreated
from engram.model.changes.change import FactRecorded
from engram.model.changes.record import GENESIS
from engram.model.changes.record import Decision
from engram.model.changes.record import Record
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Fact


def write_facts(
    out: BinaryIO, entities: Iterable[Entity], facts_of: Callable[[str], Iterable[Fact]], *, at: dt.datetime
) -> int:
    """Write an archive with one record for each entity and its facts, and return how many records that are."""
    writer, previous = ArchiveWriter(out), GENESIS
    for position, entity in enumerate(entities, 1):
        own = (FactRecorded(fact=fact) for fact in facts_of(entity.path))
        changes: tuple[Change, ...] = (EntityCreated(entity=entity), *own)
        result = CommandResult(command_id=f"shared-{position}", kind="write", status=Outcome.DONE, id=entity.path)
        decision = Decision(actor=Actor.IMPORT, asked_at=at, result=result, changes=changes)
        record = Record(position=position, previous=previous, at=at, decisions=(decision,))
        body = record.model_dump_json(exclude_none=True).encode()
        previous = sha256_hex(f"{zlib.crc32(body):08x} ".encode() + body)
        writer.add_record(body)
    writer.close()
    return writer.records
