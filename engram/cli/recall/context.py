"""`engram context`: the block that an agent loads at its start."""

from pathlib import Path

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_session
from engram.operations.answers.ask import find_caller
from engram.operations.answers.start import start_block
from engram.services.context.block import ContextQuery


@click.command(cls=EngramCommand)
@click.option(
    "--session", metavar="S", help="Who starts; else the agent's main session.", shell_complete=complete_session
)
@click.option("--agent", metavar="A", help="Which agent starts; else that of the session, or the workspace's own.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="Tokens of the whole block.")
@click.option("--project", metavar="P", help="Project that is worked on: name, path or folder; all: every one.")
@click.option("--for", "question", metavar="QUERY", help="What the work is about: whom it names is in play.")
def context(
    *, session: str | None, agent: str | None, budget: int | None, project: str | None, question: str | None
) -> None:
    """Print what an agent should know at its start, fenced as data; the same bytes while nothing changed.

    Facts of other projects than the one of the working directory are left out, where something is known of that.

    \b
    Example:
      engram context --budget 1500
    """
    check_words(session=session, agent=agent, project=project, **{"for": question})
    workspace = invocation().workspace()
    caller = find_caller(workspace, session, agent)
    asked = ContextQuery(caller=caller, question=question or "", budget=budget)
    answer = start_block(workspace, asked, named=project, folder=str(Path.cwd()))
    invocation().emit(answer.as_json(), answer.text)
