"""Which parts of a text a program has written, and which lines an agent has written about its own work.

A *machine line* is known by its form: a log line, a frame or head of a stack trace, a line of a build or a test run, an
answer of a tool. One frame makes its whole paragraph a trace. A *status line* says that work was done or is about to be
("Done.", "Готово.", "已完成", "완료했습니다"): it reports a step and states nothing that lasts.
"""

import re
from bisect import bisect_right
from functools import cache
from typing import Final

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import expression
from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled

READ_CHARS: Final = 400  # of a line: a form is known by its beginning

_KIND: Final = "machine"  # of the data files

# What the levels of a log are called. People write three of them before what matters to them ("WARNING: never deploy
# on Fridays"), so those need more of the form of a log than one colon and a space.
_TERSE = r"ERROR|ERR|WARN|INFO|DEBUG|TRACE|FATAL|SEVERE"
_LEVELS = rf"{_TERSE}|WARNING|CRITICAL|NOTICE"
_DATE = r"\d{4}[-/]\d\d[-/]\d\d"
_MONTHS = r"Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_LEAD = r"[ \t]{0,20}(?:>[ \t]{0,4}){0,4}(?:(?:[-*+•]|\d{1,3}[.)])[ \t]{1,4})?[*_`]{0,3}"
# Frames as Java, JavaScript and C# write them: "at" begins many a line that people write.
_FRAME = (
    r"at [\w.$<>/@]{1,200}\((?:[\w$-]{1,80}\.\w{1,10}:\d{1,7}|Native Method|Unknown Source)\)|"
    r"at [^\n()]{1,120} \((?:(?=[^\s()]{0,200}[A-Za-z/<])[^\s()]{1,200}:\d{1,7}:\d{1,7}|native|<anonymous>)\)|"
    r"at (?:async )?(?=\S{0,200}[/<])\S{1,200}:\d{1,7}:\d{1,7}[ \t\r]{0,4}$|"
    r"at [\w.$<>`\[\],+]{1,200}\([^()\n]{0,200}\) in \S[^\n]{0,200}:line \d"
)
_FORMS = (  # of programs that speak no language
    r"[IWEF]\d{4} \d\d:\d\d:\d\d",
    r"<\d{1,3}>\[|[VDIWEF]/[\w.]{2,60}[(:]",
    rf"[\w.-]{{1,40}}\[\d{{1,8}}\]:[ \t]{{0,4}}(?:{_LEVELS})\b|[a-z][\w.-]{{0,40}}: (?:{_TERSE}|WARNING)\b",
    r"(?:error|fatal|debug|remote): |\S{1,200}:\d{1,7}(?::\d{1,7})?: (?:fatal error|error|warning|note): ",
    r"(?:[\w.]{1,30}=(?:\"[^\"\n]{0,200}\"|\S{1,100})[ \t]{1,4}){0,6}(?:level|lvl|severity|msg)=[\"\w]",
    r"\d{1,3}(?:\.\d{1,3}){3} - \S{1,60} \[",
    # traces
    r"Traceback \(|Exception in thread |panic: |goroutine \d{1,9} \[|thread '[^'\n]{1,80}' panicked",
    r"Caused by: [\w$]{1,60}\.[\w.$]{1,120}(?::|[ \t\r]{0,4}$)",
    r"(?:(?:Uncaught|Unhandled) [\w.]{0,80}|[\w.]{1,80})(?:Error|Exception)(?: \[\w{1,40}\])?: ",
    rf"{_FRAME}|File \"[^\"\n]{{1,200}}\", line \d",
    # builds, tests, version control
    r"##\[|::(?:notice|warning|error|debug|group|endgroup|set-output)\b",
    r"==> [^\n]{1,200} <==[ \t\r]{0,4}$|---> (?:Running in |Using cache|[0-9a-f]{12}\b)|Step \d{1,3}/\d{1,3} : ",
    r"(?:PASS|FAIL|SKIP|PASSED|FAILED|ERROR)[ \t]{1,4}(?:\d|\S{0,80}(?:::|/|\.\w))",
    r"(?:not )?ok[ \t]{1,4}(?:\d{1,6} [-#] |\S{0,80}::|\S{1,200}/\S{1,200}[ \t]{1,4}(?:\d{1,6}\.\d{1,6}s|\(cached\)))",
    r"[✓✔✗✘✖×][^\n]{1,200}\(\d{1,6}(?:\.\d{1,3})? ?m?s\)[ \t]{0,4}$",
    r"(?:=+ |(?:Run )?[Tt]ests?:? |Ran )[^\n]{0,20}\b\d{1,6} (?:passed|failed|skipped|tests? in)\b",
    r"diff --git |@@ -\d|index [0-9a-f]{7,40}\.\.|To (?:\w{3,5}://|[\w.@-]{3,80}:)[\w./~-]{1,80}[ \t\r]{0,4}$",
    r"npm (?:ERR|WARN|notice|warn|error)",
    # queries, as they are typed
    r"SELECT [^\n]{1,200} FROM [\w.\"]|INSERT INTO [\w.\"]{1,80}[ (][^\n]{0,200}(?:VALUES|SELECT)\b",
    # tools
    r"(?:[Tt]ool|[Ff]unction)[ _-]?(?:[Rr]esult|[Oo]utput|[Cc]all|[Rr]esponse|[Uu]se)s?[ \t]{0,2}[:=]",
    r"(?:Tool|stdout|stderr|STDOUT|STDERR|[Oo]utput|[Ee]xit code)[ \t]{0,2}[:=]|\[(?:tool|function)\b[^\]\n]{0,60}\]",
    r"(?:[\w ]{1,30}[:=][ \t]{0,4})?[\[{][\[{ \t]{0,4}\"[^\"\n]{1,80}\"[ \t]{0,2}[:,]",
)
_TRACE = rf"(?m)^[ \t]{{0,20}}(?:Traceback \(|goroutine \d{{1,9}} \[|{_FRAME}|File \"[^\"\n]{{1,200}}\", line \d)"
_GAP = r"\n[ \t\r]*\n"


