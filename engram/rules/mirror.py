"""What the files in life/ say: bytes made of entities and facts alone, so that the same journal gives the same bytes.

No clock passes here. Tiers are an argument; whoever refreshes the mirror computes them as of the last journal record.
Facts with a private scope stand in no file, quarantined ones not in the summary.
"""

import datetime as dt
import re
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from pydantic_core import to_json

from engram.base.self_names import is_self_name
from engram.base.text import KINDS
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.rules.decay import HOT
from engram.rules.decay import in_summary
from engram.rules.temporal import written_begin
from engram.rules.temporal import written_end

SUMMARY: Final = "summary.md"
ITEMS: Final = "items.json"
INDEX: Final = "index.md"

PRINCIPLES: Final = "## Principles"
NOW: Final = "## Now"
ALSO: Final = "## Also known"
CALLED: Final = "Also called: "
EMPTY: Final = "Nothing is known yet."
NOT_LATELY: Final = "not used lately, in items.json."  # end of the line that counts what the summary leaves out
MORE: Final = "more, in items.json."  # the same for facts that are in use but have no room
MOST_LINES: Final = 200  # of a summary, but for principles and pinned facts: what an agent can still take in

_UNSURE = 0.5  # confidence below which a line says so
_INDEX_HEAD = """\
# Index

What is known here, one folder for each entity. Edit a line of a summary, add a bullet, or ~~strike~~ a line:
at the next heartbeat the edit becomes a fact. A line that is only deleted comes back.
Facts that are private to a session or an agent stand in no file; `engram facts` shows them.
"""
_INDEX_LINES: Final = frozenset([*_INDEX_HEAD.splitlines(), *(f"## {kind.capitalize()}" for kind in KINDS)])
_INDEX_ENTRY: Final = re.compile(r"- \[.*\]\(\S+/summary\.md\): \d+ facts?")


def render_items(entity: Entity, facts: Sequence[Fact], usages: Mapping[str, Usage]) -> bytes:
    """Return items.json: every version of every shared fact with all its fields and how it is used."""
    shown = sorted((fact for fact in facts if fact.scope == SHARED), key=_birth_order)
    head = entity.model_dump(mode="json", include={"path", "title", "aliases", "created_at"})
    whole = {**head, "facts": [_item(fact, usages.get(fact.id)) for fact in shown]}
    return to_json(whole, indent=2) + b"\n"  # json.dumps takes ten times as long when it indents


def render_summary(
    entity: Entity,
    facts: Sequence[Fact],
    usages: Mapping[str, Usage],
    tiers: Mapping[str, str],
    *,
    zone: dt.tzinfo,
) -> bytes:
    """Return summary.md: principles first, then what is hot, then what is warm, and how much is left out.

    Of more than `MOST_LINES` facts those that are warm and old are left out first; principles and pinned facts never.

    Args:
        entity: whose summary it is.
        facts: facts of that entity; those that are not to be shown are left out.
        usages: fact id -> how it is used; facts never used are absent.
        tiers: fact id -> "hot", "warm" or "cold", for every active fact.
        zone: time zone in which dates are written.
    """
    live = sorted((fact for fact in facts if is_shown(fact)), key=_newest_first)
    kept = [fact for fact in live if in_summary(fact, usages.get(fact.id), tiers[fact.id])]
    principles = [fact for fact in kept if fact.abstraction == Abstraction.PRINCIPLE]
    others = [fact for fact in kept if fact.abstraction != Abstraction.PRINCIPLE]
    others, more = _with_room(others, usages, tiers, MOST_LINES - len(principles))
    sections = {
        PRINCIPLES: principles,
        NOW: [fact for fact in others if tiers[fact.id] == HOT],
        ALSO: [fact for fact in others if tiers[fact.id] != HOT],
    }
    parts = [f"# {_one_line(entity.title)}"]
    if names := [_one_line(alias) for alias in entity.aliases if not is_self_name(alias)]:
        parts.append(CALLED + ", ".join(names))
    for heading, chosen in sections.items():
        if chosen:
            parts.append(heading)
            parts.append("\n".join(render_line(fact, usages.get(fact.id), zone) for fact in chosen))
    parts += [f"And {_count(more)} {MORE}"] if more else []
    parts.extend(_left_out(len(live), len(live) - len(kept)))
    return ("\n\n".join(parts) + "\n").encode()


