"""The built-in phases: `python -m engram.heartbeat.child PHASE [MEMORY_MB]`, JSON on stdin, a hand-off block on stdout.

A child writes nothing and opens no store: what it should know is in its input.
"""

import json
import resource
import sys
from collections.abc import Callable
from typing import Any

from engram.heartbeat.phases import DOMAIN_SCAN
from engram.heartbeat.phases import EXTRACTION
from engram.heartbeat.phases import MAINTENANCE
from engram.heartbeat.phases import chosen_phases
from engram.language.mentions import Known
from engram.model.domain import DomainFile
from engram.model.domain import FileBase
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.rules.domain import FileState
from engram.rules.domain import find_proposals
from engram.rules.domain import judge_file
from engram.rules.domain import written_span
from engram.rules.handoff import render_handoff
from engram.services.extraction import Passage
from engram.services.extraction import extract

NOTE_BYTES = 256 * 1024  # a note larger than this is named in an alert: it no longer is one day's note
SPOOL_WAITING = 100  # commands; more after a drain means that something keeps them from being applied


def main(argv: list[str]) -> int:
    """Answer for one phase; return the exit code. A process boundary: whatever fails becomes a failed hand-off."""
    (phase,) = chosen_phases((argv[1],))
    if len(argv) > 2:
        _limit_memory(int(argv[2]) * 1024 * 1024)
    try:
        handoff = _ANSWERS[phase.name](json.load(sys.stdin))
    except Exception as problem:  # noqa: BLE001 - the process boundary of a heartbeat child
        handoff = Handoff(status=HandoffStatus.FAILED, summary=f"{type(problem).__name__}: {problem}")
    sys.stdout.write(render_handoff(handoff, phase.template))
    return 0 if handoff.status != HandoffStatus.FAILED else 1


def extraction(given: dict[str, Any]) -> Handoff:
    """Answer for extraction: facts from the passages, about the entities given and the new ones found."""
    passages = [
        Passage(row["id"], row["text"], tuple(row.get("headings", ())), bool(row.get("is_turn")), row.get("speaker"))
        for row in given["passages"]
    ]
    known = [Known(row["path"], tuple(row["names"])) for row in given["entities"]]
    found = extract(
        passages, known, owner=given["owner"], min_mentions=given["min_mentions"], background=given["background"]
    )
    facts = [fact for fact in found.facts if not find_proposals(fact.quote)]  # a domain's proposal is not decided yet
    about = len({fact.entity for fact in facts})
    return Handoff(
        status=HandoffStatus.OK,
        summary=f"{len(facts)} facts about {about} entities from {len(passages)} entries",
        stats={
            "entries": len(passages),
            "statements": found.statements,
            "facts": len(facts),
            "new_entities": len(found.candidates),
            "about_nobody_known": found.unresolved,
        },
        facts=tuple(facts),
    )


def maintenance(given: dict[str, Any]) -> Handoff:
    """Answer for maintenance: what of the state that was looked at needs a person."""
    alerts = [
        f"{note['path']} has {note['bytes']} bytes; a daily note should stay below {NOTE_BYTES}"
        for note in given["large_notes"]
    ]
    if given["rejected"]:
        alerts.append(f"{given['rejected']} files in the spool are no commands; see .engram/spool/rejected")
    if given["waiting"] > SPOOL_WAITING:
        alerts.append(f"{given['waiting']} commands still wait in the spool after it was drained")
    status = HandoffStatus.WARNING if alerts else HandoffStatus.OK
    stats = {"spool_waiting": given["waiting"], "spool_rejected": given["rejected"], "runs_kept": given["runs"]}
    return Handoff(status=status, summary=f"looked at {given['notes']} notes", stats=stats, alerts=tuple(alerts))


def domain_scan(given: dict[str, Any]) -> Handoff:
    """Answer for the domain scan: files that were written by the wrong hand, silent domains, proposals that are new."""
    alerts = []
    proposals = 0
    for domain in given["domains"]:
        name = domain["name"]
        for file in domain["files"]:
            wrong = judge_file(DomainFile(file["file"]), _file_state(file), subagent_worked=domain["subagent_worked"])
            alerts += [f"domain {name}: {file['file']} {wrong}"] if wrong else []
        if domain["silent"]:
            span, cadence = written_span(domain["silent_s"]), written_span(domain["cadence_s"])
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


_ANSWERS: dict[str, Callable[[dict[str, Any]], Handoff]] = {
    EXTRACTION.name: extraction,
    DOMAIN_SCAN.name: domain_scan,
    MAINTENANCE.name: maintenance,
}


def _limit_memory(limit: int) -> None:
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    soft = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


if __name__ == "__main__":
    sys.exit(main(sys.argv))
