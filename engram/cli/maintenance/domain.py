"""The commands `domain ...`: the scopes given to subagents."""

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import TypeVar

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_domain
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.cli.maintenance.domain_owners import own
from engram.cli.maintenance.domain_owners import ownership
from engram.config.paths import Paths
from engram.config.words import agent_or_empty
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.language.screen.fence import visible
from engram.model.domain import DomainType
from engram.model.domain import ProposalStatus
from engram.model.domain import Role
from engram.operations.domains.domain_place import domain_paths
from engram.operations.domains.domain_place import place_of_new
from engram.operations.domains.domain_prompt import domain_context
from engram.operations.domains.domain_prompt import domains_now
from engram.rules.domain import format_duration
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.services.domains.registry import domain_view
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.domains.registry import proposal_view
from engram.services.domains.registry import spawning_view
from engram.services.domains.spawn_queue import set_spawning
from engram.services.facts.listing import get_entity_path

_OUTCOMES = {"accept": ProposalStatus.ACCEPTED, "reject": ProposalStatus.REJECTED}

Body = TypeVar("Body", bound=Callable[..., Any])
_BIND = "Chat thread that belongs to it, or peer:ID or group:ID; repeatable."
_ROLE = "Who calls: the main agent or the subagent; else ENGRAM_ROLE, else a person, who may do everything."


def changes(body: Body) -> Body:
    """Give a command the options of one that changes a domain of the workspace."""
    body = click.option("--dry-run", is_flag=True, help="Print what would be done and change nothing.")(body)
    roles = click.Choice([role.value for role in Role])
    return click.option("--role", type=roles, envvar="ENGRAM_ROLE", help=_ROLE)(body)


def writes(body: Body) -> Body:
    """Give a command the options of one that changes a domain of the workspace, or of a session that is kept apart."""
    return changes(asked_by(body))


def writes_text(body: Body) -> Body:
    """Give a command the domain and the text that it writes there."""
    return click.argument("name", shell_complete=complete_domain)(click.argument("text")(writes(body)))


@click.group(cls=EngramSet)
def domain() -> None:
    """The scopes given to subagents, each with its files in memory/domains/.

    \b
    Example:
      engram domain list
    """


@domain.command(cls=EngramCommand)
@click.argument("name")
@click.option("--type", "kind", type=click.Choice([one.value for one in DomainType]), required=True, help="What it is.")
@click.option(
    "--entity",
    metavar="E",
    help="Person or project that it is about: path, title or alias.",
    shell_complete=complete_entity,
)
@click.option("--description", metavar="T", default="", help="What it is for, in a sentence.")
@click.option("--bind", "bindings", multiple=True, metavar="KEY", help=_BIND)
@click.option("--cadence", metavar="SPAN", help="How often it shows life, such as 12h or 7d; else by its type.")
@writes
def add(name: str, *, kind: str, bindings: tuple[str, ...], role: str | None, dry_run: bool, **said: Any) -> None:
    """Make a domain called NAME; files that are there already stay as they are.

    Bound to peer:ID or group:ID, a session that is kept apart, or made with its --session, it is that session's alone:
    it lies in its silo, and only with that --session is it read or written.

    \b
    Example:
      engram domain add nightly-backup --type cron-task --description "Copies of the invoices" --bind telegram:4711
    """
    check_words(name=name, **said)
    for key in bindings:
        check_words(bind=key)
    asker = find_asker(invocation(), said["session"], said["agent"])
    paths, bound_to = place_of_new(invocation().workspace(), asker, DomainType(kind), bindings)
    wanted = NewDomain(name, DomainType(kind), _entity(said["entity"]), said["description"], bindings, said["cadence"])
    with _desk(role, paths, dry_run=dry_run) as desk:
        shown = {**desk.add(wanted), **({"session": bound_to} if bound_to else {})}
    would = "would make" if dry_run else "made"
    of = f", of session {bound_to} alone" if bound_to else ""
    invocation().emit(shown, f"{would} domain {shown['name']} ({shown['type']}) in {shown['path']}{of}")


