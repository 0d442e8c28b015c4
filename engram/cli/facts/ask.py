"""Questions over facts that no ranking answers: timeline, diff, ask."""

import datetime as dt
import sys
from itertools import takewhile
from typing import Any

import click

from engram.base.clock import day_of
from engram.cli.facts.fact_text import overdue_words
from engram.cli.facts.fact_text import retired_why
from engram.cli.facts.facts import asked_at
from engram.cli.invocation.moments import read_window
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.invocation.silo import asked_by
from engram.cli.terminal.screen_lines import NOT_CONFIRMED
from engram.errors import BadValueError
from engram.errors import UsageError
from engram.language.screen.fence import visible
from engram.model.fact import Trust
from engram.operations.answers.kept_promises import OVER
from engram.operations.answers.plain_questions import Told
from engram.operations.answers.plain_questions import answer_plainly
from engram.services.facts.difference import differences
from engram.services.facts.difference import differences_in
from engram.services.facts.questions import LATEST
from engram.services.facts.timeline import timeline as tell_timeline
from engram.services.graph.told_day import told_day
from engram.services.recall.presentation.render import answer_text

_SIGNS = {"created": "+", "superseded": "~", "retracted": "-", "promoted": "^"}
_WORDS = {"created": "learnt", "superseded": "replaced", "retracted": "taken back", "promoted": "promoted"}
_SINCE = click.option("--since", metavar="D", help="From then on: 2026-02-24, monday, last week, 7d.")
_UNTIL = click.option("--until", metavar="D", help="Until then; days that it names are included.")


@click.command(cls=EngramCommand)
@click.argument("entity", shell_complete=complete_entity)
@_SINCE
@_UNTIL
@click.option("-n", "limit", type=click.IntRange(min=1), metavar="N", help="Only the latest N.")
@asked_by
def timeline(
    *, entity: str, since: str | None, until: str | None, limit: int | None, session: str | None, agent: str | None
) -> None:
    """Tell what was true of an entity, in the order in which it became true.

    \b
    Example:
      engram timeline people/anna --since 2026-01-01
    """
    asked = invocation()
    check_words(entity=entity, since=since, until=until)
    workspace = asked.workspace()
    window, moment = read_window(workspace, since, until), asked_at(workspace, session, agent)
    with workspace.reading() as database:
        path, views = tell_timeline(database, entity, window, moment)
    views = views[-limit:] if limit else views
    rows = [(_days_of(view, moment.zone), view["id"], view["text"]) for view in views]
    asked.emit_table(
        {"entity": path, "facts": views},
        lambda: table(rows) or f"nothing dated is known of {path}",
        [("from", False), ("to", False), ("id", False), ("tier", False), ("fact", True)],
        [(*_ends_of(view, moment.zone), view["id"], view["tier"], view["text"]) for view in views],
    )


@click.command(cls=EngramCommand)
@click.argument("span", metavar="[SINCE[..UNTIL]]", required=False)
@_SINCE
@_UNTIL
@click.option(
    "--entity", default="", metavar="E", help="Only of this one: path, title or alias.", shell_complete=complete_entity
)
@asked_by
def diff(
    *, span: str | None, since: str | None, until: str | None, entity: str, session: str | None, agent: str | None
) -> None:
    """Say what the memory learnt, replaced and took back since a day.

    Promoted is a candidate that is believed now, and what a review made of an observation.

    A number is a position of the journal, as `engram status --json` and `engram backup` tell it: 40..60 is what the
    records behind 40 changed, up to 60.

    \b
    Example:
      engram diff --since monday
    """
    asked = invocation()
    check_words(span=span, since=since, until=until, entity=entity)
    if span is not None:
        if since or until:
            raise UsageError("SINCE and --since exclude each other", hint="engram diff monday..today")
        since, _, until = (part or None for part in span.partition(".."))
    if not since and not until:
        raise UsageError("since when?", hint="engram diff --since monday")
    workspace = asked.workspace()
    moment = asked_at(workspace, session, agent)
    positions = _positions(since, until)
    window = None if positions else read_window(workspace, since, until)
    with workspace.reading() as database:
        if window is not None:
            found = differences(database, window, moment, entity)
        else:
            first, last = positions or (0, 0)
            records = (record for record, _ in workspace.journal.read(after=first))
            found = differences_in(database, takewhile(lambda one: one.position <= last, records), moment, entity)
    changed = [(kind, view) for kind, views in found.items() for view in views]
    asked.emit_table(
        found,
        lambda: table((_SIGNS[kind], view["id"], _told(kind, view)) for kind, view in changed) or "nothing changed",
        [("what", False), ("id", False), ("fact", True)],
        [(_WORDS[kind], view["id"], _told(kind, view)) for kind, view in changed],
    )


