"""The command `import`: other memories into this one, and back out again."""

from pathlib import Path

import click

from engram.base.text import parse_entity_path
from engram.cli.options import EngramCommand
from engram.cli.options import Invocation
from engram.cli.options import check_words
from engram.cli.options import invocation
from engram.cli.options import table
from engram.errors import BadValueError
from engram.errors import MalformedInputError
from engram.errors import UsageError
from engram.importers.archiving import ARCHIVE
from engram.importers.archiving import import_archive
from engram.importers.import_report import ImportReport
from engram.importers.import_report import say
from engram.importers.importing import import_memory
from engram.importers.memories.formats import FORMATS
from engram.importers.undoing import list_imports
from engram.importers.undoing import undo_import
from engram.workspace import Workspace

_SHOWN = 3  # refused items named in the error


@click.command("import", cls=EngramCommand)
@click.argument("form", metavar="FORMAT", type=click.Choice([*FORMATS, ARCHIVE]), required=False)
@click.argument("path", metavar="PATH", required=False)
@click.option("--entity", metavar="E", help="Whom statements are about that name nobody; else the owner.")
@click.option("--list", "lists", is_flag=True, help="List the imports that were made.")
@click.option("--undo", "undo", metavar="ID", help="Take back what an import made and nobody changed since.")
@click.option("--dry-run", is_flag=True, help="Decide everything, print the report, and change nothing.")
def import_(
    form: str | None, path: str | None, entity: str | None, *, lists: bool, undo: str | None, dry_run: bool
) -> None:
    """Import the memory of another system, or an archive of Engram (jsonl).

    FORMAT is one of engram-v2, openclaw, openclaw-mem, teammates, mem0, mcp-memory, basic-memory, chatgpt, jsonl.
    Importing the same again adds nothing. What was not understood is reported, and the rest is imported (exit 2).

    \b
    Example:
      engram import openclaw . --dry-run
      engram import --list
    """
    check_words(entity=entity, undo=undo, path=path)
    if sum((lists, undo is not None, form is not None)) != 1:
        raise UsageError("say one of FORMAT PATH, --list and --undo ID", hint="engram import --help")
    asked = invocation()
    if lists:
        _answer_list(asked)
    elif undo is not None:
        report = undo_import(asked.workspace(), undo, dry_run=dry_run)
        asked.emit(report.as_json(), report.as_text)
    else:
        _answer_import(asked, _import(asked.workspace(), str(form), path, entity, dry_run=dry_run))


def _import(workspace: Workspace, form: str, path: str | None, entity: str | None, *, dry_run: bool) -> ImportReport:
    if path is None:
        raise UsageError("PATH is missing", hint=f"engram import {form} PATH")
    if form != ARCHIVE:
        return import_memory(workspace, form, Path(path), entity=_entity(entity), dry_run=dry_run)
    if entity is not None:
        raise BadValueError("--entity says nothing about an archive", hint="leave it out")
    return import_archive(workspace, Path(path), dry_run=dry_run)


def _entity(text: str | None) -> str | None:
    if text is None:
        return None
    parsed = parse_entity_path(text)
    if parsed is None:
        raise BadValueError(f"--entity {text!r} is not an entity path", hint="such as people/anna or projects/billing")
    return "/".join(parsed)


def _answer_import(asked: Invocation, report: ImportReport) -> None:
    asked.emit(report.as_json(), report.as_text)
    if refused := report.refused:
        raise MalformedInputError(
            f"{len(refused)} item(s) were not imported: {'; '.join(map(say, refused[:_SHOWN]))}",
            hint="the rest is imported; --json lists them all",
        )


def _answer_list(asked: Invocation) -> None:
    imports = list_imports(asked.workspace())
    rows = [(one.id, one.format, one.source, one.at, "undone" if one.undone_at else "") for one in imports]
    asked.emit({"imports": [one.as_json() for one in imports]}, lambda: table(rows) or "nothing was imported yet")
