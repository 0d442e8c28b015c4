"""Where a process begins: a hook, a plain `write` and `signal TEXT` go a short way, all else through click.

Light: click is a third of what a hook takes, and of what `write --wait 0` takes. The short way of hooks is for what
`hooks install` writes into a host's settings, and nothing else; those of `write` and `signal` are for plain arguments
(`cli.facts.short_write`, `cli.facts.short_signal`). Any other spelling is the command line's, which does the same.
"""

import atexit
import contextlib
import os
import sys
from types import ModuleType
from typing import TYPE_CHECKING
from typing import NamedTuple
from typing import NoReturn

from engram.base.machine.garbage import seldom_collect
from engram.base.text import is_utf8
from engram.cli.terminal.streams import open_missing
from engram.cli.terminal.streams import silence_stdout
from engram.cli.terminal.streams import speak_utf8

if TYPE_CHECKING:
    from engram.cli.invocation.asked import Spooled

_OTHERS_RIGHTS = 0o077  # that no file gets which is made here: a memory is its owner's alone
_ENGINES = {"duckdb", "qdrant_edge"}  # loaded: the process may have started threads, and be awaited by handlers
_LONG_WAY = frozenset({"_ENGRAM_COMPLETE", "ENGRAM_OTEL"})  # variables: a shell asks click for words; who is told of it


class HookCall(NamedTuple):
    """`[--workspace DIR] hooks run EVENT [--host NAME]`."""

    workspace_dir: str | None
    event: str
    host: str | None


def run() -> NoReturn:
    """Console entry point: leave with the command's exit code."""
    os.umask(_OTHERS_RIGHTS)
    seldom_collect()
    open_missing()
    args = sys.argv[1:]
    call = hook_call(args)
    code = _run_hook(call) if call is not None else _run_short(args)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as problem:  # what was asked is done, but nobody was told
        silence_stdout()
        code = code or 1
        sys.stderr.write(f"error: the answer could not be written: {problem.strerror}\n")
    _end(code)


def _end(code: int) -> NoReturn:
    """End the process as the interpreter does, but for taking itself apart, a fifth of a `write`.

    Whoever opened something has closed it. Where an engine was loaded, threads are waited for and exit handlers called.
    """
    if _ENGINES & sys.modules.keys():
        import threading  # noqa: PLC0415 - no short way needs it

        threading._shutdown()  # type: ignore[attr-defined] # as the interpreter does at its end; so with the handlers
        atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):
            stream.flush()
    os._exit(code)


def hook_call(args: list[str]) -> HookCall | None:
    """Return what a host asks for when the arguments are as `hooks install` spells them, else None."""
    workspace_dir, rest = None, args
    if len(args) > 1 and args[0] == "--workspace":
        workspace_dir, rest = args[1], args[2:]
    match rest:
        case ["hooks", "run", event]:
            call = HookCall(workspace_dir, event, None)
        case ["hooks", "run", event, "--host", host]:
            call = HookCall(workspace_dir, event, host)
        case _:
            return None
    return call if all(map(_is_plain, filter(None, call))) and event else None


def _is_plain(argument: str) -> bool:
    """Tell whether an argument is no option, and valid UTF-8."""
    return not argument.startswith("-") and is_utf8(argument)


def _run_hook(call: HookCall) -> int:
    from engram.hooks import run as hooks  # noqa: PLC0415 - see the module's first lines

    speak_utf8()
    done = hooks.run_hook(call.event, hooks.read_event(), call.workspace_dir, call.host)
    if done is not None and done.stdout:
        try:
            sys.stdout.write(f"{done.stdout}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            silence_stdout()
    return 0


def _run_short(args: list[str]) -> int:
    """Do what a shorter way than click's can, and leave the rest to click."""
    try:
        done = _short_answer(args) if _LONG_WAY.isdisjoint(os.environ) else None
    except BrokenPipeError:  # the reader of the answer has gone
        silence_stdout()
        return 0
    except (Exception, KeyboardInterrupt) as problem:  # noqa: BLE001 - the boundary of a process, as `cli.main` is
        code: int = _command_line().report(problem, as_json="--json" in args)
        return code
    return done if isinstance(done, int) else _run_command(done)


def _short_answer(args: list[str]) -> "int | Spooled | None":
    """Return what `cli.facts.short_write` does, or `cli.facts.short_signal`; None for other commands."""
    if "write" in args[:4]:
        from engram.cli.facts import short_write  # noqa: PLC0415 - see the module's first lines

        return short_write.answer(args)
    if "signal" in args[:2]:
        from engram.cli.facts import short_signal  # noqa: PLC0415 - see the module's first lines

        return short_signal.answer(args)
    return None


def _run_command(spooled: "Spooled | None" = None) -> int:
    code: int = _command_line().main(ends_process=True, spooled=spooled)
    return code


def _command_line() -> ModuleType:
    from engram.cli import main  # noqa: PLC0415 - see the module's first lines

    return main
