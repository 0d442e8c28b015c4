"""Which subagents the heartbeat runs and when: switched on and off, and the queue of the runs that are not over.

Invariant: only the holder of the heartbeat's lease writes the queue, and each step of a run is in it before the next
begins. So whatever dies, the next heartbeat knows of every run whether it never began, was interrupted, or answered.
"""

import datetime as dt
from typing import Any

from pydantic import ValidationError

from engram.base.disk.faults import fault_point
from engram.errors import DamagedStateError
from engram.errors import RefusedError
from engram.model.domain import Domain
from engram.model.domain import DomainRegistry
from engram.model.domain import Spawning
from engram.model.domain import SpawnQueue
from engram.ports.text_files import TextFiles
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import save_registry


def load_queue(files: TextFiles) -> SpawnQueue:
    """Return the queue, an empty one when there is none; raise DamagedStateError when it cannot be read."""
    try:
        return SpawnQueue.model_validate_json(files.read(files.paths.spawn_queue))
    except FileNotFoundError:
        return SpawnQueue()
    except ValidationError as problem:
        shown = files.paths.relative(files.paths.spawn_queue)
        raise DamagedStateError(
            f"{shown} is damaged: {problem.errors(include_url=False)[0]['msg']}",
            hint="move it away: what was running then is not known, and all domains are run when they are due",
        ) from problem


def save_queue(files: TextFiles, queue: SpawnQueue, step: str) -> None:
    """Write the queue; when this returns, it survives a crash. `step` names what comes after it, for tests."""
    files.make_folder(files.paths.state)
    files.write(files.paths.spawn_queue, queue.model_dump_json(indent=1, exclude_defaults=True).encode())
    fault_point(f"after-spawn-{step}")


def due_domains(registry: DomainRegistry, now: dt.datetime) -> list[Domain]:
    """Return the domains whose subagent is to be run, the longest due first."""
    due = [
        (one.spawning.next_at, one.name)
        for one in registry.domains.values()
        if one.spawning is not None and not one.archived and one.spawning.next_at <= now
    ]
    return [registry.domains[name] for _, name in sorted(due)]


def set_spawning(
    files: TextFiles,
    name: str,
    now: dt.datetime,
    *,
    agent: str | None = None,
    at_once: bool = False,
    off: bool = False,
    dry_run: bool = False,
) -> Domain:
    """Let the heartbeat run the subagent of a domain, or no longer, and return the domain; the caller holds the lock.

    The first run is at the next heartbeat. With `dry_run` nothing is kept. Raises NotFoundError, and RefusedError for
    a domain that is archived.
    """
    registry = load_registry(files)
    domain = get_domain(registry, name)
    if domain.archived and not off:
        raise RefusedError(f"domain {domain.name} is archived", hint=f"engram domain archive {domain.name} --undo")
    known = domain.spawning
    spawning = known or Spawning(next_at=now, pace_s=domain.cadence_s)
    update: dict[str, Any] = {} if agent is None else {"agent": agent}
    if at_once:
        update["next_at"] = now
    changed = domain.model_copy(update={"spawning": None if off else spawning.model_copy(update=update)})
    if changed != domain and not dry_run:
        save_registry(files, registry.with_domain(changed))
    return changed
