"""One domain as a page shows it: its state, its files, its changelog entry by entry, and its proposals."""

from typing import Any
from typing import Final

from engram.model.domain import DomainFile
from engram.model.domain import Proposal
from engram.model.domain import ProposalStatus
from engram.operations.domains.domain_prompt import domains_now
from engram.rules.domain import changelog_entries
from engram.services.domains.folder import DomainFolder
from engram.services.domains.registry import domain_view
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import open_proposals
from engram.services.domains.registry import proposal_view
from engram.workspace import Workspace

MOST_ENTRIES: Final = 200  # of a changelog, the newest
MOST_CHARS: Final = 40_000  # of one file, the last


def domain_list(workspace: Workspace) -> list[dict[str, Any]]:
    """Return every domain with its state, those in use first, then by name; the proposals that wait with each."""
    registry, now = domains_now(workspace), workspace.now()
    waiting = open_proposals(registry, workspace.files, now)
    rows = [
        {**domain_view(registry, one, now), "proposals": sum(other.domain == one.name for other in waiting)}
        for one in registry.domains.values()
    ]
    return sorted(rows, key=lambda row: (row["state"] == "archived", row["name"]))


def domain_page(workspace: Workspace, name: str) -> dict[str, Any]:
    """Return one domain, given by its name or a key that is bound to it; the newest entries and proposals first.

    Raises NotFoundError, and RefusedError where a file of the domain is a link.
    """
    registry, now = domains_now(workspace), workspace.now()
    domain = get_domain(registry, name)
    folder = DomainFolder(workspace.files, domain.name)
    waiting = [one for one in open_proposals(registry, workspace.files, now) if one.domain == domain.name]
    decided = [one for one in registry.proposals.values() if _is_decided(one, domain.name)]
    decided.sort(key=lambda one: (one.decided_at or one.found_at, one.id), reverse=True)
    entries = changelog_entries(folder.text(DomainFile.CHANGELOG))
    files = {file.value: folder.text(file).strip("\n") for file in DomainFile if file != DomainFile.CHANGELOG}
    return {
        **domain_view(registry, domain, now),
        "files": {file: text[-MOST_CHARS:] for file, text in files.items()},
        "changelog": [entry._asdict() for entry in reversed(entries[-MOST_ENTRIES:])],
        "more_entries": max(0, len(entries) - MOST_ENTRIES),
        "archives": sorted(path.name for path in folder.archives.glob("*.md")),
        "waiting": [proposal_view(one) for one in reversed(waiting)],
        "decided": [proposal_view(one) for one in decided],
    }


def _is_decided(proposal: Proposal, domain: str) -> bool:
    return proposal.domain == domain and proposal.status != ProposalStatus.OPEN
