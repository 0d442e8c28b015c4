"""Weekly and monthly roll-ups of daily notes: which days they cover, and the form of their files. No clock passes here.

A roll-up is front matter and one block between markers, so that it is never read as a note. Its last section names
every file that it was made of with that file's SHA-256: what stands there is covered, and can be checked.
A week is an ISO week. It belongs to the month of its Thursday, so every week has exactly one month.
"""

import calendar
import datetime as dt
import re
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple
from urllib.parse import quote
from urllib.parse import unquote

from engram.base.text import sha256_hex

WEEKLY: Final = "weekly"
MONTHLY: Final = "monthly"
_UNITS: Final = {WEEKLY: "week", MONTHLY: "month"}  # key of the front matter
KINDS: Final = (WEEKLY, MONTHLY)  # also the names of the folders, below that of the daily notes
SECTIONS: Final = ("Decisions", "Preferences", "Milestones", "Lessons", "Open", "Also")  # in the order of a roll-up

_NOTES: Final = "## Notes"
_CLOSING: Final = "<!-- /engram -->"
_OPENING = re.compile(r"<!-- engram:(weekly|monthly) (\d{4}-W\d\d|\d{4}-\d\d) -->\s*$")
_OPENING_LINES = 10  # first lines among which the marker stands, should a person have written above it
_SOURCE = re.compile(r"- \[[^\]]*\]\((\S+)\) <!-- sha256:([0-9a-f]{64}) -->$")
_ITEM = re.compile(r"[-*] (?P<text>\S.*?)(?: \(\[(?P<label>[^\[\]]*)\]\((?P<target>\S+)\)\))?$")
_HEADING = re.compile(r"#{1,6} (.+)$")
_MONTHS = ("January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
           "November", "December")  # fmt: skip
_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_THURSDAY = 3  # days after Monday


class Period(NamedTuple):
    """The days of one roll-up."""

    kind: str  # weekly, monthly
    name: str  # 2026-W07, 2026-02
    first: dt.date
    last: dt.date

    @property
    def over_on(self) -> dt.date:
        """The day from which it can be written: it is over, and so is every week that belongs to it."""
        if self.kind == WEEKLY:
            return _after(self.last, 1)
        last_thursday = self.last - dt.timedelta(days=(self.last.weekday() - _THURSDAY) % 7)
        return max(_after(self.last, 1), _after(last_thursday, 4))

    @property
    def file(self) -> str:
        """The file's place below the folder of the daily notes."""
        return f"{self.kind}/{self.name}.md"

    @property
    def title(self) -> str:
        """The heading, such as "Week 7 of 2026: 9 to 15 February"."""
        if self.kind == MONTHLY:
            return f"{_MONTHS[self.first.month - 1]} {self.first.year}"
        end = f"{self.last.day} {_MONTHS[self.last.month - 1]}"
        begin = str(self.first.day)
        if self.first.month != self.last.month:
            begin += f" {_MONTHS[self.first.month - 1]}"
        return f"Week {int(self.name[-2:])} of {self.name[:4]}: {begin} to {end}"


class Source(NamedTuple):
    """A file that a roll-up was made of."""

    link: str  # relative to the folder of the roll-up, such as ../2026-02-10.md
    sha256: str  # of its bytes

    @property
    def name(self) -> str:
        """The file's name: what stays when it is moved away."""
        return self.link.rpartition("/")[2]


class Item(NamedTuple):
    """One line of a roll-up."""

    section: str  # the heading above it
    text: str
    label: str = ""  # of the link to where it was said
    target: str = ""  # of that link: file and line, such as ../2026-02-10.md#L12

    @property
    def file(self) -> str:
        """The linked file, as the link of a source has it."""
        return unquote(self.target.partition("#")[0])


def week_of(day: dt.date) -> Period:
    """Return the ISO week of a day."""
    year, number, weekday = day.isocalendar()
    monday = day - dt.timedelta(days=weekday - 1)
    return Period(WEEKLY, f"{year:04}-W{number:02}", monday, _after(monday, 6))


