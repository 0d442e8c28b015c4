"""The command `export`: the whole store, for another place or for people."""

import click

from engram.cli.options import EngramCommand
from engram.cli.options import check_words
from engram.cli.options import invocation
from engram.importers.export_run import FORMATS
from engram.importers.export_run import STDOUT
from engram.importers.export_run import export_store


@click.command(cls=EngramCommand)
@click.argument("path", metavar="PATH", default=STDOUT)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="jsonl",
    help="jsonl: one archive with everything; markdown: a vault of notes; json: items.json of Engram v2.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be written and write nothing.")
def export(path: str, form: str, *, dry_run: bool) -> None:
    """Export the store to PATH; an archive goes to standard output when PATH is left out.

    The archive holds the journal and the files of memory/ to the byte, history and private scopes included:
    `engram import jsonl` makes the same store of it. A folder is written only where nothing is, or over an export
    that nobody changed.

    \b
    Example:
      engram export memory.jsonl
      engram export vault --format markdown
    """
    check_words(path=path)
    asked = invocation()
    report = export_store(asked.workspace(), path, form, dry_run=dry_run)
    if path != STDOUT or dry_run:
        asked.emit(report.as_json(), report.as_text)
