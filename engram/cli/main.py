"""The one door of the command line: finds the command, and turns errors into a sentence, a hint and an exit code."""

import errno
import functools
import importlib
import json
import os
import sys
from typing import Any
from typing import NamedTuple

import click

from engram import __version__
from engram.base import telemetry
from engram.base.disk.in_the_way import find_in_the_way
from engram.base.text import is_utf8
from engram.base.text import without_control
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.asked import Spooled
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.words import BROUGHT_ALONG
from engram.cli.invocation.words import near_names
from engram.cli.invocation.words import understood
from engram.cli.terminal.streams import silence_stdout
from engram.cli.terminal.streams import speak_utf8
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.errors import UsageError


class Entry(NamedTuple):
    """One line of `engram --help`."""

    section: str
    target: str  # room and module below engram.cli, and the command's name in it
    summary: str


COMMANDS: dict[str, Entry] = {
    "setup": Entry("Set-up", "setup.begin:setup", "everything for somebody new, on one screen"),
    "init": Entry("Set-up", "setup.setup:init", "make a workspace"),
    "status": Entry("Set-up", "setup.setup:status", "one screen of how things stand, or what became of a command"),
    "doctor": Entry("Set-up", "maintenance.doctor:doctor", "check every invariant, and mend with --fix"),
    "config": Entry("Set-up", "setup.setup:config", "show or set settings"),
    "completion": Entry(
        "Set-up", "setup.completion:completion", "let bash, zsh or fish complete commands, entities and ids"
    ),
    "signal": Entry("Facts", "facts.signal:signal", "classify text; with --write record what is high"),
    "write": Entry("Facts", "facts.write:write", "record a fact"),
    "facts": Entry("Facts", "facts.facts:facts", "list facts, as of any time"),
    "show": Entry("Facts", "facts.facts:show", "one fact"),
    "history": Entry("Facts", "facts.facts:history", "a fact's chain of versions"),
    "why": Entry("Facts", "facts.facts:why", "the chain back to the source bytes"),
    "correct": Entry("Facts", "facts.change:correct", "replace a fact by what is right"),
    "retract": Entry("Facts", "facts.change:retract", "take a fact back"),
    "forget": Entry("Facts", "facts.forget:forget", "erase something for good, and print what went"),
    "taint": Entry("Facts", "facts.forget:taint", "what depends on a source, and take it back"),
    "confirm": Entry("Facts", "facts.change:confirm", "say that a fact still holds"),
    "pin": Entry("Facts", "facts.change:pin", "keep a fact in the summary"),
    "unpin": Entry("Facts", "facts.change:unpin", "let a pinned fact decay again"),
    "access": Entry("Facts", "facts.change:access", "count a use of a fact"),
    "feedback": Entry("Facts", "facts.feedback:feedback", "say whether a fact that was recalled helped"),
    "contradictions": Entry(
        "Facts", "review.contradictions:contradictions", "what a statement would contradict, or what is known"
    ),
    "timeline": Entry("Facts", "facts.ask:timeline", "what was true of an entity, in order"),
    "diff": Entry("Facts", "facts.ask:diff", "what was learnt, replaced and taken back since a day"),
    "ask": Entry("Facts", "facts.ask:ask", "who, when, where, what, latest or prefers, from facts with their ids"),
    "sql": Entry("Facts", "facts.sql:sql", "look at the database with one SELECT"),
    "entity": Entry("Entities", "entities.entity:entity", "people, projects and archives"),
    "graph": Entry("Entities", "entities.graph:graph", "who and what is joined by facts"),
    "undo": Entry("Entities", "entities.entity:undo", "take back what you did last with facts or entities"),
    "recall": Entry("Recall", "recall.recall:recall", "ask the memory"),
    "card": Entry("Recall", "recall.card:card", "questions that doctor asks, so that a change for the worse is seen"),
    "context": Entry("Recall", "recall.context:context", "the block that an agent loads at its start"),
    "session": Entry("Sessions", "sessions.session:session", "silos of conversations"),
    "note": Entry("Sessions", "sessions.note:note", "today's daily note"),
    "handoff": Entry("Sessions", "sessions.handoff:handoff", "what one session leaves for the next, or for an agent"),
    "inbox": Entry("Sessions", "sessions.inbox:inbox", "what agents left for each other, to accept or reject"),
    "working-memory": Entry(
        "Sessions", "sessions.working_memory:working_memory", "what a session has in hand right now"
    ),
    "decision": Entry("Sessions", "sessions.decision:decision", "what was settled, only ever appended to"),
    "capture": Entry("Sessions", "sessions.capture:capture", "transcripts and notes into turns, exactly once"),
    "heartbeat": Entry("Heartbeat", "maintenance.heartbeat:heartbeat", "what cron calls to keep the memory true"),
    "decay": Entry("Heartbeat", "maintenance.decay:decay", "what leaves hot and warm, and when"),
    "domain": Entry("Heartbeat", "maintenance.domain:domain", "the scopes given to subagents, and what they propose"),
    "tension": Entry("Review", "review.tension:tension", "facts that exclude each other"),
    "observe": Entry("Review", "review.observe:observe", "note something noticed, for a review to settle"),
    "review": Entry("Review", "review.review:review", "settle what waits, one thing at a time, with undo"),
    "hooks": Entry("Doors", "doors.hooks:hooks", "connect Claude Code, Codex and other agents to the memory"),
    "ui": Entry("Doors", "doors.ui:ui", "the memory as a page in the browser"),
    "serve": Entry("Doors", "doors.serve:serve", "the same verbs over HTTP, for programs"),
    "mcp": Entry("Doors", "doors.mcp:mcp", "the MCP server, which also keeps recall warm for other processes"),
    "import": Entry(
        "Doors", "doors.import_:import_", "another memory, or an archive, into this one; and back out again"
    ),
    "export": Entry("Doors", "doors.export:export", "the whole store as an archive, a vault of notes, or items.json"),
    "backup": Entry(
        "Operations", "maintenance.backup:backup", "copy what cannot be made again, and prove that it restores"
    ),
    "restore": Entry(
        "Operations", "maintenance.backup:restore", "make a workspace of a backup, also as it was earlier"
    ),
    "migrate-store": Entry(
        "Operations", "maintenance.migration:migrate_store", "move the journal to a PostgreSQL server, or back to files"
    ),
    "fleet": Entry(
        "Operations",
        "maintenance.fleet:fleet",
        "the workspaces of many users over one PostgreSQL, and their heartbeats",
    ),
    "encrypt": Entry("Operations", "maintenance.encrypt:encrypt", "the store encrypted at rest, with a key of yours"),
    "rebuild": Entry(
        "Operations", "maintenance.operations:rebuild", "make database, index or mirror anew from the journal"
    ),
    "verify": Entry("Operations", "maintenance.operations:verify", "check the hash chain and print the digests"),
}