@domain.command("list", cls=EngramCommand)
@click.option("--all", "with_archived", is_flag=True, help="Also those that are archived.")
@asked_by
def list_domains(session: str | None, agent: str | None, *, with_archived: bool) -> None:
    """List domains, each with whether it shows life.

    \b
    Example:
      engram domain list --all
    """
    workspace, paths = invocation().workspace(), _paths(session, agent)
    registry = domains_now(workspace, paths)
    found = [one for _, one in sorted(registry.domains.items()) if with_archived or not one.archived]
    folder = paths.relative(paths.domains)
    views = [domain_view(registry, one, workspace.now(), folder) for one in found]
    rows = [(v["name"], v["type"], v["state"], f"{format_duration(v['silent_s'])} silent") for v in views]
    columns = [("domain", False), ("type", False), ("state", False), ("since its last sign of life", True)]
    invocation().emit_table({"domains": views}, lambda: table(rows) or "no domains yet", columns, rows)


@domain.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_domain)
@asked_by
def show(name: str, session: str | None, agent: str | None) -> None:
    """Show one domain, by its name or by a key that is bound to it.

    \b
    Example:
      engram domain show nightly-backup
    """
    check_words(name=name)
    workspace, paths = invocation().workspace(), _paths(session, agent)
    registry = domains_now(workspace, paths)
    view = domain_view(registry, get_domain(registry, name), workspace.now(), paths.relative(paths.domains))
    invocation().emit(view, lambda: table([(key, _plain(value)) for key, value in view.items() if value]))


@domain.command(cls=EngramCommand)
@writes_text
def status(name: str, text: str, *, role: str | None, session: str | None, agent: str | None, dry_run: bool) -> None:
    """Say where a domain stands; every status stays in the changelog.

    \b
    Example:
      engram domain status nightly-backup "Runs every night since Monday"
    """
    check_words(name=name, text=text)
    with _desk(role, _paths(session, agent), dry_run=dry_run) as desk:
        shown = desk.set_status(name, text)
    invocation().emit(shown, f"{'would write' if dry_run else 'wrote'} {shown['path']}")


@domain.command(cls=EngramCommand)
@writes_text
def log(name: str, text: str, *, role: str | None, session: str | None, agent: str | None, dry_run: bool) -> None:
    """Append an entry to a domain's changelog.

    \b
    Example:
      engram domain log nightly-backup "Copied 4 GB, no errors"
    """
    check_words(name=name, text=text)
    with _desk(role, _paths(session, agent), dry_run=dry_run) as desk:
        shown = desk.log(name, text)
    invocation().emit(shown, f"{'would write' if dry_run else 'wrote'} {shown['path']}")


@domain.command(cls=EngramCommand)
@writes_text
def propose(name: str, text: str, *, role: str | None, session: str | None, agent: str | None, dry_run: bool) -> None:
    """Ask the main agent or a person for a decision.

    \b
    Example:
      engram domain propose nightly-backup "Keep copies on two disks"
    """
    check_words(name=name, text=text)
    with _desk(role, _paths(session, agent), dry_run=dry_run) as desk:
        shown = desk.propose(name, text)
    would = "would propose  " if dry_run else ""
    invocation().emit(shown, lambda: f"{would}{shown['proposal']['id']}  {shown['proposal']['text']}")


@domain.command(cls=EngramCommand)
@asked_by
def proposals(session: str | None, agent: str | None) -> None:
    """List the proposals that wait to be decided, also those that were written into the files by hand.

    \b
    Example:
      engram domain proposals
    """
    paths = _paths(session, agent)
    found = open_proposals(load_registry(paths), paths, invocation().workspace().now())
    lines = [barred(visible(f"{one.id}: {one.text}")) for one in found]
    shown = {"proposals": [proposal_view(one) for one in found]}
    text = "\n".join(fence(counted(len(found), "proposal"), lines)) if found else "nothing waits to be decided"
    invocation().emit(shown, text)


@domain.command(cls=EngramCommand)
@click.argument("proposal_id", metavar="ID")
@click.argument("outcome", type=click.Choice(list(_OUTCOMES)))
@click.option("--note", metavar="T", help="Why.")
@writes
def decide(
    proposal_id: str,
    outcome: str,
    *,
    note: str | None,
    role: str | None,
    session: str | None,
    agent: str | None,
    dry_run: bool,
) -> None:
    """Accept or reject a proposal, by its id or the beginning of it.

    \b
    Example:
      engram domain propose nightly-backup "Keep copies for a year"
      engram domain decide nightly-backup accept --note "the law wants it"
    """
    check_words(id=proposal_id, note=note)
    with _desk(role, _paths(session, agent), dry_run=dry_run) as desk:
        shown = desk.decide(proposal_id, _OUTCOMES[outcome], note)
    one = shown["proposal"]
    would = "would be " if dry_run else ""
    invocation().emit(shown, f"{one['id']} {would}{one['status']}: {one['text']}")


