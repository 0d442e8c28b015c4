"""Working memory: what a session has in hand right now, as lines that are replaced one by one or all at once.

What is replaced is kept: the file as it was moves to `archives/working-memory-0001.md` beside it.
"""

import re
from typing import Final

from engram.ports.text_files import TextFiles
from engram.services.silo.folder import clean_text
from engram.services.silo.folder import read_silo_file
from engram.services.silo.folder import replace_file
from engram.services.silo.folder import writing_silo

WORKING_MEMORY: Final = "working-memory.md"
_TITLE = "# Working memory"
_KEY = re.compile(r"(?:[-*]\s+)?([^\s:：][^:：\n]{0,39})(?::\s|：)")  # "branch: main", "- next step: deploy"


def read_working_memory(files: TextFiles, folder: str) -> str:
    """Return the lines of a silo's working memory, given by its folder; empty when there are none."""
    return read_silo_file(files, f"{folder}/{WORKING_MEMORY}").strip().removeprefix(_TITLE).strip()


def set_working_memory(files: TextFiles, folder: str, text: str) -> str:
    """Put a text in the place of a silo's working memory, and return it as it stands. Raises BadValueError."""
    return _write(files, folder, clean_text(text, "working memory"))


def clear_working_memory(files: TextFiles, folder: str) -> None:
    """Empty a silo's working memory; what was in it is kept beside it."""
    _write(files, folder, "")


def update_working_memory(files: TextFiles, folder: str, text: str) -> str:
    """Add lines to a silo's working memory, and return it as it stands. Raises BadValueError.

    A line "KEY: VALUE" takes the place of the one with that key; any other is added unless it stands there already.
    """
    news = clean_text(text, "working memory").splitlines()
    with writing_silo(files, folder) as place:
        before = read_working_memory(files, folder).splitlines()
        after = updated(before, news)
        changed = clean_text("\n".join(after), "working memory")
        replace_file(files, place / WORKING_MEMORY, _content(changed), keep=after[: len(before)] != before)
    return changed


def updated(before: list[str], news: list[str]) -> list[str]:
    """Return the lines as the news leave them; see `update_working_memory`."""
    lines = list(before)
    for new in news:
        key = _key(new)
        same = [place for place, line in enumerate(lines) if line == new or (key and _key(line) == key)]
        if same:
            lines[same[0]] = new
        else:
            lines.append(new)
    return lines


def _key(line: str) -> str:
    found = _KEY.match(f"{line} ")
    return found[1].strip().casefold() if found else ""


def _write(files: TextFiles, folder: str, text: str) -> str:
    with writing_silo(files, folder) as place:
        before = read_working_memory(files, folder)
        if before != text:
            replace_file(files, place / WORKING_MEMORY, _content(text), keep=bool(before))
    return text


def _content(text: str) -> str:
    return f"{_TITLE}\n\n{text}\n" if text else f"{_TITLE}\n"
