"""What the files in life/ say: bytes made of entities and facts alone, so that the same journal gives the same bytes.

No clock passes here. Tiers are an argument; whoever refreshes the mirror computes them as of the last journal record.
Facts with a private scope stand in no file, quarantined ones not in the summary.
"""

import datetime as dt
import re
from collections.abc import Container
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic_core import to_json

from engram.base.counts import counted
from engram.base.self_names import is_self_name
from engram.base.text import KINDS
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.fact import Usage
from engram.rules.life.grounds import Grounds
from engram.rules.life.shelves import Page
from engram.rules.life.shelves import Shelf
from engram.rules.life.shelves import lay_out
from engram.rules.temporal import holds_now
from engram.rules.temporal import written_begin
from engram.rules.temporal import written_end
from engram.rules.temporal import written_overdue

SUMMARY: Final = "summary.md"
ITEMS: Final = "items.json"
INDEX: Final = "index.md"

CALLED: Final = "Also called: "
EMPTY: Final = "Nothing is known yet."
UNSURE: Final = "Nothing is sure yet: "  # begins the line of a page about which only unsure statements wait
REST: Final = "And "  # begins the line that counts what has no room, or was not used lately
_LATELY = "not used lately"

_UNSURE = 0.5  # confidence below which a line says so
_INDEX_HEAD = """\
# Index

What is known here, one folder for each entity. Edit a line of a summary, add a bullet, or ~~strike~~ a line:
at the next heartbeat the edit becomes a fact. A line that is only deleted comes back.
Facts that are private to a session or an agent stand in no file; `engram facts` shows them.
"""
_INDEX_LINES: Final = frozenset([*_INDEX_HEAD.splitlines(), *(f"## {kind.capitalize()}" for kind in KINDS)])
_INDEX_ENTRY: Final = re.compile(
    r"- \[.*\]\(\S+/summary\.md\): \d+ facts?|Nothing is known for sure yet of \d+(?: more)?: `engram entity list`"
)


class Beside(NamedTuple):
    """How the facts of a page stand to other facts."""

    restated: Container[str] = frozenset()  # ids of those that another one says, too, in nearly the same words
    grounds: Mapping[str, Grounds] = {}  # fact id -> what it was made of, for patterns and principles
    kept: Mapping[str, Fact] = {}  # id of an overdue promise -> the fact that says that just that was done


NOTHING_BESIDE: Final = Beside()


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
    at: dt.datetime,
    zone: dt.tzinfo,
    beside: Beside = NOTHING_BESIDE,
) -> bytes:
    """Return summary.md: a page with a shelf for each kind of fact, and how much has no room on it (see `shelves`).

    Args:
        entity: whose summary it is.
        facts: every version of that entity's facts; those that are not to be shown are left out.
        usages: fact id -> how it is used; facts never used are absent.
        tiers: fact id -> "hot", "warm" or "cold", for every active fact.
        at: the moment at which what stands there holds.
        zone: time zone in which dates are written.
        beside: how they stand to each other and to those that they were made of.
    """
    known = {fact.id: fact for fact in facts}
    page = lay_out([fact for fact in facts if is_shown(fact, at)], known, usages, tiers, restated=beside.restated)
    parts = [f"# {_one_line(entity.title)}"]
    if names := [_one_line(alias) for alias in entity.aliases if not is_self_name(alias)]:
        parts.append(CALLED + ", ".join(names))
    for shelf, standing in page.shelves:
        parts.append(heading_of(shelf))
        lines = [render_line(one, usages.get(one.id), shelf, beside, at=at, zone=zone) for one in standing]
        parts.append("\n".join(lines))
    parts.extend(_rest(entity, page, waiting=sum(map(_waits, facts))))
    return ("\n\n".join(parts) + "\n").encode()


def heading_of(shelf: Shelf) -> str:
    """Return the heading under which a shelf stands."""
    return f"## {shelf.title}"


def render_line(
    fact: Fact, usage: Usage | None, shelf: Shelf, beside: Beside = NOTHING_BESIDE, *, at: dt.datetime, zone: dt.tzinfo
) -> str:
    """Return a fact's line of the summary: its text, dates and marks, then its short id.

    The category leads the marks unless the shelf says it. Of a pattern or principle they say of how much it was made.
    """
    marks = [] if shelf.categories[:1] == (fact.category,) else [fact.category.value]
    marks += [_dates(fact, zone)]
    marks += _owed(fact, beside.kept.get(fact.id), at, zone)
    marks += ["unsure"] if fact.confidence < _UNSURE else []
    marks += ["unverified"] if fact.trust == Trust.UNVERIFIED else []
    marks += ["pinned"] if usage is not None and usage.pinned else []
    grounds = beside.grounds.get(fact.id)
    marks += [grounds.said()] if grounds is not None and grounds.parts else []
    return f"- {fact.text} ({', '.join(marks)}) [{short_id(fact)}]"


