"""The registry of domains in .engram/domains.json: read, written, asked for one domain or proposal by name."""

import datetime as dt
import difflib
from collections.abc import Iterable
from typing import Any

from pydantic import ValidationError

from engram.base.clock import to_iso
from engram.base.log import warn
from engram.errors import AmbiguousNameError
from engram.errors import DamagedStateError
from engram.errors import EngramError
from engram.errors import NotFoundError
from engram.language.screen.secrets import redact
from engram.model.domain import Domain
from engram.model.domain import DomainFile
from engram.model.domain import DomainRegistry
from engram.model.domain import Proposal
from engram.model.domain import ProposalStatus
from engram.model.domain import Spawning
from engram.ports.text_files import TextFiles
from engram.rules.domain import find_proposals
from engram.rules.domain import liveness
from engram.rules.domain import proposal_id
from engram.services.domains.folder import DomainFolder

SHARED_FOLDER = "memory/domains"  # of the domains that are no session's
_NEAR = 0.6  # similarity of names from which one is offered as "did you mean"
_PROPOSED_IN = (DomainFile.DECISIONS, DomainFile.CHANGELOG)


def load_registry(files: TextFiles) -> DomainRegistry:
    """Return the registry, an empty one when there is none yet; raise DamagedStateError when it cannot be read."""
    try:
        return DomainRegistry.model_validate_json(files.read(files.paths.domain_registry))
    except FileNotFoundError:
        return DomainRegistry()
    except ValidationError as problem:
        shown = files.paths.relative(files.paths.domain_registry)
        raise DamagedStateError(
            f"{shown} is damaged: {problem.errors(include_url=False)[0]['msg']}",
            hint="move it away and add the domains again; their files stay as they are",
        ) from problem


def save_registry(files: TextFiles, registry: DomainRegistry) -> None:
    """Write the registry; when this returns, it survives a crash. Raises RefusedError where a link leads to it."""
    files.make_folder(files.paths.domain_registry.parent)
    body = registry.model_dump_json(indent=1, exclude_defaults=True).encode()
    files.write(files.paths.domain_registry, body)


def get_domain(registry: DomainRegistry, name: str) -> Domain:
    """Return a domain by its name or by a key that is bound to it; raise NotFoundError with names near to it."""
    wanted = name.strip()
    found = registry.domains.get(wanted.casefold()) or find_bound(registry, wanted)
    if found is not None:
        return found
    near = difflib.get_close_matches(wanted.casefold(), registry.domains, cutoff=_NEAR)
    hint = f"did you mean {', '.join(near)}? (engram domain list)" if near else "engram domain list shows what there is"
    raise NotFoundError(f"there is no domain {name!r}", hint=hint, near=near)


def find_bound(registry: DomainRegistry, key: str) -> Domain | None:
    """Return the domain in use to which a key is bound."""
    live = (domain for domain in registry.domains.values() if not domain.archived)
    return next((domain for domain in live if key in domain.bindings), None)


def get_proposal(proposals: Iterable[Proposal], wanted: str) -> Proposal:
    """Return a proposal by its id or the beginning of it; raise NotFoundError or AmbiguousNameError."""
    known = {one.id: one for one in proposals}
    fitting = [wanted] if wanted in known else sorted(one for one in known if wanted and one.startswith(wanted))
    if len(fitting) == 1:
        return known[fitting[0]]
    if fitting:
        raise AmbiguousNameError(
            f"{wanted!r} fits {len(fitting)} proposals", hint=f"one of {', '.join(fitting)}", near=fitting
        )
    near = difflib.get_close_matches(wanted, known, cutoff=_NEAR)
    raise NotFoundError(f"there is no proposal {wanted!r}", hint="engram domain proposals lists them", near=near)


def collect_proposals(
    registry: DomainRegistry, folder: DomainFolder, domain: Domain, now: dt.datetime
) -> list[Proposal]:
    """Return the proposals that stand in a domain's files and are not in the registry yet, without secrets."""
    found: dict[str, Proposal] = {}
    for file in _PROPOSED_IN:
        for text in find_proposals(redact(folder.text(file)).text):
            known = proposal_id(domain.name, text)
            if known not in registry.proposals and known not in found:
                found[known] = Proposal(id=known, domain=domain.name, text=text, file=file, found_at=now)
    return list(found.values())


def open_proposals(registry: DomainRegistry, files: TextFiles, now: dt.datetime) -> list[Proposal]:
    """Return what waits to be decided, oldest first, also what was written into a file just now; changes nothing.

    A domain whose files cannot be read is a warning, and the others are looked at.
    """
    live = {domain.name: domain for domain in registry.domains.values() if not domain.archived}
    found = [one for one in registry.proposals.values() if one.domain in live and one.status == ProposalStatus.OPEN]
    for name, domain in live.items():
        try:
            found += collect_proposals(registry, DomainFolder(files, name), domain, now)
        except (EngramError, OSError) as problem:
            warn(f"domain {name} was not looked at: {problem}")
    return sorted(found, key=lambda one: (one.found_at, one.id))


def domain_view(
    registry: DomainRegistry, domain: Domain, now: dt.datetime, folder: str = SHARED_FOLDER
) -> dict[str, Any]:
    """Return the JSON shape of a domain in a folder; instants in ISO 8601, spans in seconds."""
    waiting = [one.id for one in registry.proposals.values() if one.domain == domain.name]
    opened = [known for known in waiting if registry.proposals[known].status == ProposalStatus.OPEN]
    view: dict[str, Any] = {
        "name": domain.name,
        "type": domain.type.value,
        "state": liveness(domain, now),
        "entity": domain.entity,
        "description": domain.description,
        "bindings": list(domain.bindings),
        "cadence_s": domain.cadence_s,
        "created_at": to_iso(domain.created_at),
        "active_at": to_iso(domain.active_at),
        "silent_s": max(0, int((now - domain.active_at).total_seconds())),
        "proposals": len(opened),
        "path": f"{folder}/{domain.name}",
    }
    if domain.spawning is not None:
        view["spawning"] = spawning_view(domain.spawning)
    return view


def spawning_view(spawning: Spawning) -> dict[str, Any]:
    """Return the JSON shape of how a subagent is run; instants in ISO 8601, spans in seconds."""
    last = {"last_at": to_iso(spawning.last_at)} if spawning.last_at else {}
    shown = spawning.model_dump(exclude={"next_at", "last_at", "last_id"})
    return {**shown, "next_at": to_iso(spawning.next_at), **last}


def proposal_view(proposal: Proposal) -> dict[str, Any]:
    """Return the JSON shape of a proposal."""
    view: dict[str, Any] = proposal.model_dump(mode="json")
    return view
