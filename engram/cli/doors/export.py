"""The command `export`: the whole store, for another place or for people."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.errors import UsageError
from engram.importers.export_run import FORMATS
from engram.importers.export_run import STDOUT
from engram.importers.export_run import export_pool
from engram.importers.export_run import export_store
from engram.model.vocabulary import EXPERIENCE


@click.command(cls=EngramCommand)
@click.argument("path", metavar="PATH", default=STDOUT)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="jsonl",
    help="jsonl: one archive with everything; markdown: a vault of notes; json: items.json of Engram v2.",
)
@click.option(
    "--scope",
    type=click.Choice([EXPERIENCE]),
    help="Only the pool of lessons, for other workspaces of yours: an archive.",
)
@click.option("--redacted", is_flag=True, help="For others: what holds and is shared, without people and sources.")
@click.option("--dry-run", is_flag=True, help="Print what would be written and write nothing.")
def export(path: str, form: str, *, scope: str | None, redacted: bool, dry_run: bool) -> None:
    """Export the store to PATH; an archive goes to standard output when PATH is left out.

    The archive holds the journal and the files of memory/ to the byte, history and private scopes included:
    `engram import jsonl` makes the same store of it. A folder is written only where nothing is, or over an export
    that nobody changed. With --redacted, people that the memory knows are numbered, and private scopes, sources,
    history, notes and conversations stay out; read it before you share it. With --scope experience it is the lessons
    that agents wrote for all, each with who wrote it; `engram import jsonl` puts them into another pool, unverified.

    \b
    Example:
      engram export memory.jsonl
      engram export vault --format markdown
      engram export for-others --format markdown --redacted
      engram export lessons.jsonl --scope experience
    """
    check_words(path=path)
    if scope is not None and (redacted or form != FORMATS[0]):
        raise UsageError(
            "--scope goes with neither --redacted nor another --format", hint=f"engram export F --scope {scope}"
        )
    asked = invocation()
    if scope is not None:
        report = export_pool(asked.workspace(), path, dry_run=dry_run)
    else:
        report = export_store(asked.workspace(), path, form, redacted=redacted, dry_run=dry_run)
    if path != STDOUT or dry_run:
        asked.emit(report.as_json(), report.as_text)
