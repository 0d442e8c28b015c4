"""How a store is encrypted, and what that covers: said for people, and true only as far as a test shows it."""

from typing import Any
from typing import Final
from typing import NamedTuple

from engram.config.encryption_state import ON
from engram.config.encryption_state import read_encryption
from engram.errors import EncryptionKeyError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.operations.encryption.migration import files_in_the_clear
from engram.store.encryption.store_cipher import unlock
from engram.workspace import Workspace

KEY_AWAY: Final = "encryption-key-away"  # code of the finding without whose mending nothing else can be looked at
COVERED: Final = (
    "encrypted: the journal with what repairs set aside, the spool with its results, edits/, cards.json; so in backups",
    "only in memory: the database, the index and the kept vectors; they are made anew after the machine was off",
    "not written at all: life/ and ops/, which show what the journal holds",
)
CLEAR: Final = (
    "memory/, MEMORY.md and archives/: notes, handoffs, roll-ups, domains and reports, which people and agents read",
    "in .engram: runs/, alerts, domains.json, owned.json, project-folders.json, hooks/, access logs, maintenance state",
    "names, times and sizes of files",
    "backups that were made before, exports, and what a disk still holds of files that were deleted or replaced",
)


class EncryptionReport(NamedTuple):
    """How a store is encrypted."""

    phase: str  # off, on, turning_on or turning_off
    source: str  # where the key is; empty: nowhere
    setting: str  # where the settings say that it is
    problem: str  # why the key cannot be had; empty: it can, or none is needed
    leftovers: tuple[str, ...]  # files that are covered and in the clear

    @property
    def needs_work(self) -> bool:
        """Whether something is not as it should be."""
        return bool(self.problem or self.leftovers or self.phase not in {"off", ON})

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        is_on = self.phase == ON
        fields = {**self._asdict(), "leftovers": list(self.leftovers)}
        return {**fields, "covered": list(COVERED) if is_on else [], "in_the_clear": list(CLEAR) if is_on else []}


def encryption_report(workspace: Workspace) -> EncryptionReport:
    """Return how the store is encrypted, and whether its key can be had."""
    state = read_encryption(workspace.paths.encryption)
    setting = workspace.settings.store.encryption_key
    if state is None:
        return EncryptionReport("off", "", setting, "", ())
    try:
        unlock(state)
        problem = ""
    except EncryptionKeyError as missing:
        problem = missing.message
    found = files_in_the_clear(workspace.paths) if state.phase == ON else []
    return EncryptionReport(
        state.phase, state.source, setting, problem, tuple(workspace.paths.relative(path) for path in found)
    )


def encryption_findings(workspace: Workspace) -> list[Finding]:
    """Return what doctor says of the encryption: nothing where the store is in the clear."""
    report, paths = encryption_report(workspace), workspace.paths
    if report.phase == "off":
        return []
    place = paths.relative(paths.encryption)
    found = []
    if report.problem:
        found.append((KEY_AWAY, Level.ERROR, place, report.problem, "engram encrypt status"))
    if report.phase != ON:
        verb = report.phase.removeprefix("turning_")
        found.append(
            (
                "encryption-unfinished",
                Level.ERROR,
                place,
                f"encryption is being turned {verb}, and was cut off",
                f"engram encrypt {verb}",
            )
        )
    if report.setting != report.source:
        message = f"store.encryption_key names {report.setting or 'no key'}, and the store opens with {report.source}"
        found.append(("encryption-key-differs", Level.WARNING, place, message, "engram encrypt rekey"))
    for path in report.leftovers:
        message = "it is in the clear, and should be encrypted"
        found.append(("encryption-leftover", Level.WARNING, path, message, "engram encrypt on"))
    return [
        Finding(code=code, level=level, path=path, message=message, command=command)
        for code, level, path, message, command in found
    ]
