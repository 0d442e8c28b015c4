"""What is given to the host's agent: the context of a session, a domain's, and what is recalled for a prompt. Light."""

import json
from typing import Any

from engram.config.hooking import HookChoices
from engram.config.hooking import read_hook_choices
from engram.config.paths import Paths
from engram.hooks.children import ask_engram
from engram.hooks.host import Event
from engram.hooks.log import log
from engram.warm.client import ask

_MOST_ASKED_CHARS = 2000  # of a prompt: what is longer begins with what it is about
_FEWEST_ASKED_CHARS = 8  # of a prompt: "yes", "go on" ask for nothing
_HITS = 5
_UNKNOWN_SESSION = "UnknownSession"


def recalled_for(paths: Paths, event: Event) -> str:
    """Return what is known about a prompt, fenced as data; empty when nothing of relevance is, or not in time."""
    question = " ".join((event.prompt or "").split())[:_MOST_ASKED_CHARS]
    choices = read_hook_choices(paths)
    if choices.recall == "off" or not choices.recall_tokens or len(question) < _FEWEST_ASKED_CHARS:
        return ""
    if question.startswith("/"):
        return ""  # a command of the host
    reply: dict[str, Any] = {}
    for view in _views(event):
        options = {"budget": choices.recall_tokens, "k": _HITS, **view}
        asked = ask(paths.root, {"do": "recall", "query": question, **options}, choices.budget_ms / 1000)
        reply = _asked_of_child(paths, question, options, choices) if asked is None else asked
        if reply.get("error", {}).get("code") != _UNKNOWN_SESSION:
            break
    if "error" in reply:
        log(paths, f"user-prompt: nothing is recalled: {reply['error'].get('message')}")
        return ""
    return str(reply["text"]) if _is_found(reply["answer"]) else ""


def _views(event: Event) -> list[dict[str, Any]]:
    """Return what the session may see, and what it may when it is so new that the store does not know it: facts.

    A chat is always known, and never sees what is another's.
    """
    return [{"session": event.session}, *([] if event.kind else [{"space": "notes"}])]


def _asked_of_child(paths: Paths, question: str, options: dict[str, Any], choices: HookChoices) -> dict[str, Any]:
    """Recall in a process of its own, when the settings say so; else say why nothing is."""
    if choices.recall != "always":
        return {"error": {"message": "no engram mcp answers (hooks.recall)"}}
    named = [word for name, value in options.items() for word in ("-k" if name == "k" else f"--{name}", str(value))]
    try:
        shown = ask_engram(paths, ["recall", *named, "--strict", "--", question], timeout_ms=choices.budget_ms)
    except OSError as problem:
        unknown = "there is no session" in str(problem)
        return {"error": {"code": _UNKNOWN_SESSION if unknown else "", "message": str(problem)}}
    return {"text": shown.strip(), "answer": {"answer": "found", "hits": [shown]}}


def _is_found(answer: dict[str, Any]) -> bool:
    return answer.get("answer") == "found" and bool(answer.get("hits")) and not answer.get("probably_unknown")


def context_for(paths: Paths, event: Event) -> str:
    """Return the context that a session begins with, fenced as data.

    In a chat that is the chat's own. A session of the owner's work has nothing of its own yet: it goes on where the
    agent's main session left off, with its handoff, its notes and its decisions.
    """
    choices = read_hook_choices(paths)
    if not choices.context_tokens:
        return ""
    asked = ["context", "--json", "--agent", choices.agent, "--budget", str(choices.context_tokens)]
    asked += ["--session", event.session] if event.kind else []
    answer = json.loads(ask_engram(paths, asked, timeout_ms=choices.context_ms))
    return str(answer["text"])


def domain_of(paths: Paths, event: Event) -> str | None:
    """Return the domain in use that a subagent works for: of its kind or name, or bound to one of its keys.

    Raises ValueError or KeyError for a registry that is damaged.
    """
    if not event.keys:
        return None
    try:
        known = json.loads(paths.domain_registry.read_bytes())["domains"]
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
    timeout_ms = read_hook_choices(paths).context_ms
    return str(json.loads(ask_engram(paths, ["domain", "context", name, "--json"], timeout_ms=timeout_ms))["context"])
