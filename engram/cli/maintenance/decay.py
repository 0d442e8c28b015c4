"""The command `decay`: how facts stand in their tiers, what leaves them and when, and what other settings would do."""

import re
import tomllib
from typing import Any

import click

from engram.base.counts import counted
from engram.cli.invocation.long_answer import emit_packed
from engram.cli.invocation.long_answer import packed_body
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.maintenance.decay_text import accepted_text
from engram.cli.maintenance.decay_text import forecast_text
from engram.cli.maintenance.decay_text import report_text
from engram.config.sections.memory import DecaySettings
from engram.config.settings import Settings
from engram.config.settings import parse_settings
from engram.errors import BadValueError
from engram.errors import SettingsError
from engram.operations.picture_file import save_picture
from engram.operations.picture_file import suffix_of
from engram.ports.database import FactDatabase
from engram.services.commands import access_counts
from engram.services.facts.decay_horizon import Horizon
from engram.services.facts.decay_horizon import Live
from engram.services.facts.decay_horizon import held_facts
from engram.services.facts.decay_horizon import read_live
from engram.services.facts.forecast import forecast
from engram.services.facts.listing import Moment
from engram.services.facts.tier_course import course_report
from engram.services.facts.tier_course import read_wear
from engram.services.facts.tier_report import tier_report
from engram.services.pictures.bitmap import png_of
from engram.services.pictures.decay_picture import draw_decay
from engram.workspace import Workspace

DEFAULT_SPAN = "90d"
MOST_DAYS = 3650
_SPAN = re.compile(r"(\d{1,4})\s*([dwmy]?)")
_UNITS = {"": 1, "d": 1, "w": 7, "m": 30, "y": 365}  # days


@click.command(cls=EngramCommand)
@click.option(
    "--forecast", "span", is_flag=False, flag_value=DEFAULT_SPAN, metavar="SPAN", help="Look ahead: 90d, 12w, 6m, 1y."
)
@click.option("--what-if", "what_if", multiple=True, metavar="KEY=VALUE", help="Such as decay.hot_days=14; repeatable.")
@click.option("--idle", is_flag=True, help="Take it that nothing is recorded from now on.")
@click.option("--plot", "file", metavar="FILE", help="Draw the tiers over time: an .svg, or a .png.")
@click.option("--accept", is_flag=True, help="Let the facts leave the summaries that the survival budget holds.")
@click.option("--dry-run", is_flag=True, help="With --accept: only say which.")
def decay(
    *, span: str | None, what_if: tuple[str, ...], idle: bool, file: str | None, accept: bool, dry_run: bool
) -> None:
    """Show the tiers now and what leaves them within 7 days; with --forecast or --what-if, when everything else does.

    A forecast tells for each fact the day on which it leaves hot and warm if nobody uses it again, and "expected" if it
    is used as before: one access every mean interval of those it had. By the activity clock it takes every coming day
    for an active one, unless --idle. JSON: "tiers", "entities", "leaving", "held"; of a forecast "assumes", "facts",
    "weeks" and "what_if" with "changed".

    \b
    Example:
      engram decay --forecast 90d --what-if decay.hot_days=14
      engram decay --plot tiers.svg
    """
    check_words(forecast=span, what_if=" ".join(what_if), plot=file)
    workspace = invocation().workspace()
    other = _settings(workspace.settings, what_if) if what_if else None
    if file is not None:
        _plot(workspace, file, Horizon(_days(span or DEFAULT_SPAN), idle), other)
    elif accept:
        _accept(workspace, dry_run=dry_run)
    elif span is None and other is None and not idle:
        with workspace.reading() as database:
            uses = _uncounted(workspace, database)
            report = tier_report(database, _moment(workspace), workspace.life.mirror.load(), uses)
        invocation().emit(report, lambda: report_text(report))
    else:
        _forecast(workspace, Horizon(_days(span or DEFAULT_SPAN), idle), other)


def _forecast(workspace: Workspace, horizon: Horizon, other: DecaySettings | None) -> None:
    asked, moment = invocation(), _moment(workspace)
    with workspace.reading() as database:
        worn = read_wear(database, moment, _uncounted(workspace, database))
        found = forecast(database, worn, moment, horizon, other)
        told = packed_body(found) if asked.as_json else forecast_text(found)
    if isinstance(told, str):
        asked.emit(None, told)
    else:
        emit_packed(told)


def _plot(workspace: Workspace, file: str, horizon: Horizon, other: DecaySettings | None) -> None:
    form = suffix_of(file, ("svg", "png"))
    moment = _moment(workspace)
    with workspace.reading() as database:
        worn = read_wear(database, moment, _uncounted(workspace, database))
    report = course_report(worn, moment, horizon, other)
    drawn = draw_decay(report)
    save_picture(file, png_of(drawn) if form == "png" else drawn)
    told = {"path": file, "tiers": report["tiers"], "leaving": report["leaving"]["count"], "days": horizon.days}
    invocation().emit(told, f"wrote the tiers over {counted(horizon.days, 'day')} to {file}")


def _accept(workspace: Workspace, *, dry_run: bool) -> None:
    held = held_facts(_live(workspace), _moment(workspace), workspace.life.mirror.load())
    if held is not None and not dry_run:
        workspace.store.refresh_mirror(accept=True)
    status = "nothing" if held is None else "planned" if dry_run else "done"
    body = {"status": status, "held": held, "dry_run": dry_run}
    invocation().emit(body, lambda: accepted_text(held, dry_run=dry_run))


def _live(workspace: Workspace) -> Live:
    with workspace.reading() as database:
        return read_live(database, workspace.settings.zone, _uncounted(workspace, database))


def _uncounted(workspace: Workspace, database: FactDatabase) -> list[dict[str, Any]]:
    """Return the uses that the access log holds and no heartbeat has counted."""
    marks = access_counts.read_marks(database.watermarks(access_counts.CONSUMER))
    rows, _ = workspace.answers.accesses.read_after(marks)
    return access_counts.count_uses(rows)


def _moment(workspace: Workspace) -> Moment:
    return Moment(workspace.now(), workspace.settings.decay, workspace.settings.zone, caller=None)


def _days(text: str) -> int:
    found = _SPAN.fullmatch(text.strip().casefold())
    days = int(found[1]) * _UNITS[found[2]] if found else 0
    if not 1 <= days <= MOST_DAYS:
        raise BadValueError(
            f"--forecast {text!r} is not a time of 1 to {MOST_DAYS} days", hint="such as 90d, 12w, 6m or 1y"
        )
    return days


def _settings(now: Settings, changes: tuple[str, ...]) -> DecaySettings:
    """Return the decay settings with some of them changed; raise BadValueError."""
    values: dict[str, Any] = now.decay.model_dump()
    known = ", ".join(f"decay.{name}" for name in values)
    for change in changes:
        key, mark, value = change.partition("=")
        name = key.strip().removeprefix("decay.")
        if not mark or name not in values:
            raise BadValueError(f"--what-if {change!r} names no setting of decay", hint=f"KEY=VALUE with {known}")
        values[name] = _value(value.strip())
    try:
        return parse_settings({"decay": values}, "--what-if").decay
    except SettingsError as problem:
        raise BadValueError(problem.message, hint="such as --what-if decay.hot_days=14") from problem


def _value(text: str) -> Any:
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (tomllib.TOMLDecodeError, KeyError):
        return text
