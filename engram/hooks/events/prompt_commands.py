"""The commands that a prompt becomes when there is something to keep in it: a turn, and facts of its owner. Light."""

import datetime as dt
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from engram.base.clock import to_iso
from engram.base.project import find_project
from engram.base.speaker_names import chosen_name
from engram.base.text import MAX_FACT_CHARS
from engram.base.text import clean_statement
from engram.base.text import replace_control
from engram.base.text import sha256_hex
from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import find_zone
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.config.project_folders import note_project_folder
from engram.hooks.host import Event
from engram.language.dates.day_hints import may_name_days
from engram.language.screen.injection import find_injection
from engram.language.signal.categories import fact_category
from engram.language.signal.categories import remembered_category
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import SignalResult
from engram.language.signal.detector import Span
from engram.language.signal.here import is_said_of_here
from engram.language.text.first_person import speaks_of_self
from engram.language.text.lead_ins import without_asides
from engram.language.text.talk.pasted_text import find_pasted
from engram.model.commands.envelope import make_envelope
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.vocabulary import BY_HOOK
from engram.model.vocabulary import Actor
from engram.model.vocabulary import Category
from engram.rules.turn_id import turn_id
from engram.store.spool import Spool

_OF_THE_OWNER = frozenset({"instruction"})  # categories of statements that need not say whose they are
_ID_CHARS = 26  # of a command's id


def keep_prompt(
    paths: Paths, event: Event, said: str, found: SignalResult, now: dt.datetime
) -> tuple[bool, tuple[str, ...]]:
    """Spool what a prompt becomes; return whether it tries to give orders to the agent that reads it, and what ids."""
    harmful, envelopes = _commands_for(paths, event, said, found, now)
    spool = Spool(paths.spool)
    for envelope in envelopes:
        spool.put(envelope)
    if event.kind is None:
        with suppress(OSError):  # where nothing can be written, what is remembered is not compared with the folder
            note_project_folder(paths, event.folder)
    return harmful, tuple(str(envelope["id"]) for envelope in envelopes)


def _commands_for(
    paths: Paths, event: Event, said: str, found: SignalResult, now: dt.datetime
) -> tuple[bool, list[dict[str, Any]]]:
    """Return whether a prompt tries to give orders to the agent that reads it, and its commands in order.

    What the owner only passed on is not theirs: it makes no fact, and a turn that holds it is not trusted as a whole.
    """
    harmful = _gives_orders(said)
    is_owners = not harmful and event.kind is None
    pasted = find_pasted(said)
    capture = _capture(event, said, now, trusted=is_owners and not pasted)
    typed = [one for one in found.spans if not any(each.start < one.end and one.start < each.end for each in pasted)]
    facts = _facts(paths, event, found, typed, now) if is_owners and found.signal == HIGH else []
    return harmful, [*facts, capture]


def _gives_orders(said: str) -> bool:
    return find_injection(said) is not None


def _capture(event: Event, said: str, now: dt.datetime, *, trusted: bool) -> dict[str, Any]:
    at = to_iso(now)
    speaker = "user" if event.kind is None else chosen_name(event.speaker and replace_control(event.speaker))
    turn = {
        "id": turn_id(event.session, None, speaker, at, said),
        "session": event.session,
        "speaker": speaker,
        "at": at,
        "text": said,
        "trust": "trusted" if trusted else "unverified",
    }
    project = find_project(event.folder)
    where = project.as_args() if project else {}
    return _envelope("capture", event, said, now, {"session": event.session, "turns": [turn], **where})


def _facts(
    paths: Paths, event: Event, found: SignalResult, typed: Sequence[Span], now: dt.datetime
) -> list[dict[str, Any]]:
    """Return the commands that write what the owner says about themselves, each statement once.

    An instruction for "this repository" is about the project that is worked on.
    """
    choices = read_hook_choices(paths)
    once: dict[str, Span] = {}
    for span in map(_remembered, typed):
        text = clean_statement(span.text)
        if (speaks_of_self(text) or span.category in _OF_THE_OWNER) and len(text) <= MAX_FACT_CHARS:
            once.setdefault(text, span)
    return [
        _envelope(
            "write",
            event,
            text,
            now,
            WriteCommand(
                entity=entity,
                title=title,
                create=True,
                text=text,
                category=fact_category(span.category),
                confidence=round(found.confidence, 2),
                source=WriteSource(Actor.USER, session=event.session, label=BY_HOOK),
                **_holds(text, fact_category(span.category), choices, now),  # type: ignore[arg-type]  # they are texts
            ).as_args(),
        )
        for text, span in once.items()
        for entity, title in _about(event, text, span, choices.owner)
    ]


def _remembered(span: Span) -> Span:
    """Return a statement without "remember that" before it, as what it says by itself."""
    told = without_asides(span.text)
    if told == span.text:
        return span
    category = remembered_category(told).value if span.category in _OF_THE_OWNER else span.category
    return span._replace(text=told, category=category)


def _holds(text: str, category: Category, choices: HookChoices, now: dt.datetime) -> dict[str, str]:
    """Return from when and until when a statement made now holds, as fields of a write; none when it names no day."""
    if not may_name_days(text):
        return {}
    from engram.services.extract.validity import dated_fields  # noqa: PLC0415 - few statements name a day

    return dated_fields(text, category, now, find_zone(choices))


def _about(event: Event, text: str, span: Span, owner: str) -> list[tuple[str, str | None]]:
    """Return the path of whom a statement is about, and a title for one that may be new; none when that is nobody."""
    if span.category in _OF_THE_OWNER and is_said_of_here(text):
        project = find_project(event.folder)
        if project is not None and not _gives_orders(project.title):
            return [(project.path, project.title)]
    return [(owner, None)] if owner else []


def _envelope(kind: str, event: Event, text: str, now: dt.datetime, args: dict[str, Any]) -> dict[str, Any]:
    """Return a command; of a turn that the host names, the same one whoever brings it, so that it has one effect."""
    known = event.turn and sha256_hex("\0".join((kind, event.session, event.turn, text)))[:_ID_CHARS]
    return make_envelope(kind, args, at=now, command_id=known or None).as_json()
