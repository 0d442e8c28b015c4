"""What becomes of a prompt: its facts and itself into the spool, or nothing. No database is opened. Light."""

from collections import Counter
from typing import Any
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.ids import new_id
from engram.base.project import find_project
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import sha256_hex
from engram.config.hooking import HookChoices
from engram.config.hooking import find_zone
from engram.config.hooking import read_hook_choices
from engram.config.paths import Paths
from engram.hooks.host import Event
from engram.language.day_hints import may_name_days
from engram.language.first_person import SPEAKS_OF_SELF
from engram.language.here import is_said_of_here
from engram.language.signal import HIGH
from engram.language.signal import NONE
from engram.language.signal import SignalResult
from engram.language.signal import Span
from engram.language.signal import detect
from engram.language.signal_facts import fact_category
from engram.model.vocabulary import BY_HOOK
from engram.model.vocabulary import Category
from engram.rules.turn_id import turn_id
from engram.store.spool import Spool

WRITTEN = "written"  # there is something worth keeping: the turn is spooled, and what is the owner's as facts
LOW = "low"  # there is background: the turn is spooled
NOTHING = "none"  # there is nothing in it to keep
QUARANTINED = "quarantined"  # the turn is spooled, and is kept out of sight

MAX_PROMPT_CHARS = 200_000  # longer text is a file that was pasted, not something said

_ADDED_BY_HOSTS = (  # begin what a host puts into a prompt, or Engram gave out: only then it is looked for
    *("<", "=== recalled:", '"hits"', "# Context from my IDE", "--- Content from referenced files"),
    *("[Request interrupted", "Caveat: ", "A new session was started"),
)
_OF_THE_OWNER = frozenset({"instruction"})  # categories of statements that need not say whose they are
_ID_CHARS = 26  # of a command's id


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
    harmful = _gives_orders(said)
    is_owners = not harmful and event.kind is None
    envelopes = [_capture(event, said, trusted=is_owners)]
    if is_owners and found.signal == HIGH:
        envelopes = [*_facts(paths, event, found), *envelopes]
    spool = Spool(paths.spool)
    for envelope in envelopes:
        spool.put(envelope)
    outcome = QUARANTINED if harmful else WRITTEN if found.signal == HIGH else LOW
    return Taken(outcome, tuple(str(envelope["id"]) for envelope in envelopes))


def said_in(event: Event) -> str:
    """Return what the user typed, without what the host put into the prompt; raise ValueError when it is no prompt."""
    prompt = event.prompt
    if prompt is None:
        raise ValueError("the host's JSON has no prompt")
    if len(prompt) > MAX_PROMPT_CHARS:
        raise ValueError(f"the prompt is longer than {MAX_PROMPT_CHARS} characters")
    printable = _printable(prompt)
    if not any(mark in printable for mark in _ADDED_BY_HOSTS):
        return printable.strip()
    from engram.importers.transcripts.injected import said_by_user  # noqa: PLC0415 - few prompts hold any of it

    return said_by_user(printable, Counter())


def _corrects(said: str) -> bool:
    """Tell whether a prompt takes something back: "no, Thursday" is worth nothing but beside what it corrects."""
    from engram.language.compare.corrections import read_correction  # noqa: PLC0415 - only for what has no signal

    read = read_correction(said)
    return read is not None and read.sure


def _gives_orders(said: str) -> bool:
    from engram.language.injection import find_injection  # noqa: PLC0415 - only for what is kept

    return find_injection(said) is not None


def _capture(event: Event, said: str, *, trusted: bool) -> dict[str, Any]:
    at = to_iso(utc_now())
    turn = {
        "id": turn_id(event.session, None, "user", at, said),
        "session": event.session,
        "speaker": "user",
        "at": at,
        "text": said,
        "trust": "trusted" if trusted else "unverified",
    }
    project = find_project(event.folder)
    where = project.as_args() if project else {}
    return _envelope("capture", event, said, {"session": event.session, "turns": [turn], **where})


def _facts(paths: Paths, event: Event, found: SignalResult) -> list[dict[str, Any]]:
    """Return the commands that write what the owner says about themselves, each statement once.

    An instruction for "this repository" is about the project that is worked on.
    """
    choices = read_hook_choices(paths)
    once: dict[str, Span] = {}
    for span in found.spans:
        text = clean_statement(span.text)
        if (SPEAKS_OF_SELF.search(text) or span.category in _OF_THE_OWNER) and len(text) <= MAX_FACT_CHARS:
            once.setdefault(text, span)
    return [
        _envelope(
            "write",
            event,
            text,
            {
                **about,
                "create": True,
                "text": text,
                "category": fact_category(span.category).value,
                "confidence": round(found.confidence, 2),
                "source": {"actor": "user", "session": event.session, "label": BY_HOOK},
                **_holds(text, fact_category(span.category), choices),
            },
        )
        for text, span in once.items()
        if (about := _about(event, text, span, choices.owner))
    ]


def _holds(text: str, category: Category, choices: HookChoices) -> dict[str, str]:
    """Return from when and until when a statement made now holds, as fields of a write; none when it names no day."""
    if not may_name_days(text):
        return {}
    from engram.services.extract.validity import dated_fields  # noqa: PLC0415 - few statements name a day

    return dated_fields(text, category, utc_now(), find_zone(choices))


def _about(event: Event, text: str, span: Span, owner: str) -> dict[str, str]:
    """Return whom a statement is about, as fields of a write; none when that is nobody."""
    if span.category in _OF_THE_OWNER and is_said_of_here(text):
        project = find_project(event.folder)
        if project is not None and not _gives_orders(project.title):
            return {"entity": project.path, "title": project.title}
    return {"entity": owner} if owner else {}


def _envelope(kind: str, event: Event, text: str, args: dict[str, Any]) -> dict[str, Any]:
    """Return a command; of a turn that the host names, the same one whoever brings it, so that it has one effect."""
    known = event.turn and sha256_hex("\0".join((kind, event.session, event.turn, text)))[:_ID_CHARS]
    return {
        "v": 1,
        "id": known or new_id(),
        "kind": kind,
        "at": to_iso(utc_now()),
        "actor": "user",
        "args": args,
        "wants_result": False,
    }


def _printable(prompt: str) -> str:
    """Return the prompt without control characters, which terminals leave in pasted text and the store refuses."""
    if not has_control(prompt):
        return prompt
    return "".join("\N{REPLACEMENT CHARACTER}" if has_control(ch) else ch for ch in prompt)