def render_line(fact: Fact, usage: Usage | None, zone: dt.tzinfo) -> str:
    """Return a fact's line of the summary: its text, then category, dates and marks, then its short id."""
    marks = [fact.category.value, _dates(fact, zone)]
    marks += ["unsure"] if fact.confidence < _UNSURE else []
    marks += ["unverified"] if fact.trust == Trust.UNVERIFIED else []
    marks += ["pinned"] if usage is not None and usage.pinned else []
    return f"- {fact.text} ({', '.join(marks)}) [{short_id(fact)}]"


def short_id(fact: Fact) -> str:
    """Return the number of a fact that was born under its entity (`001`), else its whole id."""
    prefix = f"{fact.entity}-"
    return fact.id.removeprefix(prefix)


def render_index(entities: Sequence[Entity], counts: Mapping[str, int]) -> bytes:
    """Return life/index.md: every entity with a link and how many live facts its folder shows (0 when absent)."""
    parts = [_INDEX_HEAD]
    for kind in KINDS:
        of_kind = [entity for entity in entities if entity.path.startswith(f"{kind}/")]
        if of_kind:
            in_order = sorted(of_kind, key=lambda entity: entity.path)
            lines = [_index_line(entity, counts.get(entity.path, 0)) for entity in in_order]
            parts.append(f"## {kind.capitalize()}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts).encode()


def is_an_index(content: bytes) -> bool:
    """Tell whether every line is of a kind that some index.md of ours has: then nobody wrote anything into it."""
    lines = content.decode(errors="replace").splitlines()
    return all(line in _INDEX_LINES or _INDEX_ENTRY.fullmatch(line) for line in lines)


def files_of(entity: Entity) -> tuple[str, str]:
    """Return the names of an entity's summary and items file, relative to life/."""
    return f"{entity.path}/{SUMMARY}", f"{entity.path}/{ITEMS}"


def is_shown(fact: Fact) -> bool:
    """Tell whether the fact can stand in a summary: active, shared, not quarantined."""
    return fact.status == Status.ACTIVE and fact.scope == SHARED and fact.trust != Trust.QUARANTINED


def _item(fact: Fact, usage: Usage | None) -> dict[str, Any]:
    use = (usage or Usage(fact_id=fact.id)).model_dump(mode="json", exclude={"fact_id", "confirmed_by"})
    return {**fact.model_dump(mode="json"), **use}


def _number(fact: Fact) -> int:
    return int(fact.id.rpartition("-")[2])


def _birth_order(fact: Fact) -> tuple[str, int]:
    return fact.id.rpartition("-")[0], _number(fact)


def _newest_first(fact: Fact) -> tuple[float, str, int]:
    path, number = _birth_order(fact)
    return -fact.valid_from.timestamp(), path, -number


def _dates(fact: Fact, zone: dt.tzinfo) -> str:
    return " to ".join(filter(None, (written_begin(fact, zone), written_end(fact, zone))))


def _with_room(
    facts: Sequence[Fact], usages: Mapping[str, Usage], tiers: Mapping[str, str], room: int
) -> tuple[list[Fact], int]:
    """Return the facts, newest first, that have room, and how many have none."""
    pinned = {fact.id for fact in facts if (usage := usages.get(fact.id)) is not None and usage.pinned}
    ranked = sorted(facts, key=lambda fact: (fact.id not in pinned, tiers[fact.id] != HOT))
    shown = {fact.id for fact in ranked[: max(room, len(pinned), 0)]}
    return [fact for fact in facts if fact.id in shown], len(facts) - len(shown)


def _left_out(live: int, cold: int) -> list[str]:
    if not live:
        return [EMPTY]
    if cold == live:
        return [f"Nothing here was used lately: {_count(cold)}, {NOT_LATELY}"]
    return [f"And {_count(cold)}, {NOT_LATELY}"] if cold else []


def _count(number: int) -> str:
    return "1 fact" if number == 1 else f"{number} facts"


def _index_line(entity: Entity, count: int) -> str:
    title = _one_line(entity.title).replace("[", "\\[").replace("]", "\\]")
    return f"- [{title}]({entity.path}/{SUMMARY}): {_count(count)}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