@domain.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_domain)
@asked_by
def context(name: str, session: str | None, agent: str | None) -> None:
    """Print the whole prompt of a domain's subagent, which starts from nothing.

    \b
    Example:
      engram domain context nightly-backup
    """
    check_words(name=name)
    asker = find_asker(invocation(), session, agent)
    text = domain_context(invocation().workspace(), name, caller=asker)
    bound_to = asker.session if asker is not None and asker.apart else None
    invocation().emit({"name": name, "session": bound_to, "context": text}, text.rstrip("\n"))


@domain.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_domain)
@click.option("--agent", metavar="AGENT", help="Who is asked, such as claude:haiku; else whom the settings name.")
@click.option("--at-once", "at_once", is_flag=True, help="Run it at the next heartbeat, whenever it is due.")
@click.option("--off", is_flag=True, help="Run it no longer.")
@changes
def spawn(name: str, *, agent: str | None, at_once: bool, off: bool, role: str | None, dry_run: bool) -> None:
    """Let the heartbeat run a domain's subagent when the domain is due; each run takes tokens of a model.

    It is due once a cadence at first. A run that finds work brings the next one forward, and an idle one puts it off,
    within heartbeat.domain_pace.

    \b
    Example:
      engram domain spawn nightly-backup --agent claude:haiku
    """
    check_words(name=name, agent=agent)
    if off and (agent is not None or at_once):
        raise BadValueError("--off goes with neither --agent nor --at-once", hint=f"engram domain spawn {name} --off")
    if role == Role.SUBAGENT.value:
        raise RefusedError("domain spawn is for the main agent or a person", hint="engram domain propose asks for it")
    workspace = invocation().workspace()
    with workspace.lock("domains", "domain").hold(wait_s=workspace.settings.store.wait_s):
        how = {"at_once": at_once, "off": off, "dry_run": dry_run}
        changed = set_spawning(workspace.paths, name, workspace.now(), agent=_agent_name(agent), **how)
    shown: dict[str, Any] = {"status": "done", "name": changed.name, "spawning": None}
    shown |= {"dry_run": True} if dry_run else {}
    if changed.spawning is None:
        invocation().emit(shown, f"the heartbeat {'would' if dry_run else 'does'} not run {changed.name}")
        return
    view = spawning_view(changed.spawning)
    by = f" with {view['agent']}" if view["agent"] else ""
    when = "from the next heartbeat on" if changed.spawning.next_at <= workspace.now() else f"from {view['next_at']} on"
    runs = "would run" if dry_run else "runs"
    invocation().emit({**shown, "spawning": view}, f"the heartbeat {runs} {changed.name}{by}, {when}")


@domain.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_domain)
@click.option("--undo", is_flag=True, help="Take it back into use.")
@writes
def archive(name: str, *, undo: bool, role: str | None, session: str | None, agent: str | None, dry_run: bool) -> None:
    """Put a domain out of use; its files stay where they are.

    \b
    Example:
      engram domain archive nightly-backup --dry-run
    """
    check_words(name=name)
    with _desk(role, _paths(session, agent), dry_run=dry_run) as desk:
        shown = desk.archive(name, undo=undo)
    would = "would be" if dry_run else "is"
    invocation().emit(shown, f"domain {shown['name']} {would} {'in use' if undo else 'archived'}")


domain.add_command(own)
domain.add_command(ownership)


@contextmanager
def _desk(role: str | None, paths: Paths, *, dry_run: bool) -> Iterator[DomainCommands]:
    workspace = invocation().workspace()
    with workspace.lock("domains", "domain").hold(wait_s=workspace.settings.store.wait_s):
        yield DomainCommands(
            paths,
            now=workspace.now(),
            role=Role(role) if role else None,
            dry_run=dry_run,
        )


def _paths(session: str | None, agent: str | None) -> Paths:
    """Return where the domains of who asks lie. Raises UnknownSessionError."""
    return domain_paths(invocation().workspace(), find_asker(invocation(), session, agent))


def _entity(name: str | None) -> str | None:
    if name is None:
        return None
    with invocation().workspace().reading() as database:
        return get_entity_path(database, name)


def _agent_name(name: str | None) -> str | None:
    """Return the name of an agent as the settings take one; raise BadValueError for any other."""
    try:
        return name and agent_or_empty(name)
    except ValueError as problem:
        raise BadValueError(f"--agent: {problem}", hint="such as claude:haiku or ollama:qwen3") from problem


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items() if one)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
