"""By what the columns were made that follow from the words of a fact: of patterns, and of the code that reads them.

Invariant: in `KINDS` stands every folder and file of patterns that `renewal_keys` or `ends_at` reads.
"""

import hashlib
from functools import cache
from pathlib import Path
from typing import Final

import engram
from engram.language import PATTERNS

KINDS: Final = (
    *("answer_kinds", "answers", "attributes", "attributes.toml", "changes", "clauses", "clock", "comparing"),
    *(
        "corrections",
        "dates",
        "former",
        "function_words",
        "hints",
        "kinds",
        "lead_ins",
        "lines",
        "names",
        "scripts",
        "sentences",
        "stances",
        "terms",
    ),
    *("updates", "validity", "values"),
)
_LENGTH: Final = 16  # characters, as of the format of the tables


@cache
def derivation() -> str:
    """Return what differs between two Engrams that may read other keys or another end in the same words."""
    return derivation_of(Path(PATTERNS), engram.__version__)


def derivation_of(patterns: Path, version: str) -> str:
    """Return the digest of a version and of its patterns; the same wherever and whenever they were installed."""
    digest = hashlib.sha256(version.encode())
    for kind in KINDS:
        place = patterns / kind
        for file in sorted(place.glob("*.toml")) if place.is_dir() else [place]:
            digest.update(f"\0{kind}/{file.name}\0".encode() + file.read_bytes())
    return digest.hexdigest()[:_LENGTH]
