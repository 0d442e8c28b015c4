"""The command `domain spawn`: which subagents the heartbeat runs."""

from typing import Any

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.shell_words import complete_domain
from engram.cli.maintenance.domain_desk import changes
from engram.config.words import agent_or_empty
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.domain import Role
from engram.operations.domains.domain_lock import hold_domains
from engram.services.domains.registry import spawning_view
from engram.services.domains.spawn_queue import set_spawning


@click.command(cls=EngramCommand)
@click.argument("name", shell_complete=complete_domain)
@click.option("--agent", metavar="AGENT", help="Who is asked, such as claude:haiku; else whom the settings name.")
@click.option("--at-once", "at_once", is_flag=True, help="Run it at the next heartbeat, whenever it is due.")
@click.option("--off", is_flag=True, help="Run it no longer.")
@changes
def spawn(name: str, *, agent: str | None, at_once: bool, off: bool, role: str | None, dry_run: bool) -> None:
    """Let the heartbeat run a domain's subagent when the domain is due; each run takes tokens of a model.

    It is due once a cadence at first. A run that finds work brings the next one forward, and an idle one puts it off,
    within heartbeat.domain_pace.

    \b
    Example:
      engram domain spawn nightly-backup --agent claude:haiku
    """
    check_words(name=name, agent=agent)
    if off and (agent is not None or at_once):
        raise BadValueError("--off goes with neither --agent nor --at-once", hint=f"engram domain spawn {name} --off")
    if role == Role.SUBAGENT.value:
        raise RefusedError("domain spawn is for the main agent or a person", hint="engram domain propose asks for it")
    workspace = invocation().workspace()
    with hold_domains(workspace, "domain"):
        how = {"at_once": at_once, "off": off, "dry_run": dry_run}
        changed = set_spawning(workspace.files, name, workspace.now(), agent=_agent_name(agent), **how)
    shown: dict[str, Any] = {"status": "done", "name": changed.name, "spawning": None}
    shown |= {"dry_run": True} if dry_run else {}
    if changed.spawning is None:
        invocation().emit(shown, f"the heartbeat {'would' if dry_run else 'does'} not run {changed.name}")
        return
    view = spawning_view(changed.spawning)
    by = f" with {view['agent']}" if view["agent"] else ""
    when = "from the next heartbeat on" if changed.spawning.next_at <= workspace.now() else f"from {view['next_at']} on"
    runs = "would run" if dry_run else "runs"
    invocation().emit({**shown, "spawning": view}, f"the heartbeat {runs} {changed.name}{by}, {when}")


def _agent_name(name: str | None) -> str | None:
    """Return the name of an agent as the settings take one; raise BadValueError for any other."""
    try:
        return name and agent_or_empty(name)
    except ValueError as problem:
        raise BadValueError(f"--agent: {problem}", hint="such as claude:haiku or ollama:qwen3") from problem
