"""`engram migrate-store`: the journal to a server that several machines share, or back."""

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.errors import UsageError
from engram.operations.store_migration import FILES
from engram.operations.store_migration import MigrationReport
from engram.operations.store_migration import migrate_to_files
from engram.operations.store_migration import migrate_to_server


@click.command("migrate-store", cls=EngramCommand)
@click.argument("to", metavar="[URL|files]", required=False)
@click.option("--to", "place", metavar="URL|files", help="Where the journal goes, if that is not said without it.")
@click.option("--name", metavar="NAME", help="Name of this memory on the server (default: journal.workspace).")
@click.option("--server-is-gone", is_flag=True, help="With files: go on with what this machine has.")
@click.option("--dry-run", is_flag=True, help="Say what would be moved; asks no server and changes nothing.")
def migrate_store(*, to: str | None, place: str | None, name: str | None, server_is_gone: bool, dry_run: bool) -> None:
    """Move the journal to a PostgreSQL server, where other machines can share it, or back into the workspace.

    The settings name the new place only when both give the same digest. If a move is cut short, the same command goes
    on with it. After a move to files the server's journal takes no more records; it is not deleted. The address holds
    no password: the driver finds it in ~/.pgpass or PGPASSWORD.

    \b
    Example:
      engram migrate-store --to postgresql://engram@db/engram --name team --dry-run
    """
    check_words(name=name)
    if bool(to) == bool(place):
        hint = "engram migrate-store postgresql://engram@db/engram, or engram migrate-store files"
        raise UsageError("where does the journal go?", hint=hint)
    place = to or place or ""
    asked = invocation()
    if place == FILES:
        if name:
            raise UsageError("--name is for a move to a server", hint="engram migrate-store --to files")
        done = migrate_to_files(asked.workspace(), server_is_gone=server_is_gone, dry_run=dry_run)
    else:
        if server_is_gone:
            raise UsageError("--server-is-gone is for a move to files", hint="engram migrate-store --help")
        done = migrate_to_server(asked.workspace(), place, name or "", dry_run=dry_run)
    asked.emit({**done.as_json(), "dry_run": dry_run}, _text(done, dry_run=dry_run))


def _text(done: MigrationReport, *, dry_run: bool) -> str:
    where = "in files" if done.to == FILES else f"on the server, as {done.workspace}"
    if dry_run:
        return f"would move the journal: its {counted(done.position, 'record')} would be {where}"
    lines = [f"the journal ({counted(done.position, 'record')}) is {where} now"]
    lines += [f"digest {done.digest[:16]}, the same in both places"] if done.digest else []
    lines += ["start processes again that were running before the move"]
    return "\n".join(lines)
