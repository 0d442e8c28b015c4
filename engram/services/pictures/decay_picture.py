"""The facts by tier over time as a drawing, from what `services.facts.tier_course` tells."""

import datetime as dt
import math
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.base.counts import counted
from engram.rules.life.decay import TIERS
from engram.services.pictures.canvas import Drawing
from engram.services.pictures.canvas import text_width

_WIDTH, _HEIGHT = 1000.0, 520.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 76.0, 968.0, 176.0, 448.0  # of the plot
_EDGE: Final = 32.0
_DAYS_APART: Final = 6  # labels of days
_LINES: Final = 5  # across the plot
_HEADROOM: Final = 1.08

Columns = Mapping[str, Sequence[Any]]
_STACKS: Final = (TIERS, TIERS[1:], TIERS[2:])  # hot lies on warm, and warm on cold; each is drawn over the one before


def draw_decay(report: Mapping[str, Any]) -> bytes:
    """Return the drawing of a report."""
    tiers, other = report["tiers"], report["what_if"]
    today = str(report["course"]["day"][0])
    words = ", ".join(f"{tiers[name]:,} {name}" for name in TIERS)
    drawing = Drawing(_WIDTH, _HEIGHT, title="Facts by tier", description=f"On {today}: {words}. {report['assumes']}")
    drawing.text((_EDGE, 42), "Facts by tier", "title")
    leaving, ahead = report["leaving"]["count"], counted(report["days"], "day")
    drawing.text(
        (_EDGE, 66), f"{today}; facts that leave a tier within {ahead} if nobody uses them: {leaving:,}", "muted"
    )
    _figures(drawing, tiers, other["tiers"] if other else None)
    scale = _Scale(report["past"], report["course"])
    _grid(drawing, scale)
    for stack in _STACKS:
        points = [*scale.points(report["past"], stack), *scale.points(report["course"], stack)]
        base = [(points[-1][0], _BOTTOM), (points[0][0], _BOTTOM)]
        drawing.area([*points, *base], stack[0])
    lines = [other["course"]] if other else [report["expected"]] if report["expected"] != report["course"] else []
    for columns in lines:
        for stack in _STACKS[1:]:
            drawing.path(scale.points(columns, stack), "expected")
    x = scale.x(today)
    drawing.line((x, _TOP - 6), (x, _BOTTOM), "edge", width=1.5)
    drawing.text((x + 6, _TOP + 4), "today", "small")
    _foot(drawing, report, has_line=bool(lines))
    return drawing.render()


class _Scale:
    """Where days and numbers of facts lie in the plot."""

    def __init__(self, past: Columns, course: Columns) -> None:
        self.days = [*past["day"], *course["day"]]
        self._first = dt.date.fromisoformat(self.days[0]).toordinal()
        self._last = dt.date.fromisoformat(self.days[-1]).toordinal()
        totals = [
            sum(columns[name][row] for name in TIERS)
            for columns in (past, course)
            for row in range(len(columns["day"]))
        ]
        self.most = max(1, *totals)

    def x(self, day: str) -> float:
        part = (dt.date.fromisoformat(day).toordinal() - self._first) / max(1, self._last - self._first)
        return _LEFT + part * (_RIGHT - _LEFT)

    def day(self, part: float) -> str:
        """Return the day at a part of the width."""
        return dt.date.fromordinal(self._first + round(part * (self._last - self._first))).isoformat()

    def y(self, facts: float) -> float:
        return float(_BOTTOM - facts / (self.most * _HEADROOM) * (_BOTTOM - _TOP))

    def points(self, columns: Columns, stack: Sequence[str]) -> list[tuple[float, float]]:
        sums = [sum(columns[name][row] for name in stack) for row in range(len(columns["day"]))]
        return [(self.x(day), self.y(many)) for day, many in zip(columns["day"], sums, strict=True)]


def _figures(drawing: Drawing, tiers: Mapping[str, int], then: Mapping[str, int] | None) -> None:
    for place, name in enumerate(TIERS):
        x = _EDGE + place * 200
        drawing.circle((x + 5, 96), 5, name)
        drawing.text((x + 16, 100), name, "muted")
        number = f"{tiers[name]:,}"
        drawing.text((x, 130), number, "figure")
        if then is not None and then[name] != tiers[name]:
            drawing.text((x + text_width(number, 26) + 10, 130), f"{then[name] - tiers[name]:+,}", "muted")


def _grid(drawing: Drawing, scale: _Scale) -> None:
    step = _round_step(scale.most / _LINES)
    for number in range(_LINES * 2):
        facts = number * step
        if facts > scale.most * _HEADROOM:
            break
        drawing.line((_LEFT, scale.y(facts)), (_RIGHT, scale.y(facts)), "rule")
        drawing.text((_LEFT - 8, scale.y(facts) + 4), f"{facts:,}", "small", anchor="end")
    for number in range(_DAYS_APART + 1):
        day = scale.day(number / _DAYS_APART)
        anchor = "end" if number == _DAYS_APART else "middle" if number else "start"
        drawing.text((scale.x(day), _BOTTOM + 20), day, "small", anchor=anchor)


def _round_step(least: float) -> int:
    """Return the next of 1, 2, 5, 10, 20, ... that is not below a number."""
    if least <= 1:
        return 1
    power = 10 ** math.floor(math.log10(least))
    return int(next(power * factor for factor in (1, 2, 5, 10) if power * factor >= least))


def _foot(drawing: Drawing, report: Mapping[str, Any], *, has_line: bool) -> None:
    line = (
        "; the dashed lines: with the other settings" if report["what_if"] else "; the dashed lines: if used as before"
    )
    drawing.text((_EDGE, _HEIGHT - 30), f"From today on: if nobody uses them{line if has_line else ''}.", "small")
    words = "Before today: today's facts, their earlier uses taken as evenly spread."
    drawing.text((_EDGE, _HEIGHT - 14), f"{words} {report['assumes'].capitalize()}.", "small")
