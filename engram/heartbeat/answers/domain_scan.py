"""The built-in answer for the domain scan."""

from typing import Any

from engram.model.domain import DomainFile
from engram.model.domain import FileBase
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.domain import FileState
from engram.rules.domain import format_duration
from engram.rules.domain import judge_file


def answer(given: dict[str, Any]) -> Handoff:
    """Answer for the domain scan: files that were written by the wrong hand, silent domains, proposals that are new."""
    alerts = []
    proposals = 0
    for domain in given["domains"]:
        name = domain["name"]
        for file in domain["files"]:
            wrong = judge_file(DomainFile(file["file"]), _file_state(file), subagent_worked=domain["subagent_worked"])
            alerts += [f"domain {name}: {file['file']} {wrong}"] if wrong else []
        if domain["silent"]:
            span, cadence = format_duration(domain["silent_s"]), format_duration(domain["cadence_s"])
            alerts.append(f"domain {name} is {domain['silent']}: no sign of life for {span}, expected every {cadence}")
        proposals += len(domain["proposals"])
        alerts += [f"domain {name}: {one['id']} waits to be decided: {one['text']}" for one in domain["proposals"]]
    return Handoff(
        status=HandoffStatus.WARNING if alerts else HandoffStatus.OK,
        summary=f"domains with news: {len(given['domains'])}; new proposals: {proposals}",
        stats={"domains": len(given["domains"]), "new_proposals": proposals},
        alerts=tuple(alerts),
    )


def _file_state(given: dict[str, Any]) -> FileState:
    base, now = (FileBase(**given[name]) if given[name] else None for name in ("base", "now"))
    return FileState(base, now, given["continues"], given["added"])