def _owed(fact: Fact, kept_by: Fact | None, at: dt.datetime, zone: dt.tzinfo) -> list[str]:
    """Return since when a promise is overdue, or which fact says that it is kept; nothing for all else."""
    if kept_by is not None:
        return [f"over, says {short_id(kept_by)}"]
    since = written_overdue(fact, at, zone)
    return [f"overdue since {since}"] if since else []


def short_id(fact: Fact) -> str:
    """Return the number of a fact that was born under its entity (`001`), else its whole id."""
    prefix = f"{fact.entity}-"
    return fact.id.removeprefix(prefix)


def render_index(entities: Sequence[Entity], counts: Mapping[str, int]) -> bytes:
    """Return life/index.md: every entity of which something is known, with a link and how many live facts it shows.

    `counts` are those of the facts by path; an entity that has none, or is not in it, is only counted at the end.
    """
    parts = [_INDEX_HEAD]
    for kind in KINDS:
        of_kind = [one for one in entities if one.path.startswith(f"{kind}/") and counts.get(one.path)]
        if of_kind:
            in_order = sorted(of_kind, key=lambda entity: entity.path)
            lines = [_index_line(entity, counts[entity.path]) for entity in in_order]
            parts.append(f"## {kind.capitalize()}\n\n" + "\n".join(lines) + "\n")
    if unknown := sum(not counts.get(one.path) for one in entities):
        parts.append(
            f"Nothing is known for sure yet of {unknown}{' more' if parts[1:] else ''}: `engram entity list`\n"
        )
    return "\n".join(parts).encode()


def is_an_index(content: bytes) -> bool:
    """Tell whether every line is of a kind that some index.md of ours has: then nobody wrote anything into it."""
    lines = content.decode(errors="replace").splitlines()
    return all(line in _INDEX_LINES or _INDEX_ENTRY.fullmatch(line) for line in lines)


def files_of(entity: Entity) -> tuple[str, str]:
    """Return the names of an entity's summary and items file, relative to life/."""
    return f"{entity.path}/{SUMMARY}", f"{entity.path}/{ITEMS}"


def has_files(entity: Entity, *, shared: int, versions: int) -> bool:
    """Tell whether an entity stands in files and in the index; `shared` of its versions of facts are private to nobody.

    One of which only private facts tell does not: its name is as private as they are. Of the owner everybody knows.
    """
    return shared > 0 or versions == 0 or any(map(is_self_name, entity.aliases))


def is_shown(fact: Fact, at: dt.datetime) -> bool:
    """Tell whether the fact can stand in a summary of that moment: it holds, is shared and not quarantined."""
    return holds_now(fact, at) and fact.scope == SHARED and fact.trust != Trust.QUARANTINED


def _waits(fact: Fact) -> bool:
    return fact.status == Status.CANDIDATE and fact.scope == SHARED and fact.trust != Trust.QUARANTINED


def _item(fact: Fact, usage: Usage | None) -> dict[str, Any]:
    use = (usage or Usage(fact_id=fact.id)).model_dump(mode="json", exclude={"fact_id", "confirmed_by"})
    return {**fact.model_dump(mode="json"), **use}


def _number(fact: Fact) -> int:
    return int(fact.id.rpartition("-")[2])


def _birth_order(fact: Fact) -> tuple[str, int]:
    return fact.id.rpartition("-")[0], _number(fact)


def _dates(fact: Fact, zone: dt.tzinfo) -> str:
    return " to ".join(filter(None, (written_begin(fact, zone), written_end(fact, zone))))


def _rest(entity: Entity, page: Page, *, waiting: int) -> list[str]:
    """Return the line that says what is known besides, or only waits, and the command that shows it."""
    where = f"`engram facts --entity {entity.path}`"
    if not page.shelves and page.cold:
        return [f"Nothing here was used lately: {counted(page.cold, 'fact')}, {where}"]
    if not page.shelves and waiting:
        statements = "1 statement waits" if waiting == 1 else f"{waiting} statements wait"
        return [
            f"{UNSURE}{statements} to be said again or confirmed, `engram facts --candidates --entity {entity.path}`"
        ]
    if not page.shelves:
        return [EMPTY]
    if not page.more:
        return [f"{REST}{page.cold} more, {_LATELY}: {where}"] if page.cold else []
    cold = f", {page.cold} of them {_LATELY}" if page.cold else ""
    return [f"{REST}{page.more + page.cold} more{cold}: {where}"]


def _index_line(entity: Entity, count: int) -> str:
    title = _one_line(entity.title).replace("[", "\\[").replace("]", "\\]")
    return f"- [{title}]({entity.path}/{SUMMARY}): {counted(count, 'fact')}"


def _one_line(text: str) -> str:
    return " ".join(text.split())
