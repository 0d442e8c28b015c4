"""What the checks of a workspace look at, for doctor and for the heartbeat; and doctor itself."""

from engram.base.project import working_folder
from engram.errors import DamagedStateError
from engram.errors import EngramError
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.operations.answers.cards import card_findings
from engram.operations.encryption.status import KEY_AWAY
from engram.operations.encryption.status import encryption_findings
from engram.operations.upkeep import Upkeep
from engram.services.doctor.check import Checkup
from engram.services.doctor.checks import examine
from engram.services.doctor.repair import mend
from engram.workspace import Workspace
from engram.workspace.signed_history import check_history


def checkup_of(workspace: Workspace, owner: str = "doctor") -> Checkup:
    """Return what the checks look at in a workspace; `owner` is what others read while the store is held."""
    return Checkup(
        paths=workspace.paths,
        settings=workspace.settings,
        now=workspace.now(),
        journal=workspace.journal,
        mirror=workspace.life.mirror,
        files=workspace.files,
        hold_store=lambda: workspace.locks.named("store", owner).hold(
            wait_s=workspace.settings.store.wait_s, shared=True
        ),
        open_database=lambda: workspace.database.attach(write=False),
        require_writable=workspace.store.require_writable,
        fold_journal=workspace.store.projection.folded,
        history_problem=lambda: check_history(workspace.paths, workspace.journal).problem,
        encryption_findings=lambda: encryption_findings(workspace),
        open_index=workspace.index.searching,
        here=working_folder(),
    )


def examine_workspace(workspace: Workspace, *, fix: bool = False) -> list[Finding]:
    """Return what doctor finds, worst first; with `fix` it mends what can be mended, and marks what is gone then."""
    if locked := [found for found in encryption_findings(workspace) if found.code == KEY_AWAY]:
        return locked  # nothing else can be looked at
    checkup = checkup_of(workspace)
    findings = examine(checkup, workspace.progress)
    if all(found.level != Level.ERROR for found in findings):  # else what is damaged would be found twice
        findings += _of_cards(workspace)
    return mend(checkup, Upkeep(workspace), findings, workspace.progress) if fix and findings else findings


def _of_cards(workspace: Workspace) -> list[Finding]:
    path = workspace.paths.relative(workspace.paths.cards)
    try:
        return card_findings(workspace)
    except DamagedStateError as damage:
        why, command = damage.message, f"rm {path}"
        return [Finding(code="cards-damaged", level=Level.WARNING, path=path, message=why, command=command)]
    except (EngramError, OSError) as problem:
        why = f"the cards were not asked: {problem}"
        return [Finding(code="cards-not-asked", level=Level.INFO, path=path, message=why, command="engram doctor")]
