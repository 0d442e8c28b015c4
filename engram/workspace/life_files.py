"""The files in life/ as a workspace keeps them: people's edits taken in, and written when something has changed."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from typing import Any

from engram.base.log import warn
from engram.errors import EngramError
from engram.ports.journal import Journal
from engram.services.mirror.report import mirror_warnings
from engram.workspace.late import write_path
from engram.workspace.surroundings import Surroundings

if TYPE_CHECKING:
    from engram.services.commands.recorder import Recorder
    from engram.store.life_mirror import LifeMirror

_NOT_MIRRORED: Mapping[str, Any] = {
    "entities": 0,
    "files_written": 0,
    "edits": 0,
    "demoted": None,
    "held_since": None,
    **{name: [] for name in ("refused", "ignored", "damaged", "kept", "behind")},
}


class LifeFiles:
    """What brings life/ up to date; whoever calls it holds the store for writing."""

    def __init__(self, around: Surroundings, journal: Journal) -> None:
        """Take the workspace, and what the files are made from."""
        self._around = around
        self._journal = journal

    @property
    def mirror(self) -> "LifeMirror":
        """The files themselves, and what is known of how they were written."""
        mirror: LifeMirror = write_path().LifeMirror(self._around.paths)
        return mirror

    def refresh(
        self, recorder: "Recorder", *, thorough: bool, accept: bool = False, takes_edits: bool = True
    ) -> dict[str, Any]:
        """Take in what people edited, then write what changed; see `services.mirror.refresh`."""
        if self._around.paths.is_encrypted:  # no page of life/ or ops/ may say what is encrypted elsewhere
            return dict(_NOT_MIRRORED)
        how = {"thorough": thorough, "accept": accept, "takes_edits": takes_edits}
        done: dict[str, Any] = write_path().refresh_files(
            recorder, self._journal, self._around.paths, self._around.settings, self._around.now(), **how
        )
        return done

    def refresh_quietly(self, recorder: "Recorder") -> None:
        """Write the summaries of what changed, and say what a person should know of it.

        What was recorded is recorded: trouble with the files of life/ is a warning here, and doctor's to mend.
        """
        try:
            sentences = mirror_warnings(self.refresh(recorder, thorough=False))
        except EngramError as problem:
            sentences = [f"life/ was not brought up to date: {problem.message} ({problem.hint})"]
        for sentence in sentences:
            warn(sentence)

    def renew_pages(self) -> None:
        """See to it that every page is written anew at the next refreshing."""
        mirror = self.mirror
        mirror.save(mirror.load().model_copy(update={"made_with": ""}))
