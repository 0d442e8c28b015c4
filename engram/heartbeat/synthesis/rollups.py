"""The files of roll-ups: which weeks and months are to be written, and how one is written so that nothing is lost.

A week is due when it is over and its notes are not the ones that its roll-up was made of; a month, when it and all its
weeks are over and its weekly files changed. What was last written is known from watermarks, set before the file is:
a run that is killed between the two finds the file as it was before and writes it again.

A file that is neither what was written nor what stood there before is a person's. It is kept as it is, which is told
once; she gets Engram's own version again by moving hers away. What is replaced is copied to archives/ first. A note
that is gone stays among the sources of its week, with its lines.
"""

import contextlib
import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Final
from typing import NamedTuple

from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.errors import DamagedStateError
from engram.heartbeat.intake.unread import iter_note_files
from engram.heartbeat.intake.unread import shown_path
from engram.heartbeat.synthesis.rollup_sources import ARCHIVES
from engram.heartbeat.synthesis.rollup_sources import Found
from engram.heartbeat.synthesis.rollup_sources import bytes_of
from engram.heartbeat.synthesis.rollup_sources import find_silos
from engram.heartbeat.synthesis.rollup_sources import is_led_away
from engram.heartbeat.synthesis.rollup_sources import read_found
from engram.heartbeat.synthesis.rollup_sources import why_not
from engram.model.conversation import Watermark
from engram.ports.text_files import TextFiles
from engram.rules.notes.rollup import WEEKLY
from engram.rules.notes.rollup import Item
from engram.rules.notes.rollup import Period
from engram.rules.notes.rollup import Source
from engram.rules.notes.rollup import digest
from engram.rules.notes.rollup import items_of
from engram.rules.notes.rollup import month_of
from engram.rules.notes.rollup import render_rollup
from engram.rules.notes.rollup import sources_of
from engram.rules.notes.rollup import week_of

CONSUMER: Final = "synthesis"
CURRENT, DUE, HERS = "current", "due", "hers"
_KEY: Final = "rollup:"  # of a watermark, before the file's path


class Mark(NamedTuple):
    """What is known of a roll-up: the value of its watermark."""

    sources: str = ""  # digest of what it was made of
    written: str = ""  # SHA-256 of the file as it was written; "" when there was nothing to write
    before: str = ""  # SHA-256 of what stood there before; "" for nothing
    kept: str = ""  # SHA-256 of a person's version that was told of


class Rollup(NamedTuple):
    """One roll-up as it is to be."""

    path: str  # relative to the workspace
    period: Period
    sources: list[Source]  # gone ones included
    texts: list[str]  # of the sources that are there, in order
    days: list[dt.date]  # of these
    links: list[str]  # of these
    carried: list[Item]  # lines whose source is gone


class Survey(NamedTuple):
    """What a look at all silos found."""

    due: list[Rollup]
    marks: list[Watermark]  # to be set for files that are a person's
    alerts: list[str]


def judge(mark: Mark | None, state: str, sources: str) -> str:
    """Return what is to be done with a roll-up: current, due, or hers (a person's, which she is to be told of).

    Args:
        mark: what is known of it; None when nothing ever was written.
        state: SHA-256 of the file as it stands; "" when there is none.
        sources: digest of what it would be made of now.
    """
    if mark is None:
        return HERS if state else DUE
    if mark.kept:
        return DUE if not state else CURRENT if (state, sources) == (mark.kept, mark.sources) else HERS
    if state == mark.written:
        return CURRENT if sources == mark.sources else DUE
    return DUE if state in {mark.before, ""} else HERS


def read_marks(watermarks: Mapping[str, str]) -> dict[str, Mark]:
    """Return path -> mark of the roll-ups among the watermarks of this phase."""
    found = ((key.removeprefix(_KEY), value) for key, value in watermarks.items() if key.startswith(_KEY))
    return {path: Mark(**json.loads(value)) for path, value in found}


def to_watermark(path: str, mark: Mark) -> Watermark:
    """Return the watermark of a roll-up."""
    return Watermark(consumer=CONSUMER, key=_KEY + path, value=json.dumps(mark._asdict()))


def survey_weeks(paths: Paths, marks: Mapping[str, Mark], today: dt.date) -> Survey:
    """Return the weeks that are over and whose roll-ups are not made of the notes that are there."""
    alerts: list[str] = []
    wanted = []
    for silo, files in sorted(find_silos(paths).items()):
        weeks: dict[Period, list[Path]] = defaultdict(list)
        for file, day in files:
            if week_of(day).over_on <= today:
                weeks[week_of(day)].append(file)
        for week, members in sorted(weeks.items()):
            found = [read_found(paths, silo, file, alerts) for file in sorted(members)]
            wanted.append((silo, week, [one for one in found if one is not None]))
    return _survey(paths, wanted, marks, alerts)


def survey_months(paths: Paths, marks: Mapping[str, Mark], today: dt.date) -> Survey:
    """Return the months that are over and whose roll-ups are not made of the weekly files that are there."""
    alerts: list[str] = []
    wanted = []
    for silo in sorted({file.parent.parent for file in iter_note_files(paths.memory) if file.parent.name == WEEKLY}):
        months: dict[Period, list[Found]] = defaultdict(list)
        for file in sorted((silo / WEEKLY).glob("*.md")):
            week = _week_named(file.stem)
            found = read_found(paths, silo, file, alerts) if week else None
            if week and found and month_of(week).over_on <= today:
                months[month_of(week)].append(found._replace(day=week.first))
        wanted += [(silo, month, found) for month, found in sorted(months.items())]
    return _survey(paths, wanted, marks, alerts)


