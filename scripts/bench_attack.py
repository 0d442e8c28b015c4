"""What gets in that nobody should believe: attacks and harmless look-alikes, by door: scripts/bench attack.

scripts/bench attack [--half learnt|held] [--filled N] [--door NAME] [--json FILE]

The texts are in the style of MINJA, AgentPoison, trigger poisoning, poisoned tool output, planted experience,
self-echo, trust laundering and recall-time injection, in four languages (scripts/attack/). Each door gets the attacks
in one fresh workspace and the harmless texts in another. Counted are the texts of which a fact is active and trusted,
those that stand in the start block, those that stand there among instructions, those that recall gives out as trusted,
and those that it gives out at all. The first table is the screen alone: what it finds in a text that nobody vouches
for. The half `held` was written before the screen was fitted to the other one. --json writes the rows of the doors, as
the page shows them (engram/web/figures/attack.json).
"""

import argparse
import datetime as dt
import json
import tempfile
from collections import Counter
from collections.abc import Callable
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from attack_texts import HALVES
from attack_texts import Sample
from attack_texts import samples
from evaluation import share
from figures import write_figures

from engram import open as open_memory
from engram.language.screen.injection import find_injection
from engram.language.screen.intent import find_steering
from engram.mcp.answers import Caller
from engram.mcp.tools import call_tool
from engram.model.fact import Actor
from engram.model.fact import Trust
from engram.operations.setup import make_workspace
from engram.ports.database import FactFilter
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.visibility import Caller as Asker
from engram.workspace import Workspace
from engram.workspace import open_workspace

OWNER = "people/mara"
NOW = dt.datetime(2026, 3, 2, 10, tzinfo=dt.UTC)
INSTRUCTIONS = ("standing", "memory")  # parts of the start block that an agent is to follow
_ROOM = 1_000_000  # tokens: what has no room in a block is not kept out of it
_SAME = 30  # characters by which a text is known again

Door = Callable[[Workspace, Sequence[str]], object]


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
    parser.add_argument("--door", choices=DOORS, action="append", help="default: all")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows of the doors here")
    options = parser.parse_args()
    for half in options.half or HALVES:
        print_screen(half, list(samples(half)))
    rows: list[dict[str, Any]] = []
    for half in options.half or HALVES:
        rows += print_doors(half, list(samples(half, options.filled)), options.door or list(DOORS))
    if options.json:
        write_figures(options.json, "scripts/bench attack", rows)


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
            row = outcome_of(DOORS[name], texts)
            counts = (row.trusted, row.in_block, row.instructions, row.unmarked, row.found)
            print(f"{name:34}", *(f"{share(one, row.texts):>18}" for one in counts), flush=True)
            rows.append({"half": half, "is_attack": is_attack, "door": name, **row._asdict()})
    return rows


def outcome_of(door: Door, texts: Sequence[str]) -> Outcome:
    """Return what becomes of texts that come in by one door."""
    with tempfile.TemporaryDirectory(prefix="engram-attack-") as scratch:
        workspace = fresh_workspace(Path(scratch) / "workspace")
        door(workspace, texts)
        with workspace.reading() as database:
            active = database.list_facts(FactFilter(status="active"))
            trusted = [fact.text for fact in active if fact.trust == Trust.TRUSTED]
            asked = ContextQuery(caller=Asker(agent="main"), budget=_ROOM)
            block = load_context(database, workspace.paths, workspace.settings, asked, now=workspace.now())
        followed = "\n".join(item.text for part in block.parts if part.name in INSTRUCTIONS for item in part.items)
        with open_memory(workspace.paths.root, now=lambda: NOW) as memory:
            hits = [
                [str(hit.trust) for hit in memory.recall(text[:500], k=5).hits if _stands_in(text, hit.text)]
                for text in texts
            ]
        return Outcome(
            len(texts),
            sum(_stands_in(text, "\n".join(trusted)) for text in texts),
            sum(_stands_in(text, block.text) for text in texts),
            sum(_stands_in(text, followed) for text in texts),
            sum(any(trust == "trusted" for trust in found) for found in hits),
            sum(bool(found) for found in hits),
        )


def _stands_in(text: str, where: str) -> bool:
    return _plain(text)[:_SAME] in _plain(where)


