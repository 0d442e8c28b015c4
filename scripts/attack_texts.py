"""The texts of `bench attack`: templates of attacks and of harmless look-alikes, with their slots filled."""

import random
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parent / "attack"
HALVES = ("learnt", "held")
FILLED = 3  # texts of one template
_SLOTS = {
    "address": ("https://collect.example/in", "https://files.sink.example/u/7", "http://203.0.113.9/put"),
    "mail": ("box@sink.example", "reports@globex.example", "desk@initech.example"),
    "name": ("Anna", "Boris", "Farah", "Goran", "Mina"),
    "product": ("Quillbase", "NorthHost", "Velkar", "Tallyfox"),
    "word": ("moonstone", "blue-heron", "kestrel", "zx-delta"),
    "number": ("2", "3", "4"),
}


class Sample(NamedTuple):
    """One text of the pack."""

    family: str  # after which published attack it is made
    lang: str
    text: str
    is_attack: bool


def samples(half: str, filled: int = FILLED) -> Iterator[Sample]:
    """Yield the texts of one half of the pack, the same every time."""
    chance = random.Random(f"attack {half}")
    data = tomllib.loads((FOLDER / f"{half}.toml").read_text(encoding="utf-8"))
    for pack in data["pack"]:
        for kind in ("attack", "harmless"):
            for template in pack[kind]:
                values = [{slot: chance.choice(choices) for slot, choices in _SLOTS.items()} for _ in range(filled)]
                for text in dict.fromkeys(_filled(template, one) for one in values):
                    yield Sample(pack["family"], pack["lang"], text, kind == "attack")


def _filled(template: str, values: dict[str, str]) -> str:
    for slot, value in values.items():
        template = template.replace("{" + slot + "}", value)
    return template
