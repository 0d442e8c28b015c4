"""Reading the fields of other people's records: forgiving about names and kinds, never inventing a value."""

import codecs
import datetime as dt
import json
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any

from engram.base import json_values
from engram.base.text import parse_entity_path
from engram.base.text import slugify
from engram.importers.instants import parse_instant
from engram.importers.memories.items import Effect
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.language.text.note_lines import find_unread_lines
from engram.language.text.note_lines import is_no_note
from engram.model.vocabulary import Category

_YEARS = (1900, 2200)  # a date outside of these is a slip or a placeholder
_PEOPLE = frozenset({"person", "people", "user", "human", "contact", "friend", "family", "colleague", "customer"})

# Names that other memories use for our categories; what is not here becomes context, and a tag keeps the name.
_CATEGORIES: dict[Category, tuple[str, ...]] = {
    Category.RELATIONSHIP: ("relation", "relations", "relationships", "person", "people", "contact", "family", "team"),
    Category.MILESTONE: ("milestones", "event", "events", "achievement", "completion", "launch", "release", "episode"),
    Category.STATUS: ("state", "role", "progress", "situation", "task", "todo", "goal", "plan", "project", "projects"),
    Category.PREFERENCE: (
        *("preferences", "user_preference", "user_preferences", "like", "likes", "dislike", "style", "habit"),
        *("workflow", "feedback", "interest", "interests"),
    ),
    Category.CONTEXT: (
        *("info", "information", "fact", "facts", "background", "knowledge", "note", "notes", "general", "misc"),
        *("insight", "observation", "reference", "technical", "tech", "entity", "other", "idea"),
        *("user", "method", "technique", "tip", "issue", "problem", "feature", "requirement", "profile"),
    ),
    Category.DECISION: ("decisions", "choice", "policy", "design", "architecture", "convention"),
    Category.CORRECTION: ("corrections", "fix", "correction_note"),
    Category.INSTRUCTION: ("instructions", "rule", "rules", "guideline", "guidelines", "directive", "directives"),
    Category.IDENTITY: ("identities", "biography", "bio", "personal_details"),
    Category.COMMITMENT: ("commitments", "promise", "promises", "obligation", "obligations"),
    Category.LESSON: ("lessons", "learning", "learnings", "lesson_learned", "lessons_learned", "takeaway", "solution"),
}
_KNOWN = {category.value: category for category in Category} | {
    name: category for category, names in _CATEGORIES.items() for name in names
}


class Unreadable(ValueError):  # noqa: N818 - it is caught beside the parser that raises it, and never shown
    """The bytes are not what the format says."""


def decode(file: SourceFile) -> str:
    """Return the text of a file; raise Unreadable when it is not UTF-8 or holds a NUL."""
    try:
        text = file.data.removeprefix(codecs.BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError as problem:
        raise Unreadable(f"it is not UTF-8 text (byte {problem.start})") from problem
    if "\0" in text:
        raise Unreadable("it holds a NUL character")
    return text


def note_lines(file: SourceFile) -> tuple[SourceFile, list[Remark]]:
    """Return a note without the lines that are no text, and a remark for each of them; the others keep their numbers.

    Where most lines are none, the note is as it was, and whoever decodes it says so.
    """
    unread = find_unread_lines(file.data)
    if is_no_note(file.data, unread):
        return file, []
    lines = file.data.split(b"\n")
    for line in unread:
        lines[line.number - 1] = b""
    remarks = [Remark(file.name, f"line {line.number}", f"it {line.why}") for line in unread]
    return SourceFile(file.name, b"\n".join(lines)), remarks


def load_json(text: str) -> Any:
    """Return the value of a JSON text; raise Unreadable."""
    try:
        return json_values.load_json(text)
    except ValueError as problem:
        raise unreadable(problem) from problem


def unreadable(problem: ValueError) -> Unreadable:
    """Return what is wrong with a text that could not be read as JSON, in words."""
    if isinstance(problem, json_values.TooDeepError):
        return Unreadable(str(problem))
    if isinstance(problem, json.JSONDecodeError):
        return Unreadable(f"it is not valid JSON: {problem}")
    return Unreadable("it holds a number that is too long")  # Python says it of thousands of digits, in its own words


def json_lines(file: SourceFile) -> Iterator[tuple[str, dict[str, Any]] | Remark]:
    """Yield (place, object) for each line of a file of JSON lines, and a remark for each line that is none."""
    for number, raw in enumerate(file.data.removeprefix(codecs.BOM_UTF8).split(b"\n"), 1):
        if not raw.strip():
            continue
        place = f"line {number}"
        try:
            value = load_json(decode(SourceFile(file.name, raw)))
        except Unreadable as problem:
            yield Remark(file.name, place, str(problem))
            continue
        if isinstance(value, dict):
            yield place, value
        else:
            yield Remark(file.name, place, "it is not a JSON object")


def first_text(raw: Mapping[str, Any], *names: str) -> str:
    """Return the first of these fields that is a text with something in it, or ""."""
    return next((value for name in names if isinstance(value := raw.get(name), str) and value.strip()), "")


def texts(value: Any) -> tuple[str, ...]:
    """Return the texts of a list, or the parts of a text with commas; what is no text is left out."""
    parts = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    return tuple(dict.fromkeys(part.strip() for part in parts if isinstance(part, str) and part.strip()))


def number(value: Any, default: float) -> float:
    """Return a number from 0 to 1, or the default for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    return float(value) if 0 <= value <= 1 else default


def instant(value: Any, zone: dt.tzinfo) -> dt.datetime | None:
    """Return the instant that a field means, or None when it is absent, no instant, or of no time people live in."""
    if value is None or value == "":
        return None
    try:
        at = parse_instant(value, zone)
    except ValueError:
        return None
    return at if _YEARS[0] <= at.year <= _YEARS[1] else None


def unread_time(file: str, place: str, name: str, value: Any, read: dt.datetime | None) -> Iterator[Remark]:
    """Yield a remark when a time stands there that could not be read."""
    if read is None and value not in (None, ""):
        shown = str(value)[:40]
        yield Remark(file, place, f"{name} {shown!r} is no time: the day of the import stands for it", Effect.CHANGED)


def category_of(name: Any) -> tuple[str, tuple[str, ...], str]:
    """Return (category, tags, why) for the name of a category in another memory.

    An unknown name becomes context and stays as a tag; `why` is then a sentence, else "".
    """
    if not isinstance(name, str) or not name.strip():
        return Category.CONTEXT.value, (), ""
    folded = "_".join(name.casefold().split()).replace("-", "_")
    known = _KNOWN.get(folded)
    if known is not None:
        return known.value, (() if folded == known.value else (name.strip(),)), ""
    return Category.CONTEXT.value, (name.strip(),), f"category {name.strip()[:60]!r} is unknown here: taken as context"


def entity_for(name: str, kind: str = "") -> str:
    """Return the entity path for a name and the source's word for its kind; "" when no slug can be made of it."""
    parsed = parse_entity_path(name)
    if parsed is not None:
        return "/".join(parsed)
    slug = slugify(name)
    folder = "people" if kind.casefold() in _PEOPLE else "projects"
    return f"{folder}/{slug}" if slug else ""
