"""`engram contradictions`: what a statement would contradict, and what is known and cannot both hold."""

import shlex

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.review.tension import open_tensions
from engram.cli.review.tension import show_tensions
from engram.errors import UsageError
from engram.services.facts.contradictions import find_contradictions


@click.command(cls=EngramCommand)
@click.option("--entity", metavar="E", help="Path, title or alias.", shell_complete=complete_entity)
@click.option("--fact", "text", metavar="T", help="The statement; without it, what is known and not settled is listed.")
@click.option("--cross-entity", is_flag=True, help="Also look at related entities.")
def contradictions(*, entity: str | None, text: str | None, cross_entity: bool) -> None:
    """Say what a statement would contradict, or list the contradictions that wait. Writes nothing.

    \b
    Example:
      engram contradictions --entity people/anna --fact "Anna does not prefer tea"
    """
    asked = invocation()
    check_words(**{name: said for name, said in (("entity", entity), ("fact", text)) if said is not None})
    if text is None:
        if cross_entity:
            raise UsageError("--cross-entity looks at what a statement says", hint="give the statement with --fact")
        show_tensions(open_tensions(entity), "nothing that is known contradicts anything")
        return
    if entity is None:
        raise UsageError(
            "of whom is it said?", hint=f"engram contradictions --entity people/anna --fact {shlex.quote(text)}"
        )
    workspace = asked.workspace()
    with workspace.reading() as database:
        found = find_contradictions(database, entity, text, cross_entity=cross_entity)
    lines = [f"{one['id']}  {one['text']}\n  {one['kind']} ({one['confidence']:.2f}): {one['why']}" for one in found]
    asked.emit({"conflicts": found}, "\n".join(lines) or "nothing that is known contradicts it")
