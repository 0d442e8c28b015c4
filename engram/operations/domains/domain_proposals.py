"""Proposals of domains as a review shows and settles them: the last of what waits."""

from typing import Any
from typing import Final

from engram.base.clock import to_iso
from engram.errors import BadValueError
from engram.language.screen.injection import find_injection
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.domain import Proposal
from engram.model.domain import ProposalStatus
from engram.model.domain import Role
from engram.operations.domains.domain_lock import hold_domains
from engram.rules.review_queue import WITHHELD
from engram.services.domains.desk import DomainCommands
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.visibility import Caller
from engram.workspace import Workspace

KIND: Final = "proposal"
OUTCOMES: Final = {"accept": ProposalStatus.ACCEPTED, "reject": ProposalStatus.REJECTED}
_DOES: Final = {
    "accept": "it stands in the domain's decisions.md from now on",
    "reject": "it is kept there as a comment, with the note",
}


def waiting_proposals(workspace: Workspace) -> list[Proposal]:
    """Return the proposals that nobody has decided, oldest first; none where no domain was ever made."""
    if not workspace.paths.domain_registry.exists():
        return []
    return open_proposals(load_registry(workspace.files), workspace.files, workspace.now())


def sees_proposals(caller: Caller | None) -> bool:
    """Tell whether proposals wait for a caller: domains have no scope, and what they ask is the owner's to decide."""
    return caller is None or caller.is_owner


def describe_proposal(workspace: Workspace, proposal: Proposal, *, for_person: bool = False) -> dict[str, Any]:
    """Return a proposal as JSON, with the keys of `services.reviewing.describe`; orders are shown only to a person."""
    harmless = find_injection(proposal.text, workspace.settings.screen.patterns) is None
    return {
        "id": proposal.id,
        "kind": KIND,
        "text": proposal.text if for_person or harmless else WITHHELD,
        "domain": proposal.domain,
        "file": proposal.file.value,
        "opened_at": to_iso(proposal.found_at),
        "sides": [],
        "outcomes": dict(_DOES),
    }


def is_proposal(workspace: Workspace, wanted: str) -> bool:
    """Tell whether an id is that of a proposal, decided or not."""
    if not workspace.paths.domain_registry.exists():
        return False
    known = {*load_registry(workspace.files).proposals, *(one.id for one in waiting_proposals(workspace))}
    return wanted.strip() in known


def decide_proposal(
    workspace: Workspace,
    wanted: str,
    outcome: str,
    note: str | None = None,
    *,
    role: str | None = None,
    dry_run: bool = False,
) -> CommandResult:
    """Accept or reject a proposal.

    Raises BadValueError for another outcome, NotFoundError, and RefusedError when it was decided otherwise before.
    """
    if outcome not in OUTCOMES:
        raise BadValueError(f"{outcome} is no outcome of a proposal", hint="one of accept, reject", field="outcome")
    with hold_domains(workspace, "review"):
        who = Role(role) if role else None
        now = workspace.now()
        desk = DomainCommands(workspace.files, now=now, role=who, dry_run=dry_run)
        decided = desk.decide(wanted.strip(), OUTCOMES[outcome], note)["proposal"]
    said = f"{decided['status']}: {decided['text']}; what is otherwise decided later is a new decision"
    return CommandResult(command_id="", kind="domain-decide", status=Outcome.DONE, id=decided["id"], reason=said)
