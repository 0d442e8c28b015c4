"""The commands `domain own` and `domain ownership`: who answers for which folder, and what others wrote there."""

from collections.abc import Sequence
from typing import Any

import click

from engram.base.clock import to_iso
from engram.base.counts import counted
from engram.base.text import slug_problem
from engram.cli.invocation.local_time import shown_minute
from engram.cli.invocation.moments import read_time
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_domain
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.screen.fence import visible
from engram.model.domain import DomainRegistry
from engram.model.domain import Ownership
from engram.model.domain import Role
from engram.operations.domains.domain_lock import hold_domains
from engram.operations.domains.folder_look import folder_key
from engram.operations.domains.ownership import OwnedFolder
from engram.operations.domains.ownership import begin_look
from engram.operations.domains.ownership import look_at_owned
from engram.operations.domains.ownership import note_look
from engram.operations.domains.ownership import owned_folders
from engram.services.domains.ownership import with_owner
from engram.services.domains.ownership import without_owner
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import save_registry
from engram.workspace import Workspace

_WRITERS = {"commit": "commit", "file": "changed", "gone": "gone"}


@click.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_domain)
@click.argument("folders", metavar="PATH...", nargs=-1, required=True)
@click.option("--agent", "is_agent", is_flag=True, help="NAME is an agent, and no domain.")
@click.option(
    "--author", "authors", multiple=True, metavar="WHO", help="Name or address in git that is the owner's; repeatable."
)
@click.option("--off", is_flag=True, help="They are nobody's again.")
@click.option("--role", type=click.Choice([role.value for role in Role]), envvar="ENGRAM_ROLE", hidden=True)
@click.option("--dry-run", is_flag=True, help="Print what would be done and change nothing.")
def own(
    name: str,
    folders: tuple[str, ...],
    authors: tuple[str, ...],
    role: str | None,
    *,
    is_agent: bool,
    off: bool,
    dry_run: bool,
) -> None:
    """Say that a domain answers for folders, in memory/ or of a project; with --agent, that an agent does.

    It forbids nobody anything. `domain ownership` and the heartbeat tell what others wrote there.

    \b
    Example:
      engram domain own nightly-backup memory/domains/nightly-backup --author backup-bot
    """
    check_words(name=name)
    for word in (*folders, *authors):
        check_words(path=word)
    if role == Role.SUBAGENT.value:
        raise RefusedError("domain own is for the main agent or a person", hint="engram domain propose asks for it")
    if off and authors:
        raise BadValueError("--off and --author exclude each other", hint="leave one of them out")
    workspace = invocation().workspace()
    with hold_domains(workspace, "domain"):
        registry = load_registry(workspace.files)
        ownership = _ownership(workspace, registry, name, authors, is_agent=is_agent)
        keys = [_key(workspace, registry, one, off=off) for one in folders]
        changed = without_owner(registry, keys, ownership.owner) if off else with_owner(registry, keys, ownership)
        if not dry_run:
            if not off:
                begin_look(workspace, keys, registry.owners)
            save_registry(workspace.files, changed)
    shown = {"owner": ownership.owner, "folders": keys, "authors": list(authors), "off": off}
    would = "would be " if dry_run else "is "
    said = [f"{key} {would}{'nobody' if off else ownership.owner}'s" for key in keys]
    invocation().emit({"status": "done", **({"dry_run": True} if dry_run else {}), **shown}, "\n".join(said))


@click.command(cls=EngramCommand)
@click.option("--since", metavar="D", help="Commits from then on: 2026-02-24, monday, 7d. Else since the last look.")
@click.option("--seen", is_flag=True, help="Take all that is listed for seen; the next look begins here.")
def ownership(since: str | None, *, seen: bool) -> None:
    """List who answers for which folder, and what others wrote there since somebody looked last.

    Commits are told with their author. Of files in memory/ it is told which changed, and in whose silo their words
    stand. Who wrote a file past Engram and past git is not known.

    \b
    Example:
      engram domain ownership
    """
    asked = invocation()
    workspace = asked.workspace()
    looked = look_at_owned(workspace) if seen else {}  # before the list: what is written meanwhile is told next time
    found = owned_folders(workspace, read_time(workspace, "--since", since))
    if seen:
        with hold_domains(workspace, "domain"):
            note_look(workspace, looked)
    asked.emit({"folders": [one.as_json() for one in found], "seen": seen}, lambda: _text(found))


def _ownership(
    workspace: Workspace, registry: DomainRegistry, name: str, authors: Sequence[str], *, is_agent: bool
) -> Ownership:
    if is_agent:
        if why := slug_problem(name):
            raise BadValueError(f"agent {name!r}: {why}", hint="such as reviewer")
        return Ownership(agent=name, authors=tuple(authors), since_at=workspace.now())
    domain = get_domain(registry, name)
    return Ownership(domain=domain.name, authors=tuple(authors), since_at=workspace.now())


def _key(workspace: Workspace, registry: DomainRegistry, given: str, *, off: bool) -> str:
    """Return by what a folder is known; one that is given up may be gone."""
    return given if off and given in registry.owners else folder_key(workspace.paths, given)


def _text(found: Sequence[OwnedFolder]) -> str:
    if not found:
        return "no folder is owned yet; engram domain own NAME PATH"
    return "\n".join(line for one in found for line in _lines(one))


def _lines(one: OwnedFolder) -> list[str]:
    count = counted(len(one.writes), "write") if one.writes else "no write"
    since = shown_minute(to_iso(one.since))
    head = f"{visible(one.path)}  {one.ownership.owner}: {count} by others since {since}"
    rows = [(f"  {_WRITERS[row['how']]}", visible(row["what"]), *_by(row)) for row in one.writes]
    problem = [f"  not known: {one.problem}"] if one.problem else []
    return [head, *(table(rows).splitlines() if rows else []), *problem]


def _by(row: dict[str, Any]) -> tuple[str, str]:
    who = visible(row["by"]) if row["by"] else "nobody knows by whom"
    return f"by {who}" if row["by"] else who, shown_minute(row["at"]) if row["at"] else ""