@click.command(cls=EngramCommand)
@click.argument("words", metavar="QUESTION...", nargs=-1, required=True, shell_complete=complete_entity)
@asked_by
def ask(*, words: tuple[str, ...], session: str | None, agent: str | None) -> None:
    """Answer who, when, where, what, latest or prefers about an entity from its facts, each with its id.

    QUESTION is the form and a name, or plain words: who leads Atlas, где живёт Анна. Further words narrow it down. When
    no fact answers plain words, that is said, and what recall finds is shown.

    \b
    Example:
      engram ask prefers anna
    """
    asked = invocation()
    check_words(question=" ".join(words))
    workspace = asked.workspace()
    who = {name: value for name, value in (("session", session), ("agent", agent)) if value is not None}
    told = answer_plainly(workspace, words, asked_at(workspace, session, agent), who)
    asked.emit(told.as_json(), lambda: "\n".join(_told_lines(told, workspace.settings.zone)))


def _told_lines(told: Told, zone: dt.tzinfo) -> list[str]:
    """Return what is printed: the facts that answer; else that there is none, and what recall brings."""
    found = told.found
    heard = (
        [f'note: "{visible(told.heard)}" is taken for {found["entity"]}, which sounds like it'] if told.heard else []
    )
    if found["facts"]:
        return [*(f"{_answered(found['template'], view, zone)}  [{_source(view)}]" for view in found["facts"]), *heard]
    nothing = told.why or f"no fact of {found['entity']} says {found['template']}"
    if told.is_narrowed:
        nothing += f" in these words; without them: engram ask {found['template']} {found['entity']}"
    if told.recalled is None:
        return [nothing, *heard]
    finds = "what recall finds nearest is this" if told.recalled.probably_unknown else "recall finds"
    return [f"{nothing}; {finds}:", answer_text(told.recalled), *heard]


def _positions(since: str | None, until: str | None) -> tuple[int, int] | None:
    """Return the stretch of the journal that is meant, the first position excluded; None: times are meant.

    Raises BadValueError for one of each, and for what ends before it begins.
    """
    said = [one for one in (since, until) if one is not None]
    if not any(one.isdecimal() for one in said):
        return None
    if not all(one.isdecimal() for one in said):
        raise BadValueError("a position and a time make no stretch", hint="engram diff 40..60, or monday..today")
    first, last = int(since or 0), int(until) if until else sys.maxsize
    if last < first:
        raise BadValueError("the stretch ends before it begins", hint=f"engram diff {last}..{first}")
    return first, last


def _answered(template: str, view: dict[str, Any], zone: dt.tzinfo) -> str:
    """Return a fact with its day where that is asked for: "said" before one on which it was but said."""
    if template == LATEST:
        return f"{day_of(view['valid_from'], zone)}  {view['text']}"
    if template != "when":
        return str(view["text"])
    told = told_day(view, zone)
    return f"{'said ' if told.is_said else ''}{told.words}  {view['text']}"


def _source(view: dict[str, Any]) -> str:
    doubt = "" if view["trust"] == Trust.TRUSTED else NOT_CONFIRMED
    over = f"over, says {view[OVER]}" if OVER in view else ""
    return ", ".join(filter(None, (view["id"], over or overdue_words(view), doubt)))


def _days_of(view: dict[str, Any], zone: dt.tzinfo) -> str:
    began, ended = _ends_of(view, zone)
    return f"{began} - {ended}" if ended else began


def _ends_of(view: dict[str, Any], zone: dt.tzinfo) -> tuple[str, str]:
    """Return the days from and until which a fact holds, in that zone; the second one is empty when it has no end."""
    return day_of(view["valid_from"], zone), day_of(view["valid_to"], zone) if view["valid_to"] else ""


def _told(kind: str, view: dict[str, Any]) -> str:
    if kind == "superseded" and view["superseded_by"]:
        return f"{view['text']} (now {view['superseded_by']})"
    why = retired_why(view["reason"]) if kind == "retracted" else ""
    return f"{view['text']} ({why})" if why else str(view["text"])
