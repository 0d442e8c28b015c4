"""`engram ui`: the page on what the memory holds, in a browser on this machine."""

from importlib.util import find_spec

import click

from engram.base.machine.install_hints import install_command
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_session
from engram.config.paths import find_workspace
from engram.errors import UsageError
from engram.web.reader import Reader

_VIEWS = ("today", "graph", "ask", "review", "decay", "heartbeat", "domains", "sessions", "health")


@click.command(cls=EngramCommand)
@click.argument("view", type=click.Choice(_VIEWS), required=False)
@click.option(
    "--port", type=click.IntRange(0, 65535), default=0, metavar="P", help="Of loopback. Default: one that is free."
)
@click.option("--open/--no-open", "opens", default=None, help="Open it in the browser. Default: on a terminal.")
@click.option(
    "--session", metavar="S", help="Show what this session may see, and no more.", shell_complete=complete_session
)
@click.option("--agent", metavar="A", help="Show what this agent may see, and no more.")
def ui(*, view: str | None, port: int, opens: bool | None, session: str | None, agent: str | None) -> None:
    """Open the memory as a page in the browser: what was learnt, what waits, the graph, every fact with its source.

    It is served on this machine alone, to who has the link, until it is ended with Ctrl-C. The link holds a key that is
    good for this run: give it to nobody. What is changed on the page is changed by the same rules as at this command
    line. JSON: one line {"url"}.

    \b
    Example:
      engram ui --help
    """
    check_words(session=session, agent=agent)
    asked = invocation()
    paths = find_workspace(asked.workspace_dir)
    if asked.now_at is not None:
        raise UsageError("a server has the clock of its machine: --now does not go with it", hint="engram ui")
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise UsageError("the packages that serve the page are not installed", hint=install_command("ui"))
    from engram.web.server import serve_page  # noqa: PLC0415 - an extra, looked for above

    def tell(link: str, once: str) -> None:
        asked.emit({"url": link}, f"{link}\n(the page of {paths.root}; Ctrl-C ends it)")
        if asked.for_screen if opens is None else opens:
            click.launch(once)

    serve_page(paths.root, Reader(session, agent), port, tell, view or "")
    asked.leave(0)  # all is closed
