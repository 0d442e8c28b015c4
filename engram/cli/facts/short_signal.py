"""`engram signal TEXT`, as an agent asks at every turn: without click, which is a third of what it takes. Light.

One text and perhaps `--json`, in any order, and nothing else; whatever begins with a dash is the command line's.
"""

from collections.abc import Sequence
from typing import NamedTuple

from engram.base.text import is_utf8
from engram.cli.facts.signal_text import for_people
from engram.cli.invocation.asked import Invocation
from engram.cli.terminal.streams import speak_utf8
from engram.language.signal.detector import detect


class SignalCall(NamedTuple):
    """`[--json] signal TEXT [--json]`."""

    text: str
    as_json: bool


def signal_call(args: Sequence[str]) -> SignalCall | None:
    """Return what is asked for when the arguments are plain, else None."""
    match [word for word in args if word != "--json"]:
        case ["signal", text] if not text.startswith("-") and is_utf8(text):
            return SignalCall(text, "--json" in args)
    return None


def answer(args: Sequence[str]) -> int | None:
    """Print what the text holds and return the exit code; None when click has to look at the arguments."""
    call = signal_call(args)
    if call is None:
        return None
    speak_utf8()
    asked = Invocation()
    asked.as_json = call.as_json
    result = detect(call.text)
    asked.emit(result.as_json(), lambda: for_people(result))
    return 0
