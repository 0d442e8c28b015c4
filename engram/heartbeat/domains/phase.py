"""The domain scan as the runner sees it: what became of the files of each domain, and what is noted of it.

A scan that finds nothing new asks no child and writes nothing. Nothing is noted when the child fails, so that the next
run finds the same. A file that cannot be read keeps its base and is an alert, and the other domains are looked at.
"""

import datetime as dt
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.config.paths import Paths
from engram.errors import EngramError
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import WARNING
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.domains.agent_news import ask_about_news
from engram.heartbeat.domains.agent_news import newest_lines
from engram.heartbeat.domains.agent_news import write_news
from engram.heartbeat.report.alerts import note_alerts
from engram.language.screen.injection import find_injection
from engram.model.domain import WRITERS
from engram.model.domain import Domain
from engram.model.domain import DomainFile
from engram.model.domain import DomainRegistry
from engram.model.domain import Proposal
from engram.model.domain import ProposalStatus
from engram.model.domain import Role
from engram.operations.domains.domain_lock import hold_domains
from engram.operations.domains.ownership import owned_folders
from engram.ports.text_files import TextFiles
from engram.rules.domain import FileState
from engram.rules.domain import liveness
from engram.rules.domain import needs_alert
from engram.services.domains.folder import DomainFolder
from engram.services.domains.registry import collect_proposals
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import save_registry
from engram.workspace import Workspace


class Found(NamedTuple):
    """What a scan found in one domain."""

    domain: Domain
    files: dict[DomainFile, FileState]  # those that are not as they were
    proposals: list[Proposal]  # open ones of which no run has told yet
    silent: bool  # it shows no life, and that has not been said lately
    is_full: bool  # its changelog is to be rotated

    @property
    def is_new(self) -> bool:
        """Tell whether there is anything to say or to note."""
        worked = self.domain.subagent_at is not None  # to be noted, so that later edits are not taken for its doing
        return bool(worked or self.files or self.proposals or self.silent or self.is_full)


def has_domains(paths: Paths) -> bool:
    """Tell whether a domain was ever made here; opens nothing."""
    return paths.domain_registry.exists()


def run_domain_scan(task: PhaseTask) -> PhaseResult:
    """Look at the files of all domains in use, let the child judge them, and note what they are now.

    Where an agent is set, it is asked about the news, too, and what it writes is applied. No lock is held while a child
    works. When a child fails, nothing is noted.
    """
    workspace = task.workspace
    with hold_domains(workspace, "heartbeat"):
        registry = load_registry(workspace.files)
        found, alerts = _scan(workspace, registry)
    alerts += _written_by_others(workspace) if registry.owners else []  # git may take its time: without the lock
    task.so_far.alerts = alerts
    new = [one for one in found if one.is_new]
    if not new:
        return _result(task, "nothing new", {"domains": len(found)}, alerts)
    patterns = workspace.settings.screen.patterns
    rows = [_question(one, workspace.now(), patterns) for one in new]
    handoff = ask_child(task.without_agent(), {"domains": rows}, "", "")
    alerts += handoff.alerts
    told = ask_about_news(task, [_news(workspace.files, registry, one) for one in new if one.files])
    note_alerts(workspace, [_result(task, "", {}, alerts)])  # once the domains are noted, no run finds this again
    with hold_domains(workspace, "heartbeat"):
        lives = load_registry(workspace.files).domains
        written = write_news(workspace, told.handoff)
        archived = _note(workspace, [one for one in new if one.domain.name not in told.left], lives)
    alerts += [*told.alerts, *written.alerts]
    stats = {**handoff.stats, **written.stats, "rotated": archived}
    said = _result(task, handoff.summary, stats, alerts)
    return said._replace(status=WARNING if said.alerts else SUCCEEDED, changed=True)


def _result(task: PhaseTask, summary: str, stats: dict[str, Any], alerts: list[str]) -> PhaseResult:
    return PhaseResult(task.phase.name, WARNING if alerts else SKIPPED, summary, stats, alerts)


def _scan(workspace: Workspace, registry: DomainRegistry) -> tuple[list[Found], list[str]]:
    found = []
    alerts = []
    for _, domain in sorted(registry.domains.items()):
        if domain.archived:
            continue
        try:
            found.append(_look(workspace, registry, domain))
        except (EngramError, OSError) as problem:
            alerts.append(f"domain {domain.name} was not looked at: {problem}")
    return found, alerts


def _written_by_others(workspace: Workspace) -> list[str]:
    """Return a sentence for each owned folder into which others wrote since somebody looked; it is told once."""
    try:
        found = owned_folders(workspace)
    except (EngramError, OSError) as problem:
        return [f"owned folders were not looked at: {problem}; engram domain ownership"]
    return [
        f"{one.path} is owned by {one.ownership.owner}, and others wrote there since {one.since.date()}: engram domain"
        " ownership lists it, --seen takes it for seen"
        for one in found
        if one.writes
    ]


