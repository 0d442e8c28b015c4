"""`engram mcp`: the server for hosts that speak the Model Context Protocol, and the warm process for others."""

from pathlib import Path

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_session
from engram.config.paths import find_workspace
from engram.errors import UsageError
from engram.loopback.token import read_token
from engram.mcp import service
from engram.mcp.answers import Caller


@click.command(cls=EngramCommand)
@click.option(
    "--http", "port", type=click.IntRange(0, 65535), metavar="PORT", help="On loopback, with a token; 0: any."
)
@click.option(
    "--session",
    metavar="S",
    help="Session that all calls belong to; no call sees another's.",
    shell_complete=complete_session,
)
@click.option("--agent", metavar="A", help="Agent who calls; else the one that owns the workspace.")
@click.option("--show-token", is_flag=True, help="Print the token of --http, made first if there is none, and end.")
@click.option("--warm-only", is_flag=True, help="Only answer `engram recall` of other processes, without MCP.")
def mcp(*, port: int | None, session: str | None, agent: str | None, show_token: bool, warm_only: bool) -> None:
    """Serve the memory to hosts that speak MCP, on standard input and output until they close it.

    While it runs it keeps the index open between calls, and answers `engram recall` of other processes, too.

    \b
    Example:
      engram mcp --show-token
    """
    check_words(session=session, agent=agent)
    asked = invocation()
    paths, who = find_workspace(asked.workspace_dir), Caller(session, agent)
    _refuse_beside(port=port is not None, show_token=show_token, warm_only=warm_only)
    if asked.now_at is not None:
        raise UsageError("a server has the clock of its machine: --now does not go with it", hint="engram mcp")
    if show_token:
        token = read_token(paths.mcp_token)
        asked.emit({"token": token}, token)
    elif warm_only:
        service.serve_warm(paths.root)
    elif port is not None:
        service.serve_http(paths.root, who, port)
    else:
        service.serve_stdio(paths.root, who._replace(folder=str(Path.cwd())))
    asked.leave(0)  # all is closed; taking the engines apart would only take time


def _refuse_beside(**chosen: bool) -> None:
    names = ["--" + {"port": "http"}.get(name, name).replace("_", "-") for name, is_given in chosen.items() if is_given]
    if len(names) > 1:
        raise UsageError(f"{names[0]} does not go with {names[1]}", hint="engram mcp --help")
