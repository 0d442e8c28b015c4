"""What is done to a store: commands of every door, each with what its acknowledgement promises.

A text begins with the word for what it becomes: a Crate is a fact, a Call is a turn, a Memo is a line of a note.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from crash.processes import Done
from crash.processes import Job
from crash.processes import call

_WORDS = (
    "amber",
    "birch",
    "cedar",
    "delta",
    "ember",
    "fjord",
    "grove",
    "heron",
    "inlet",
    "jetty",
    "kelp",
    "larch",
    "maple",
)
ENTITY = "projects/crates"


class Step(NamedTuple):
    """One command."""

    name: str
    job: Callable[[Path], Job]  # for a workspace
    gains: tuple[str, ...] = ()  # texts that are there once it is acknowledged
    takes: tuple[str, ...] = ()  # texts that may be gone once it is begun
    stdin: str = ""
    by_line: bool = False  # each line that it prints acknowledges one text


def text(kind: str, number: int) -> str:
    """Return a statement that is like no other."""
    words = _WORDS[number % len(_WORDS)], _WORDS[number // len(_WORDS) % len(_WORDS)]
    return f"{kind} {number} holds {' '.join(words)} sample {number * 7919 % 100_003}"


def command(*args: str) -> Callable[[Path], Job]:
    """Return what runs a command line; @ stands for the workspace."""

    def job(root: Path) -> Job:
        def run() -> int:
            from engram.cli.main import main  # noqa: PLC0415 - loaded long since

            return main([str(root) if arg == "@" else arg.replace("@/", f"{root}/") for arg in args])

        return run

    return job


def write(number: int, *more: str, name: str = "write") -> Step:
    """Return a write of one fact."""
    fact = text("Crate", number)
    args = ("write", "--entity", ENTITY, "--create", "--fact", fact, "--category", "context", "--json", *more)
    return Step(name, command(*args), (fact,))


def rows(first: int, count: int, name: str = "write --jsonl") -> Step:
    """Return a write of many facts, each acknowledged by a line."""
    facts = tuple(text("Crate", number) for number in range(first, first + count))
    lines = (json.dumps({"entity": ENTITY, "create": True, "fact": one, "category": "context"}) + "\n" for one in facts)
    return Step(name, command("write", "--jsonl", "-", "--json"), facts, stdin="".join(lines), by_line=True)


def correct(number: int, new: int) -> Step:
    """Return a correction of a fact that was written as that number; its id is one more."""
    fact = text("Crate", new)
    args = ("correct", f"{ENTITY}-{number + 1:03d}", "--fact", fact, "--json")
    return Step("correct", command(*args), (fact,), (text("Crate", number),))


def note(number: int) -> Step:
    """Return a line for today's note."""
    line = text("Memo", number)
    return Step("note add", command("note", "add", line), (line,))


def capture(number: int, count: int = 3) -> Step:
    """Return the capture of a transcript."""
    turns = tuple(text("Call", one) for one in range(number, number + count))
    lines = "".join(
        json.dumps({"id": f"t{number + place}", "session": f"s{number}", "speaker": "user", "text": turn}) + "\n"
        for place, turn in enumerate(turns)
    )
    return Step("capture", command("capture", "-", "--format", "jsonl"), turns, stdin=lines)


def bring_in(number: int, count: int = 3) -> Step:
    """Return the import of another memory."""
    facts = tuple(text("Crate", one) for one in range(number, number + count))
    entity = {"type": "entity", "name": "crates", "entityType": "project", "observations": facts}
    return Step("import", command("import", "mcp-memory", "-"), facts, stdin=json.dumps(entity) + "\n")


def prompt(number: int) -> Step:
    """Return what a host's hook does with a prompt."""
    said = f"We decided that {text('Call', number)}"
    fields = {"hook_event_name": "UserPromptSubmit", "session_id": "s1", "prompt": said, "cwd": "/"}

    def job(root: Path) -> Job:
        def run() -> int:
            from engram.hooks.outcome import REFUSED  # noqa: PLC0415 - loaded long since
            from engram.hooks.run import run_hook  # noqa: PLC0415 - as above

            done = run_hook("user-prompt", json.dumps(fields).encode(), str(root), "claude-code")
            return 0 if done is not None and done.outcome != REFUSED and done.command_ids else 1

        return run

    return Step("hook of a prompt", job, (said,))


def tool(number: int) -> Step:
    """Return a call of the MCP server's tool that remembers."""
    fact = text("Crate", number)

    def job(root: Path) -> Job:
        def run() -> int:
            from engram.errors import EngramError  # noqa: PLC0415 - loaded long since
            from engram.mcp.answers import Caller  # noqa: PLC0415 - as above
            from engram.mcp.answers import unforeseen  # noqa: PLC0415 - as above
            from engram.mcp.tools import call_tool  # noqa: PLC0415 - as above
            from engram.workspace import open_workspace  # noqa: PLC0415 - as above

            name, said = "memory_remember", {"entity": ENTITY, "fact": fact, "create": True}
            try:
                call_tool(open_workspace(str(root)), Caller(), name, said)
            except (EngramError, OSError) as problem:  # the server answers either, and serves on
                told = problem if isinstance(problem, EngramError) else unforeseen(name, problem)
                print(f"error: {told}", file=sys.stderr)
                return told.exit_code
            return 0

        return run

    return Step("MCP memory_remember", job, (fact,))


def plain(*args: str, name: str | None = None) -> Step:
    """Return a command that adds nothing."""
    return Step(name or " ".join(args), command(*args))


def acknowledged(step: Step, done: Done) -> tuple[str, ...]:
    """Return the texts that a process acknowledged, also when it died afterwards."""
    if done.acknowledged:
        return step.gains
    if not step.by_line:
        return ()
    lines = [line for line in done.out.splitlines() if line.startswith("{") and line.endswith("}")]
    kept = {"created", "confirmed", "superseded", "tension", "accepted"}
    return tuple(gain for gain, line in zip(step.gains, lines, strict=False) if json.loads(line).get("status") in kept)


def make_store(root: Path, facts: int = 8, *, segment: int = 0, waiting: int = 0) -> list[str]:
    """Make a store with facts, of which the last ones wait in the spool; return all their texts."""
    begin = [plain("init", "@", "--timezone", "UTC", "--owner", "nobody"), plain("config", "hooks.recall", "off")]
    if segment:
        begin.append(plain("config", "store.segment_bytes", str(segment)))
    five = [rows(first, min(5, facts - first)) for first in range(0, facts, 5)]
    late = [write(number, "--wait", "0") for number in range(facts, facts + waiting)]
    acked: list[str] = []
    for step in [*begin, *five, *late]:
        done = call(step.job(root), root, stdin=step.stdin)
        if not done.acknowledged:
            raise RuntimeError(f"{step.name} left with {done.code}: {done.err}")
        acked += step.gains
    return acked
