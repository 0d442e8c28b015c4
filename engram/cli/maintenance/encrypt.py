"""Encryption at rest: `encrypt on`, `encrypt off`, `encrypt rekey` and `encrypt status`."""

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import EngramSet
from engram.cli.invocation.options import invocation
from engram.operations.encryption.status import CLEAR
from engram.operations.encryption.status import COVERED
from engram.operations.encryption.status import EncryptionReport
from engram.operations.encryption.status import encryption_report
from engram.operations.encryption.switch import Switch
from engram.operations.encryption.switch import Switched
from engram.warm.holder import stop

_DRY = "Say what would be done and change nothing."


@click.group(cls=EngramSet)
def encrypt() -> None:
    """Encryption at rest, with a key from a file, the key ring or a command.

    \b
    Example:
      engram config store.encryption_key file:~/.config/engram/store.key
      engram encrypt on
      engram encrypt status
    """


@encrypt.command(cls=EngramCommand)
@click.option("--dry-run", is_flag=True, help=_DRY)
def on(*, dry_run: bool) -> None:
    """Encrypt the store with the key of store.encryption_key, which is made where a file or key ring has none.

    Keep a copy of the key elsewhere: without it nothing can be read again. Meanwhile other commands wait, or are kept
    in the spool. If this is cut short, the same command goes on with it.

    \b
    Example:
      engram config store.encryption_key file:~/.config/engram/store.key
      engram encrypt on
    """
    asked = invocation()
    workspace = asked.workspace()
    switch = Switch(workspace)
    if dry_run:
        source = switch.plan_on()
        covered = {"dry_run": True, "source": source, "covered": list(COVERED), "in_the_clear": list(CLEAR)}
        asked.emit(covered, lambda: "\n".join([f"would encrypt with the key in {source}", *_coverage()]))
        return
    stop(workspace.paths)  # the warm process holds an index that is to go; the next prompt starts another
    done = switch.turn_on()
    asked.emit(_as_json(done), lambda: _done_text(done))


@encrypt.command(cls=EngramCommand)
@click.option("--dry-run", is_flag=True, help=_DRY)
def off(*, dry_run: bool) -> None:
    """Put the store into the clear again; if this is cut short, the same command goes on with it.

    \b
    Example:
      engram encrypt off
    """
    asked = invocation()
    workspace = asked.workspace()
    switch = Switch(workspace)
    if dry_run:
        source = switch.plan_off()
        asked.emit({"dry_run": True, "source": source}, "would put the store into the clear")
        return
    stop(workspace.paths)
    done = switch.turn_off()
    asked.emit(_as_json(done), lambda: _done_text(done))


@encrypt.command(cls=EngramCommand)
@click.option("--dry-run", is_flag=True, help=_DRY)
def rekey(*, dry_run: bool) -> None:
    """Let another key open the store: the one at the place that store.encryption_key names now.

    Nothing is written anew but the data key, which is wrapped with yours. Whoever has the old key and an older copy of
    the store still reads that copy; a new data key comes of `engram encrypt off` and `on`.

    \b
    Example:
      engram config store.encryption_key file:~/.config/engram/store-2.key
      engram encrypt rekey
    """
    asked = invocation()
    switch = Switch(asked.workspace())
    if dry_run:
        source = switch.plan_rekey()
        asked.emit({"dry_run": True, "source": source}, f"would let the key in {source} open the store")
        return
    done = switch.change_key()
    asked.emit(_as_json(done), lambda: _done_text(done))


@encrypt.command(cls=EngramCommand)
def status() -> int:
    """Say whether the store is encrypted, whether its key is there, and what is covered; exit 10 when work is left.

    \b
    Example:
      engram encrypt status --json
    """
    asked = invocation()
    report = encryption_report(asked.workspace())
    asked.emit(report.as_json(), lambda: _report_text(report))
    return 10 if report.needs_work else 0


def _as_json(done: Switched) -> dict[str, object]:
    return {**done._asdict(), "left": list(done.left), "backups": list(done.backups)}


def _done_text(done: Switched) -> str:
    if done.status == "rekeyed":
        lines = [f"the key in {done.source} opens the store now; keep the old one for backups that were made before"]
    elif done.status == "off":
        lines = [f"the store is in the clear again: {counted(done.files, 'file')} written anew"]
    else:
        lines = [f"encrypted with the key in {done.source}: {counted(done.files, 'file')} written anew", *_coverage()]
        lines += ["keep a copy of the key elsewhere: without it nothing can be read again"]
        lines += [f"made before, so in the clear: {name}" for name in done.backups]
    return "\n".join([*lines, *(f"not Engram's, so left as it is: {name}" for name in done.left)])


def _report_text(report: EncryptionReport) -> str:
    if report.phase == "off":
        where = f"; engram encrypt on would take the key in {report.setting}" if report.setting else ""
        return f"not encrypted{where}"
    phase = "encrypted" if report.phase == "on" else report.phase.replace("_", " ")
    lines = [f"{phase}, with the key in {report.source}"]
    lines += [f"key: {report.problem or 'it is there'}"]
    lines += [*_coverage()] if report.phase == "on" else [f"engram encrypt {report.phase[8:]} goes on with it"]
    if report.setting != report.source:
        lines += [f"store.encryption_key names {report.setting or 'no key'}; engram encrypt rekey takes that"]
    return "\n".join([*lines, *(f"in the clear, and should not be: {name}" for name in report.leftovers)])


def _coverage() -> list[str]:
    return [*COVERED, *(f"in the clear: {what}" for what in CLEAR)]
