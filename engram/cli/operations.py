"""Operations: rebuild, verify."""

from collections.abc import Sequence

import click

from engram.base.counts import counted
from engram.cli.options import EngramCommand
from engram.cli.options import invocation
from engram.cli.options import table
from engram.operations.upkeep import REBUILDABLE
from engram.operations.upkeep import Upkeep


@click.command(cls=EngramCommand)
@click.argument("what", type=click.Choice([*REBUILDABLE, "all"]), default="all")
@click.option("--dry-run", is_flag=True, help="Say what would be made anew and change nothing.")
def rebuild(*, what: str, dry_run: bool) -> None:
    """Make the database, the index, the mirror or all of them anew from the journal.

    \b
    Example:
      engram rebuild all
    """
    asked = invocation()
    workspace = asked.workspace()
    if dry_run:
        names = list(REBUILDABLE) if what == "all" else [what]
        asked.emit({"dry_run": True, "rebuild": names}, f"would rebuild {', '.join(names)}")
        return
    done = Upkeep(workspace).rebuild(what)
    asked.emit({"rebuilt": done}, table([(name, _words(stats)) for name, stats in done.items()]))


@click.command(cls=EngramCommand)
def verify() -> int:
    """Check the journal's hash chain and every projection against it, and print the digests.

    \b
    Example:
      engram verify
    """
    asked = invocation()
    checked = Upkeep(asked.workspace()).verify()
    if asked.for_screen and not checked.problems:
        asked.emit({}, _verified(checked.position, checked.degraded))
        return 0
    rows = [("journal", f"position {checked.position}, head {checked.head[:16]}")]
    rows += [(f"  {name}", digest[:16]) for name, digest in checked.digests["database"].items()]
    rows += [(name, checked.digests[name][:16] or "none") for name in ("index", "mirror")]
    rows += [("degraded", word) for word in checked.degraded] + [("PROBLEM", word) for word in checked.problems]
    asked.emit(checked.as_json(), table([*rows, ("verdict", "damaged" if checked.problems else "ok")]))
    return 6 if checked.problems else 0


def _verified(position: int, degraded: Sequence[str]) -> str:
    lines = [f"the journal is whole ({counted(position, 'record')}); database, index and life/ are as it says"]
    return "\n".join([*lines, *(f"degraded: {word}" for word in degraded), "--json has head and digests"])


def _words(stats: dict[str, object]) -> str:
    """Return what was made anew; what there is none of is left out."""
    told = {name.replace("_", " "): value for name, value in stats.items() if value not in ([], 0, (), None)}
    return ", ".join(f"{name} {value}" for name, value in told.items()) or "done"
