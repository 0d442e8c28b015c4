"""What waits for review, as text for people."""

import datetime as dt
import textwrap
from collections.abc import Callable
from collections.abc import Mapping
from typing import Any

import click

from engram.base.clock import day_of
from engram.cli.invocation.options import invocation

Row = Mapping[str, Any]  # services.reviewing.describe

_WIDTH = 100


def shown(text: str) -> str:
    """Return what is shown, with its styles where a person looks on and without them in a pipe."""
    return text if invocation().for_screen else click.unstyle(text)


def tension_text(row: Row, zone: dt.tzinfo) -> str:
    """Return a tension: both sentences with dates and sources, and what became of it."""
    head = f"{row['id']}  {row['status']}  ({row['why']}, opened {day_of(row['opened_at'], zone)})"
    lines = [head, *_sides(row)]
    if row.get("resolution"):
        lines.append(f"  settled {day_of(row['resolved_at'], zone)}: {row['resolution']}")
    return "\n".join(lines)


def item_text(row: Row, zone: dt.tzinfo) -> str:
    """Return one thing that waits, with the facts it stands on."""
    what: dict[str, Callable[[Row], list[str]]] = {
        "tension": _tension_head,
        "quarantined": _quarantined_head,
        "observation": _observation_head,
        "names": _names_head,
        "candidate": _candidate_head,
        "proposal": lambda proposal: _proposal_head(proposal, zone),
    }
    return "\n".join([*what[row["kind"]](row), *_sides(row)])


def list_line(row: Row, zone: dt.tzinfo) -> tuple[str, str, str]:
    """Return one thing that waits as the cells of a line."""
    extra = f"seen {row['seen']}" if row["kind"] == "observation" else day_of(row["opened_at"], zone)
    return row["id"], extra, textwrap.shorten(row["text"], _WIDTH, placeholder="…")


def _tension_head(row: Row) -> list[str]:
    return [f"{row['id']}: can both hold? ({row['why']})"]


def _quarantined_head(row: Row) -> list[str]:
    return [f"{row['id']}: kept and never served: {_plain(row['why'] or 'quarantined')}"]


def _names_head(row: Row) -> list[str]:
    return [f"{row['id']}: are they one? ({_plain(row['why'])})"]


def _candidate_head(row: Row) -> list[str]:
    return [f"{row['id']}: {_plain(row['why'])}"]


def _observation_head(row: Row) -> list[str]:
    seen = "once" if row["seen"] == 1 else f"{row['seen']} times"
    about = f", about {row['entity']}" if row["entity"] else ""
    lines = [f"{row['id']}: {row['category']}, noticed {seen}{about}", *_wrapped(row["text"], "  ")]
    suggestion = row["suggestion"]
    if suggestion:
        place = "a line of MEMORY.md" if suggestion["target"] == "memory" else f"a {suggestion['abstraction']}"
        lines += [f"  could become {place}:", *_wrapped(suggestion["text"], "    ")]
        lines += [f"  why promoted: {row['why_promoted']}"] if row.get("why_promoted") else []
    if row["trust"] == "quarantined":
        lines.append("  ! it tries to give orders to the agent")
    return lines


def _proposal_head(row: Row, zone: dt.tzinfo) -> list[str]:
    head = f"{row['id']}: proposed in domain {row['domain']} ({row['file']}, since {day_of(row['opened_at'], zone)})"
    return [head, *_wrapped(row["text"], "  ")]


def _sides(row: Row) -> list[str]:
    marked = row["kind"] == "tension"
    lines = []
    for number, side in enumerate(row["sides"], 1):
        mark = f"{number}  " if marked else "-  "
        lines += _wrapped(side["text"], f"  {mark}", "     ")
        told = [side["id"], side["date"], side["source"]]
        told += [side["status"]] if side["status"] not in {"active", "candidate"} else []
        told += [side["trust"]] if side["trust"] != "trusted" else []
        told += [side["scope"]] if side["scope"] != "shared" else []
        lines.append(click.style(f"     {' · '.join(map(_plain, told))}", dim=True))
    return lines


def _wrapped(text: str, first: str, rest: str | None = None) -> list[str]:
    indent = first if rest is None else rest
    return textwrap.wrap(_plain(text), _WIDTH, initial_indent=first, subsequent_indent=indent) or [first]


def _plain(text: str) -> str:
    """Return a text as a terminal may show it: no character of it moves the cursor or changes the colours."""
    return "".join(sign if sign.isprintable() else " " for sign in text)
