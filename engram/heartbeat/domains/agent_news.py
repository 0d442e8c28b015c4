"""What an agent makes of the news in domains: a status, entries of the changelog, proposals, all as a subagent's.

An answer that is applied twice, since a run died before it noted that it was applied, writes nothing twice.
"""

import re
from collections import Counter
from collections.abc import Callable
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.base.text import clean_statement
from engram.errors import EngramError
from engram.heartbeat.child.agent_answer import one_line
from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.prompts import domains_prompt
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.model.domain import DomainFile
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.services.domains.desk import DomainCommands
from engram.services.domains.folder import DomainFolder
from engram.workspace import Workspace

_NEWEST_CHARS = 4000  # of one file, for an agent
_ENTRY = re.compile(r"^- ", re.MULTILINE)


class Told(NamedTuple):
    """What the agent answered."""

    handoff: Handoff
    left: frozenset[str]  # domains about which it could not be asked, for want of room
    alerts: list[str]


class Written(NamedTuple):
    """What became of its answer."""

    stats: dict[str, int]
    alerts: list[str]


_NOTHING = Told(Handoff(status=HandoffStatus.OK, summary="nobody was asked"), frozenset(), [])


def newest_lines(text: str) -> str:
    """Return the last whole lines of a text, as many as an agent is shown."""
    if len(text) <= _NEWEST_CHARS:
        return text.strip()
    return (text[-_NEWEST_CHARS:].partition("\n")[2] or text[-_NEWEST_CHARS:]).strip()


def ask_about_news(task: PhaseTask, rows: Sequence[dict[str, Any]]) -> Told:
    """Return the agent's answer about the domains that have room in its prompt; raise PhaseFailedError.

    One that has none even alone and shortened never will: that is said, and it does not stand in the way of the others.
    """
    if not task.agent_command or not rows:
        return _NOTHING
    prompt = domains_prompt({"domains": rows}, task.workspace.settings.heartbeat.agent_tokens)
    names = [row["name"] for row in rows]
    asked = names[: prompt.asked["domains"]]
    if not asked:
        told = ask_about_news(task, rows[1:])
        why = f"the news of domain {names[0]} have no room in the agent's prompt (engram config heartbeat.agent_tokens)"
        return told._replace(alerts=[f"{task.phase.name}: {why}", *told.alerts])
    handoff = ask_child(task, {}, prompt.text, prompt.given, names=asked)
    alerts = [f"{task.phase.name}: {alert}" for alert in handoff.alerts]
    if prompt.left:
        alerts.append(f"{task.phase.name}: some domains had no room in the agent's prompt and wait for the next run")
    return Told(handoff, frozenset(names) - frozenset(asked), alerts)


def write_news(workspace: Workspace, handoff: Handoff) -> Written:
    """Write what the agent said through the commands of a domain; the caller holds the lock of domains."""
    stats: Counter[str] = Counter()
    alerts = []
    for one in _wanted(handoff):
        if find_injection(one.text, workspace.settings.screen.patterns) is not None:
            alerts.append(f"domain {one.domain}: refused: the agent's {one.what} gives orders")
            continue
        # Without a role: no subagent is at work, although what is written is of the kind that a subagent writes.
        desk = DomainCommands(workspace.files, now=workspace.now(), role=None)
        try:
            stats[f"agent_{one.what}"] += one.write(desk, DomainFolder(workspace.files, one.domain), one.text)
        except (EngramError, OSError) as problem:
            alerts.append(f"domain {one.domain}: refused: the agent's {one.what}: {one_line(str(problem))}")
    return Written({name: count for name, count in stats.items() if count}, alerts)


class _Wanted(NamedTuple):
    what: str  # entry, status, proposal
    domain: str
    text: str
    write: Callable[[DomainCommands, DomainFolder, str], bool]  # tells whether there was anything to write


def _wanted(handoff: Handoff) -> Iterator[_Wanted]:
    # The changelog first: a status goes into it, too, as its newest entry.
    yield from (_Wanted("entry", one.name, one.text, _log) for one in handoff.changelog_entries)
    yield from (_Wanted("status", one.name, one.text, _set_status) for one in handoff.status_content)
    yield from (_Wanted("proposal", one.domain or "", one.text, _propose) for one in handoff.proposals)


def _log(desk: DomainCommands, folder: DomainFolder, text: str) -> bool:
    stands = {_words(entry).partition(" ")[2] for entry in _ENTRY.split(folder.text(DomainFile.CHANGELOG))}
    if _words(text) in stands:
        return False
    desk.log(folder.path.name, text)
    return True


def _set_status(desk: DomainCommands, folder: DomainFolder, text: str) -> bool:
    if _words(folder.text(DomainFile.STATUS).partition("-->")[2]) == _words(text):
        return _log(desk, folder, f"status: {text}")  # as `set_status` does, which may have died before it did
    desk.set_status(folder.path.name, text)
    return True


def _propose(desk: DomainCommands, folder: DomainFolder, text: str) -> bool:
    desk.propose(folder.path.name, text)
    return True


def _words(text: str) -> str:
    return clean_statement(redact(text).text)
