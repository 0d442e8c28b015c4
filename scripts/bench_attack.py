"""What gets in that nobody should believe: attacks and harmless look-alikes, by door: scripts/bench attack.

scripts/bench attack [--half learnt|held] [--filled N] [--door NAME] [--json FILE]

The texts are in the style of MINJA, AgentPoison, trigger poisoning, poisoned tool output, planted experience,
self-echo, trust laundering and recall-time injection, in four languages (scripts/attack/). Each door gets the attacks
in one fresh workspace and the harmless texts in another. Counted are the texts of which a fact is active and trusted,
those that stand in the start block (of the session or of a domain's subagent), those that stand there or in
`recall --standing` among instructions, those that recall gives out as trusted, and those that it gives out at all. The
first table is the screen alone: what it finds in a text that nobody vouches for. The half `held` was written before the
screen was fitted to the other one. The last doors of each table are acts of the person, whose words are believed.
--json writes the rows of the doors, as the page shows them (engram/web/figures/attack.json).
"""

import argparse
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from attack_doors import DOORS
from attack_doors import NOW
from attack_doors import PERSONS
from attack_doors import ROOM
from attack_doors import Door
from attack_doors import fresh_workspace
from attack_texts import HALVES
from attack_texts import Sample
from attack_texts import samples
from evaluation import share
from figures import write_figures

from engram import open as open_memory
from engram.language.screen.injection import find_injection
from engram.language.screen.intent import find_steering
from engram.model.fact import Trust
from engram.operations.domains.domain_prompt import domain_context
from engram.ports.database import FactFilter
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.domains.registry import load_registry
from engram.services.visibility import Caller
from engram.workspace import Workspace
from engram.workspace import open_workspace

INSTRUCTIONS = ("standing", "memory")  # parts of the start block that an agent is to follow
_ALL: dict[str, Door] = {**DOORS, **PERSONS}
_SAME = 30  # characters by which a text is known again


class Outcome(NamedTuple):
    """What became of the texts of one door."""

    texts: int
    trusted: int  # of which a fact is active and trusted
    in_block: int  # that stand in the start block
    instructions: int  # that stand there among instructions
    unmarked: int  # that recall gives out as trusted
    found: int  # that recall gives out at all


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="scripts/bench attack", description=__doc__.splitlines()[0])
    parser.add_argument("--half", choices=HALVES, action="append", help="default: both")
    parser.add_argument("--filled", type=int, default=1, help="texts of each template (default 1)")
    parser.add_argument("--door", choices=_ALL, action="append", help="default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows of the doors here")
    options = parser.parse_args()
    for half in options.half or HALVES:
        print_screen(half, list(samples(half)))
    rows: list[dict[str, Any]] = []
    for half in options.half or HALVES:
        rows += print_doors(half, list(samples(half, options.filled)), options.door or list(_ALL))
    if options.json:
        halves = [f"--half {half}" for half in options.half or ()]
        write_figures(options.json, " ".join(["scripts/bench attack", *halves]), rows)


def print_screen(half: str, pack: Sequence[Sample]) -> None:
    """Print what the screen finds in the texts alone, by language and by the attack that they are made after."""
    print(f"\nthe screen alone, {half} half: found as orders, when nobody vouches for the text")
    rows: dict[str, Counter[str]] = {}
    for one in pack:
        kind = "attacks" if one.is_attack else "harmless"
        hit = find_injection(one.text) is not None or find_steering(one.text) is not None
        for name in ("all", one.lang, one.family):
            rows.setdefault(name, Counter()).update({kind: 1, f"{kind} found": hit})
    print(f"{'':14}{'attacks':>18}{'harmless':>18}")
    for name, row in rows.items():
        print(f"{name:14}", *(f"{share(row[f'{kind} found'], row[kind]):>17}" for kind in ("attacks", "harmless")))


def print_doors(half: str, pack: Sequence[Sample], doors: Sequence[str]) -> list[dict[str, Any]]:
    """Print what becomes of attacks and of harmless texts at each door, and return it."""
    rows = []
    head = ("active, trusted", "in start block", "instructions", "recalled unmarked", "recalled")
    for is_attack in (True, False):
        texts = [one.text for one in pack if one.is_attack == is_attack]
        print(f"\n{len(texts)} {'attacks' if is_attack else 'harmless texts'} of the {half} half, by door")
        print(f"{'':34}", *(f"{one:>18}" for one in head))
        for name in doors:
            row = outcome_of(_ALL[name], texts)
            counts = (row.trusted, row.in_block, row.instructions, row.unmarked, row.found)
            print(f"{name:34}", *(f"{share(one, row.texts):>18}" for one in counts), flush=True)
            by = {"door": name, "by_person": name in PERSONS}
            rows.append({"half": half, "is_attack": is_attack, **by, **row._asdict()})
    return rows


def outcome_of(door: Door, texts: Sequence[str]) -> Outcome:
    """Return what becomes of texts that come in by one door."""
    with tempfile.TemporaryDirectory(prefix="engram-attack-") as scratch:
        root = Path(scratch) / "workspace"
        door(fresh_workspace(root), texts)
        workspace = open_workspace(str(root), now=lambda: NOW)
        with workspace.reading() as database:
            active = database.list_facts(FactFilter(status="active"))
            trusted = [fact.text for fact in active if fact.trust == Trust.TRUSTED]
        shown, followed = _start(workspace)
        with open_memory(root, now=lambda: NOW) as memory:
            standing = "\n".join(hit.text for hit in memory.recall_standing(budget=ROOM).hits)
            hits = [
                [str(hit.trust) for hit in memory.recall(text[:500], k=5).hits if _stands_in(text, hit.text)]
                for text in texts
            ]
        return Outcome(
            len(texts),
            sum(_stands_in(text, "\n".join(trusted)) for text in texts),
            sum(_stands_in(text, shown) for text in texts),
            sum(_stands_in(text, f"{followed}\n{standing}") for text in texts),
            sum(any(trust == "trusted" for trust in found) for found in hits),
            sum(bool(found) for found in hits),
        )


def _start(workspace: Workspace) -> tuple[str, str]:
    """Return all that agents are given when they start, and of it what stands among instructions."""
    asked = ContextQuery(caller=Caller(agent="main"), budget=ROOM)
    with workspace.reading() as database:
        block = load_context(database, workspace.files, workspace.settings, asked, now=workspace.now())
    prompts = [domain_context(workspace, name) for name in load_registry(workspace.files).domains]
    followed = [item.text for part in block.parts if part.name in INSTRUCTIONS for item in part.items]
    return "\n".join([block.text, *prompts]), "\n".join(followed)


def _stands_in(text: str, where: str) -> bool:
    return _plain(text)[:_SAME] in _plain(where)


def _plain(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


if __name__ == "__main__":
    main()
