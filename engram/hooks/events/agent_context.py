"""What is given to the host's agent at the start of a session or of a subagent: its context, or a domain's. Light."""

from engram.base.disk.own_files import read_own
from engram.base.json_values import load_json
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.hooks.background import subprocesses
from engram.hooks.host import Event

CONTEXT_MS = 10_000  # that a session or a subagent waits for its context: hosts end a hook after 30 s


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
    asked += ["--project", folder] if (folder := project_folder(event)) else []
    answer = load_json(subprocesses.ask_engram(paths, asked, timeout_ms=CONTEXT_MS))
    return str(answer["text"])


def project_folder(event: Event) -> str | None:
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
        known = load_json(read_own(own.domain_registry)).get("domains", {})
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
    found = load_json(subprocesses.ask_engram(paths, asked, timeout_ms=CONTEXT_MS))
    if event.kind and not found.get("session"):  # the store takes the chat for an open one, and gave a domain of all
        return ""
    return str(found["context"])


def _paths_of_chat(paths: Paths, event: Event) -> Paths | None:
    """Return the paths of a chat's own domains; None for a chat whose name can have no silo (see `silo_folder`)."""
    own = read_hook_choices(paths).agent
    agent, _, name = event.session.removeprefix(f"{own}/").rpartition("/")
    return None if "/" in agent or not name else paths.of_silo(f"memory/{agent or own}/{name}")
