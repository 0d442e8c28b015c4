"""What is special about an agent that answers for a phase.

An agent is a stranger: what it prints may be read on a terminal, by a supervisor and by the main agent, so of what it
says about itself only short harmless lines are passed on.
"""

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engram.base.text import INVISIBLE
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.model.handoff import Handoff

MAX_ALERTS = 50  # of one answer that are passed on
_LINE_CHARS = 300  # of a summary or an alert
_KEPT_CHARS = 1_000_000  # of one answer that could not be read
_STAT = re.compile(r"[a-z][a-z0-9_]{0,39}")
_HIDDEN = re.compile(f"[\x00-\x1f\u200c\u200d{INVISIBLE}]")
_WITHHELD = "(withheld: it tries to give orders to the agent)"

_AGAIN = """

# Your last answer could not be used

{reason}

The question is the same. Print the whole hand-off block again, with this mended.
"""


def agent_environment(root: Path) -> dict[str, str]:
    """Return our environment for an agent: an `engram` that it calls works on the workspace that the run is of."""
    return {**os.environ, "ENGRAM_WORKSPACE": str(root)}


def ask_again(prompt: str, reason: str) -> str:
    """Return the prompt for another try, which says what was wrong with the last one."""
    return prompt + _AGAIN.format(reason=one_line(reason))


def sanitise_answer(handoff: Handoff, own: Sequence[str] = ()) -> Handoff:
    """Return an agent's hand-off with what is shown of it made harmless.

    Summary and alerts are one short line each, without secrets; one that gives orders is withheld (`own`: expressions
    of the settings that count as that, too). Of the stats, only numbers under plain names stay.
    """
    alerts = [_harmless(alert, own) for alert in handoff.alerts[:MAX_ALERTS]]
    if len(handoff.alerts) > MAX_ALERTS:
        alerts.append("the agent had more alerts than are shown")
    stats: dict[str, Any] = {
        name: number
        for name, number in handoff.stats.items()
        if isinstance(number, int | float) and abs(number) < 10**15 and _STAT.fullmatch(name)
    }
    said = {"summary": _harmless(handoff.summary, own), "alerts": tuple(alerts), "stats": stats}
    return handoff.model_copy(update=said)


def one_line(text: str, limit: int = _LINE_CHARS) -> str:
    """Return the text as one line of at most so many characters, without secrets and invisible characters."""
    line = " ".join(_HIDDEN.sub(" ", redact(text[: 4 * limit]).text).split())
    return line if len(line) <= limit else line[: limit - 1] + "…"


def kept_answers(answers: Sequence[str]) -> str:
    """Return what is kept of answers that could not be read: of each its beginning and its end."""
    if len(answers) == 1:
        return _shortened(answers[0])
    count = len(answers)
    return "\n".join(f"--- answer {number} of {count} ---\n{_shortened(one)}" for number, one in enumerate(answers, 1))


def _harmless(text: str, own: Sequence[str]) -> str:
    # Read whole: words that give orders may stand behind where the line is cut, and are then not shown either.
    return one_line(text) if find_injection(text, own) is None else _WITHHELD


def _shortened(answer: str) -> str:
    if len(answer) <= _KEPT_CHARS:
        return answer
    half = _KEPT_CHARS // 2
    return f"{answer[:half]}\n[{len(answer) - _KEPT_CHARS} characters are left out here]\n{answer[-half:]}"
