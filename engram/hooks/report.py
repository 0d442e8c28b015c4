"""What the memory cost in prompts, and how often it helped: a summary of the log of what was recalled for them."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.base.clock import from_iso
from engram.store.recall_log import GIVEN
from engram.store.recall_log import NOTHING
from engram.store.recall_log import PROMPT
from engram.store.recall_log import REPLY
from engram.store.recall_log import UNUSED_FROM
from engram.store.recall_log import uses_by_id

MOST_LISTED: Final = 5  # memories that are named as the most used, and as never used


def report(rows: Iterable[Mapping[str, Any]], *, since: dt.datetime | None) -> dict[str, Any]:
    """Return what prompts and replies since then come to.

    {"since", "prompts", "given", "nothing", "skipped": {outcome: count}, "tokens", "replies", "helped", "shown",
    "used", "used_tokens", "most_used": [{"id", "shown", "used"}], "never_used": [...]}. `tokens` is what was put into
    prompts; `replies` are those before which something was shown and whose words could be read, `helped` those that
    used some of it; `shown` and `used` count memories.
    """
    own = [dict(row) for row in rows if since is None or _is_since(row, since)]
    prompts = [row for row in own if row.get("kind") == PROMPT]
    replies = [row for row in own if row.get("kind") == REPLY]
    outcomes = Counter(str(row.get("outcome")) for row in prompts)
    uses = uses_by_id(own)
    by_use = sorted(uses.items(), key=lambda one: (-one[1].used, one[0]))
    by_waste = sorted(uses.items(), key=lambda one: (-one[1].shown, one[0]))
    return {
        "since": min((str(row.get("at")) for row in own), default=None),
        "prompts": len(prompts),
        "given": outcomes[GIVEN],
        "nothing": outcomes[NOTHING],
        "skipped": {name: count for name, count in sorted(outcomes.items()) if name not in {GIVEN, NOTHING}},
        "tokens": sum(_number(row, "tokens") for row in prompts),
        "replies": len(replies),
        "helped": sum(bool(row.get("used")) for row in replies),
        "shown": sum(one.shown for one in uses.values()),
        "used": sum(one.used for one in uses.values()),
        "used_tokens": sum(_number(row, "used_tokens") for row in replies),
        "most_used": [{"id": name, **one._asdict()} for name, one in by_use if one.used][:MOST_LISTED],
        "never_used": [{"id": name, **one._asdict()} for name, one in by_waste if one.is_unused()][:MOST_LISTED],
    }


def report_text(found: Mapping[str, Any], day: str) -> str:
    """Return the report as people read it; it begins on that day."""
    if not found["prompts"]:
        return "nothing was recalled for a prompt yet: engram hooks status shows whether the hooks fire"
    skipped = ", ".join(f"{count} {_SKIPPED.get(name, name)}" for name, count in found["skipped"].items())
    shared = f" ({found['used']} of {found['shown']} memories, by the words that they share)"
    lines = [
        f"since {day}: {found['prompts']} prompts; {found['given']} were given memories, "
        f"{found['nothing']} had nothing relevant" + (f"; left out: {skipped}" if skipped else ""),
        f"cost: {found['tokens']} tokens, {_per(found['tokens'], found['given'])} a prompt that was given any",
        f"helped: {found['helped']} of {found['replies']} replies used what they were given{shared}",
    ]
    lines += [f"  used {one['used']} of {one['shown']} times: {one['id']}" for one in found["most_used"]]
    if found["never_used"]:
        lines.append(f"never used in {UNUSED_FROM} replies or more, so shown only as the best answer:")
        lines += [f"  shown {one['shown']} times: {one['id']}" for one in found["never_used"]]
    return "\n".join(lines)


_SKIPPED = {
    "started": "while the process was being started",
    "absent": "without a process to ask",
    "late": "because the answer came too late",
    "refused": "because the process is of another release or has other settings",
    "error": "because of errors (.engram/hooks.log)",
}


def _per(total: int, count: int) -> int:
    return round(total / count) if count else 0


def _number(row: Mapping[str, Any], name: str) -> int:
    value = row.get(name)
    return value if isinstance(value, int) else 0


def _is_since(row: Mapping[str, Any], since: dt.datetime) -> bool:
    try:
        return from_iso(str(row.get("at"))) >= since
    except ValueError:
        return False
