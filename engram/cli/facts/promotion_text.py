"""Why a fact was put forward, or why not, as a person reads it."""

from collections.abc import Mapping
from typing import Any

from engram.base.counts import counted


def promotion_text(found: Mapping[str, Any]) -> str:
    """Return what `operations.promotion.explain_promotion` found, a line for each thing."""
    use, repeated = found["by_use"], found["by_repetition"]
    lines = [f"{found['id']}  {found['text']}"]
    lines.append(f"  by use: {use['said']}, in the last {use['window_days']} days")
    if repeated["to_be"]:
        has = f"on {counted(repeated['has'], repeated['unit'])}" if repeated["unit"] == "occasion" else _weeks(repeated)
        lines.append(f"  by repetition: said {has} of {repeated['least']} to be a {repeated['to_be']}")
    lines += [f"  in the way: {why}" for why in found["against"]]
    for one in found["proposed"]:
        what = "a line of MEMORY.md" if one["target"] == "memory" else f"a {one['to_be']}"
        why = f": {one['why']}" if one["why"] else ""
        lines.append(f"  put forward as {what} in {one['id']} ({one['status']}){why}")
    if not found["against"] and not found["proposed"]:
        outlook = "it is put forward at the next heartbeat" if use["is_enough"] else "not enough of either yet"
        lines.append(f"  {outlook}")
    return "\n".join(lines)


def _weeks(repeated: Mapping[str, Any]) -> str:
    return f"in {counted(repeated['has'], 'week')}"
