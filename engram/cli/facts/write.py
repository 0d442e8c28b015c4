"""`engram write`: one fact, or many as JSON lines. Light until somebody waits for the result."""

from typing import Any

import click

from engram.cli.facts.spooled_fact import answer_recorded
from engram.cli.facts.spooled_fact import record_fact
from engram.cli.facts.write_fields import FROM_OUTSIDE
from engram.cli.facts.write_fields import check_command
from engram.cli.facts.write_fields import check_length
from engram.cli.facts.write_fields import write_command
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import SeveralOption
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.plans import answer_plan
from engram.cli.invocation.results import answer_result
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.shell_words import complete_session
from engram.errors import UsageError
from engram.model.commands.write_command import WriteCommand
from engram.model.vocabulary import Abstraction
from engram.model.vocabulary import Actor
from engram.model.vocabulary import Category
from engram.model.vocabulary import Trust


@click.command(cls=EngramCommand)
@click.argument("words", nargs=-1, metavar="[[PATH] TEXT]")
@click.option(
    "--entity",
    metavar="E",
    help="Whom or what it is about: people/anna, a title or an alias.",
    shell_complete=complete_entity,
)
@click.option("--fact", metavar="T", help="One statement, 1 to 2,000 characters.")
@click.option("--category", type=click.Choice([one.value for one in Category]), help="What kind of statement.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="How sure, 0 to 1 (default 0.9).")
@click.option("--abstraction", type=click.Choice([one.value for one in Abstraction]), help="Default episode.")
@click.option("--tags", cls=SeveralOption, metavar="A,B", help="Labels.")
@click.option("--related", cls=SeveralOption, metavar="E,E", help="Paths of other entities: edges of the graph.")
@click.option("--attribute", metavar="K", help="Name of a slot, such as employer.")
@click.option("--value", metavar="V", help="What stands in the slot.")
@click.option("--source", metavar="S", help="Where it comes from, in your words.")
@click.option("--session", metavar="S", help="Session it was said in.", shell_complete=complete_session)
@click.option("--actor", type=click.Choice(FROM_OUTSIDE), help="Who says it (default user).")
@click.option("--trust", type=click.Choice([one.value for one in Trust]), help="Default: by the actor.")
@click.option(
    "--scope", metavar="S", help="shared (default), experience (lessons for every agent), session:NAME or agent:NAME."
)
@click.option("--valid-from", metavar="D", help="True in the world from this day or instant.")
@click.option("--valid-to", metavar="D", help="True in the world until this day or instant, excluded.")
@click.option("--supersedes", cls=SeveralOption, metavar="ID,...", help="Facts that this one replaces.")
@click.option("--derived-from", cls=SeveralOption, metavar="ID,...", help="Facts and observations that it was made of.")
@click.option(
    "--candidate", is_flag=True, default=None, help="Unsure: let it wait until it is said again or confirmed."
)
@click.option("--semantic-check", is_flag=True, help="Also report facts that are near in meaning.")
@click.option("--create/--no-create", default=False, help="Make the entity when it is unknown.")
@click.option("--title", metavar="T", help="Title of the entity when it is made.")
@click.option("--wait", type=click.FloatRange(0, 3600), metavar="SECONDS", help="0: return as soon as it is durable.")
@click.option("--command-id", metavar="ID", help="The same id twice is one effect.")
@click.option("--dry-run", is_flag=True, help="Print the plan and change nothing.")
@click.option("--jsonl", metavar="F", help="Many facts, one JSON object a line; - reads standard input.")
def write(words: tuple[str, ...], jsonl: str | None, **options: Any) -> int:
    """Record a fact.

    TEXT is one statement; - reads it from standard input. Whom it is about and its category are found when they are not
    given, and the answer names them; a PATH such as people/anna before it says whom, and makes it where it is new.
    `engram undo` takes back what was written last, but for --jsonl.

    The answer says what became of it: created, confirmed (known already), superseded, tension, quarantined, refused,
    or accepted (durable, not yet applied).

    \b
    Example:
      engram write "Anna prefers green tea"
      engram write people/anna "Prefers green tea"
      engram write --entity people/anna --fact "Anna prefers green tea" --category preference
    """
    guessed: dict[str, Any] = {}
    path = ""
    if words:
        from engram.cli.facts import write_guess as guessing  # noqa: PLC0415 - 15 ms, and only for those who say too little

        if options["entity"] is None:
            path, words = guessing.split_path(words)
        options["fact"] = guessing.read_statement(words, {**options, "jsonl": jsonl})
    if jsonl is not None:
        from engram.cli.facts.write_many import write_many  # noqa: PLC0415 - pydantic and more, for those who bring many

        _refuse_beside_lines(options)
        return write_many(invocation(), jsonl, wait_s=options["wait"], dry_run=options["dry_run"])
    check_words(**{name: value for name, value in options.items() if isinstance(value, str)})
    wanted = {name: options.pop(name) for name in ("wait", "command_id", "dry_run", "semantic_check")}
    given = {name: value for name, value in options.items() if value is not None}
    if words:
        check_length(given["fact"])
        given, guessed = guessing.complete(invocation(), given["fact"], given, path)
    command = write_command(given)
    check_command(command, invocation().now())
    wanted["guessed"] = guessed
    checked = wanted["dry_run"] or wanted["semantic_check"]
    return (_write_checked if checked else _write_one)(invocation(), command._replace(undoable=True), wanted)


def _refuse_beside_lines(options: dict[str, Any]) -> None:
    beside = [name for name, value in options.items() if value and name not in {"wait", "dry_run"}]
    if beside:
        name = beside[0].replace("_", "-")
        raise UsageError(f"--{name} does not go with --jsonl", hint=f'say it in each line: {{"{beside[0]}": ...}}')


def _write_one(asked: Invocation, command: WriteCommand, wanted: dict[str, Any]) -> int:
    result = record_fact(asked, command, wait_s=wanted["wait"], command_id=wanted["command_id"])
    code = answer_recorded(asked, {**result, **_guessed(wanted)}, wait_s=wanted["wait"])
    asked.go_on()
    return code


def _guessed(wanted: dict[str, Any]) -> dict[str, Any]:
    return {"guessed": wanted["guessed"]} if wanted.get("guessed") else {}


def _write_checked(asked: Invocation, command: WriteCommand, wanted: dict[str, Any]) -> int:
    """Plan only, or write with a look at what is near in meaning: both need the store."""
    workspace = asked.workspace()
    args, actor = command.as_args(), Actor(command.source.actor)
    said = command.entity, command.text, command.source.session
    near = workspace.index.near_in_meaning(*said) if wanted["semantic_check"] else ()
    if wanted["dry_run"]:
        result, changes = workspace.plan("write", args, actor=actor)
        return answer_plan(asked, {**result.model_dump(mode="json"), **_guessed(wanted)}, changes, near=near)
    result = workspace.submit("write", args, actor=actor, wait_s=wanted["wait"], command_id=wanted["command_id"])
    return answer_result(asked, {**result.model_dump(mode="json"), **_guessed(wanted)}, near=near)
