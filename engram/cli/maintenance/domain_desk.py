"""What the commands of domains share: their options, where the asker's domains lie, and the desk that changes them."""

from collections.abc import Callable
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from typing import TypeVar

import click

from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_domain
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.model.domain import Role
from engram.operations.domains.domain_lock import hold_domains
from engram.operations.domains.domain_place import domain_files
from engram.ports.text_files import TextFiles
from engram.services.domains.desk import DomainCommands

Body = TypeVar("Body", bound=Callable[..., Any])
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


@contextmanager
def open_desk(role: str | None, files: TextFiles, *, dry_run: bool) -> Iterator[DomainCommands]:
    """Hold the domains of a place for changes by whoever calls."""
    workspace = invocation().workspace()
    with hold_domains(workspace, "domain"):
        yield DomainCommands(
            files,
            now=workspace.now(),
            role=Role(role) if role else None,
            dry_run=dry_run,
        )


def place_of_asker(session: str | None, agent: str | None) -> TextFiles:
    """Return where the domains of who asks lie. Raises UnknownSessionError."""
    return domain_files(invocation().workspace(), find_asker(invocation(), session, agent))
