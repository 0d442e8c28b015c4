"""One run of one subagent: its prompt, its program in a process of its own, and what it said and took.

Writes nothing: whoever has asked keeps the answer before anything of it is applied.
"""

import time
from collections.abc import Callable
from typing import Final
from typing import NamedTuple

from engram.base.templates import fill_template
from engram.errors import MalformedInputError
from engram.heartbeat.child.agent_answer import agent_environment
from engram.heartbeat.child.agent_answer import one_line
from engram.heartbeat.child.agent_answer import sanitise_answer
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.limited_process import Limits
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.preset_call import ask_preset
from engram.heartbeat.child.presets import Preset
from engram.heartbeat.child.presets import find_preset
from engram.heartbeat.child.prompts import most_tokens
from engram.heartbeat.child.replies import Usage
from engram.model.domain import Domain
from engram.model.domain import Role
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus
from engram.operations.domains.domain_prompt import MOST_CHARS
from engram.operations.domains.domain_prompt import domain_context
from engram.rules.handoff.handoff import Asked
from engram.rules.handoff.handoff import parse_handoff
from engram.rules.handoff.handoff import render_handoff

_LEAST_CHARS: Final = 500  # of each file of a domain, however little a prompt may have
_ROLE: Final = "ENGRAM_ROLE"  # environment variable by which `engram domain` knows who calls


class Subagent(NamedTuple):
    """Who is asked for a domain, and what."""

    domain: str
    prompt: str
    command: tuple[str, ...]
    preset: Preset | None  # whose command that is; None: a program of the user's


class Said(NamedTuple):
    """What became of a run."""

    answer: str  # a hand-off block that was read and made harmless; empty: there is none
    problem: str  # why there is none
    usage: Usage
    took_s: float
    raw: str = ""  # what could not be read


def choose_subagent(task: PhaseTask, domain: Domain) -> Subagent | None:
    """Return who is asked for a domain, and the prompt; None where nobody is set."""
    own = domain.spawning.agent if domain.spawning else ""
    preset = find_preset(task.workspace.settings.heartbeat, own) if own else task.preset
    command = preset.command if preset else task.agent_command
    return Subagent(domain.name, _prompt(task, domain), command, preset) if command else None


def _prompt(task: PhaseTask, domain: Domain) -> str:
    """Return the prompt, of each file of the domain as much as `heartbeat.agent_tokens` have room for."""
    minutes = f"{max(1, int(task.timeout_s // 60))}"
    most = MOST_CHARS
    while True:
        context = domain_context(task.workspace, domain.name, most).rstrip("\n")
        prompt = fill_template("DOMAIN-RUN", {"context": context, "name": domain.name, "minutes": minutes})
        if most <= _LEAST_CHARS or most_tokens(prompt) <= task.workspace.settings.heartbeat.agent_tokens:
            return prompt
        most //= 2


def run_subagent(task: PhaseTask, asked: Subagent, mark: str, check: Callable[[], None] | None) -> Said:
    """Run the program once and return what it said; what `check` raises ends it and is raised.

    Others may run beside it, so of what it leaves behind only that is ended which comes from it or has the mark.
    """
    limits = Limits(task.timeout_s, task.memory_mb)
    began = time.monotonic()
    if asked.preset is not None:
        answered = ask_preset(asked.preset, asked.prompt, limits, mark=mark, check=check)
        ending, usage = answered.ending, answered.usage
        text, problem = answered.reply.text, answered.reply.problem
    else:
        root = task.workspace.paths.root
        environment = {**agent_environment(root), _ROLE: Role.SUBAGENT.value}
        ending = run_limited(
            asked.command, asked.prompt, limits, folder=root, environment=environment, mark=mark, check=check
        )
        text, problem = ending.output, "" if ending.status == ENDED else ending.errors
        usage = Usage(most_tokens(asked.prompt), most_tokens(text))
    took_s = round(time.monotonic() - began, 3)
    handoff, why = _read(task, asked, ending, text, problem)
    if handoff is None:
        return Said("", why, usage, took_s, text)
    return Said(render_handoff(handoff, task.phase.template), "", usage, took_s)


def _read(task: PhaseTask, asked: Subagent, ending: Ending, text: str, problem: str) -> tuple[Handoff | None, str]:
    """Return the answer made harmless, or why there is none."""
    if ending.status != ENDED:
        how = ending.status.replace("_", " ")
        said = f": {one_line(problem)}" if problem else ""
        return None, f"its program was stopped ({how}){said}" if how != "not started" else f"it did not start{said}"
    if problem:
        return None, one_line(problem)
    try:
        handoff = parse_handoff(text, task.phase.template, Asked(asked.prompt, [asked.domain]))
    except MalformedInputError as malformed:
        code = f" (exit code {ending.exit_code})" if ending.exit_code else ""
        return None, f"its answer cannot be read: {one_line(malformed.message)}{code}"
    if ending.exit_code or handoff.status == HandoffStatus.FAILED:
        return None, f"it says that it failed: {one_line(handoff.summary)}"
    return sanitise_answer(handoff, task.workspace.settings.screen.patterns), ""
