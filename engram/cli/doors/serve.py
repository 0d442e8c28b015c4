"""`engram serve`: the verbs of the command line over HTTP, for programs."""

import ipaddress
from importlib.util import find_spec

import click

from engram.base.machine.install_hints import install_command
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_session
from engram.config.paths import find_workspace
from engram.errors import UsageError
from engram.loopback.token import read_token
from engram.model.vocabulary import Actor
from engram.rest.door import Door

_LOOPBACK = "127.0.0.1"


@click.command(cls=EngramCommand)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="P", help="Port to listen on; default: a free one."
)
@click.option(
    "--bind",
    default=_LOOPBACK,
    metavar="ADDRESS",
    help="Address to listen on; one other than loopback only in a container.",
)
@click.option(
    "--host", "names", multiple=True, metavar="NAME", help="Another name by which clients call it; repeatable."
)
@click.option("--session", metavar="S", help="Session to which all requests belong.", shell_complete=complete_session)
@click.option("--agent", metavar="A", help="Agent who asks; else the one that owns the workspace.")
@click.option(
    "--actor",
    type=click.Choice([one.value for one in (Actor.USER, Actor.AGENT, Actor.TOOL)]),
    default=Actor.AGENT.value,
    show_default=True,
    help="Who changes things through it.",
)
@click.option("--page", is_flag=True, help="Serve the page of engram ui, too.")
@click.option("--show-token", is_flag=True, help="Print the token and end; makes one first if there is none.")
def serve(  # noqa: PLR0913 - one argument an option
    *,
    port: int,
    bind: str,
    names: tuple[str, ...],
    session: str | None,
    agent: str | None,
    actor: str,
    page: bool,
    show_token: bool,
) -> None:
    """Serve the memory to programs over HTTP: recall, write, correct, review and more, described at /openapi.json.

    It answers who shows the token, as `Authorization: Bearer TOKEN`, on this machine alone, until Ctrl-C. What
    agents say through it is trusted as little as elsewhere: --actor user is for a program that a person types into.
    JSON: one line {"url", "openapi", "token_file", "page"}.

    \b
    Example:
      engram serve --show-token
    """
    check_words(session=session, agent=agent, bind=bind, **{f"host {place}": name for place, name in enumerate(names)})
    asked = invocation()
    paths = find_workspace(asked.workspace_dir)
    if asked.now_at is not None:
        raise UsageError("a server has the clock of its machine: --now does not go with it", hint="engram serve")
    if page and bind != _LOOPBACK:
        raise UsageError("the page is served on this machine alone", hint=f"--bind {_LOOPBACK}, or leave out --page")
    if not _is_address(bind):
        raise UsageError(f"--bind {bind!r} is no IPv4 address", hint=f"such as {_LOOPBACK}")
    if show_token:
        token = read_token(paths.mcp_token)
        asked.emit({"token": token}, token)
        return
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError("the packages that serve are not installed", hint=install_command("rest"))
    from engram.rest import server  # noqa: PLC0415 - an extra, looked for above

    def tell(at: server.Served) -> None:
        shown = {"url": at.url, "openapi": at.description, "token_file": at.token_file}
        link = [f"the page: {at.page}"] if at.page else []
        lines = [at.url, f"(described at {at.description}; the token is in {at.token_file}; Ctrl-C ends it)", *link]
        asked.emit({**shown, "page": at.page}, "\n".join(lines))

    server.serve_rest(paths.root, Door(session, agent, Actor(actor)), server.Place(port, bind, names, page), tell)
    asked.leave(0)  # all is closed


def _is_address(said: str) -> bool:
    try:
        ipaddress.IPv4Address(said)
    except ValueError:
        return False
    return True
