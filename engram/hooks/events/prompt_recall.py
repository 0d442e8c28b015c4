"""What is recalled for a prompt. Light, but for the sockets.

It is asked of the warm process before the prompt itself is looked at, and read after it: the two take their time
together. Nobody answers: the process is started, and this prompt goes without.
"""

import time
from typing import NamedTuple

from engram.base.text import DOUBTED
from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.hooks.background import subprocesses
from engram.hooks.background import warm_start
from engram.hooks.events.agent_context import project_folder
from engram.hooks.host import Event
from engram.hooks.log import log
from engram.warm import client
from engram.warm.protocol import YIELDS

STARTED = "started"  # outcome of a prompt: nobody answered, and the warm process was started

_HITS = 5
_PING_S = 0.05  # for the answer of a process that is idle; one that is busy is there


class Asked(NamedTuple):
    """What is being recalled for a prompt."""

    question: str
    choices: HookChoices
    talk: client.Talk
    begun: float  # of time.monotonic

    def answer(self, paths: Paths, event: Event) -> str:
        """Return what is known about the prompt, fenced as data; empty when nothing of relevance is, or not in time."""
        from engram.hooks.events.recall_use import note_prompt  # noqa: PLC0415 - 2 ms, while the answer is on its way

        reply = self.talk.reply()
        outcome = self.talk.outcome
        if outcome == client.ABSENT:
            outcome = _started(paths)
        if outcome != client.ANSWERED and self.choices.recall == "always":
            return _asked_of_child(paths, event, self)
        if reply is not None and YIELDS in reply:  # an older release than this one answered, and gives its place up
            _started(paths)
        if reply is None:
            note_prompt(paths, event, outcome, self.begun)
            return ""
        if "error" in reply:
            log(paths, f"user-prompt: nothing is recalled: {reply['error'].get('message')}")
            note_prompt(paths, event, "error", self.begun)
            return ""
        text = str(reply["text"])
        note_prompt(paths, event, outcome, self.begun, reply)
        return text


def ask(paths: Paths, event: Event, question: str, choices: HookChoices) -> Asked:
    """Begin to recall what is known about a prompt."""
    begun = time.monotonic()
    options = {"query": question, "session": event.session, "chat": bool(event.kind), "project": project_folder(event)}
    request = {"do": "prompt", **options, "k": _HITS, "budget": choices.recall_tokens}
    return Asked(question, choices, client.begin(paths.root, request, choices.warm_ms / 1000), begun)


def start_ahead(paths: Paths) -> None:
    """Start the warm process when nobody answers, so that the first prompt of a session is answered; raise OSError."""
    choices = read_hook_choices(paths)
    if choices.recall == "off" or not choices.recall_tokens:
        return
    talk = client.begin(paths.root, {"do": "ping"}, _PING_S)
    talk.reply()
    if talk.outcome == client.ABSENT:
        _started(paths)


def _started(paths: Paths) -> str:
    """Start the warm process; return what became of it, as an outcome."""
    return STARTED if warm_start.start_warm(paths) else client.ABSENT


def _asked_of_child(paths: Paths, event: Event, asked: Asked) -> str:
    """Recall in a process of its own, as far as the session may see; as a new one may, when it is not known yet."""
    for view in [{"session": event.session}, *([] if event.kind else [{"space": "notes"}])]:
        options = {"budget": asked.choices.recall_tokens, "k": _HITS, **view}
        options |= {"project": folder} if (folder := project_folder(event)) else {}
        named = [word for name, value in options.items() for word in ("-k" if name == "k" else f"--{name}", str(value))]
        words = ["recall", *named, "--strict", "--", asked.question]
        try:
            shown = subprocesses.ask_engram(paths, words, timeout_ms=asked.choices.budget_ms).strip()
        except OSError as problem:
            if "there is no session" in str(problem):
                continue
            log(paths, f"user-prompt: nothing is recalled: {problem}")
            return ""
        return "" if DOUBTED in shown.splitlines() else shown
    return ""
