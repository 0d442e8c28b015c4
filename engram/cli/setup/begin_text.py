"""What `engram setup` shows to people: the plan on one screen, what was learnt, what was taken back."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from engram.base.counts import counted
from engram.cli.sessions.capture_run import in_units
from engram.cli.setup.status_text import model_name
from engram.cli.terminal.screen_lines import fit_lines
from engram.cli.terminal.screen_lines import from_home
from engram.heartbeat.schedule.cron_text import format_interval
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.importers.transcripts.places import Found
from engram.importers.transcripts.places import holdings
from engram.onboarding.environment import BY_PLUGIN
from engram.onboarding.environment import INSTALL
from engram.onboarding.environment import MOVE
from engram.onboarding.environment import REFUSED
from engram.onboarding.environment import THERE
from engram.onboarding.environment import UPDATE
from engram.onboarding.environment import HostPlan
from engram.onboarding.environment import ModelPlan
from engram.onboarding.execution import SetupReport
from engram.onboarding.learnt_facts import Apart
from engram.onboarding.learnt_facts import NextSession
from engram.onboarding.plan import SchedulePlan
from engram.onboarding.plan import SetupPlan
from engram.onboarding.undo import UndoReport

_NOTHING_YET: Final = (
    "Nothing is known yet. Your agents' conversations and notes fill this memory, and so do you:",
    '  engram write "I prefer short meetings"',
)
_OPENCLAW, _TOLD_CHAT = "openclaw/", "openclaw/agent-"  # begin the names of its conversations; of whom it says the chat
_LOOK: Final = "engram ui shows all of it in the browser, and lets you correct what is wrong."
_INDENT: Final = "    "  # of what goes on in the next line of a numbered list
_HOST_WORDS: Final = {
    THERE: "connected already",
    UPDATE: "bring its hooks up to date",
    MOVE: "let it call this workspace, in the place of another",
    BY_PLUGIN: "connected by its plugin",
}


def plan_text(plan: SetupPlan, width: int | None = None) -> str:
    """Return the screen that is agreed to; on a terminal, in lines that fit."""
    owner = plan.made.owner
    called = f"{owner.path} ({owner.title})" if owner.title else owner.path
    parts = [
        ("workspace", [f"{from_home(plan.root)}{'' if plan.made.is_new else ', there already'}"]),
        ("owner", [f"{called}, {owner.found}" if owner.path else "nobody"]),
        ("time zone", [plan.made.settings.timezone]),
        ("agents", [_host_words(one) for one in plan.hosts] or ["none to connect"]),
        ("conversations", _holding_words(plan.found)),
        *([("notes", [_note_words(path) for path in plan.notes])] if plan.notes else []),
        ("model", [_model_state(plan.model)]),
        ("heartbeat", [_schedule_words(plan.schedule)]),
    ]
    names = max(len(name) for name, _ in parts)
    lines = [f"{name if not place else '':{names}}  {line}" for name, rows in parts for place, line in enumerate(rows)]
    return "\n".join(fit_lines(lines, width, indent=" " * (names + 4)))


def model_words(model: ModelPlan) -> str:
    """Return what can be fetched, with its size."""
    return f"the model {model.offered} ({model.megabytes} MB), so that recall goes by meaning, too"


def learnt_text(report: SetupReport, most_lines: int | None = None, width: int | None = None) -> str:
    """Return what was learnt, and what the next session begins with, of which at most so many lines are shown."""
    learnt, coming = report.learnt, report.learnt.next_session
    if not learnt.facts and not report.captured.left:
        return "\n".join([*_NOTHING_YET, *_apart_lines(learnt.apart)])
    where = f" in {coming.title}" if coming.title else ""
    lines = [
        *fit_lines(_thing_lines(report, width), width, indent=_INDENT),
        "",
        f"Your next session of {coming.host}{where} will begin with this:",
        "",
        *_beginning(coming, most_lines, width),
    ]
    if report.captured.left:
        lines += ["", f"{counted(report.captured.left, 'older conversation')} are read by the next heartbeats."]
    lines += [*fit_lines(_apart_lines(learnt.apart), width, indent=""), "", _LOOK]
    return "\n".join(lines) if learnt.things else "\n".join(lines[1:])


def _apart_lines(apart: Apart) -> list[str]:
    """Return why less is shown than was drawn, if it is, and what lists the rest."""
    if not apart.facts:
        return []
    were, are = ("was" if apart.facts == 1 else "were"), ("is" if len(apart.sessions) == 1 else "are")
    more = f"{counted(apart.facts, 'more fact')} {were} said in "
    where = f"{counted(len(apart.sessions), 'conversation')} that {are} kept apart"
    is_untold = any(name.startswith(_OPENCLAW) and not name.startswith(_TOLD_CHAT) for name in apart.sessions)
    reset = "; of what came before a reset OpenClaw does not say which chat it was" if is_untold else ""
    others = "; engram session list names the others" if len(apart.sessions) > 1 else ""
    command = f"engram facts --scope session:{apart.sessions[0]}"
    after = f"; if nobody but you did: engram session open {apart.sessions[0]}"
    return ["", f"{more}{where}, as others than you may have spoken there{reset}: {command}{others}{after}"]


def _beginning(coming: NextSession, most_lines: int | None, width: int | None) -> list[str]:
    lines = fit_lines(coming.text.splitlines(), width, indent="|   ")
    if most_lines is None or len(lines) <= most_lines:
        return lines
    more = len(lines) - most_lines
    project = f" --project {coming.project}" if coming.project else ""
    return [*lines[:most_lines], f"... and {counted(more, 'line')} more: engram context{project}"]


def undo_text(report: UndoReport, root: Path) -> str:
    """Return what was taken back, or would be."""
    disconnected, removed = ("would disconnect", "would remove") if report.dry_run else ("disconnected", "removed")
    lines = [f"{disconnected} {title}" for title in report.hosts]
    lines += [f"{removed} what calls the heartbeat"] if report.schedule else []
    lines += [f"{removed} {path}" for path in report.removed]
    lines += [f"stays, as it is not Engram's: {path}" for path in report.kept]
    if not report.removed:
        lines = lines or ["setup has installed nothing that is still there"]
        lines.append(f"the workspace and its memories stay: {root}")
    return "\n".join(lines)


def _thing_lines(report: SetupReport, width: int | None) -> list[str]:
    things = report.learnt.things
    if not things:
        return []
    head = "Here is one thing I learnt:" if len(things) == 1 else f"Here are {_number(len(things))} things I learnt:"
    digits = len(str(len(things)))
    rows = [(f"{place:>{digits}}. {one.text}", f"({one.source})") for place, one in enumerate(things, 1)]
    return ["", head, *(line for text, source in rows for line in _with_source(text, source, width))]


def _with_source(text: str, source: str, width: int | None) -> list[str]:
    """Return one line, or two where a screen has no room for the source beside the text."""
    line = f"{text} {source}"
    return [line] if width is None or len(line) <= width else [text, f"{_INDENT}{source}"]


def _number(count: int) -> str:
    return "ten" if count == 10 else str(count)


def _host_words(one: HostPlan) -> str:
    title = one.target.host.title
    if one.state == INSTALL:
        files = ", ".join(from_home(edit.path) for edit in one.edits)
        return f"{title}: add {counted(len(one.target.host.events), 'hook')} and a skill ({files})"
    if one.state == REFUSED:
        return f"{title}: left out; {one.why}"
    return f"{title}: {_HOST_WORDS[one.state]}"


def _holding_words(found: Sequence[Found]) -> list[str]:
    rows = [
        f"{load_host(one.tool).title if one.tool in NAMES else one.tool}: {counted(one.files, 'file')}, "
        f"{in_units(one.size)}, {one.first.date()} to {one.last.date()}"
        for one in holdings(found)
    ]
    return rows or ["none to read"]


def _note_words(folder: Path) -> str:
    """Return where an agent's own notes lie, and what brings them: setup reads conversations only."""
    place = from_home(folder)
    return f"OpenClaw keeps some in {place}; they stay there until you bring them: engram import openclaw {place}"


def _model_state(model: ModelPlan) -> str:
    if model.used:
        return f"{model_name(model.used)}; recall goes by words and by meaning"
    if model.offered:
        return f"none here, recall goes by words; {model.offered} ({model.megabytes} MB) can be fetched: --model"
    return f"none, recall goes by words; {model.why}"


def _schedule_words(schedule: SchedulePlan | None) -> str:
    if schedule is None:
        return "not scheduled; engram heartbeat install does that"
    every = format_interval(schedule.every_s)
    if schedule.is_there:
        return f"every {every} by {schedule.by}, there already"
    if schedule.by is None:
        return "nothing here can call it (no cron, no systemd, no launchd); engram heartbeat run does it by hand"
    return f"every {every} by {schedule.by}"