def month_of(week: Period) -> Period:
    """Return the month that a week belongs to: that of its Thursday."""
    first = _after(week.first, _THURSDAY).replace(day=1)
    last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    return Period(MONTHLY, f"{first:%Y-%m}", first, last)


def _after(day: dt.date, days: int) -> dt.date:
    """Return the day that many days later; the calendar's last one for a note that is called 9999-12-31."""
    return day + dt.timedelta(days=min(days, (dt.date.max - day).days))


def day_label(day: dt.date) -> str:
    """Return a day as a line names it: Tue 10 Feb."""
    return f"{_DAYS[day.weekday()]} {day.day} {_MONTHS[day.month - 1][:3]}"


def link_to(path: str, line: int = 0) -> str:
    """Return a path as a Markdown link can hold it, with its line when there is one."""
    return quote(path, safe="/.-_~") + (f"#L{line}" if line else "")


def render_items(items: Sequence[Item], left_out: int, where: str) -> str:
    """Return the body of a roll-up: its items under their sections, and how many lines more there are and where."""
    parts = []
    for section in dict.fromkeys([*SECTIONS, *(item.section for item in items)]):
        lines = [_item_line(item) for item in items if item.section == section]
        if lines:
            parts.append(f"## {section}\n\n" + "\n".join(lines))
    if left_out:
        parts.append(f"And {left_out} more {'line' if left_out == 1 else 'lines'} in {where}.")
    return "\n\n".join(parts)


def render_rollup(period: Period, body: str, sources: Sequence[Source]) -> bytes:
    """Return the file of a roll-up: the same body and sources give the same bytes."""
    lines = [*_front_matter(period), f"<!-- engram:{period.kind} {period.name} -->", f"# {period.title}", ""]
    lines += [body.strip(), "", _NOTES, ""]
    lines += [_source_line(source) for source in sources]
    return ("\n".join([*lines, _CLOSING]) + "\n").encode()


def is_rollup(text: str) -> bool:
    """Tell whether Engram began this file as a roll-up, also when a person wrote in it since."""
    return any(_OPENING.match(line.lstrip("\ufeff")) for line in text.splitlines()[:_OPENING_LINES])


def sources_of(text: str) -> list[Source]:
    """Return the files that a roll-up says it was made of."""
    found = (_SOURCE.match(line) for line in text.splitlines())
    return [Source(unquote(one[1]), one[2]) for one in found if one]


def items_of(text: str) -> Iterator[Item]:
    """Yield the lines of a roll-up, whoever wrote them: bullets, each with the heading above it."""
    return (item for _, item in numbered_items(text))


def numbered_items(text: str) -> Iterator[tuple[int, Item]]:
    """Yield what `items_of` does, each with the number of its line, from 1."""
    section = ""
    for number, line in enumerate(text.splitlines(), 1):
        if heading := _HEADING.match(line):
            section = heading[1].strip()
        elif f"## {section}" != _NOTES and (item := _ITEM.match(line.rstrip())):
            yield number, Item(section, item["text"], item["label"] or "", item["target"] or "")


def title_of(text: str) -> str:
    """Return the title of a roll-up: its first heading; empty when somebody took it out."""
    return next((found[1].strip() for line in text.splitlines() if (found := _HEADING.match(line))), "")


def digest(sources: Iterable[Source]) -> str:
    """Return the SHA-256 that changes whenever a source does, comes, goes or moves."""
    return sha256_hex("\n".join(f"{source.link} {source.sha256}" for source in sorted(sources)))


def _front_matter(period: Period) -> list[str]:
    """Return what programs read first: of which kind it is, of which week or month, and its first and last day."""
    unit = _UNITS[period.kind]
    return ["---", f"type: {period.kind}", f"{unit}: {period.name}", f"period: {period.first}/{period.last}", "---"]


def _item_line(item: Item) -> str:
    return f"- {item.text} ([{item.label}]({item.target}))" if item.target else f"- {item.text}"


def _source_line(source: Source) -> str:
    shown = source.name.replace("[", "(").replace("]", ")")
    return f"- [{shown}]({link_to(source.link)}) <!-- sha256:{source.sha256} -->"
