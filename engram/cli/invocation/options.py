"""What every command shares: the options --workspace, --json and --now, and the reading of text.

Light: `engram signal` may take six times as long as an empty Python process, and click alone takes three and a half. So
`datetime` and `pathlib` (3 and 5 ms) are imported only by those who need them.
"""

import inspect
import sys
from collections.abc import Iterable
from io import BufferedReader
from typing import Any
from typing import cast

import click

from engram.base import telemetry
from engram.base.clock import from_iso
from engram.base.disk.given_files import open_given
from engram.base.disk.given_files import refuse_endless
from engram.base.text import has_control
from engram.base.text import is_utf8
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.words import no_such_command
from engram.errors import BadValueError
from engram.errors import MalformedInputError

STDIN = "-"
MAX_INPUT_BYTES = 64 * 1024 * 1024  # of one file or of standard input


def invocation() -> Invocation:
    """Return the invocation of the running command."""
    return click.get_current_context().ensure_object(Invocation)


def _set_workspace(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is not None:
        ctx.ensure_object(Invocation).workspace_dir = value


def _set_json(ctx: click.Context, _param: click.Parameter, value: bool) -> None:  # noqa: FBT001 - click's signature
    if value:
        ctx.ensure_object(Invocation).as_json = True


def _set_now(ctx: click.Context, _param: click.Parameter, value: str | None) -> None:
    if value is None:
        return
    try:
        ctx.ensure_object(Invocation).now_at = from_iso(value)
    except ValueError as problem:
        raise BadValueError(
            f"--now {value!r} is not an ISO 8601 instant with a time zone", hint="such as 2026-02-24T10:00:00Z"
        ) from problem


def common_options() -> list[click.Option]:
    """Return fresh options that stand before or after every command's name."""
    return [
        click.Option(
            ["--workspace"],
            metavar="DIR",
            expose_value=False,
            is_eager=True,
            callback=_set_workspace,
            help="Workspace folder; else ENGRAM_WORKSPACE, else the nearest folder with engram.toml, else ~/engram.",
        ),
        click.Option(
            ["--json"], is_flag=True, expose_value=False, is_eager=True, callback=_set_json, help="Print JSON."
        ),
        click.Option(
            ["--now"], metavar="ISO", expose_value=False, is_eager=True, callback=_set_now, help="Set the clock."
        ),
    ]


class SeveralOption(click.Option):
    """An option with commas between its values, as `ID,...`; given again, it adds to them."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take every value that is given."""
        super().__init__(*args, **{**kwargs, "multiple": True})

    def process_value(self, ctx: click.Context, value: Any) -> str | None:
        """Return all that was given, with commas between; None when nothing was."""
        given = super().process_value(ctx, value)
        return ",".join(given) if given else None


class WithExample(click.Command):
    """A command whose help ends with the example that stands last in its docstring."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Add the common options behind the command's own, and take the example out of the help."""
        super().__init__(*args, **kwargs)
        self.params.extend(common_options())
        words, _, tail = inspect.cleandoc(self.help or "").partition("\b\nExample:")
        self.help = words.strip()
        self.examples = [line.strip() for line in tail.splitlines() if line.strip()]

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002 - click's
        """Write the example as it is typed, not wrapped."""
        if self.examples:
            formatter.write("\nExample:\n" + "".join(f"  {line}\n" for line in self.examples))


class EngramSet(WithExample, click.Group):
    """A command that has others below it."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or say which ones have a name like it."""
        is_option = args[0].startswith("-")  # click says itself what is wrong with one
        if not (is_option or ctx.resilient_parsing) and self.get_command(ctx, args[0]) is None:
            raise no_such_command(ctx, args[0], self.list_commands(ctx))
        return super().resolve_command(ctx, args)


class EngramCommand(WithExample):
    """A command for which text that begins with a dash is text."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; a positional such as `-x is bad` is text because an option's name holds no space."""
        return super().parse_args(ctx, _dash_text_last(args, self._options_with_value()))

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command, and tell whoever asked to be told; one that leaves with code 0 has not failed."""
        with telemetry.observed(ctx.command_path, door="cli"):
            try:
                return super().invoke(ctx)
            except click.exceptions.Exit as left:
                if left.exit_code:
                    raise
        raise click.exceptions.Exit(0)

    def _options_with_value(self) -> set[str]:
        options = [param for param in self.params if isinstance(param, click.Option) and not param.is_flag]
        return {name for option in options for name in option.opts}


def _dash_text_last(args: list[str], with_value: set[str]) -> list[str]:
    kept: list[str] = []
    texts: list[str] = []
    for place, arg in enumerate(args):
        if arg == "--":
            return [*kept, "--", *texts, *args[place + 1 :]]
        is_value = bool(kept) and place > 0 and args[place - 1] in with_value
        name = arg.split("=", 1)[0]
        if arg.startswith("-") and any(ch.isspace() for ch in name) and not is_value:
            texts.append(arg)
        else:
            kept.append(arg)
    return [*kept, "--", *texts] if texts else kept


def read_text(name: str) -> str:
    """Return the UTF-8 text of a file, or of standard input for `-`.

    Raises MalformedInputError when it cannot be read, is too large, or is not UTF-8 text.
    """
    raw = _read_bytes(name)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as problem:
        raise MalformedInputError(
            f"{_called(name)} is not UTF-8 text (byte {problem.start})", hint="convert it to UTF-8 first"
        ) from problem
    if "\0" in text:
        raise MalformedInputError(f"{_called(name)} holds a NUL character", hint="only text can be read")
    return text


def open_input(name: str) -> BufferedReader:
    """Return a file, or standard input for `-`, open to be read once.

    Raises MalformedInputError when it cannot be read or has no end.
    """
    try:
        if name != STDIN:
            return open_given(name)
        refuse_endless(sys.stdin.buffer)
        return cast("BufferedReader", sys.stdin.buffer)
    except OSError as problem:
        raise _unreadable(name, problem) from problem


def _unreadable(name: str, problem: OSError) -> MalformedInputError:
    why = problem.strerror or "it cannot be read"
    return MalformedInputError(f"cannot read {_called(name)}: {why}", hint="check the file name")


def _called(name: str) -> str:
    return "standard input" if name == STDIN else name


def _read_bytes(name: str) -> bytes:
    with open_input(name) as file:
        try:
            raw = file.read(MAX_INPUT_BYTES + 1)
        except OSError as problem:
            raise _unreadable(name, problem) from problem
    if len(raw) > MAX_INPUT_BYTES:
        raise MalformedInputError(f"{_called(name)} is larger than {MAX_INPUT_BYTES >> 20} MiB", hint="split it")
    return raw


def check_words(**values: str | None) -> None:
    """Refuse option values that no option may hold: control characters and bytes that are not UTF-8."""
    for name, value in values.items():
        if value is not None:
            check_text(name.replace("_", "-"), value)


def check_text(name: str, value: str) -> None:
    """Refuse one value with a control character or broken UTF-8, naming the option."""
    if not has_control(value):
        return
    if not is_utf8(value):
        raise BadValueError(f"--{name} is not valid UTF-8", hint="pass text in UTF-8")
    raise BadValueError(f"--{name} holds a control character", hint="pass text without control characters")


def table(rows: Iterable[tuple[str, ...]]) -> str:
    """Return rows as left-aligned columns."""
    lines = [tuple(row) for row in rows]
    if not lines:
        return ""
    widths = [max(len(row[place]) for row in lines) for place in range(len(lines[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in lines
    )
