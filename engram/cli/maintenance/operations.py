"""Operations: rebuild, verify."""

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.options import table
from engram.operations.upkeep import REBUILDABLE
from engram.operations.upkeep import Upkeep
from engram.services.doctor.verify import Verified


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
@click.option("--expect", metavar="HEAD", help="A head that was noted down: the journal must go on from it.")
@click.option("--sign", is_flag=True, help="Sign the journal as it stands, whatever was signed before.")
def verify(*, expect: str | None, sign: bool) -> int:
    """Check the journal's hash chain and every projection against it, and print the digests.

    Heads of the journal are signed by the heartbeat and by `engram backup`, with a key outside of the workspace: a
    journal that is not what was signed is damaged (exit 6). HEAD is what `engram backup` prints: POSITION:HASH.

    \b
    Example:
      engram verify
    """
    check_words(expect=expect)
    asked = invocation()
    upkeep = Upkeep(asked.workspace())
    if sign:
        upkeep.sign()
    checked = upkeep.verify(expect or "")
    if asked.for_screen and not checked.problems:
        asked.emit({}, _verified(checked))
        return 0
    rows = [("journal", f"position {checked.position}, head {checked.head[:16]}")]
    rows += [(f"  {name}", digest[:16]) for name, digest in checked.digests["database"].items()]
    rows += [(name, checked.digests[name][:16] or "none") for name in ("index", "mirror")]
    rows.append(("signed", _signed(checked)))
    rows += [("degraded", word) for word in checked.degraded] + [("PROBLEM", word) for word in checked.problems]
    asked.emit(checked.as_json(), table([*rows, ("verdict", "damaged" if checked.problems else "ok")]))
    return 6 if checked.problems else 0


def _verified(checked: Verified) -> str:
    count = counted(checked.position, "record")
    lines = [f"the journal is whole ({count}); database, index and life/ are as it says", f"signed: {_signed(checked)}"]
    return "\n".join([*lines, *(f"degraded: {word}" for word in checked.degraded), "--json has head and digests"])


def _signed(checked: Verified) -> str:
    """Return up to where the journal is vouched for; what came later is, by nobody."""
    if checked.signed is None:
        return f"no; {checked.unsigned_because}" if checked.unsigned_because else "no"
    later = checked.signed["unsigned"]
    words = f"up to position {checked.signed['position']}, at {checked.signed['at']}"
    words += f"; {counted(later, 'record')} since then, which nobody vouches for" if later else ""
    return f"{words}; {checked.unsigned_because}" if checked.unsigned_because else words


def _words(stats: dict[str, object]) -> str:
    """Return what was made anew; what there is none of is left out."""
    told = {name.replace("_", " "): value for name, value in stats.items() if value not in ([], 0, (), None)}
    return ", ".join(f"{name} {value}" for name, value in told.items()) or "done"
