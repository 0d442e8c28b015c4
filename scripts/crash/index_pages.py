"""The index folder after a power loss: it is written through memory, so any page of any file may be old or new.

Only its state file comes after everything else was flushed; where that is new, all is.
"""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

from crash import steps
from crash.judge import judge
from crash.points import fresh
from crash.processes import call
from crash.table import Row

_PAGE = 4096  # bytes that arrive together
_STATE = "state.json"


def torn_index(folder: Path, states: int) -> Iterator[Row]:
    """Mix pages of an older and a newer index, ask, and see whether the answer is found."""
    root, work, older = folder / "store", folder / "work", folder / "older"
    acked = steps.make_store(root, 6)
    _do(root, "heartbeat", "run")
    shutil.copytree(root / ".engram" / "index", older)
    for number in range(100, 104):
        step = steps.write(number)
        _do(root, step=step)
        acked += step.gains
    _do(root, "recall", "amber crate")
    row, chance = Row("power loss, pages of the index", "recall of what was written since"), random.Random(states)
    for turn in range(states):
        fresh(root, work)
        damage = _mix(older, work / ".engram" / "index", chance)
        asked = chance.choice(acked)
        row.add(damage, [*_recalled(work, asked), *judge(work, acked, acked, rebuild=turn % 10 == 0)])
    yield row


def _do(root: Path, *args: str, step: steps.Step | None = None) -> None:
    one = step or steps.plain(*args)
    done = call(one.job(root), root)
    if not done.acknowledged:
        raise RuntimeError(f"{one.name} left with {done.code}: {done.err}")


def _recalled(root: Path, asked: str) -> list[str]:
    step = steps.plain("recall", asked, "--json")
    done = call(step.job(root), root)
    if done.code:
        return [f"recall left with {done.code}: {done.err.strip()[-200:]}"]
    hits = [hit["text"] for hit in json.loads(done.out)["hits"]]
    return [] if asked in hits else [f"not recalled: {asked!r}"]


def _mix(older: Path, index: Path, chance: random.Random) -> str:
    """Let files of the index be old, new, a mixture, or not there yet; return what was done, in words."""
    done = []
    names = {path.relative_to(base) for base in (older, index) for path in base.rglob("*") if path.is_file()}
    for name in sorted(names):
        old, new = ((base / name).read_bytes() if (base / name).exists() else b"" for base in (older, index))
        if name.name == _STATE:
            (index / name).write_bytes(old)
            continue
        how = chance.choice(("old", "new", "mixed") if (older / name).exists() else ("new", "cut", "gone"))
        data = {"old": old, "new": new, "mixed": _mixed(old, new, chance), "cut": new[: chance.randint(0, len(new))]}
        if how == "gone":
            (index / name).unlink(missing_ok=True)
        else:
            (index / name).parent.mkdir(parents=True, exist_ok=True)
            (index / name).write_bytes(data[how])
        if how != "new":
            done.append(f"{how} {name.name}")
    return ", ".join(done[:6])


def _mixed(old: bytes, new: bytes, chance: random.Random) -> bytes:
    pages = range(0, max(len(old), len(new)), _PAGE)
    parts = ((old if chance.random() < 0.5 else new)[at : at + _PAGE] for at in pages)
    return b"".join(part.ljust(min(_PAGE, len(new) - at), b"\0") for part, at in zip(parts, pages, strict=True))