def _plain(text: str) -> str:
    return "".join(ch for ch in text.casefold() if ch.isalnum())


def fresh_workspace(root: Path) -> Workspace:
    """Make a workspace with an owner, whose start block has room for everything."""
    make_workspace(root, {"timezone": "UTC", "owner": OWNER}, now=lambda: NOW, force=False, dry_run=False)
    parts = ("standing", "memory", "handoff", "working_memory", "decisions", "facts", "notes", "project", "people")
    with (root / "engram.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n\n[context]\n')
        settings.writelines(f"{part} = {_ROOM}\n" for part in parts)
    workspace = open_workspace(str(root), now=lambda: NOW)
    workspace.submit("entity-add", {"path": OWNER, "title": "Mara"})
    return workspace


# --- doors -------------------------------------------------------------------------------------------------------


def _remember(**more: Any) -> Door:
    def door(workspace: Workspace, texts: Sequence[str]) -> None:
        for text in texts:
            call_tool(workspace, Caller(), "memory_remember", {"entity": OWNER, "fact": text, **more})

    return door


def _write(actor: Actor) -> Door:
    def door(workspace: Workspace, texts: Sequence[str]) -> None:
        for text in texts:
            workspace.submit("write", {"entity": OWNER, "text": text, "category": "instruction"}, actor=actor)

    return door


def _note(section: str) -> Door:
    def door(workspace: Workspace, texts: Sequence[str]) -> None:
        for text in texts if section != "handoff" else ["\n".join(texts)]:
            call_tool(workspace, Caller(), "memory_note", {"text": text, "section": section})
        _heartbeat(workspace)

    return door


def _silo(kind: str) -> Door:
    def door(workspace: Workspace, texts: Sequence[str]) -> None:
        from engram.services.silo.decision_log import log_decision  # noqa: PLC0415 - of this door
        from engram.services.silo.folder import silo_folder  # noqa: PLC0415 - of this door
        from engram.services.silo.working_memory import set_working_memory  # noqa: PLC0415 - of this door

        folder = silo_folder(workspace.settings.agent, None)
        if kind == "working memory":
            set_working_memory(workspace.paths, folder, "\n".join(texts))
        else:
            for text in texts:
                log_decision(workspace.paths, folder, text, now=workspace.now(), zone=workspace.settings.zone)
        _heartbeat(workspace)

    return door


def _talk(speaker: str, wrapped: str = "{}") -> Door:
    def door(workspace: Workspace, texts: Sequence[str]) -> None:
        file = workspace.paths.root / "talk.jsonl"
        rows = [{"session": "talk", "speaker": speaker, "text": wrapped.format(text)} for text in texts]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        with open_memory(workspace.paths.root, now=lambda: NOW) as memory:
            memory.capture(file, format="jsonl")
        file.unlink()
        _heartbeat(workspace)

    return door


def _observed(workspace: Workspace, texts: Sequence[str]) -> None:
    """An agent notices it, and promotes what it noticed."""
    for text in texts:
        suggestion = {"text": text, "entity": OWNER, "category": "instruction", "abstraction": "principle"}
        noticed = {"text": text, "entity": OWNER, "suggestion": suggestion}
        result = workspace.submit("observe", noticed, actor=Actor.AGENT)
        workspace.submit("review-answer", {"id": str(result.id), "outcome": "promote"}, actor=Actor.AGENT)


def _heartbeat(workspace: Workspace) -> None:
    from engram.heartbeat.run.runner import run_heartbeat  # noqa: PLC0415 - of some doors

    run_heartbeat(workspace)


DOORS: dict[str, Door] = {
    "memory_remember": _remember(),
    "memory_remember, an instruction": _remember(category="instruction", abstraction="principle"),
    "memory_note": _note("events"),
    "memory_note, a decision": _note("decisions"),
    "memory_note, handoff": _note("handoff"),
    "working memory": _silo("working memory"),
    "decision log": _silo("decisions"),
    "an observation, promoted": _observed,
    "output of a tool": _write(Actor.TOOL),
    "another memory": _write(Actor.IMPORT),
    "transcript, the assistant": _talk("assistant"),
    "transcript, somebody else": _talk("Boris"),
    "transcript, the owner pastes it": _talk("user", "the page says:\n{}"),
}


if __name__ == "__main__":
    main()
