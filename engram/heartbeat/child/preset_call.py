"""One question to a preset: it runs in an empty folder, with little of our environment, and its answer is counted."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from engram.heartbeat.child.environment import reduced_environment
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import NOT_STARTED
from engram.heartbeat.child.limited_process import Ending
from engram.heartbeat.child.limited_process import Limits
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.child.presets import Preset
from engram.heartbeat.child.prompts import most_tokens
from engram.heartbeat.child.replies import Reply
from engram.heartbeat.child.replies import Usage


class Answered(NamedTuple):
    """What became of one question."""

    ending: Ending  # of the program; its output is what the program printed, not the answer alone
    reply: Reply
    usage: Usage  # what it took; by a careful estimate where the program does not tell


def ask_preset(
    preset: Preset, prompt: str, limits: Limits, *, mark: str, check: Callable[[], None] | None = None
) -> Answered:
    """Ask a preset's program once; what `check` raises ends it and is raised."""
    with tempfile.TemporaryDirectory(prefix="engram-agent-") as folder:
        for path, text in preset.files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        ending = run_limited(
            preset.command,
            prompt,
            limits,
            folder=Path(folder),
            environment=reduced_environment(preset.variables, preset.fixed),
            mark=mark,
            check=check,
        )
    if ending.status == NOT_STARTED:
        return Answered(ending, Reply(problem=f"{preset.command[0]} is not on PATH"), Usage())
    # A program that fails may say so on standard error, in the same form.
    reply = preset.read(ending.output if ending.output.strip() else ending.errors)
    if ending.status == ENDED and ending.exit_code and not reply.problem:
        reply = Reply("", reply.usage, f"it ended with exit code {ending.exit_code}")
    return Answered(ending, reply, _taken(prompt, reply, is_cut=ending.status != ENDED))


def _taken(prompt: str, reply: Reply, *, is_cut: bool) -> Usage:
    """Return what an answer took. Who answers and tells that it took nothing does not count, or no bound would hold."""
    told = reply.usage
    if told is not None and (told.tokens or not reply.text):
        return told
    return _estimate(prompt, reply, is_cut=is_cut)._replace(cost_usd=told.cost_usd if told else 0.0)


def _estimate(prompt: str, reply: Reply, *, is_cut: bool) -> Usage:
    """Return what an answer took whose program does not tell: nothing when it never came to be read by a model."""
    if reply.problem and not is_cut:
        return Usage()
    return Usage(most_tokens(prompt), most_tokens(reply.text))