def _look(workspace: Workspace, registry: DomainRegistry, domain: Domain) -> Found:
    folder = DomainFolder(workspace.files, domain.name)
    states = {file: folder.state(file, domain.base.get(file)) for file in DomainFile}
    return Found(
        domain,
        {file: state for file, state in states.items() if state.now != state.base},
        [*_unannounced(registry, domain), *collect_proposals(registry, folder, domain, workspace.now())],
        needs_alert(_seen_alive(domain, states, workspace.now()), workspace.now()),
        folder.has_full_changelog(),
    )


def _unannounced(registry: DomainRegistry, domain: Domain) -> list[Proposal]:
    """Return the open proposals that a command noted and no run has told of yet."""
    known = [one for one in registry.proposals.values() if one.domain == domain.name and not one.announced]
    return [one for one in known if one.status == ProposalStatus.OPEN]


def _seen_alive(domain: Domain, states: dict[DomainFile, FileState], now: dt.datetime) -> Domain:
    """Return the domain with its last sign of life: a file of the subagent's that changed by hand is one."""
    wrote = any(
        state.base is not None and state.now is not None and state.now != state.base
        for file, state in states.items()
        if WRITERS[file] == Role.SUBAGENT
    )
    return domain.model_copy(update={"active_at": max(now, domain.active_at)}) if wrote else domain


def _question(found: Found, now: dt.datetime, patterns: Sequence[str]) -> dict[str, Any]:
    domain = found.domain
    return {
        "name": domain.name,
        "subagent_worked": domain.subagent_at is not None,
        "silent": liveness(domain, now) if found.silent else "",
        "silent_s": (now - domain.active_at).total_seconds(),
        "cadence_s": domain.cadence_s,
        "files": [
            {
                "file": file.value,
                "base": state.base.model_dump() if state.base else None,
                "now": state.now.model_dump() if state.now else None,
                "continues": state.continues,
                "added": state.added,
            }
            for file, state in found.files.items()
        ],
        "proposals": [{"id": one.id, "text": _harmless(one.text, patterns)} for one in found.proposals],
    }


def _harmless(text: str, patterns: Sequence[str]) -> str:
    """Return a text as an alert may show it to an agent: one that tries to give orders is only named."""
    return text if find_injection(text, patterns) is None else "(withheld: it tries to give orders to the agent)"


def _news(files: TextFiles, registry: DomainRegistry, found: Found) -> dict[str, Any]:
    """Return what an agent is given of one domain; of each text, the newest lines."""
    domain = found.domain
    added = {file.value: newest_lines(state.added) for file, state in found.files.items() if state.added.strip()}
    waiting = [one for one in registry.proposals.values() if one.domain == domain.name]
    opened = [one.text for one in (*waiting, *found.proposals) if one.status == ProposalStatus.OPEN]
    status = DomainFolder(files, domain.name).text(DomainFile.STATUS)
    return {
        "name": domain.name,
        "type": domain.type.value,
        "description": domain.description,
        "status": newest_lines(status),
        "news": "\n\n".join(f"{file}:\n{text}" for file, text in added.items()),
        "proposals": newest_lines("\n".join(dict.fromkeys(opened))),
    }


def _note(workspace: Workspace, new: list[Found], lives: Mapping[str, Domain]) -> list[str]:
    """Rotate what is full, save what the files are now, and return the archives that were made.

    What commands noted since the look stays. `lives` are the domains as they were before an agent's words were written
    into them: those are no sign of life.
    """
    known = registry = load_registry(workspace.files)
    for proposal in (proposal for one in new for proposal in one.proposals):
        registry = registry if proposal.id in registry.proposals else registry.with_proposal(proposal)
    if registry != known:
        save_registry(workspace.files, registry)  # before the lines move out of sight
    archived = []
    for one in new:
        domain, life = registry.domains.get(one.domain.name), lives.get(one.domain.name)
        if domain is None or life is None or domain.archived:
            continue
        folder = DomainFolder(workspace.files, domain.name)
        is_begun = one.is_full or folder.read(DomainFile.CHANGELOG) is None
        if place := folder.rotate():
            archived.append(place)
        bases = {file: state.now for file, state in one.files.items() if domain.base.get(file) == state.base}
        if is_begun:
            bases[DomainFile.CHANGELOG] = folder.base(DomainFile.CHANGELOG)
        kept = {file: base for file, base in (domain.base | bases).items() if base is not None}
        worked = life.subagent_at if life.subagent_at != one.domain.subagent_at else None
        active = _seen_alive(life, one.files, workspace.now()).active_at
        update: dict[str, Any] = {"base": kept, "subagent_at": worked, "active_at": active}
        update |= {"alerted_at": workspace.now()} if one.silent else {}
        registry = registry.with_domain(domain.model_copy(update=update))
        for proposal in one.proposals:
            told = registry.proposals[proposal.id].model_copy(update={"announced": True})
            registry = registry.with_proposal(told)
    save_registry(workspace.files, registry)
    return archived
