"""The tree of errors, with the exit code and the hint on each class.

EngramError                    1
├── UsageError                 2
│   ├── BadValueError          2
│   ├── MalformedInputError    2
│   └── SettingsError          2
├── NotFoundError              3
│   ├── UnknownEntityError     3
│   ├── UnknownFactError       3
│   ├── UnknownObservationError 3
│   ├── UnknownTensionError    3
│   ├── UnknownSourceError     3
│   ├── UnknownSessionError    3
│   ├── UnknownCommandError    3
│   ├── NoWorkspaceError       3
│   └── AmbiguousNameError     3
├── RefusedError               4
│   ├── GivesOrdersError       4
│   ├── NoFileError            4
│   └── LeaseLostError         4
├── EncryptionKeyError         4
├── StoreBusyError             5
│   ├── BehindError            5
│   └── JournalAwayError       5
│       └── JournalClosedError 5
├── NoLocksError               1
├── DamagedStoreError          6
│   ├── UnreadableJournalError 6
│   │   ├── DamagedJournalError 6
│   │   └── NewerFormatError    6
│   ├── DamagedDatabaseError   6
│   ├── DamagedStateError      6
│   └── DamagedBackupError     6
├── DegradedIndexError         7
├── EmbeddingError             7
├── NothingKnownError          8
└── NeedsWorkError            10

The codes are the table in docs/COMMANDS.md ("Exit codes"); the class docstring is the default sentence for the user.
"""

import errno
import os
import shlex
from typing import Any
from typing import ClassVar

_LONGEST = 400  # characters of a sentence; what is longer quotes a value that nobody reads
_HEAD, _TAIL = 250, 120  # characters kept of a longer one
_MOST_SOUGHT = 12  # words of a text that recall is asked for in the place of an id


def _clipped(sentence: str) -> str:
    return sentence if len(sentence) <= _LONGEST else f"{sentence[:_HEAD]} … {sentence[-_TAIL:]}"


class EngramError(Exception):
    """Something failed that Engram did not expect."""

    exit_code: ClassVar[int] = 1
    default_hint: ClassVar[str] = "run the command again with ENGRAM_DEBUG=1 to see where it failed"

    def __init__(self, message: str = "", *, hint: str = "", **details: Any) -> None:
        """Keep one sentence for the user, a hint that names a command or setting, and details for machines."""
        self.message = _clipped(message or (type(self).__doc__ or "").strip())
        self.hint = hint or self.default_hint
        self.details = details
        super().__init__(self.message)

    @property
    def code(self) -> str:
        """The name that `--json` shows under "error", without the ending Error."""
        return type(self).__name__.removesuffix("Error")


class UsageError(EngramError):
    """The command was used in a way that Engram does not know."""

    exit_code = 2
    default_hint = "engram --help"


class BadValueError(UsageError):
    """A value is not of the form that is needed."""


class MalformedInputError(UsageError):
    """The input could not be read."""


class SettingsError(UsageError):
    """A setting is unknown or has a value that it cannot have."""

    default_hint = "engram config lists every setting with its value"


class NotFoundError(EngramError):
    """Nothing of that name is known."""

    exit_code = 3
    default_hint = "engram entity list"


class UnknownEntityError(NotFoundError):
    """No entity has that path, title or alias."""

    default_hint = "engram entity list shows what there is; write with --create to make it"


class UnknownFactError(NotFoundError):
    """No fact has that id."""

    default_hint = "engram facts --status all"


def unknown_fact(fact_id: str, entity: str) -> UnknownFactError:
    """Return the error for an id that no fact has; `entity` is the path of whom it names instead, "" for nobody."""
    if not entity:
        words = fact_id.split()[:_MOST_SOUGHT]
        hint = f"engram recall {shlex.quote(' '.join(words))} finds the id by these words" if len(words) > 1 else ""
        return UnknownFactError(f"no fact has the id {fact_id!r}", hint=hint, id=fact_id)
    hint = f"engram facts {entity} lists what is known of it, with ids"
    return UnknownFactError(f"{fact_id!r} names {entity}, and no fact", hint=hint, id=fact_id)


class UnknownObservationError(NotFoundError):
    """No observation has that id."""

    default_hint = "engram observe --list"


class UnknownTensionError(NotFoundError):
    """No tension has that id."""

    default_hint = "engram tension list --status all"


class UnknownSourceError(NotFoundError):
    """Nothing comes from a source of that name."""

    default_hint = "engram session list shows sessions, engram why ID where a fact comes from"


class UnknownSessionError(NotFoundError):
    """No session has that name."""

    default_hint = "engram session list"