def still_due(paths: Paths, rollups: Iterable[Rollup], marks: Mapping[str, Mark], alerts: list[str]) -> list[Rollup]:
    """Return those of the roll-ups found due that are so as their files stand now; what was edited since is told later.

    Words take time, an agent's take minutes, and meanwhile people write.
    """
    due = []
    for rollup in rollups:
        with _telling(paths, paths.root / rollup.path, alerts):
            state = _state_of(bytes_of(paths.root / rollup.path))
            if judge(marks.get(rollup.path), state, digest(rollup.sources)) == DUE:
                due.append(rollup)
    return due


def render(rollup: Rollup, body: str) -> bytes:
    """Return the file of a roll-up with that body."""
    return render_rollup(rollup.period, body, rollup.sources)


def mark_of(paths: Paths, rollup: Rollup, content: bytes | None) -> Mark:
    """Return the mark to be set before a roll-up is written; `content` is None when there is nothing to write."""
    before = _state_of(bytes_of(paths.root / rollup.path))
    return Mark(digest(rollup.sources), sha256_hex(content) if content is not None else before, before)


def write_rollup(files: TextFiles, rollup: Rollup, content: bytes, alerts: list[str]) -> bool:
    """Write a roll-up, after what stood there was copied to archives/; False when it could not be, which is told.

    Raises DamagedStateError when the file does not read as it was written.
    """
    with _telling(files.paths, files.paths.root / rollup.path, alerts):
        _write(files, rollup, content)
        return True
    return False


def _write(files: TextFiles, rollup: Rollup, content: bytes) -> None:
    file = files.paths.root / rollup.path
    former = bytes_of(file)
    if former == content:
        return
    if former is not None:
        # Named by its content, so that doing it again changes nothing; and so that no name reads as a day.
        kept = file.parent.parent / ARCHIVES / "rollups" / f"{rollup.period.name}.{sha256_hex(former)[:12]}.md"
        files.make_folder(kept.parent)
        files.write(kept, former)
        _verify(files.paths, kept, former)
    files.make_folder(file.parent)
    files.write(file, content)
    _verify(files.paths, file, content)


# --- inside ------------------------------------------------------------------------------------------------------


def _survey(
    paths: Paths,
    wanted: Iterable[tuple[Path, Period, list[Found]]],
    marks: Mapping[str, Mark],
    alerts: list[str],
) -> Survey:
    due, told = [], []
    for silo, period, found in wanted:
        if not found:
            continue
        file = silo / period.file
        path = paths.relative(file)
        if is_led_away(paths, file):
            alerts.append(f"{shown_path(path)} is not written: a part of its path is a link")
            continue
        with _telling(paths, file, alerts):
            stands = bytes_of(file)
            rollup = _rollup(path, period, found, stands)
            mark, state = marks.get(path), _state_of(stands)
            verdict = judge(mark, state, digest(rollup.sources))
            if verdict == DUE:
                due.append(rollup)
            elif verdict == HERS:
                alerts.append(_hers(path, period, is_new=mark is None or mark.kept != state))
                told.append(to_watermark(path, Mark(digest(rollup.sources), kept=state)))
    return Survey(due, told, alerts)


@contextlib.contextmanager
def _telling(paths: Paths, file: Path, alerts: list[str]) -> Iterator[None]:
    """Let one file that the system refuses to read or write stop nothing else."""
    try:
        yield
    except OSError as problem:
        alerts.append(f"{shown_path(paths.relative(file))} is not written: {why_not(problem)}")


def _state_of(stands: bytes | None) -> str:
    return sha256_hex(stands) if stands is not None else ""


def _hers(path: str, period: Period, *, is_new: bool) -> str:
    what = "notes" if period.kind == WEEKLY else "weeks"
    why = "was written by hand and is kept as it is" if is_new else f"is kept as it is, and its {what} changed since"
    return f"{path} {why}; move it away to get the one that Engram makes"


def _rollup(path: str, period: Period, found: Sequence[Found], stands: bytes | None) -> Rollup:
    former = stands.decode("utf-8", errors="replace") if stands is not None else ""
    present = {Source(one.link, "").name for one in found}
    gone = [source for source in sources_of(former) if source.name not in present]
    targets = {source.link for source in gone}
    carried = [item for item in items_of(former) if item.file in targets]
    sources = sorted(
        [*(Source(one.link, sha256_hex(one.data)) for one in found), *gone], key=lambda one: (one.name, one.link)
    )
    texts = [one.data.decode("utf-8-sig") for one in found]
    return Rollup(path, period, sources, texts, [one.day for one in found], [one.link for one in found], carried)


def _week_named(name: str) -> Period | None:
    try:
        week = week_of(dt.date.fromisoformat(f"{name}-1"))
    except ValueError:
        return None
    return week if week.name == name else None


def _verify(paths: Paths, file: Path, content: bytes) -> None:
    if bytes_of(file) != content:
        name = paths.relative(file)
        raise DamagedStateError(f"{name} does not read as it was written", hint="check the disk", path=name)
