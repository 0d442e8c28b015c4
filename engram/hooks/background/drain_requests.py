"""Takes in what hooks left: transcripts into turns, status lines into changelogs. Heavy; in a process of its own."""

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from engram.base.disk.own_files import read_own
from engram.base.json_values import load_json
from engram.errors import EngramError
from engram.errors import StoreBusyError
from engram.hooks.background.deferred_requests import NEXT
from engram.hooks.background.deferred_requests import WORKING
from engram.hooks.background.deferred_requests import requests_folder
from engram.hooks.log import log
from engram.importers.capture import capture_files
from engram.importers.transcripts.files import Choices
from engram.importers.transcripts.formats import AUTO
from engram.importers.transcripts.formats import FORMATS
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.model.domain import DomainFile
from engram.model.domain import Role
from engram.operations.answers.ask import find_caller
from engram.operations.domains.domain_lock import hold_domains
from engram.operations.domains.domain_place import domain_files
from engram.services.domains.desk import DomainCommands
from engram.services.domains.folder import DomainFolder
from engram.workspace import Workspace

_WAIT_S = 600.0  # for another process that takes requests in


def take_in(workspace: Workspace) -> dict[str, int]:
    """Take in all that was left and return {"captured", "logged", "failed"}; what comes meanwhile, too.

    Does nothing when another process waits to do it. A request is removed when it is done, or can never be; one that
    found the store busy stays. Doing one twice has one effect.
    """
    counts = {"captured": 0, "logged": 0, "failed": 0}
    with workspace.locks.waiting_once(), contextlib.ExitStack() as stack:
        try:
            with workspace.locks.named(NEXT, "hooks").hold(wait_s=0):
                stack.enter_context(workspace.locks.named(WORKING, "hooks").hold(wait_s=_WAIT_S))
        except StoreBusyError:
            return counts
        given_up: set[bytes] = set()
        while waiting := [(file, data) for file, data in _requests(workspace) if data not in given_up]:
            for file, data in waiting:
                if _do(workspace, file, data, counts):
                    _remove(file, data)
                given_up.add(data)
    return counts


def plan_taking_in(workspace: Workspace) -> dict[str, int]:
    """Return {"transcripts", "status_lines", "unreadable"} of what was left and waits; takes nothing in."""
    counts = {"transcripts": 0, "status_lines": 0, "unreadable": 0}
    for _, data in _requests(workspace):
        try:
            request: dict[str, Any] = load_json(data)
            is_log = request["do"] == "log"
            found = 1 if is_log or request["do"] == "capture" else len(request["paths"])
        except (ValueError, KeyError, TypeError):
            counts["unreadable"] += 1
        else:
            counts["status_lines" if is_log else "transcripts"] += found
    return counts


def _requests(workspace: Workspace) -> list[tuple[Path, bytes]]:
    found = []
    for file in sorted(requests_folder(workspace.paths).glob("*.json")):
        with contextlib.suppress(FileNotFoundError):
            found.append((file, read_own(file)))
    return found


def _do(workspace: Workspace, file: Path, data: bytes, counts: dict[str, int]) -> bool:
    """Do one request; tell whether it is done with."""
    try:
        request: dict[str, Any] = load_json(data)
        if request["do"] == "capture":
            counts["captured"] += _capture(workspace, [request["path"]], request["host"], request["session"])
        elif request["do"] == "capture-all":
            there = [path for path in request["paths"] if Path(path).is_file()]
            counts["captured"] += _capture(workspace, there, AUTO, None)
        else:
            counts["logged"] += _log_status(workspace, request["domain"], request["text"], request.get("session"))
    except StoreBusyError as problem:
        log(workspace.paths, f"flush: {problem.message}; {file.name} waits for the next time")
        counts["failed"] += 1
        return False
    except (EngramError, OSError, ValueError, KeyError, TypeError) as problem:
        log(workspace.paths, f"flush: {file.name}: {problem}")
        counts["failed"] += 1
    return True


def _capture(workspace: Workspace, names: Sequence[str], form: str, session: str | None) -> int:
    if form not in FORMATS:
        raise ValueError(f"{form!r} is no format of transcripts")
    choices = Choices(form, session, None, workspace.settings.zone, workspace.settings.agent)
    report = capture_files(workspace, names, choices, dry_run=False)
    for complaint in report.complaints()[:1]:
        log(workspace.paths, f"flush: {complaint}")
    return report.captured


def _log_status(workspace: Workspace, domain: str, text: str, session: str | None) -> int:
    """Append a status line to a domain's changelog, unless it is there; one that gives orders is left out."""
    text = redact(text).text  # as it stands there
    if find_injection(text, workspace.settings.screen.patterns) is not None:
        raise ValueError(f"a status line for {domain} tries to give orders; it is left out")
    files = domain_files(workspace, find_caller(workspace, session, None) if session else None)
    if session and files is workspace.files:
        raise ValueError(f"session {session} is not kept apart, and domain {domain} was bound to it")
    with hold_domains(workspace, "domain"):
        if text in DomainFolder(files, domain).text(DomainFile.CHANGELOG):
            return 0
        DomainCommands(files, now=workspace.now(), role=Role.SUBAGENT).log(domain, text)
    return 1


def _remove(file: Path, data: bytes) -> None:
    """Remove a request, unless another has taken its place meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        if read_own(file) == data:
            file.unlink()
