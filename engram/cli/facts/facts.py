"""Questions about facts: facts, show, history, why."""

import datetime as dt
import sys
from typing import Any

import click

from engram.base.clock import day_of
from engram.base.project import working_folder
from engram.cli.facts.fact_list import show_facts
from engram.cli.facts.fact_list import standing_of
from engram.cli.facts.fact_list import state_of
from engram.cli.facts.fact_text import fact_text
from engram.cli.facts.fact_text import parts_lines
from engram.cli.facts.fact_text import promotion_text
from engram.cli.facts.fact_text import retired_why
from engram.cli.invocation.local_time import shown_minute
from engram.cli.invocation.long_answer import emit_values
from engram.cli.invocation.moments import read_time
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.shell_words import complete_fact
from engram.cli.invocation.silo import asked_by
from engram.cli.invocation.silo import find_asker
from engram.cli.terminal.screen_lines import fit_lines
from engram.cli.terminal.screen_lines import from_home
from engram.cli.terminal.screen_lines import screen_width
from engram.errors import BadValueError
from engram.errors import UsageError
from engram.model.fact import Category
from engram.operations.answers.freshness import freshness_of_fact
from engram.operations.answers.kept_promises import OVER
from engram.operations.answers.kept_promises import without_kept
from engram.operations.answers.listing import iter_listed_facts
from engram.operations.promotion import explain_promotion
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import chain_of
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_fact
from engram.services.facts.parts import MADE_OF
from engram.services.facts.parts import parts_of
from engram.services.facts.parts import view_with_parts
from engram.services.facts.sources.provenance import explain_fact
from engram.services.visibility import require_scope
from engram.workspace import Workspace

_GONE = {  # state of a source -> what is said below the words as they were read
    "changed": "its source changed since: these words no longer stand there",
    "missing": "its source is gone since: these words no longer stand anywhere that is known",
}
_MOMENTS = ("since", "as_of", "as_known")
_STATUSES = ["active", "planned", "ended", "superseded", "retracted", "pending", "candidate", "quarantined", "all"]


@click.command(cls=EngramCommand)
@click.argument("about", default="", metavar="[E]", shell_complete=complete_entity)
@click.option("--entity", default="", metavar="E", help="Path, title or alias.", shell_complete=complete_entity)
@click.option("--category", type=click.Choice([one.value for one in Category]))
@click.option("--tag", default="", metavar="T")
@click.option("--scope", default="", metavar="S", help="shared, experience, session:NAME or agent:NAME.")
@click.option("--status", type=click.Choice(_STATUSES), default="active", show_default=True)
@click.option("--tier", type=click.Choice(["hot", "warm", "cold"]))
@click.option("--since", metavar="D", help="Recorded from then on: 2026-02-24, monday, 7d.")
@click.option("--as-of", metavar="T", help="What was true in the world then.")
@click.option("--as-known", metavar="T", help="What was believed then.")
@click.option("--candidates", is_flag=True, help="What waits to be said again or confirmed: --status candidate.")
@click.option("-n", "limit", type=click.IntRange(min=1), metavar="N", help="Only the newest N.")
@asked_by
def facts(
    *, about: str, candidates: bool, limit: int | None, session: str | None, agent: str | None, **options: Any
) -> None:
    """List facts: all of them or those about E, those that hold now unless told otherwise.

    What begins later is planned, and what is over by its own end has ended. A promise whose day has passed is overdue,
    not over: it is listed until it is replaced or taken back.

    Of an active one that a newer one tells to be over ("we moved from Nomad to Kubernetes") that is said.

    Without --session and --agent the store itself is listed, with what is private to a session or an agent.

    \b
    Example:
      engram facts anna
      engram facts --entity people/anna --status all
    """
    asked = invocation()
    check_words(about=about, **{name: value for name, value in options.items() if value is not None})
    if about and options["entity"]:
        raise BadValueError("the entity is named twice", hint="either engram facts E or --entity E")
    options["entity"] = options["entity"] or about
    workspace = asked.workspace()
    moments: dict[str, Any] = {name: _time(workspace, name, options.pop(name)) for name in _MOMENTS}
    words: dict[str, Any] = {name: value or "" for name, value in options.items()}
    if words["scope"]:
        require_scope(words["scope"])
    if candidates:
        words["status"] = _only_candidates(words["status"])
    query = FactQuery(**words, **moments, limit=limit)
    moment = asked_at(workspace, session, agent)
    if asked.as_json:
        emit_values("facts", iter_listed_facts(workspace, query, moment))
        return
    show_facts(asked, iter_listed_facts(workspace, query, moment), moment.zone)


