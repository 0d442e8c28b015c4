"""A store as a vault of Markdown notes that Obsidian opens: one note for each entity, linked to those it names. Pure.

Links are [[folder/name|title]], so that two notes of one name are told apart, and each leads to a note of the vault:
an entity that is only named gets no link. What is no longer believed is folded away at the end of a note.
"""

import datetime as dt
import json
import re
from collections.abc import Mapping
from collections.abc import Sequence

from engram.base.clock import local_day
from engram.importers.export.items import is_exported
from engram.model.entity import Entity
from engram.model.fact import SHARED
from engram.model.fact import Abstraction
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.vocabulary import Standing
from engram.rules.fold.facts import fact_number
from engram.rules.temporal import ENDED
from engram.rules.temporal import PLANNED
from engram.rules.temporal import due_at
from engram.rules.temporal import holds_now
from engram.rules.temporal import standing
from engram.rules.temporal import written_begin
from engram.rules.temporal import written_end

_TAG = re.compile(r"[^\w/-]+")
_LINK_CHARS = re.compile(r"[\[\]|#^]+")  # what may not stand in the words of a link
_MARKUP = re.compile(r"([\\`*_\[\]<>#|~$])")  # what Markdown or Obsidian would take for more than text


def note_path(entity_path: str) -> str:
    """Return the name of an entity's note, relative to the vault. A path's slug is safe on every file system."""
    return f"{entity_path}.md"


def render_note(
    entity: Entity, facts: Sequence[Fact], titles: Mapping[str, str], *, now: dt.datetime, zone: dt.tzinfo
) -> bytes:
    """Return an entity's note: what holds now, with its dates and links, what is planned, then the history, folded.

    `titles` are those of all entities that have a note, by path; `zone` is that in which days are written.
    """
    shown = sorted((fact for fact in facts if is_exported(fact)), key=lambda fact: (fact_number(fact.id), fact.id))
    live = [fact for fact in shown if holds_now(fact, now)]
    planned = [fact for fact in shown if standing(fact, now) == PLANNED]
    past = [fact for fact in shown if standing(fact, now) not in {Standing.ACTIVE, PLANNED}]
    parts = [_front_matter(entity, live), f"# {_plain(entity.title)}"]
    for heading, chosen in (
        ("Principles", [fact for fact in live if fact.abstraction == Abstraction.PRINCIPLE]),
        ("Facts", [fact for fact in live if fact.abstraction != Abstraction.PRINCIPLE]),
        ("Planned", planned),
    ):
        if chosen:
            parts.append(f"## {heading}\n\n" + "\n".join(_bullet(fact, titles, zone) for fact in chosen))
    related = sorted({path for fact in live for path in fact.related if path in titles})
    if related:
        parts.append("## Related\n\n" + "\n".join(f"- {_link(path, titles)}" for path in related))
    if past:
        lines = "\n".join(f"> {_past(fact, zone)}" for fact in past)
        parts.append(f"> [!note]- History: what holds no longer\n{lines}")
    return ("\n\n".join(parts) + "\n").encode()


def render_start(titles: Mapping[str, str], counts: Mapping[str, int]) -> bytes:
    """Return the note with which the vault opens: every entity, with how many facts its note shows."""
    lines = [f"- {_link(path, titles)}: {counts.get(path, 0)}" for path in sorted(titles)]
    return ("\n".join(["# Memory", "", *(lines or ["Nothing is known yet."])]) + "\n").encode()


def _front_matter(entity: Entity, live: Sequence[Fact]) -> str:
    """Return YAML in which every text is in quotes as JSON writes it, which YAML reads the same way."""
    tags = sorted({tag for fact in live for name in fact.tags if (tag := _tag(name))})
    fields = {
        "title": entity.title,
        "entity": entity.path,
        "aliases": sorted({entity.title, *entity.aliases}),
        "tags": tags,
    }
    lines = [f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items()]
    return "\n".join(["---", *lines, "---"])


def _tag(name: str) -> str:
    """Return a tag that Obsidian takes, without spaces and not of digits alone (2026 becomes _2026); empty if none."""
    tag = _TAG.sub("-", name).strip("-/")
    return f"_{tag}" if tag.isdigit() else tag


def _bullet(fact: Fact, titles: Mapping[str, str], zone: dt.tzinfo) -> str:
    marks = [fact.category.value, written_begin(fact, zone)]
    marks += [f"{'until' if due_at(fact) is None else 'due'} {written_end(fact, zone)}"] if fact.valid_to else []
    marks += [fact.scope] if fact.scope != SHARED else []
    links = [_link(path, titles) for path in fact.related if path in titles]
    return " ".join([f"- {_plain(fact.text)}", f"({', '.join(marks)})", *links, f"^{_block(fact.id)}"])


def _past(fact: Fact, zone: dt.tzinfo) -> str:
    has_ended = fact.status == Status.ACTIVE
    day = local_day((fact.valid_to if has_ended else fact.known_to) or fact.valid_from, zone).isoformat()
    why = ENDED.value if has_ended else fact.status.value
    return f"- ~~{_plain(fact.text)}~~ ({why} {day})"


def _link(path: str, titles: Mapping[str, str]) -> str:
    words = " ".join(_LINK_CHARS.sub(" ", titles[path]).split())
    return f"[[{path}|{words}]]" if words else f"[[{path}]]"


def _block(fact_id: str) -> str:
    """Return the id under which Obsidian links to one line: letters, digits and dashes only."""
    return re.sub(r"[^A-Za-z0-9-]+", "-", fact_id)


def _plain(text: str) -> str:
    return _MARKUP.sub(r"\\\1", " ".join(text.split()))
