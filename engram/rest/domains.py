"""What can be asked of domains, the scopes given to subagents: those of all, or of a session that is kept apart."""

from typing import Annotated
from typing import Any

from pydantic import Field

from engram.model.domain import DomainType
from engram.model.domain import Proposal
from engram.operations.domains.domain_place import domain_files
from engram.operations.domains.domain_prompt import domain_context
from engram.operations.domains.domain_prompt import domains_now
from engram.rest.answers import Answer
from engram.rest.call import Call
from engram.rest.requests import Nothing
from engram.rest.requests import Request
from engram.services.domains.registry import domain_view
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.domains.registry import proposal_view


class DomainsQuery(Request):
    """Which domains to list."""

    all: Annotated[bool, Field(description="Also those that are archived.")] = False


class DomainView(Answer):
    """A domain, and how it stands."""

    name: str
    type: DomainType
    state: str  # whether it shows life
    entity: str | None
    description: str
    bindings: list[str]
    cadence_s: int | None
    created_at: str
    active_at: str
    silent_s: int
    proposals: int  # that wait
    path: str
    spawning: dict[str, Any] | None = None  # how the heartbeat runs its subagent


class Domains(Answer):
    """Domains, by name."""

    domains: list[DomainView]


class DomainPrompt(Answer):
    """The whole prompt of a domain's subagent."""

    name: str
    session: str | None  # whose alone it is
    context: str


class Proposals(Answer):
    """What domains ask to be decided."""

    proposals: list[Proposal]


def list_all(call: Call, said: DomainsQuery) -> dict[str, Any]:
    """List domains, each with whether it shows life."""
    workspace, files = call.workspace, domain_files(call.workspace, call.caller())
    registry, folder = domains_now(workspace, files), files.paths.relative(files.paths.domains)
    found = [one for _, one in sorted(registry.domains.items()) if said.all or not one.archived]
    return {"domains": [domain_view(registry, one, workspace.now(), folder) for one in found]}


def show(call: Call, _said: Nothing) -> dict[str, Any]:
    """Show one domain, by its name or by a key that is bound to it."""
    workspace, files = call.workspace, domain_files(call.workspace, call.caller())
    registry = domains_now(workspace, files)
    return domain_view(
        registry, get_domain(registry, call.about), workspace.now(), files.paths.relative(files.paths.domains)
    )


def context(call: Call, _said: Nothing) -> dict[str, Any]:
    """Return the whole prompt of a domain's subagent, which starts from nothing."""
    caller = call.caller()
    text = domain_context(call.workspace, call.about, caller=caller)
    return {
        "name": call.about,
        "session": caller.session if caller is not None and caller.apart else None,
        "context": text,
    }


def proposals(call: Call, _said: Nothing) -> dict[str, Any]:
    """List the proposals of domains that wait to be decided."""
    files = domain_files(call.workspace, call.caller())
    found = open_proposals(load_registry(files), files, call.workspace.now())
    return {"proposals": [proposal_view(one) for one in found]}