@click.command(cls=EngramCommand)
@click.argument("fact_id", metavar="ID", shell_complete=complete_fact)
@asked_by
def show(fact_id: str, session: str | None, agent: str | None) -> None:
    """Show one fact with everything that is known about it.

    \b
    Example:
      engram show anna-001
    """
    asked = invocation()
    workspace = asked.workspace()
    moment = asked_at(workspace, session, agent)
    with workspace.reading() as database:
        fact = get_fact(database, fact_id, moment.caller)
        (view,) = without_kept(database, [view_with_parts(database, fact, moment)], moment)
        view |= freshness_of_fact(workspace, database, fact, moment.caller, working_folder())
    asked.emit(view, lambda: fact_text(view, state_of(view), moment.zone, at_home=asked.for_screen))


@click.command(cls=EngramCommand)
@click.argument("fact_id", metavar="ID", shell_complete=complete_fact)
@asked_by
def history(fact_id: str, session: str | None, agent: str | None) -> None:
    """Show the chain of versions that a fact belongs to, oldest first.

    \b
    Example:
      engram history anna-001
    """
    asked = invocation()
    workspace = asked.workspace()
    moment = asked_at(workspace, session, agent)
    with workspace.reading() as database:
        fact = get_fact(database, fact_id, moment.caller)
        views = without_kept(database, fact_views(database, chain_of(database, fact), moment), moment)
    rows = [
        (
            day_of(view["recorded_at"], moment.zone),
            view["id"],
            state_of(view) if OVER in view else standing_of(view),
            view["text"],
        )
        for view in views
    ]
    columns = [("learnt", False), ("id", False), ("state", False), ("fact", True)]
    asked.emit_table({"id": fact.id, "versions": views}, lambda: table(rows), columns, rows)


@click.command(cls=EngramCommand)
@click.argument("fact_id", metavar="ID", shell_complete=complete_fact)
@click.option("--promotion", is_flag=True, help="Why it was put forward for MEMORY.md or as a pattern, or why not.")
def why(fact_id: str, *, promotion: bool) -> None:
    """Show why a fact is believed: each version with the words that it rests on, and the facts that it was made of.

    With --promotion: how often it was asked for and said again, and what is in the way of putting it forward.

    \b
    Example:
      engram why anna-001
      engram why anna-001 --promotion
    """
    asked = invocation()
    workspace = asked.workspace()
    if promotion:
        found = explain_promotion(workspace, fact_id)
        asked.emit(found, lambda: promotion_text(found))
        return
    with workspace.reading() as database:
        fact = get_fact(database, fact_id)
        steps = explain_fact(database, fact, workspace.files, workspace.now())
        parts = parts_of(database, fact, asked_at(workspace)._replace(caller=None))
    asked.emit(
        {"id": fact.id, "chain": steps, MADE_OF: parts}, lambda: _why_text(steps, parts, workspace.settings.zone)
    )


def _only_candidates(status: str) -> str:
    if status not in {"active", "candidate"}:
        raise UsageError(f"--candidates and --status {status} exclude each other", hint="leave one of them out")
    return "candidate"


def _time(workspace: Workspace, name: str, text: str | None) -> dt.datetime | None:
    return read_time(workspace, "--" + name.replace("_", "-"), text)


def asked_at(workspace: Workspace, session: str | None = None, agent: str | None = None) -> Moment:
    """Return when and as to whom a question is asked; raises UnknownSessionError."""
    caller = find_asker(invocation(), session, agent)
    return Moment(now=workspace.now(), decay=workspace.settings.decay, zone=workspace.settings.zone, caller=caller)


def _why_text(steps: list[dict[str, Any]], parts: list[dict[str, Any]], zone: dt.tzinfo) -> str:
    lines = [line for step in steps for line in _step(step).split("\n")] + parts_lines(parts, zone)
    return "\n".join(fit_lines(lines, screen_width(sys.stdout), indent="    "))


def _shown_path(path: str) -> str:
    """Return a path as a person reads it on a terminal; other programs get it as it is."""
    return from_home(path) if sys.stdout.isatty() else path


def _step(step: dict[str, Any]) -> str:
    source = step["source"]
    line = f":{source['line']}" if source["line"] else ""  # of a transcript only the turn is known
    place = f"{_shown_path(source['path'])}{line}" if source["path"] else source["label"] or source["actor"]
    said = [f"{step['id']}  {step['status']}  {step['text']}"]
    recorded = shown_minute(step["recorded_at"])
    said.append(f"  recorded {recorded} from {place} ({source['state']}, {step['trust']})")
    if source["session"]:
        said.append(f"  in session {source['session']}")
    if source["quote"]:
        said.append(f"  “{source['quote']}”")
    if source["state"] in _GONE:
        said.append(f"  {_GONE[source['state']]}")
    if step["confirmed"]:
        times = "once" if step["confirmed"] == 1 else f"{step['confirmed']} times"
        said.append(f"  confirmed {times}")
    return "\n".join(said + ([f"  {retired_why(step['reason'])}"] if step["reason"] else []))
