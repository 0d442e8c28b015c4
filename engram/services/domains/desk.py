"""What `engram domain` does: each command under the caller's lock, files first, then the registry.

A command that dies between the two is found again by the next one: what it wrote is not written twice.
"""

import datetime as dt
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.spans import parse_span
from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import slug_problem
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.screen.redaction import require_no_secret
from engram.language.screen.secrets import redact
from engram.model.domain import CADENCES_S
from engram.model.domain import Domain
from engram.model.domain import DomainFile
from engram.model.domain import DomainRegistry
from engram.model.domain import DomainType
from engram.model.domain import Proposal
from engram.model.domain import ProposalStatus
from engram.model.domain import Role
from engram.ports.text_files import TextFiles
from engram.rules.domain import changelog_entry
from engram.rules.domain import decision_entry
from engram.rules.domain import find_proposals
from engram.rules.domain import proposal_id
from engram.rules.domain import writing_refusal
from engram.services.domains.folder import DomainFolder
from engram.services.domains.registry import collect_proposals
from engram.services.domains.registry import domain_view
from engram.services.domains.registry import find_bound
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import get_proposal
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.domains.registry import proposal_view
from engram.services.domains.registry import save_registry

MAX_TEXT_CHARS = 20_000  # of one status or changelog entry
MAX_KEY_CHARS = 200  # of a binding or a description's line
_MAIN_ONLY = "is for the main agent or a person"


class NewDomain(NamedTuple):
    """What `domain add` takes."""

    name: str
    type: DomainType
    entity: str | None = None  # path of a known entity
    description: str = ""
    bindings: tuple[str, ...] = ()
    cadence: str | None = None  # such as 12h; None: what is usual for the type