class EngramGroup(EngramSet):
    """Commands that are imported only when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        """Return the names in the order of the table."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - as above
        """Import the command's module and return the command."""
        entry = COMMANDS.get(cmd_name)
        if entry is None:
            return None
        module, _, name = entry.target.partition(":")
        command: click.Command = getattr(importlib.import_module(f"engram.cli.{module}"), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - as above
        """Write the commands in groups, from the table, without importing them."""
        for section in dict.fromkeys(entry.section for entry in COMMANDS.values()):
            rows = [(name, entry.summary) for name, entry in COMMANDS.items() if entry.section == section]
            with formatter.section(section):
                formatter.write_dl(rows)
        others: dict[str, list[str]] = {}
        for word, (name, *_) in BROUGHT_ALONG.items():
            others.setdefault(name, []).append(word)
        with formatter.section("Other words for them"):
            formatter.write_dl([(", ".join(words), name) for name, words in others.items()])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, also by a word that people bring along."""
        if args[0] not in COMMANDS:
            args = understood(args, COMMANDS)
        return super().resolve_command(ctx, args)


@click.group(
    cls=EngramGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
)
@click.version_option(__version__, prog_name="engram")
def cli() -> None:
    """Engram: a memory for AI agents that keeps facts, their history and their sources.

    \b
    Example:
      engram write --entity projects/demo --create --fact "Demo uses DuckDB"
    """


def main(argv: list[str] | None = None, *, ends_process: bool = False, spooled: Spooled | None = None) -> int:
    """Run one command and return its exit code; a command may end a process that exists for it alone.

    `spooled` is what a shorter way has made durable of it already. The process boundary: here, and at the shorter way,
    are the only broad excepts of the command line.
    """
    args = list(sys.argv[1:] if argv is None else argv)
    speak_utf8()
    context_object = Invocation()
    context_object.ends_process, context_object.spooled = ends_process, spooled
    context_object.report = functools.partial(report, as_json="--json" in args)
    try:
        _refuse_broken_utf8(args)
        code = cli.main(args=args, prog_name="engram", standalone_mode=False, obj=context_object)
    except (BrokenPipeError, SystemExit):  # click leaves with SystemExit when the reader of its output has gone
        silence_stdout()
        return 0
    except Exception as problem:  # noqa: BLE001 - see above
        return report(problem, as_json="--json" in args)
    finally:
        telemetry.flush()
    return code if isinstance(code, int) else 0


def report(problem: BaseException, *, as_json: bool) -> int:
    """Say in a sentence and a hint what went wrong, and return the exit code."""
    match problem:
        case KeyboardInterrupt():
            click.echo("\nstopped", err=True)
            return 130
        case click.exceptions.Abort():  # which began a new line
            click.echo("stopped", err=True)
            return 130
        case click.ClickException() | EngramError():
            return _report(_translate(problem), as_json=as_json)
        case Exception() if os.environ.get("ENGRAM_DEBUG") != "1":
            return _report(_unexpected(problem), as_json=as_json)
    raise problem


def _refuse_broken_utf8(args: list[str]) -> None:
    for place, arg in enumerate(args, 1):
        if not is_utf8(arg):
            raise BadValueError(f"argument {place} is not valid UTF-8", hint="pass text in UTF-8, or a file with -")


def _translate(problem: click.ClickException | EngramError) -> EngramError:
    if isinstance(problem, EngramError):
        return problem
    message = problem.format_message().rstrip(".")
    ctx = getattr(problem, "ctx", None)
    command = ctx.command_path if ctx else "engram"
    hint = f"{command} --help"
    if isinstance(problem, click.exceptions.NoArgsIsHelpError) and isinstance(problem.ctx.command, click.Group):
        below = problem.ctx.command.list_commands(problem.ctx)
        message = f"{command} needs one of its commands: {', '.join(below)}"
    elif isinstance(problem, click.NoSuchOption):
        near = near_names(problem.option_name, problem.possibilities or ())
        message = f"no option is called {problem.option_name!r}"
        begun = "for text that begins with a dash put -- before it; else "
        hint = f"did you mean {' or '.join(near)}? ({hint})" if near else f"{begun}{hint}"
    return UsageError(" ".join(message.split()), hint=hint)


def _report(problem: EngramError, *, as_json: bool) -> int:
    if as_json:
        words: dict[str, Any] = {"error": problem.code, "message": problem.message, "hint": problem.hint}
        click.echo(json.dumps({**words, "details": problem.details}, ensure_ascii=False, default=str), err=True)
    else:
        said = f"error: {problem.message}\nhint: {problem.hint}"
        click.echo(without_control(said), err=True)  # a name that is told may be anybody's, such as that of a file
    return problem.exit_code


def _unexpected(problem: Exception) -> EngramError:
    if isinstance(problem, MemoryError) or (isinstance(problem, OSError) and problem.errno == errno.ENOMEM):
        why = problem.strerror if isinstance(problem, OSError) else ""
        return EngramError(
            why or "there is not enough memory", hint="end other programs, or raise the limit (ulimit -v)"
        )
    if not isinstance(problem, OSError):
        return EngramError(f"{type(problem).__name__}: {problem}")
    if (found := find_in_the_way(problem)) is not None:
        return found
    where = f" {problem.filename}" if problem.filename else ""
    if problem.errno == errno.ENAMETOOLONG:
        return BadValueError(f"cannot use{where}: the name is too long", hint="give a shorter one")
    why = problem.strerror or type(problem).__name__
    return EngramError(f"cannot use{where}: {why}", hint="check its permissions and the room on the disk")
