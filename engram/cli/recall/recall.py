"""`engram recall`: one question, many questions, or the whole text of chosen hits.

Light until it is known that no warm process answers: then the engines are loaded, and the question answered here.
"""

import functools
from collections.abc import Callable
from types import ModuleType
from typing import Any

import click

from engram.base.disk.home import at_home
from engram.base.project import working_folder
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.asked import reads_terminal
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_text
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import read_text
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.shell_words import complete_session
from engram.cli.recall.screen import screen_text
from engram.cli.recall.strictness import refuse_if_strict
from engram.config.paths import find_workspace
from engram.errors import BadValueError
from engram.errors import UsageError
from engram.model.vocabulary import Category
from engram.warm.client import ask
from engram.warm.client import raise_error

_WARM_S = 10.0  # seconds that a warm process has for its answer


Shown = Callable[[dict[str, Any], str], str]
"""From an answer as JSON and as text for programs to what is printed."""


@click.command(cls=EngramCommand)
@click.argument("words", nargs=-1, metavar="QUERY")
@click.option("-k", "k", type=click.IntRange(1, 1000), metavar="N", help="Hits at most.")
@click.option(
    "--entity", metavar="E", help="Only facts of this entity: path, title or alias.", shell_complete=complete_entity
)
@click.option(
    "--project", metavar="P", help="Nothing of other projects than this: name, path or folder, such as . for here."
)
@click.option("--category", type=click.Choice([one.value for one in Category]), help="Only facts of this kind.")
@click.option("--tag", metavar="T", help="Only facts with this label.")
@click.option("--path", metavar="PATH", help="Only what stands in this file or folder, or fits a pattern with *.")
@click.option("--space", type=click.Choice(["notes", "ops", "self", "all"]), help="notes: facts; ops: raw text; self.")
@click.option(
    "--session",
    metavar="S",
    help="Who asks: with its private facts, and only its own raw text.",
    shell_complete=complete_session,
)
@click.option("--agent", metavar="A", help="Which agent asks; else that of the session, or the workspace's own.")
@click.option("--as-of", metavar="T", help="What was true in the world then.")
@click.option("--as-known", metavar="T", help="What was believed then.")
@click.option("--since", metavar="D", help="Said, or true, from then on: a date, yesterday, last week, 7d.")
@click.option("--until", metavar="D", help="Said, or true, until then: its days are included whole.")
@click.option("--recent-days", type=click.IntRange(1, 36_500), metavar="N", help="Said, or true, in the last N days.")
@click.option("--min-score", type=click.FloatRange(0, 1), metavar="X", help="Only hits of at least this score.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="Whole hits that fit into so many tokens.")
@click.option("--by", type=click.Choice(["item", "session"]), help="Rank single documents or whole sessions.")
@click.option("--index", is_flag=True, default=None, help="Ids and first lines only.")
@click.option("--explain", is_flag=True, default=None, help="Scores of the legs, and why others were dropped.")
@click.option("--combined", is_flag=True, help="Also the session's last turns, working memory and today's note.")
@click.option("--strict", is_flag=True, help="Exit 7 when the index is degraded, 8 when nothing is known.")
@click.option("--detail", is_flag=True, help="QUERY is ids of hits: print their whole text.")
@click.option("--at", "at", metavar="PATH:LINE", help="No QUERY: the lines around this place of a note.")
@click.option("--standing", is_flag=True, help="No QUERY: the instructions and preferences that always hold.")
@click.option("--jsonl", metavar="F", help='Many questions: lines {"id", "query", ...options}; - is standard input.')
def recall(
    words: tuple[str, ...],
    *,
    combined: bool,
    strict: bool,
    detail: bool,
    standing: bool,
    at: str | None,
    jsonl: str | None,
    **options: Any,
) -> int:
    """Ask the memory.

    \b
    Example:
      engram recall "what does Anna prefer"
    """
    asked = invocation()
    given = {name: value for name, value in options.items() if value is not None}
    if given.get("project", "").startswith((".", "~")):  # another process that answers runs elsewhere
        given["project"] = str(at_home(given["project"]).absolute())
    if at is not None:
        check_place(words, given, at, others=detail or standing or jsonl is not None)
        place_code: int = _recall_here().answer_place(asked, asked.workspace(), at, given)
        return place_code
    check_usage(words, given, detail=detail, standing=standing, jsonl=jsonl)
    if combined and (detail or standing or jsonl is not None or "explain" in given):
        raise UsageError("--combined takes one question", hint='engram recall "what did we decide" --combined')
    folder = working_folder()  # another process that answers runs elsewhere
    given_here = {**given, "folder": folder} if folder else given
    question = {"query": " ".join(words), **given_here}
    shown = _for_whom(asked, given)
    if not (combined or detail or standing or jsonl is not None) and (reply := _ask_warm(asked, question)) is not None:
        return _emit_reply(asked, reply, shown, strict=strict)
    workspace, here = asked.workspace(), _recall_here()
    if combined or standing:
        answer = here.answer_combined if combined else here.answer_standing
        code: int = answer(asked, workspace, question if combined else given, strict=strict)
    elif jsonl is not None:
        code = here.answer_lines(asked, workspace, read_text(jsonl), given_here, strict=strict)
    elif detail:
        code = here.answer_detail(asked, workspace, words, given)
    else:
        code = here.answer_question(asked, workspace, question, shown, strict=strict)
    return code


def _recall_here() -> ModuleType:
    from engram.cli.recall import recall_here  # noqa: PLC0415 - see the module's first lines

    return recall_here


def _ask_warm(asked: Invocation, question: dict[str, Any]) -> dict[str, Any] | None:
    """Return what a warm process says, unless the clock is set: its own cannot be."""
    if asked.now_at is not None:
        return None
    return ask(find_workspace(asked.workspace_dir).root, {"do": "recall", **question}, _WARM_S)


def _for_whom(asked: Invocation, given: dict[str, Any]) -> Shown:
    """Return how an answer is printed: for a person on a terminal, or as programs and agents read it."""
    if asked.as_json or "explain" in given or not reads_terminal():
        return lambda _, text: text
    return functools.partial(screen_text, fits=not given.keys() & {"k", "budget"})


def _emit_reply(asked: Invocation, reply: dict[str, Any], shown: Shown, *, strict: bool) -> int:
    raise_error(reply)
    answer = reply["answer"]
    asked.emit(answer, shown(answer, reply["text"]))
    refuse_if_strict(answer["answer"], answer["degraded"], impaired=reply["impaired"], strict=strict)
    return 0


def check_place(words: tuple[str, ...], given: dict[str, Any], at: str, *, others: bool) -> None:
    """Refuse what does not go together with a place, and words that no option may hold."""
    for name, value in (("at", at), *given.items()):
        if isinstance(value, str):
            check_text(name.replace("_", "-"), value)
    if words or others or given.keys() - {"session", "agent"}:
        raise UsageError("--at takes no question", hint="engram recall --at memory/main/2026-02-24.md:12")


def check_usage(
    words: tuple[str, ...], given: dict[str, Any], *, detail: bool, standing: bool, jsonl: str | None
) -> None:
    """Refuse what does not go together, and words that no option may hold."""
    for name, value in (("query", " ".join(words)), *given.items()):
        if isinstance(value, str):
            check_text(name.replace("_", "-"), value)
    if standing and (words or detail or jsonl is not None):
        raise UsageError("--standing takes no question", hint="engram recall --standing")
    if standing and (others := given.keys() - {"session", "agent", "budget", "k"}):
        name = min(others).replace("_", "-")
        raise UsageError(f"--standing does not go with --{name}", hint="engram recall --standing --budget 500")
    if jsonl is not None and (words or detail):
        raise UsageError("--jsonl takes its questions from the file alone", hint="engram recall --help")
    if detail and (others := given.keys() - {"session", "agent"}):
        name = min(others).replace("_", "-")
        raise UsageError(f"--detail does not go with --{name}", hint="engram recall --detail ID...")
    if jsonl is None and not standing and not " ".join(words).strip():
        raise BadValueError("there is no question", hint='such as engram recall "what does Anna prefer"')