class MachineText:
    """The parts of one text that a program has written."""

    def __init__(self, text: str) -> None:
        """Take the text. Linear in its length."""
        spans = [(found.start(), _line_end(text, found.start())) for found in _machine().finditer(text)]
        end = 0
        for frame in compiled(_TRACE).finditer(text):
            if frame.start() >= end:
                start, end = _paragraph(text, end, frame.start())
                spans.append((start, end))
        self._spans: list[tuple[int, int]] = []
        for start, end in sorted(spans):
            if self._spans and start <= self._spans[-1][1]:
                self._spans[-1] = (self._spans[-1][0], max(end, self._spans[-1][1]))
            else:
                self._spans.append((start, end))
        self._starts = [start for start, _ in self._spans]

    def holds(self, place: int) -> bool:
        """Tell whether a program has written what stands at a place."""
        before = bisect_right(self._starts, place) - 1
        return before >= 0 and place < self._spans[before][1]


def is_machine_made(text: str) -> bool:
    """Tell whether a program has written every line of a text that is not empty."""
    machine, place = MachineText(text), 0
    lines = text.splitlines(keepends=True)
    for line in lines:
        if line.strip() and not machine.holds(place):
            return False
        place += len(line)
    return any(map(str.strip, lines))


def is_status_line(text: str) -> bool:
    """Tell whether a statement, without list marker, is an agent's report of its own work."""
    return expression(_KIND, "status", r"[\W_]{0,6}(?:%s)").match(text[:READ_CHARS]) is not None


def _line_end(text: str, place: int) -> int:
    end = text.find("\n", place)
    return len(text) if end < 0 else end


def _paragraph(text: str, begin: int, place: int) -> tuple[int, int]:
    """Return the paragraph around a place, from `begin` on."""
    start = max((found.end() for found in compiled(_GAP).finditer(text, begin, place)), default=begin)
    gap = compiled(_GAP).search(text, place)
    return start, gap.start() if gap else len(text)


@cache
def _machine() -> re.Pattern[str]:
    """Return what finds a line that a program has written, whatever language it speaks."""
    levels, unspaced = joined(_KIND, "levels"), joined(_KIND, "unspaced_levels")
    all_levels = f"{levels}|{unspaced}"
    nobody = _no_person(all_levels)
    forms = (
        rf"\[?{_DATE}[T ]\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?+(?:Z|[+-]\d\d:?\d\d)?+\]?+{nobody}",
        rf"\[?(?:{_DATE}[T ])?\d\d:\d\d(?::\d\d)?(?:[.,]\d{{1,9}})?Z?\]?[ \t]{{1,4}}[\[(]?(?:{_LEVELS}|{levels})\b",
        rf"\[?\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?+\]?+[ \t]{nobody}",
        rf"(?:{_MONTHS})[ ]{{1,2}}\d{{1,2}} \d\d:\d\d:\d\d {nobody}",
        rf"[\[(【](?:{_LEVELS}|{all_levels}|[Ii]nfo|[Ww]arn(?:ing)?|[Ee]rror|[Dd]ebug)[\])】]",
        rf"(?:{_TERSE}|{levels})[:\]]",
        rf"(?:{_LEVELS}|{levels})(?:\]|:(?:[^\s*_]|[ \t]{{2}})|[ \t]{{1,4}}[\w.-]{{1,40}}:|[ \t]{{2,8}}\S)",
        joined(_KIND, "forms"),
    )
    return kept(rf"(?m)^{_LEAD}(?:{'|'.join(f'(?:{form})' for form in (*forms, *_FORMS))})")


def _no_person(levels: str) -> str:
    """Return what stands behind a time unless somebody speaks.

    Somebody is who is named ("[10:15:30] Anna: ", "10:15:30 <anna> "), or who speaks of herself: a chat, a diary.
    """
    name = rf"(?!(?:{_LEVELS}|{levels})\b)[A-ZА-ЯЁ\u3400-\u9fff가-힣][\w.'’-]{{0,30}}"
    return (
        r"(?![ \t]{0,4}(?:[-–—][ \t]{0,2})?(?:<[\w.-]{1,30}> |"
        rf"{name}(?: {name}){{0,2}}[:：](?!:)[ \t]{{0,4}}[^\s\d:]|{joined(_KIND, 'speaker')}))"
    )
