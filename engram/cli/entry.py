"""Where a process begins: a hook, which an agent's host runs at every turn, goes a short way, all else through click.

Light: click is a third of what a hook takes. The short way is for what `hooks install` writes into a host's settings,
and nothing else; any other spelling is the command line's, which does the same.
"""

import gc
import os
import sys
from typing import NamedTuple

from engram.cli.terminal.streams import open_missing
from engram.cli.terminal.streams import silence_stdout
from engram.cli.terminal.streams import speak_utf8

_OTHERS_RIGHTS = 0o077  # that no file gets which is made here: a memory is its owner's alone
_ENGINES = {"duckdb", "qdrant_edge"}  # loaded: the process may hold files open
_GARBAGE_FROM = 200_000  # new objects; with the usual 700 a tenth of a recall's time goes into looking for garbage


class HookCall(NamedTuple):
    """`[--workspace DIR] hooks run EVENT [--host NAME]`."""

    workspace_dir: str | None
    event: str
    host: str | None


def run() -> None:
    """Console entry point: leave with the command's exit code."""
    os.umask(_OTHERS_RIGHTS)
    gc.set_threshold(_GARBAGE_FROM, 10, 10)
    open_missing()
    call = hook_call(sys.argv[1:])
    code = _run_command() if call is None else _run_hook(call)
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        silence_stdout()
    except OSError as problem:  # what was asked is done, but nobody was told
        silence_stdout()
        code = code or 1
        sys.stderr.write(f"error: the answer could not be written: {problem.strerror}\n")
    if not _ENGINES & sys.modules.keys():  # nothing is open that an orderly end would close
        sys.stderr.flush()
        os._exit(code)  # a tenth of what `engram signal` takes would go into taking the interpreter apart
    sys.exit(code)


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
    return not argument.startswith("-") and not any("\ud800" <= ch <= "\udfff" for ch in argument)


def _run_hook(call: HookCall) -> int:
    from engram.hooks.run import read_event  # noqa: PLC0415 - see the module's first lines
    from engram.hooks.run import run_hook  # noqa: PLC0415 - as above

    speak_utf8()
    done = run_hook(call.event, read_event(), call.workspace_dir, call.host)
    if done is not None and done.stdout:
        try:
            sys.stdout.write(f"{done.stdout}\n")
            sys.stdout.flush()
        except BrokenPipeError:
            silence_stdout()
    return 0


def _run_command() -> int:
    from engram.cli.main import main  # noqa: PLC0415 - see the module's first lines

    return main(ends_process=True)
