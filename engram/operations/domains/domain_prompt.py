"""The prompt of a domain's subagent: the template DOMAIN-CONTEXT with all that is known, fenced as data.

Byte-identical while nothing changes: the only thing that time alone moves is the state (live, due, stale).
"""

from engram.base.clock import to_iso
from engram.base.templates import fill_template
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.language.screen.fence import safe_lines
from engram.model.domain import Domain
from engram.model.domain import DomainFile
from engram.model.domain import DomainRegistry
from engram.model.fact import SHARED
from engram.model.fact import Actor
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.operations.domains.domain_place import domain_files
from engram.ports.database import FactFilter
from engram.ports.text_files import TextFiles
from engram.rules.domain import format_duration
from engram.rules.domain import liveness
from engram.rules.origin import doubt_mark
from engram.rules.temporal import holds_now
from engram.services.domains.folder import DomainFolder
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.visibility import Caller
from engram.services.visibility import current_path
from engram.workspace import Workspace

MOST_CHARS = 40_000  # of one file of the domain, about 10,000 tokens; of a changelog, the newest
_MOST_FACTS = 40  # about the entity; the newest


def domain_context(
    workspace: Workspace, name: str, most_chars: int = MOST_CHARS, *, caller: Caller | None = None
) -> str:
    """Return the whole prompt of the subagent of a domain, given by its name or a key that is bound to it.

    At most `most_chars` characters of each of its files stand there. To a caller in a
    session that is kept apart, the domains of that session are all that there are.

    Reads only; raises NotFoundError, and RefusedError where a file of the domain is a link.
    """
    now = workspace.now()
    at = domain_files(workspace, caller)
    as_session = f" --session {caller.session}" if caller is not None and caller.apart else ""
    registry = load_registry(at)
    domain = get_domain(registry, name)
    folder = DomainFolder(at, domain.name)
    waiting = [one for one in open_proposals(registry, at, now) if one.domain == domain.name]
    read = {file: _last_chars(folder.text(file), most_chars) for file in DomainFile}
    slots = {
        "name": domain.name,
        "as_session": as_session,
        "type": domain.type.value,
        "description": _safe_line(workspace, domain.description) or "nobody has said yet",
        "entity": _entity(workspace, domain) or "none",
        "active": to_iso(domain.active_at.replace(microsecond=0)),
        "state": liveness(domain, now),
        "cadence": format_duration(domain.cadence_s),
        "folder": workspace.paths.relative(folder.path),
        "proposals": _fenced(workspace, "proposals", "\n".join(f"{one.id}: {one.text}" for one in waiting)),
        "facts": _fenced(workspace, "facts", "\n".join(_facts(workspace, domain))),
    }
    texts = {file.value.partition(".")[0]: _fenced(workspace, file.value, text) for file, text in read.items()}
    return fill_template("DOMAIN-CONTEXT", {**slots, **texts})


def _facts(workspace: Workspace, domain: Domain) -> list[str]:
    entity = _entity(workspace, domain)
    if entity is None:
        return []
    with workspace.reading() as database:
        facts = database.list_facts(FactFilter(entity=entity, scopes=(SHARED,)))
    now = workspace.now()
    known = [fact for fact in facts if _may_be_told(fact) and holds_now(fact, now)]
    known.sort(key=lambda fact: (fact.recorded_at, fact.id))
    return [
        f"{doubt_mark(fact)}{fact.recorded_at:%Y-%m-%d} {fact.category.value}: {fact.text} ({fact.id})"
        for fact in known[-_MOST_FACTS:]
    ]


def _may_be_told(fact: Fact) -> bool:
    """Tell whether a domain is told of a fact: what a person stands by, and, marked, what agents noted."""
    return fact.trust == Trust.TRUSTED or (fact.trust == Trust.UNVERIFIED and fact.source.actor == Actor.AGENT)


def domains_now(workspace: Workspace, files: TextFiles | None = None) -> DomainRegistry:
    """Return the registry, each domain with the path at which the entity stands now that it is about."""
    registry = load_registry(files or workspace.files)
    moved = {
        name: domain.model_copy(update={"entity": entity})
        for name, domain in registry.domains.items()
        if (entity := _entity(workspace, domain)) != domain.entity
    }
    return registry.model_copy(update={"domains": {**registry.domains, **moved}}) if moved else registry


def _entity(workspace: Workspace, domain: Domain) -> str | None:
    """Return where the entity stands now that the domain is about."""
    if domain.entity is None:
        return None
    with workspace.reading() as database:
        return current_path(database, domain.entity)


def _last_chars(text: str, limit: int) -> str:
    """Return the last whole lines of a text, with a line that says so when something is left out."""
    if len(text) <= limit:
        return text
    kept = text[-limit:].partition("\n")[2] or text[-limit:]
    return f"[{len(text) - len(kept)} characters before this are left out]\n{kept}"


def _fenced(workspace: Workspace, label: str, text: str) -> str:
    was_screened = label == "facts"  # when they were written, by who said them
    lines = list(safe_lines(text.strip("\n"), workspace.settings.screen.patterns, is_persons=was_screened))
    if not any(line.strip() and not line.startswith("# ") for line in lines):
        return "(nothing yet)"
    return "\n".join(fence(label, map(barred, lines)))


def _safe_line(workspace: Workspace, text: str) -> str:
    return " ".join(safe_lines(" ".join(text.split()), workspace.settings.screen.patterns))
