"""Runs the engram command with parts of it exchanged, for benchmarks: engram_with.py EXCHANGES ARGUMENT...

EXCHANGES is a JSON object: {"module:name": value} puts a value in the place of a module's name, and the name "embedder"
with the value "random" makes every text's vector a random direction. A name that is not there is an error: an ablation
that changes nothing must not look like a result.
"""

import importlib
import json
import sys
from collections.abc import Mapping
from typing import Any


def exchange(parts: Mapping[str, Any]) -> None:
    """Put the values in their places; raise AttributeError when there is no such place."""
    for place, value in parts.items():
        if place == "embedder":
            use_random_vectors()
            continue
        module_name, _, name = place.partition(":")
        module = importlib.import_module(module_name)
        getattr(module, name)
        setattr(module, name, value)


def use_random_vectors() -> None:
    """Let every workspace of this process embed with random directions."""
    from generated_text import RandomEmbedder  # noqa: PLC0415 - beside its one use

    from engram.store.embedding import choice  # noqa: PLC0415 - beside its one use

    embedder = RandomEmbedder()
    choice.choose_embedder = lambda *_, **__: (embedder, embedder.name)  # type: ignore[assignment]


def main(arguments: list[str]) -> None:
    """Exchange, then run the command."""
    exchange(json.loads(arguments[0]))
    from engram.cli.entry import run  # noqa: PLC0415 - after the parts it is made of

    sys.argv = ["engram", *arguments[1:]]
    run()


if __name__ == "__main__":
    main(sys.argv[1:])
