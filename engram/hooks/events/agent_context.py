"""What is given to the host's agent: the context of a session, a domain's, and what is recalled for a prompt. Light.

What is recalled is asked of the warm process before the prompt itself is looked at, and read after it: the two take
their time together. Nobody answers: the process is started, and this prompt goes without.
"""

import time
from typing import TYPE_CHECKING
from typing import NamedTuple

from engram.base.json_values import load_json
from engram.base.text import DOUBTED
from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.hooks.background.subprocesses import ask_engram
from engram.hooks.host import Event
from engram.hooks.log import log

if TYPE_CHECKING:
    from engram.warm.client import Talk

STARTED = "started"  # outcome of a prompt: nobody answered, and the warm process was started

CONTEXT_MS = 10_000  # that a session or a subagent waits for its context: hosts end a hook after 30 s
_MOST_ASKED_CHARS = 2000  # of a prompt: what is longer begins with what it is about
_FEWEST_ASKED_CHARS = 8  # of a prompt: "yes", "go on" ask for nothing
_HITS = 5
_PING_S = 0.05  # for the answer of a process that is idle; one that is busy is there


class Asked(NamedTuple):
    """What is being recalled for a prompt."""

    question: str
    choices: HookChoices
    talk: "Talk"
    begun: float  # of time.monotonic


def ask_for(paths: Paths, event: Event) -> Asked | None:
    """Begin to recall what is known about a prompt; None when nothing is to be recalled for it."""
    from engram.hooks.events.prompts import said_in  # noqa: PLC0415 - the prompt is looked at next

    choices = read_hook_choices(paths)
    if choices.recall == "off" or not choices.recall_tokens or len(event.prompt or "") < _FEWEST_ASKED_CHARS:
        return None
    question = " ".join(said_in(event).split())[:_MOST_ASKED_CHARS]
    if len(question) < _FEWEST_ASKED_CHARS or question.startswith("/"):  # a command of the host
        return None
    from engram.warm.client import begin  # noqa: PLC0415 - sockets take their time to load: only for who asks

    begun = time.monotonic()
    options = {"query": question, "session": event.session, "chat": bool(event.kind), "project": _project(event)}
    request = {"do": "prompt", **options, "k": _HITS, "budget": choices.recall_tokens}
    return Asked(question, choices, begin(paths.root, request, choices.warm_ms / 1000), begun)


def recalled_for(paths: Paths, event: Event, asked: Asked) -> str:
    """Return what is known about a prompt, fenced as data; empty when nothing of relevance is, or not in time."""
    from engram.hooks.events.recall_use import note_prompt  # noqa: PLC0415 - only when something was asked
    from engram.warm.client import ABSENT  # noqa: PLC0415 - as above
    from engram.warm.client import ANSWERED  # noqa: PLC0415 - as above
    from engram.warm.protocol import YIELDS  # noqa: PLC0415 - as above

    reply = asked.talk.reply()
    outcome = asked.talk.outcome
    if outcome == ABSENT:
        outcome = _started(paths)
    if outcome != ANSWERED and asked.choices.recall == "always":
        return _asked_of_child(paths, event, asked)
    if reply is not None and YIELDS in reply:  # an older release than this one answered, and gives its place up
        _started(paths)
    if reply is None:
        note_prompt(paths, event, outcome, asked.begun)
        return ""
    if "error" in reply:
        log(paths, f"user-prompt: nothing is recalled: {reply['error'].get('message')}")
        note_prompt(paths, event, "error", asked.begun)
        return ""
    text = str(reply["text"])
    note_prompt(paths, event, outcome, asked.begun, reply)
    return text


def start_ahead(paths: Paths) -> None:
    """Start the warm process when nobody answers, so that the first prompt of a session is answered; raise OSError."""
    from engram.warm.client import ABSENT  # noqa: PLC0415 - sockets take their time to load: only for who asks
    from engram.warm.client import begin  # noqa: PLC0415 - as above

    choices = read_hook_choices(paths)
    if choices.recall == "off" or not choices.recall_tokens:
        return
    talk = begin(paths.root, {"do": "ping"}, _PING_S)
    talk.reply()
    if talk.outcome == ABSENT:
        _started(paths)


