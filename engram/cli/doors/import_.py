"""The command `import`: other memories into this one, and back out again."""

import contextlib
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import click

from engram.base.clock import day_of
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import open_input
from engram.cli.invocation.options import table
from engram.cli.invocation.shell_words import complete_entity
from engram.cli.terminal.screen_lines import from_home
from engram.errors import MalformedInputError
from engram.errors import UsageError
from engram.importers.any_format import FORMATS
from engram.importers.any_format import import_any
from engram.importers.archive_import import ARCHIVE
from engram.importers.archive_lines import MAX_HEAD_BYTES
from engram.importers.archive_workspace import import_into
from engram.importers.import_report import ImportReport
from engram.importers.import_report import say
from engram.importers.import_undo import list_imports
from engram.importers.import_undo import undo_import
from engram.importers.memories.source import MAX_FILE_BYTES

STDIN = "-"
_SHOWN = 3  # refused items named in the error


@click.command("import", cls=EngramCommand)
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS), required=False)
@click.argument("path", metavar="PATH", required=False)
@click.option(
    "--entity",
    metavar="E",
    help="Whom statements are about that name nobody; else the owner.",
    shell_complete=complete_entity,
)
@click.option("--as-own", is_flag=True, help="You made this archive: take it over as it is, unscreened.")
@click.option("--into", metavar="DIR", help="With jsonl: make a workspace of the archive in this new folder.")
@click.option("--list", "lists", is_flag=True, help="List the imports that were made.")
@click.option("--undo", "undo", metavar="ID", help="Take back what an import made and nobody changed since.")
@click.option("--dry-run", is_flag=True, help="Decide everything, print the report, and change nothing.")
def import_(  # noqa: PLR0913 - the options of the command
    form: str | None,
    path: str | None,
    entity: str | None,
    *,
    as_own: bool,
    into: str | None,
    lists: bool,
    undo: str | None,
    dry_run: bool,
) -> None:
    """Import the memory of another system, or an archive of Engram (jsonl); PATH `-` is standard input.

    FORMAT is one of engram-v2, openclaw, openclaw-mem, teammates, mem0, mcp-memory, basic-memory, chatgpt, jsonl.
    Importing the same again adds nothing. What was not understood is reported, and the rest is imported (exit 2).

    An archive gives the same store in a folder of its own (--into), or in a workspace that knows nothing yet. Into any
    other it is merged: with new ids, and believed as an import is.

    \b
    Example:
      engram import openclaw . --dry-run
      engram import --list
    """
    check_words(entity=entity, undo=undo, path=path, into=into)
    if sum((lists, undo is not None, form is not None)) != 1:
        raise UsageError("say one of FORMAT PATH, --list and --undo ID", hint="engram import --help")
    asked = invocation()
    if lists:
        _answer_list(asked)
    elif undo is not None:
        undone = undo_import(asked.workspace(), undo, dry_run=dry_run)
        asked.emit(undone.as_json(), undone.as_text)
    else:
        if path is None:
            raise UsageError("PATH is missing", hint=f"engram import {form} PATH")
        with _file(path, str(form)) as file:
            if into is not None:
                report = _import_into(asked, str(form), file, entity, into, as_own=as_own, dry_run=dry_run)
            else:
                workspace = asked.workspace()
                workspace.progress(f"importing {form}")
                report = import_any(workspace, str(form), file, entity=entity, as_own=as_own, dry_run=dry_run)
        _answer_import(asked, report)


def _import_into(
    asked: Invocation, form: str, file: Path, entity: str | None, into: str, *, as_own: bool, dry_run: bool
) -> ImportReport:
    if form != ARCHIVE:
        raise UsageError("--into is for an archive of Engram", hint=f"engram init {into} makes a workspace")
    if entity is not None:
        raise UsageError("an archive says whom it is about", hint="leave out --entity")
    return import_into(file, into, now=asked.now, as_own=as_own, dry_run=dry_run)


@contextlib.contextmanager
def _file(path: str, form: str) -> Iterator[Path]:
    """Give the path to read; standard input, or a pipe, as a file with one name: an archive is read thrice."""
    if path != STDIN and not Path(path).is_fifo():
        yield Path(path)
        return
    with open_input(path) as given, tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "stdin")
        with file.open("wb") as out:
            if form != ARCHIVE:
                out.write(given.read(MAX_FILE_BYTES + 1))  # so much shows that it is too large
            elif out.write(given.readline(MAX_HEAD_BYTES + 1)) <= MAX_HEAD_BYTES:  # else it is none, as will be seen
                shutil.copyfileobj(given, out)
        yield file


def _answer_import(asked: Invocation, report: ImportReport) -> None:
    asked.emit(report.as_json(), report.as_text)
    if refused := report.refused:
        raise MalformedInputError(
            f"{len(refused)} item(s) were not imported: {'; '.join(map(say, refused[:_SHOWN]))}",
            hint=f"{'the rest is imported' if report.items else 'nothing was imported'}; --json lists them all",
        )


def _answer_list(asked: Invocation) -> None:
    workspace = asked.workspace()
    imports, zone = list_imports(workspace), workspace.settings.zone
    rows = [(one.id, one.format, one.source, one.at, "undone" if one.undone_at else "") for one in imports]
    asked.emit_table(
        {"imports": [one.as_json() for one in imports]},
        lambda: table(rows) or "nothing was imported yet",
        [("id", False), ("format", False), ("from", True), ("when", False), ("", False)],
        [(*row[:2], from_home(row[2]), day_of(row[3], zone), row[4]) for row in rows],
    )
