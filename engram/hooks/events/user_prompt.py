"""A prompt: what is known about it is asked for, then it is looked at, then what was asked is read. Light."""

from typing import TYPE_CHECKING

from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.hooks import host as h
from engram.hooks.events.prompts import Taken
from engram.hooks.events.prompts import said_in
from engram.hooks.events.prompts import take_prompt
from engram.hooks.log import log
from engram.hooks.outcome import IGNORED
from engram.hooks.outcome import REFUSED
from engram.hooks.outcome import Done

if TYPE_CHECKING:
    from engram.hooks.events.prompt_recall import Asked

_MOST_ASKED_CHARS = 2000  # of a prompt: what is longer begins with what it is about
_FEWEST_ASKED_CHARS = 8  # of a prompt: "yes", "go on" ask for nothing


def act(paths: Paths, host: h.Host | None, event: h.Event) -> Done:
    """Take a prompt in, and tell the agent what is known about it."""
    if event.by_agent:
        return Done(IGNORED)  # what an agent tells another was said by no person
    told = host if host is not None and h.USER_PROMPT in host.listens else None
    asked = _ask(paths, event) if told else None
    try:
        taken = take_prompt(paths, event)
    except OSError as problem:  # what is known can be told all the same where nothing can be written
        log(paths, f"{h.USER_PROMPT}: {problem}")
        taken = Taken(REFUSED)
    return Done(*taken, _recalled(paths, told, event, asked) if told and asked else "")


def _ask(paths: Paths, event: h.Event) -> "Asked | None":
    """Begin to recall for a prompt, if there is anything to ask; what goes wrong is a line in the log."""
    try:
        choices = read_hook_choices(paths)
        question = _question_in(event, choices)
        if not question:
            return None
        from engram.hooks.events.prompt_recall import ask  # noqa: PLC0415 - sockets take their time: only for who asks

        return ask(paths, event, question, choices)
    except (OSError, ValueError) as problem:
        log(paths, f"{h.USER_PROMPT}: {problem}")
        return None


def _question_in(event: h.Event, choices: HookChoices) -> str:
    """Return what is to be recalled for a prompt; "" for nothing."""
    if choices.recall == "off" or not choices.recall_tokens or len(event.prompt or "") < _FEWEST_ASKED_CHARS:
        return ""
    question = " ".join(said_in(event).split())[:_MOST_ASKED_CHARS]
    is_command = question.startswith("/")  # of the host
    return "" if len(question) < _FEWEST_ASKED_CHARS or is_command else question


def _recalled(paths: Paths, host: h.Host, event: h.Event, asked: "Asked") -> str:
    try:
        text = asked.answer(paths, event)
    except (OSError, ValueError, KeyError, TypeError) as problem:
        log(paths, f"{h.USER_PROMPT}: {problem}")
        return ""
    return host.reply(h.USER_PROMPT, text) if text else ""
