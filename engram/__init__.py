"""Engram: a knowledge-graph fact store with a heartbeat, for AI agents.

From Python: `engram.open(path)` gives a `Memory`, with the verbs of the command line as methods; docs/PYTHON.md shows
them at work. The names are loaded when they are first used: a hook that imports this package must not wait for engines.
"""

TYPE_CHECKING = False  # as in `typing`, which alone would double what an import of this package takes

if TYPE_CHECKING:
    from engram.api.memory import Memory
    from engram.api.memory import init_memory as init
    from engram.api.memory import open_memory as open  # noqa: A004 - engram.open is meant, as in gzip.open
    from engram.api.values import FactView
    from engram.errors import EngramError
    from engram.model.commands.command import CommandResult
    from engram.model.document import Hit
    from engram.services.recall.query import RecallAnswer

__version__ = "0.21.0"
__all__ = ["CommandResult", "EngramError", "FactView", "Hit", "Memory", "RecallAnswer", "init", "open"]

_HOMES = {  # public name -> module and name there
    "CommandResult": ("engram.model.commands.command", "CommandResult"),
    "EngramError": ("engram.errors", "EngramError"),
    "FactView": ("engram.api.values", "FactView"),
    "Hit": ("engram.model.document", "Hit"),
    "Memory": ("engram.api.memory", "Memory"),
    "RecallAnswer": ("engram.services.recall.query", "RecallAnswer"),
    "init": ("engram.api.memory", "init_memory"),
    "open": ("engram.api.memory", "open_memory"),
}


if not TYPE_CHECKING:  # a type checker would take every misspelt name for one that is there

    def __getattr__(name: str) -> object:
        """Load a public name when it is first asked for."""
        if name not in _HOMES:
            raise AttributeError(f"module 'engram' has no attribute {name!r}")
        module, inside = _HOMES[name]
        globals()[name] = found = getattr(__import__(module, fromlist=[inside]), inside)
        return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
