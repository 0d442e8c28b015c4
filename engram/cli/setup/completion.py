"""`engram completion`: what a shell runs so that the tab key completes commands, options, entities and ids."""

import click
from click.shell_completion import get_completion_class

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation

_VARIABLE = "_ENGRAM_COMPLETE"  # click's, by which the shell asks
_USE = {
    "bash": 'put this into ~/.bashrc: eval "$(engram completion bash)"',
    "zsh": 'put this into ~/.zshrc: eval "$(engram completion zsh)"',
    "fish": "engram completion fish > ~/.config/fish/completions/engram.fish",
}


@click.command(cls=EngramCommand)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print the script by which a shell completes commands, options, entities and ids.

    \b
    Example:
      engram completion bash
    """
    asked = invocation()
    root = click.get_current_context().find_root().command
    made = get_completion_class(shell)
    assert made is not None  # noqa: S101 - click knows all three
    script = made(root, {}, "engram", _VARIABLE).source()
    asked.emit({"shell": shell, "script": script, "use": _USE[shell]}, f"# {_USE[shell]}\n{script}", exact=True)
