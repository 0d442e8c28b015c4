"""`engram context`: the block that an agent loads at its start."""

import click

from engram.cli.options import EngramCommand
from engram.cli.options import check_words
from engram.cli.options import invocation
from engram.cli.silo import find_caller
from engram.services.accesses import GivenOut
from engram.services.context import ContextQuery
from engram.services.context import load_context


@click.command(cls=EngramCommand)
@click.option("--session", metavar="S", help="Who starts; else the agent's main session.")
@click.option("--agent", metavar="A", help="Which agent starts; else that of the session, or the workspace's own.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="Tokens of the whole block.")
@click.option("--for", "question", metavar="QUERY", help="What the work is about: whom it names is in play.")
def context(session: str | None, agent: str | None, budget: int | None, question: str | None) -> None:
    """Print what an agent should know at its start, fenced as data; the same bytes while nothing changed.

    \b
    Example:
      engram context --budget 1500
    """
    check_words(session=session, agent=agent, **{"for": question})
    workspace = invocation().workspace()
    caller = find_caller(workspace, session, agent)
    asked = ContextQuery(caller=caller, question=question or "", budget=budget)
    with workspace.reading() as database:
        answer = load_context(database, workspace.paths, workspace.settings, asked, now=workspace.now())
    invocation().emit(answer.as_json(), answer.text)
    workspace.log_accesses([GivenOut(answer.hits, answer.tokens, asked.question, caller.session, door="context")])
