"""What doctor checks of the index."""

import os
from collections.abc import Iterator

from engram.errors import DegradedIndexError
from engram.errors import StoreBusyError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.services.doctor.check import HEARTBEAT
from engram.services.doctor.check import Checkup
from engram.services.doctor.check import is_made_from
from engram.services.doctor.check import journal_head


def check_index(checkup: Checkup) -> Iterator[Finding]:
    """The index is there, opens, and stands at the journal's head."""
    folder, head = checkup.paths.index, journal_head(checkup)
    if head is None or not head[0]:
        return
    if not folder.is_dir():
        level = Level.INFO if checkup.paths.is_encrypted else Level.ERROR  # gone with the machine's memory
        yield checkup.finding("index-missing", level, folder, "the index is not there")
    elif not checkup.settings.index.url and not os.access(folder, os.W_OK):
        message = "not looked at: it can only be opened where it can be written"
        yield checkup.finding("index-unwritable", Level.INFO, folder, message, "make its disk writable")
    elif not checkup.settings.index.url and not any(folder.iterdir()):
        yield checkup.finding("index-empty", Level.WARNING, folder, "nothing is indexed yet", HEARTBEAT)
    else:
        yield from _check_index_position(checkup, head)


def _check_index_position(checkup: Checkup, journal: tuple[int, str]) -> Iterator[Finding]:
    folder, head = checkup.paths.index, journal[0]
    try:
        with checkup.open_index() as index:
            position, known = index.position(), index.head_hash()
    except DegradedIndexError as damage:
        yield checkup.finding("index-damaged", Level.ERROR, folder, damage.message)
    except StoreBusyError as busy:
        yield checkup.finding("index-busy", Level.INFO, folder, f"not looked at: {busy.message}", "engram doctor")
    else:
        if position > head:
            message = f"the index stands at position {position}, the journal ends at {head}"
            yield checkup.finding("index-ahead", Level.ERROR, folder, message)
        elif not _is_of_this_journal(checkup, journal, position, known):
            message = f"the index was made from another journal, which differs at position {position}"
            yield checkup.finding("index-damaged", Level.ERROR, folder, message)
        elif position < head:
            message = f"{head - position} records are not indexed yet"
            yield checkup.finding("index-behind", Level.INFO, folder, message, HEARTBEAT)


def _is_of_this_journal(checkup: Checkup, head: tuple[int, str], position: int, known: str) -> bool:
    if position == head[0]:
        return not known or known == head[1]
    return is_made_from(checkup.journal, position, known)
