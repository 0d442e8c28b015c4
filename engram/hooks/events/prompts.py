"""What becomes of a prompt: its facts and itself into the spool, or nothing. No database is opened. Light."""

from collections import Counter
from typing import NamedTuple

from engram.base.clock import utc_now
from engram.base.text import replace_control
from engram.config.paths import Paths
from engram.hooks.host import Event
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import NONE
from engram.language.signal.detector import detect

WRITTEN = "written"  # there is something worth keeping: the turn is spooled, and what is the owner's as facts
LOW = "low"  # there is background: the turn is spooled
NOTHING = "none"  # there is nothing in it to keep
QUARANTINED = "quarantined"  # the turn is spooled, and is kept out of sight

MAX_PROMPT_CHARS = 200_000  # longer text is a file that was pasted, not something said

_ADDED_BY_HOSTS = (  # begin what a host puts into a prompt, or Engram gave out: only then it is looked for
    *("<", "=== recalled:", '"hits"', "# Context from my IDE", "--- Content from referenced files"),
    *("[Request interrupted", "Caveat: ", "A new session was started"),
)


class Taken(NamedTuple):
    """What became of one prompt."""

    outcome: str
    command_ids: tuple[str, ...] = ()


def take_prompt(paths: Paths, event: Event) -> Taken:
    """Spool what a prompt holds; raise ValueError when it is none.

    The prompt is captured as the user's own turn when its signal is high or low, so that the heartbeat can read it in
    its context. What is high and said by the owner about themselves is besides written at once, as a fact. A prompt
    that tries to give orders to the agent that reads it is quarantined; what others can have typed is not trusted.
    """
    said = said_in(event)
    if not said:
        return Taken(NOTHING)
    found = detect(said)
    if found.signal == NONE and not _corrects(said):
        return Taken(NOTHING)
    from engram.hooks.events.prompt_commands import keep_prompt  # noqa: PLC0415 - 10 ms, and most prompts hold nothing to keep

    harmful, command_ids = keep_prompt(paths, event, said, found, utc_now())
    outcome = QUARANTINED if harmful else WRITTEN if found.signal == HIGH else LOW
    return Taken(outcome, command_ids)


def said_in(event: Event) -> str:
    """Return what the user typed, without what the host put into the prompt; raise ValueError when it is no prompt."""
    prompt = event.prompt
    if prompt is None:
        raise ValueError("the host's JSON has no prompt")
    if len(prompt) > MAX_PROMPT_CHARS:
        raise ValueError(f"the prompt is longer than {MAX_PROMPT_CHARS} characters")
    printable = replace_control(prompt)  # terminals leave it in pasted text, and the store refuses it
    if not any(mark in printable for mark in _ADDED_BY_HOSTS):
        return printable.strip()
    from engram.importers.transcripts.injected import said_by_user  # noqa: PLC0415 - 3 ms, and few prompts hold any of it

    return said_by_user(printable, Counter())


def _corrects(said: str) -> bool:
    """Tell whether a prompt takes something back: "no, Thursday" is worth nothing but beside what it corrects."""
    from engram.language.compare.corrections.corrections import read_correction  # noqa: PLC0415 - a millisecond, and a prompt that is kept does without

    read = read_correction(said)
    return read is not None and read.sure
