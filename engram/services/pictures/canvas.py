"""One SVG: shapes with the classes of `look.css`, and text of people that stays text.

Invariant: a drawing is well-formed XML, holds no script and names nothing outside of itself.
"""

import re
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Final

MADE_BY: Final = "Made by Engram"  # stands in every file of these pictures, by which an export knows its own
NARROW: Final = 0.56  # mean width of a letter, in units of the font size
_WIDE: Final = 1.0  # of a Chinese, Japanese or Korean sign
_NAMESPACE = "http://www.w3.org/2000/svg"
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
_SIGN: Final = "\N{REPLACEMENT CHARACTER}"  # stands for a sign that XML cannot hold or that turns the text around it


class Drawing:
    """A picture that is being drawn; lengths are in pixels from the upper left corner."""

    def __init__(self, width: float, height: float, *, title: str, description: str) -> None:
        """Begin with an empty ground, and with words for those who cannot see it."""
        box = f"0 0 {length(width)} {length(height)}"
        self._root = ET.Element("svg", {"xmlns": _NAMESPACE, "viewBox": box, "role": "img"})
        self._root.set("width", length(width))
        self._root.set("height", length(height))
        self._root.append(ET.Comment(f" {MADE_BY} "))
        ET.SubElement(self._root, "title").text = plain(title)
        ET.SubElement(self._root, "desc").text = plain(description)
        ET.SubElement(self._root, "style").text = look()
        self.rectangle((0, 0, width, height), "ground")

    def rectangle(self, box: tuple[float, float, float, float], kind: str, *, radius: float = 0) -> None:
        """Draw a rectangle: left, top, width and height."""
        x, y, width, height = box
        self._add("rect", kind, x=x, y=y, width=width, height=height, rx=radius)

    def circle(self, center: tuple[float, float], radius: float, kind: str, *, says: str = "") -> None:
        """Draw a circle, with words that show when it is pointed at."""
        self._add("circle", kind, says, cx=center[0], cy=center[1], r=radius)

    def line(self, start: tuple[float, float], end: tuple[float, float], kind: str, *, width: float = 1) -> None:
        """Draw a straight line."""
        one = self._add("line", kind, x1=start[0], y1=start[1], x2=end[0], y2=end[1])
        one.set("stroke-width", length(width))

    def area(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """Draw a filled shape."""
        self._add("polygon", kind).set("points", _points(points))

    def path(self, points: Sequence[tuple[float, float]], kind: str) -> None:
        """Draw an open line through points."""
        self._add("polyline", kind).set("points", _points(points))

    def text(self, at: tuple[float, float], words: str, kind: str, *, anchor: str = "start") -> None:
        """Write one line whose baseline begins there, or ends or has its middle there by `anchor`."""
        one = self._add("text", kind, x=at[0], y=at[1])
        one.set("text-anchor", anchor)
        one.text = plain(words)

    def render(self) -> bytes:
        """Return the file."""
        return ET.tostring(self._root, encoding="unicode").encode()

    def _add(self, name: str, kind: str, says: str = "", **lengths: float) -> ET.Element:
        one = ET.SubElement(self._root, name, {"class": kind})
        for attribute, value in lengths.items():
            one.set(attribute, length(value))
        if says:
            ET.SubElement(one, "title").text = plain(says)
        return one


@cache
def look() -> str:
    """Return the colours and letters of all pictures, light and dark."""
    return (resources.files("engram.services.pictures") / "look.css").read_text(encoding="utf-8")


def plain(words: str) -> str:
    """Return text in one line, with a sign in place of what XML cannot hold or what turns the direction of text."""
    return _UNSEEN.sub(_SIGN, " ".join(words.split()))


def fitted(words: str, width: float, size: float) -> str:
    """Return as much of a line as has room in letters of that size, with an ellipsis when it is cut."""
    line = plain(words)
    if text_width(line, size) <= width:
        return line
    while line and text_width(f"{line}…", size) > width:
        line = line[:-1]
    return f"{line.rstrip()}…"


def text_width(words: str, size: float) -> float:
    """Return about how wide a line is, without asking a font."""
    return sum(_WIDE if unicodedata.east_asian_width(sign) in "WF" else NARROW for sign in words) * size


def wrapped(words: str, width: float, size: float, most: int) -> list[str]:
    """Return a text in at most so many lines; the last one is cut when there is more."""
    lines = [""]
    for word in plain(words).split(" "):
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and text_width(longer, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    if len(lines) > most:
        lines = [*lines[: most - 1], " ".join(lines[most - 1 :])]
    return [fitted(line, width, size) for line in lines]


def length(value: float) -> str:
    """Return a length as the file has it, to a tenth of a pixel."""
    return f"{value:.1f}".removesuffix(".0")


def _points(points: Sequence[tuple[float, float]]) -> str:
    return " ".join(f"{length(x)},{length(y)}" for x, y in points)