class DomainCommands:
    """The commands of one caller at one instant."""

    def __init__(self, files: TextFiles, *, now: dt.datetime, role: Role | None, dry_run: bool = False) -> None:
        """Take the files of the domains, the instant, and who calls: an agent in its role, or a person (None)."""
        self._files = files
        self._now = now
        self._role = role
        self._dry_run = dry_run
        self._registry = load_registry(files)

    def add(self, wanted: NewDomain) -> dict[str, Any]:
        """Register a domain and make its files; a folder that is there already keeps all it has."""
        self._require_main("domain add")
        domain = self._new(wanted)
        if not self._dry_run:
            folder = DomainFolder(self._files, domain.name)
            folder.ensure()
            base = {file: found for file in DomainFile if (found := folder.base(file)) is not None}
            self._save(self._registry.with_domain(domain.model_copy(update={"base": base})))
        view = domain_view(self._registry, domain, self._now, self._files.paths.relative(self._files.paths.domains))
        return self._result(domain, **{name: value for name, value in view.items() if name != "name"})

    def set_status(self, name: str, text: str) -> dict[str, Any]:
        """Replace the status by this text, which also goes into the changelog, so that no status is ever lost."""
        domain, folder = self._open(name, DomainFile.STATUS)
        cleaned, kinds = _clean(text)
        kept = None
        if not self._dry_run:
            stamp = f"<!-- written {to_iso(self._now)} -->"
            base = domain.base.get(DomainFile.STATUS)
            kept = folder.replace(DomainFile.STATUS, f"{stamp}\n{cleaned}", base=base, now=self._now)
            self._log(domain, folder, f"status: {cleaned}", wrote_status=True)
        return self._result(domain, path=folder.written(DomainFile.STATUS), kept=kept, redactions=kinds)

    def log(self, name: str, text: str) -> dict[str, Any]:
        """Append an entry to the changelog."""
        domain, folder = self._open(name, DomainFile.CHANGELOG)
        cleaned, kinds = _clean(text)
        archived = None if self._dry_run else self._log(domain, folder, cleaned)
        return self._result(domain, path=folder.written(DomainFile.CHANGELOG), archived_to=archived, redactions=kinds)

    def propose(self, name: str, text: str) -> dict[str, Any]:
        """Append a proposal to the changelog; one that waits already is not added again.

        Raises RefusedError for one that was decided before.
        """
        if self._role == Role.MAIN:
            raise RefusedError(
                "a proposal comes from the subagent, not from the main agent", hint="engram decision log"
            )
        domain, folder = self._open(name, DomainFile.CHANGELOG, anybody=True)
        cleaned, kinds = _clean(text)
        words = clean_statement(cleaned)
        found = find_proposals(f"PROPOSAL: {words}")[0]
        wanted = proposal_id(domain.name, found)
        known = self._known(folder, domain).get(wanted)
        if known is not None and known.status != ProposalStatus.OPEN:
            why = f": {known.note}" if known.note else ""
            raise RefusedError(
                f"{known.id} was {known.status.value}{why}", hint="propose it in other words if it changed"
            )
        if known is None:
            file = DomainFile.CHANGELOG
            known = Proposal(id=wanted, domain=domain.name, text=found, file=file, found_at=self._now)
            if not self._dry_run:
                self._log(domain, folder, f"PROPOSAL: {words}", proposal=known)
        return self._result(domain, proposal=proposal_view(known), redactions=kinds)

    def decide(self, wanted: str, outcome: ProposalStatus, note: str | None = None) -> dict[str, Any]:
        """Settle a proposal: what was accepted stands in decisions.md, what was rejected is kept there as a comment.

        Raises RefusedError when it was decided otherwise before.
        """
        self._require_main("domain decide")
        waiting = open_proposals(self._registry, self._files, self._now)
        proposal = get_proposal([*self._registry.proposals.values(), *waiting], wanted)
        domain = self._registry.domains[proposal.domain]
        folder = DomainFolder(self._files, domain.name)
        if proposal.status == outcome:
            return self._result(domain, proposal=proposal_view(proposal), reason="already so")
        if proposal.status != ProposalStatus.OPEN:
            raise RefusedError(
                f"{proposal.id} was {proposal.status.value} already", hint="write a new decision instead"
            )
        _require_in_use(domain)
        reason = _clean(note)[0] if note else None
        decided = proposal.model_copy(update={"status": outcome, "decided_at": self._now, "note": reason})
        if not self._dry_run:
            self._write_decision(domain, folder, decided)
        return self._result(domain, proposal=proposal_view(decided), path=folder.written(DomainFile.DECISIONS))

    def archive(self, name: str, *, undo: bool = False) -> dict[str, Any]:
        """Put a domain out of use, or back; its files stay where they are, and its keys may be bound elsewhere."""
        self._require_main("domain archive")
        domain = get_domain(self._registry, name)
        if undo and domain.archived:
            self._refuse_bound(domain.bindings)
        changed = domain.model_copy(
            update={"archived": not undo, **({"active_at": self._now} if undo and domain.archived else {})}
        )
        if changed != domain and not self._dry_run:
            self._save(self._registry.with_domain(changed))
        return self._result(changed, reason="already so" if changed == domain else None)

    # -- inside

    def _new(self, wanted: NewDomain) -> Domain:
        name = wanted.name.strip().casefold()
        require_no_secret("the name of the domain", wanted.name)
        if why := slug_problem(name):
            raise BadValueError(f"domain name {wanted.name!r}: {why}", hint="such as billing or nightly-backup")
        if name in self._registry.domains:
            state = "archived" if self._registry.domains[name].archived else "there already"
            hint = f"engram domain archive {name} --undo" if state == "archived" else f"engram domain show {name}"
            raise RefusedError(f"domain {name} is {state}", hint=hint)
        cadence = CADENCES_S[wanted.type] if wanted.cadence is None else parse_span(wanted.cadence)
        if cadence is None:
            raise BadValueError(f"--cadence {wanted.cadence!r} is not a span", hint="such as 30m, 12h, 7d or 2w")
        bindings = tuple(dict.fromkeys(_one_line("--bind", key) for key in wanted.bindings))
        self._refuse_bound(bindings)
        return Domain(
            name=name,
            type=wanted.type,
            created_at=self._now,
            active_at=self._now,
            cadence_s=cadence,
            entity=wanted.entity,
            description=redact(clean_statement(wanted.description)).text,
            bindings=bindings,
        )

    def _refuse_bound(self, bindings: tuple[str, ...]) -> None:
        for key in bindings:
            if (other := find_bound(self._registry, key)) is not None:
                raise RefusedError(f"{key} is bound to domain {other.name}", hint="a thread belongs to one domain")

    def _require_main(self, command: str) -> None:
        if self._role == Role.SUBAGENT:
            raise RefusedError(f"{command} {_MAIN_ONLY}", hint="engram domain propose asks for it")

    def _open(self, name: str, file: DomainFile, *, anybody: bool = False) -> tuple[Domain, DomainFolder]:
        domain = get_domain(self._registry, name)
        _require_in_use(domain)
        if not anybody and (why := writing_refusal(file, self._role)):
            raise RefusedError(f"{domain.name}: {why}", hint="leave it to its writer, or call without --role yourself")
        return domain, DomainFolder(self._files, domain.name)

    def _known(self, folder: DomainFolder, domain: Domain) -> dict[str, Proposal]:
        found = collect_proposals(self._registry, folder, domain, self._now)
        return {**self._registry.proposals, **{one.id: one for one in found}}

    def _log(
        self,
        domain: Domain,
        folder: DomainFolder,
        text: str,
        *,
        wrote_status: bool = False,
        proposal: Proposal | None = None,
    ) -> str | None:
        """Append an entry to the changelog and save what is known since; return the archive that it made, if any.

        A proposal that the entry makes is saved as it is: a fence that a person left open could hide its line.
        """
        registry = self._with_found(domain, folder)
        if registry != self._registry:
            self._save(registry)  # before the lines move out of sight
        archived = folder.rotate()
        before = folder.state(DomainFile.CHANGELOG, domain.base.get(DomainFile.CHANGELOG))
        folder.append(DomainFile.CHANGELOG, changelog_entry(text, self._now))
        update: dict[str, Any] = {"active_at": max(self._now, domain.active_at)}
        if self._role == Role.SUBAGENT:
            update["subagent_at"] = self._now
        # A file in which something is amiss keeps its base: the next scan is to say so.
        written = {DomainFile.CHANGELOG} if before.continues else set()
        written |= {DomainFile.STATUS} if wrote_status else set()
        update["base"] = domain.base | {file: found for file in written if (found := folder.base(file)) is not None}
        changed = domain.model_copy(update=update)
        registry = registry.with_proposal(proposal) if proposal else registry
        self._save(self._with_found(changed, folder, registry).with_domain(changed))
        return archived

    def _with_found(
        self, domain: Domain, folder: DomainFolder, registry: DomainRegistry | None = None
    ) -> DomainRegistry:
        known = registry or self._registry
        for proposal in collect_proposals(known, folder, domain, self._now):
            known = known.with_proposal(proposal)
        return known

    def _write_decision(self, domain: Domain, folder: DomainFolder, decided: Proposal) -> None:
        was_clean = folder.state(DomainFile.DECISIONS, domain.base.get(DomainFile.DECISIONS))
        mark = f"{decided.status.value.upper()} ({decided.id})"
        if mark not in folder.text(DomainFile.DECISIONS):
            folder.append(DomainFile.DECISIONS, decision_entry(decided, mark))
        registry = self._registry.with_proposal(decided)
        base = folder.base(DomainFile.DECISIONS)
        if base is not None and was_clean.base == was_clean.now:
            domain = domain.model_copy(update={"base": {**domain.base, DomainFile.DECISIONS: base}})
        self._save(registry.with_domain(domain))

    def _save(self, registry: DomainRegistry) -> None:
        save_registry(self._files, registry)
        self._registry = registry

    def _result(self, domain: Domain, **fields: Any) -> dict[str, Any]:
        status = {"dry_run": True} if self._dry_run else {"status": "done"}
        shown = {name: value for name, value in fields.items() if value is not None}
        return {**status, "name": domain.name, **shown}


def _require_in_use(domain: Domain) -> None:
    if domain.archived:
        raise RefusedError(
            f"domain {domain.name} is archived", hint=f"engram domain archive {domain.name} --undo takes it back"
        )


def _clean(text: str) -> tuple[str, list[str]]:
    """Return a text without secrets and what kinds were taken out; raise BadValueError."""
    if has_control(text):
        raise BadValueError("the text holds a control character", hint="pass text without control characters")
    cleaned = redact(text.strip())
    if not cleaned.text:
        raise BadValueError("the text is empty", hint='such as engram domain log billing "moved to PostgreSQL 16"')
    if len(cleaned.text) > MAX_TEXT_CHARS:
        raise BadValueError(f"the text is longer than {MAX_TEXT_CHARS} characters", hint="say it shorter")
    return cleaned.text, list(cleaned.kinds)


def _one_line(name: str, text: str) -> str:
    words = clean_statement(text)
    if not words or len(words) > MAX_KEY_CHARS or has_control(text):
        raise BadValueError(f"{name} has 1 to {MAX_KEY_CHARS} characters", hint="such as telegram:4711")
    return require_no_secret(name, words)
