"""Where a working file is divided when it has grown too long: whole sections only, the newest stay.

The old file moves whole to `archives/NAME-0001.md` beside it, so every byte that a fact rests on stands where it stood;
the file itself begins anew with its title and its newest sections. A section begins with a heading of the first or the
second level outside code.
"""

import re
from typing import Final
from typing import NamedTuple

ARCHIVES: Final = "archives"  # the folder beside a rotated file

_HEADING = re.compile(rb"#{1,2}\s")
_TITLE = re.compile(rb"#\s")
_FENCE = re.compile(rb"\s{0,3}(`{3,}|~{3,})")
_DATE = re.compile(rb"\d{4}-\d{2}-\d{2}")
_PART = re.compile(r"(?P<folder>(?:[^/]+/)*)archives/(?P<stem>[^/]+)-\d{4,}\.md")


class Division(NamedTuple):
    """What a file becomes."""

    kept: bytes  # the file from now on: what stands before the first section, and the newest sections
    moved: int  # sections that only the archive holds


def rotated_from(path: str) -> str | None:
    """Return the path of the file that an archive was rotated from, None for what is no such archive.

    `memory/main/main/archives/handoff-0001.md` gives `memory/main/main/handoff.md`. An entry of an archive is the entry
    of that file: it was read before it moved, or it is still to be read.
    """
    found = _PART.fullmatch(path)
    return f"{found['folder']}{found['stem']}.md" if found else None


def archive_name(stem: str, number: int) -> str:
    """Return the file name of the number-th archive (from 1) of a file with that stem."""
    return f"{stem}-{number:04d}.md"


def divide(data: bytes, keep_bytes: int) -> Division | None:
    """Return what stays of a file when its oldest sections go, None when no whole section can go.

    As many of the newest sections stay as fit into `keep_bytes`, at least one. Sections are oldest first, as files grow
    at their end, unless their dated headings say that the newest stands on top.
    """
    head, sections, on_top = _parts(data)
    if len(sections) < 2:
        return None
    stay = _fitting(sections, keep_bytes - len(head))
    if stay == len(sections):
        return None
    return Division(head + _joined(sections[-stay:], on_top=on_top), len(sections) - stay)


def rejoin(old: bytes, data: bytes) -> bytes | None:
    """Return a file as it would be had it never been divided: the old one and what was added to the rest since.

    None when what had stayed of the old one was changed since, so that nobody can tell what is to stand where.
    """
    head, sections, on_top = _parts(old)
    for stay in range(1, len(sections)):  # the fewest first: of two ways that fit, this one loses nothing
        kept = _joined(sections[-stay:], on_top=on_top)
        if data.startswith(head + kept):
            return old + data[len(head + kept) :]
        if on_top and data.startswith(head) and data.endswith(kept):
            return head + data[len(head) : -len(kept)] + old[len(head) :]
    return None


def _parts(data: bytes) -> tuple[bytes, list[bytes], bool]:
    """Return what stands before the first section, the sections oldest first, and whether the newest stands on top."""
    starts = _section_starts(data)
    sections = [data[start:end] for start, end in zip(starts, [*starts[1:], len(data)], strict=True)] if starts else []
    on_top = _is_newest_first(sections)
    return data[: starts[0]] if starts else data, sections[::-1] if on_top else sections, on_top


def _joined(sections: list[bytes], *, on_top: bool) -> bytes:
    return b"".join(reversed(sections) if on_top else sections)


def _fitting(sections: list[bytes], room: int) -> int:
    """Return how many of the last sections fit into the room, at least one."""
    stay, used = 0, 0
    for section in reversed(sections):
        used += len(section)
        if stay and used > room:
            break
        stay += 1
    return stay


def _section_starts(data: bytes) -> list[int]:
    """Return where sections begin; the title, a first-level heading before any other, belongs to none."""
    starts: list[int] = []
    fence = b""
    place = 0
    titled = False
    for line in data.splitlines(keepends=True):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not line.strip(b" \t\r\n`~"):
                fence = b""
        elif mark:
            fence = mark[1]
        elif _HEADING.match(line):
            is_title = not starts and not titled and bool(_TITLE.match(line))
            titled = titled or is_title
            if not is_title:
                starts.append(place)
        place += len(line)
    return starts


def _is_newest_first(sections: list[bytes]) -> bool:
    dates = [found[0] for section in sections if (found := _DATE.search(section.partition(b"\n")[0]))]
    return len(dates) > 1 and dates[0] > dates[-1]
