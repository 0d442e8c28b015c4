"""The commands `domain ...`: the scopes given to subagents."""

from typing import Any

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_domain
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.cli.maintenance.domain_desk import open_desk
from engram.cli.maintenance.domain_desk import place_of_asker
from engram.cli.maintenance.domain_desk import writes
from engram.cli.maintenance.domain_desk import writes_text
from engram.cli.maintenance.domain_owners import own
from engram.cli.maintenance.domain_owners import ownership
from engram.cli.maintenance.domain_proposals import decide
from engram.cli.maintenance.domain_proposals import proposals
from engram.cli.maintenance.domain_proposals import propose
from engram.cli.maintenance.domain_spawn import spawn
from engram.model.domain import DomainType
from engram.operations.domains.domain_place import place_of_new
from engram.operations.domains.domain_prompt import domain_context
from engram.operations.domains.domain_prompt import domains_now
from engram.rules.domain import format_duration
from engram.services.domains.desk import NewDomain
from engram.services.domains.registry import domain_view
from engram.services.domains.registry import get_domain
from engram.services.facts.listing import get_entity_path

_BIND = "Chat thread that belongs to it, or peer:ID or group:ID; repeatable."


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
    files, bound_to = place_of_new(invocation().workspace(), asker, DomainType(kind), bindings)
    wanted = NewDomain(name, DomainType(kind), _entity(said["entity"]), said["description"], bindings, said["cadence"])
    with open_desk(role, files, dry_run=dry_run) as desk:
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
    workspace, files = invocation().workspace(), place_of_asker(session, agent)
    registry = domains_now(workspace, files)
    found = [one for _, one in sorted(registry.domains.items()) if with_archived or not one.archived]
    folder = files.paths.relative(files.paths.domains)
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
    workspace, files = invocation().workspace(), place_of_asker(session, agent)
    registry = domains_now(workspace, files)
    view = domain_view(registry, get_domain(registry, name), workspace.now(), files.paths.relative(files.paths.domains))
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
    with open_desk(role, place_of_asker(session, agent), dry_run=dry_run) as desk:
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
    with open_desk(role, place_of_asker(session, agent), dry_run=dry_run) as desk:
        shown = desk.log(name, text)
    invocation().emit(shown, f"{'would write' if dry_run else 'wrote'} {shown['path']}")


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
@click.option("--undo", is_flag=True, help="Take it back into use.")
@writes
def archive(name: str, *, undo: bool, role: str | None, session: str | None, agent: str | None, dry_run: bool) -> None:
    """Put a domain out of use; its files stay where they are.

    \b
    Example:
      engram domain archive nightly-backup --dry-run
    """
    check_words(name=name)
    with open_desk(role, place_of_asker(session, agent), dry_run=dry_run) as desk:
        shown = desk.archive(name, undo=undo)
    would = "would be" if dry_run else "is"
    invocation().emit(shown, f"domain {shown['name']} {would} {'in use' if undo else 'archived'}")


domain.add_command(propose)
domain.add_command(proposals)
domain.add_command(decide)
domain.add_command(spawn)
domain.add_command(own)
domain.add_command(ownership)


def _entity(name: str | None) -> str | None:
    if name is None:
        return None
    with invocation().workspace().reading() as database:
        return get_entity_path(database, name)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {one}" for name, one in value.items() if one)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