def _started(paths: Paths) -> str:
    """Start the warm process; return what became of it, as an outcome."""
    from engram.hooks.background.warm_start import start_warm  # noqa: PLC0415 - seldom needed
    from engram.warm.client import ABSENT  # noqa: PLC0415 - as above

    return STARTED if start_warm(paths) else ABSENT


def _asked_of_child(paths: Paths, event: Event, asked: Asked) -> str:
    """Recall in a process of its own, as far as the session may see; as a new one may, when it is not known yet."""
    for view in [{"session": event.session}, *([] if event.kind else [{"space": "notes"}])]:
        options = {"budget": asked.choices.recall_tokens, "k": _HITS, **view}
        options |= {"project": folder} if (folder := _project(event)) else {}
        named = [word for name, value in options.items() for word in ("-k" if name == "k" else f"--{name}", str(value))]
        words = ["recall", *named, "--strict", "--", asked.question]
        try:
            shown = ask_engram(paths, words, timeout_ms=asked.choices.budget_ms).strip()
        except OSError as problem:
            if "there is no session" in str(problem):
                continue
            log(paths, f"user-prompt: nothing is recalled: {problem}")
            return ""
        return "" if DOUBTED in shown.splitlines() else shown
    return ""


def context_for(paths: Paths, event: Event) -> str:
    """Return the context that a session begins with, fenced as data.

    In a chat that is the chat's own. A session of the owner's work has nothing of its own yet: it goes on where the
    agent's main session left off, with its handoff, its notes and its decisions. Of projects it is told only that in
    whose folder it works.
    """
    choices = read_hook_choices(paths)
    if not choices.context_tokens:
        return ""
    asked = ["context", "--json", "--agent", choices.agent, "--budget", str(choices.context_tokens)]
    asked += ["--session", event.session] if event.kind else []
    asked += ["--project", folder] if (folder := _project(event)) else []
    answer = load_json(ask_engram(paths, asked, timeout_ms=CONTEXT_MS))
    return str(answer["text"])


def _project(event: Event) -> str | None:
    """Return the folder that names the project that is worked on; None when the host names none."""
    return event.folder if event.folder and event.folder.startswith("/") else None


def domain_of(paths: Paths, event: Event) -> str | None:
    """Return the domain in use that a subagent works for: of its kind or name, or bound to one of its keys.

    A session that is kept apart neither reads nor writes a domain but those that are bound to it. Raises ValueError or
    KeyError for a registry that is damaged.
    """
    own = paths if event.kind is None else _paths_of_chat(paths, event)
    if not event.keys or own is None:
        return None
    try:
        known = load_json(own.domain_registry.read_bytes()).get("domains", {})
    except FileNotFoundError:
        return None
    live = {name: one for name, one in known.items() if not one.get("archived")}
    for key in event.keys:
        if key.casefold() in live:
            return key.casefold()
        if bound := next((name for name, one in live.items() if key in one.get("bindings", ())), None):
            return str(bound)
    return None


def domain_context_for(paths: Paths, event: Event) -> str:
    """Return the prompt of the domain that a subagent works for; empty when it works for none."""
    name = domain_of(paths, event)
    if name is None:
        return ""
    asked = ["domain", "context", name, "--json", *(["--session", event.session] if event.kind else [])]
    found = load_json(ask_engram(paths, asked, timeout_ms=CONTEXT_MS))
    if event.kind and not found.get("session"):  # the store takes the chat for an open one, and gave a domain of all
        return ""
    return str(found["context"])


def _paths_of_chat(paths: Paths, event: Event) -> Paths | None:
    """Return the paths of a chat's own domains; None for a chat whose name can have no silo (see `silo_folder`)."""
    own = read_hook_choices(paths).agent
    agent, _, name = event.session.removeprefix(f"{own}/").rpartition("/")
    return None if "/" in agent or not name else paths.of_silo(f"memory/{agent or own}/{name}")
