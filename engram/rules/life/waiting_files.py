"""What the files in ops/tensions and ops/observations say: one for each thing that waits for review. Pure.

The same database gives the same bytes: no clock, and no line numbers, which move. What is private to a session or an
agent stands in no file, and what tries to give orders is only named. Each file ends with the hash of what stands above,
so that one that somebody edited is known without a list of what was written.
"""

import datetime as dt
import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final

from engram.base.clock import local_day
from engram.base.text import sha256_hex
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.tension import Tension
from engram.rules.temporal import written_begin

HIDDEN: Final = "(withheld: it tries to give orders; engram review shows it to a person)"
_END: Final = re.compile(rb"\n<!-- engram sha256:([0-9a-f]{64}) -->\n$")


def render_tension(tension: Tension, facts: Mapping[str, Fact], zone: dt.tzinfo) -> bytes | None:
    """Return the file of an open tension; None when one of its facts is private or unknown."""
    sides = [facts.get(side) for side in (tension.fact1, tension.fact2)]
    known = [side for side in sides if side is not None and side.scope == SHARED]
    if len(known) < len(sides):
        return None
    why = tension.text if tension.kind == "manual" else tension.text.rpartition("): ")[2]
    lines = [
        f"# {tension.id}: can both hold?",
        "",
        *(line for number, side in enumerate(known, 1) for line in _quoted(f"{number}. ", side, zone)),
        "",
        f"Why: {tension.kind}: {_one_line(why)}. Open since {local_day(tension.opened_at, zone)}.",
        "",
        f"To settle it: `engram review`, or `engram tension resolve {tension.id} --outcome OUTCOME`.",
    ]
    return _sealed(lines)


def render_observation(observation: Observation, facts: Mapping[str, Fact], zone: dt.tzinfo) -> bytes | None:
    """Return the file of an open observation; None when it is private."""
    if observation.scope != SHARED:
        return None
    harmless = observation.trust != Trust.QUARANTINED
    about = f", about {observation.entity}" if observation.entity else ""
    first, last = local_day(observation.opened_at, zone), local_day(observation.seen_at, zone)
    times = "once" if observation.seen == 1 else f"{observation.seen} times"
    evidence = [facts[key] for key in observation.facts if key in facts and facts[key].scope == SHARED]
    lines = [
        f"# {observation.id}: {observation.category}{about}",
        "",
        _one_line(observation.text) if harmless else HIDDEN,
        "",
        f"ObservationKey {times}, first {first}, last {last}.",
    ]
    if observation.suggestion and harmless:
        target = "a line of MEMORY.md" if observation.suggestion.target == "memory" else "a fact"
        lines += ["", f"Could become {target}: {_one_line(observation.suggestion.text)}"]
    if evidence:
        lines += ["", "It stands on:", "", *(line for fact in evidence for line in _quoted("- ", fact, zone))]
    answer = f"engram review answer {observation.id} promote"
    return _sealed([*lines, "", f"To settle it: `engram review`, or `{answer}` (or `dismiss`)."])


def is_ours(content: bytes) -> bool:
    """Tell whether a file is as Engram wrote it."""
    end = _END.search(content)
    return end is not None and sha256_hex(content[: end.start()]).encode() == end[1]


def _sealed(lines: Sequence[str]) -> bytes:
    body = "\n".join(lines).encode()
    return body + f"\n<!-- engram sha256:{sha256_hex(body)} -->\n".encode()


def _quoted(mark: str, fact: Fact, zone: dt.tzinfo) -> list[str]:
    source = fact.source
    said = source.path or source.label or f"said by {source.actor}"
    where = f"{said}, session {source.session}" if source.session and not source.path else said
    text = _one_line(fact.text) if fact.trust != Trust.QUARANTINED else HIDDEN
    return [f"{mark}“{text}”", f"   {fact.id}, {written_begin(fact, zone)}, {where}"]


def _one_line(text: str) -> str:
    """Return the text on one line, unable to pass for the seal."""
    return " ".join(text.split()).replace("<!--", "‹!--")