class UnknownCommandError(NotFoundError):
    """No command with that id was spooled here."""

    default_hint = "engram status"


class NoWorkspaceError(NotFoundError):
    """There is no Engram workspace here."""

    default_hint = (
        "engram setup makes one, and sets up everything else; or pass --workspace DIR or set ENGRAM_WORKSPACE"
    )


class AmbiguousNameError(NotFoundError):
    """That name fits more than one thing."""

    default_hint = "use the full path, such as people/anna or projects/engram"


class RefusedError(EngramError):
    """The change was refused."""

    exit_code = 4
    default_hint = "nothing was changed"


class GivesOrdersError(RefusedError):
    """The text would give orders to the agent that reads it."""

    default_hint = "say it in plain words, as something that is so"


class NoFileError(RefusedError, OSError):
    """Something that is no file stands in the place of one.

    It is an OSError, too: whoever goes on without a file that cannot be read goes on without this one.
    """

    default_hint = "take it away, and put the file back if there was one"

    def __init__(self, path: str | os.PathLike[str] = "") -> None:
        """Take the path that was to be opened."""
        shown = os.fsdecode(path)
        hint = f"take {shown} away, and put the file back if there was one"
        super().__init__(f"{shown} is no file" if shown else "", hint=hint if shown else "")
        self.errno, self.strerror, self.filename = errno.EINVAL, "it is no file", shown

    def __str__(self) -> str:
        """Return the sentence, not the words of the system."""
        return self.message


class LeaseLostError(RefusedError):
    """This run stood still for longer than its lease, and another run has taken over."""

    default_hint = "nothing to do: the other run goes on from where this one stopped"


class EncryptionKeyError(EngramError):
    """The store is encrypted, and its key cannot be had."""

    exit_code = 4
    default_hint = "engram encrypt status says where the key is looked for; nothing was lost"


class StoreBusyError(EngramError):
    """Another process is writing to the store."""

    exit_code = 5
    default_hint = "wait for it, or write with --wait 0 and ask later with engram status COMMAND_ID"


class BehindError(StoreBusyError):
    """Another writer has appended to the journal meanwhile: catch up first."""

    default_hint = "nothing was written; run the command again, which catches up first"


class JournalAwayError(StoreBusyError):
    """The server that holds the shared journal cannot be reached."""

    default_hint = (
        "engram config journal.url shows where it is; commands wait in the spool of this machine until it is back"
    )


class JournalClosedError(JournalAwayError):
    """The shared journal was moved elsewhere and takes no more records."""

    default_hint = "engram migrate-store --to files goes on with the copy of this machine alone"


class NoLocksError(EngramError):
    """The file system gives no locks."""

    default_hint = "keep the workspace on a local disk"


class DamagedStoreError(EngramError):
    """The store is damaged or inconsistent."""

    exit_code = 6
    default_hint = "engram doctor shows what is wrong, engram doctor --fix mends it"


class UnreadableJournalError(DamagedStoreError):
    """The journal cannot be read to its end."""


class DamagedJournalError(UnreadableJournalError):
    """The journal is damaged."""


class NewerFormatError(UnreadableJournalError):
    """A newer Engram wrote to this store, and this version does not read that."""

    default_hint = "install the newer Engram; what it wrote is left as it is"


class DamagedDatabaseError(DamagedStoreError):
    """The database file cannot be opened."""

    default_hint = "engram doctor --fix rebuilds it from the journal"


class DamagedStateError(DamagedStoreError):
    """A state file is damaged."""


class DamagedBackupError(DamagedStoreError):
    """A backup is damaged."""

    default_hint = "engram backup DIR makes another; engram backup verify DIR tells which backups are whole"


class DegradedIndexError(EngramError):
    """The index is behind or cannot be used."""

    exit_code = 7
    default_hint = "engram heartbeat run brings it up to date; engram rebuild index makes it anew"


class EmbeddingError(EngramError):
    """The embedding model cannot be used."""

    exit_code = 7
    default_hint = "engram config embeddings status; without a model recall goes by words"


class NothingKnownError(EngramError):
    """Nothing is known about that."""

    exit_code = 8
    default_hint = "without --strict an empty answer is not an error"


class NeedsWorkError(EngramError):
    """Something waits to be done."""

    exit_code = 10
    default_hint = "engram status"


def link_refused(shown: str) -> RefusedError:
    """Return the error that says why nothing is written there; `shown` is the path as people read it."""
    return RefusedError(
        f"{shown} is a link, and nothing is written through links", hint=f"put what belongs there into {shown} itself"
    )
