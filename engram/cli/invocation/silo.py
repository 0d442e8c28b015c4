"""Which silo a command means: what `handoff`, `working-memory`, `decision` and `context` share."""

from collections.abc import Callable
from typing import Any
from typing import TypeVar

import click

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import check_words
from engram.cli.invocation.shell_words import complete_session
from engram.operations.answers.ask import find_caller
from engram.services.silo.folder import silo_folder
from engram.services.visibility import Caller
from engram.workspace import Workspace

Body = TypeVar("Body", bound=Callable[..., Any])


def asked_by(body: Body) -> Body:
    """Give a command the options by which it answers as to that session or agent."""
    body = click.option("--agent", metavar="A", help="Agent that asks; else that of the session.")(body)
    return click.option(
        "--session",
        metavar="S",
        help="Session that asks: it sees nothing that is private to others.",
        shell_complete=complete_session,
    )(body)


def find_silo(asked: Invocation, session: str | None) -> tuple[Workspace, str]:
    """Return the workspace and the folder of a session's silo in it.

    Raises UnknownSessionError for a session that is not the main one and that nothing was said or noted in.
    """
    check_words(session=session)
    workspace = asked.workspace()
    if session is None:
        return workspace, silo_folder(workspace.settings.agent, None)
    return workspace, silo_folder(workspace.settings.agent, find_caller(workspace, session, None).session)


def find_asker(asked: Invocation, session: str | None, agent: str | None) -> Caller | None:
    """Return whom a command is to answer as to; None: the store itself is looked at. Raises UnknownSessionError."""
    check_words(session=session, agent=agent)
    return find_caller(asked.workspace(), session, agent) if session or agent else None
