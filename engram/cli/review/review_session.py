"""A review on a terminal: one thing at a time, a key for each outcome, every answer durable at once."""

import os
import select
import sys
from collections.abc import Callable
from typing import Any
from typing import NamedTuple

import click

from engram.cli.review.review_text import item_text
from engram.errors import EngramError
from engram.model.commands.command import CommandResult
from engram.operations.domains.domain_proposals import KIND
from engram.operations.domains.domain_proposals import decide_proposal
from engram.operations.domains.domain_proposals import describe_proposal
from engram.operations.domains.domain_proposals import waiting_proposals
from engram.operations.review import settle
from engram.operations.review import take_back
from engram.services.review.candidates import questions_left
from engram.services.review.queue import describe
from engram.services.review.visible_queue import visible_queue
from engram.workspace import Workspace

try:
    import termios
    import tty
except ImportError:  # Windows has neither, nor such a terminal
    READS_KEYS = False
else:
    READS_KEYS = True

_KEYS = {
    "tension": {
        "1": "keep first",
        "2": "keep second",
        "b": "both true",
        "m": "merge",
        "w": "wrong source",
        "d": "no conflict",
    },
    "quarantined": {"r": "release", "x": "dismiss"},
    "names": {"m": "they are one", "2": "they are two"},
    "candidate": {"k": "keep", "x": "reject"},
    "observation": {"p": "promote", "x": "dismiss", "m": "merge into another"},
    "proposal": {"a": "accept", "x": "reject"},
}
_NO_LIMIT = 1_000_000  # questions a day
_ALWAYS = {"s": "skip", "u": "undo", "q": "quit"}
_ENDS = frozenset({b"\x04"})  # Ctrl-D
_ESCAPE = b"\x1b"
_SEQUENCE_S = 0.05  # within which the rest of an arrow key comes

_MERGED = "entity-merge"  # the kind of the command that says that two entities are one
Answer = dict[str, Any]  # arguments of `review-answer` but for the id; empty: ask again


class _Settled(NamedTuple):
    """What this session settled."""

    id: str | None  # of the decision, or of the command that merged two entities; None: what cannot be taken back
    merged: bool = False  # by a command, which the settlements of the day do not count


class ReviewSession:
    """One session. What was skipped does not come again in it."""

    def __init__(self, workspace: Workspace, *, unbounded: bool = False) -> None:
        """Take the store; `unbounded`: ask more than `review.daily_limit` questions a day."""
        self._workspace = workspace
        limit = {"daily_limit": _NO_LIMIT} if unbounded else {}
        review = workspace.settings.review.model_copy(update=limit)
        self._settings = workspace.settings.model_copy(update={"review": review})
        self._enough = False  # for today
        self._keys = _Keyboard()
        self._skipped: set[str] = set()
        self._answers: list[_Settled] = []  # latest last
        self._asking: dict[str, Callable[[dict[str, Any], str], Answer]] = {
            "tension": self._ask_tension,
            "quarantined": lambda _, key: {"outcome": "release" if key == "r" else "dismiss"},
            "observation": self._ask_observation,
            "names": lambda _, key: {"outcome": "merge" if key == "m" else "two"},
            "candidate": lambda _, key: {"outcome": "keep" if key == "k" else "reject"},
            "proposal": lambda _, key: {"outcome": "accept" if key == "a" else "reject"},
        }

    def run(self) -> int:
        """Go on until nothing waits or somebody quits; return the exit code."""
        was_asked = False
        with self._keys:
            while (found := self._next()) is not None:
                was_asked = True
                row, left = found
                click.echo(f"\n{click.style(f'{left} left', dim=True)}\n{item_text(row, self._settings.zone)}\n")
                if not self._take(row):
                    break
            else:
                click.echo(self._nothing())
        if not was_asked:
            return 0
        counts = f"{len(self._answers)} settled, {len(self._skipped)} skipped"
        how = "engram undo" if self._answers and self._answers[-1].merged else "engram review undo"
        click.echo(f"{counts}; {how} takes the latest back")
        return 0

    def _next(self) -> tuple[dict[str, Any], int] | None:
        workspace = self._workspace
        with workspace.reading() as database:
            now, settings = workspace.now(), self._settings
            brought = visible_queue(database, settings, None, now)
            waiters = [one for one in brought if one.thing.id not in self._skipped]
            merged = sum(one.merged for one in self._answers)
            left = questions_left(database, settings, now) - len(self._skipped) - merged
            row = None
            if left <= 0:
                self._enough = True
                return None
            if waiters:
                row = describe(database, waiters[0], workspace.settings, workspace.files, for_person=True)
        proposals = [one for one in waiting_proposals(workspace) if one.id not in self._skipped]
        if row is None and proposals:
            row = describe_proposal(workspace, proposals[0], for_person=True)
        return (row, len(waiters) + len(proposals)) if row else None

    def _nothing(self) -> str:
        if self._enough:
            return "enough for today (setting review.daily_limit); engram review --all goes on"
        return "nothing else waits" if self._skipped or self._answers else "nothing waits"

    def _take(self, row: dict[str, Any]) -> bool:
        """Ask until the thing is settled, skipped or left; return whether to go on."""
        keys = {**_KEYS[row["kind"]], **_ALWAYS}
        click.echo("  ".join(f"[{key}] {does}" for key, does in keys.items()))
        while True:
            key = self._keys.read_key()
            if key == "q":
                return False
            if key == "s":
                self._skipped.add(row["id"])
                return True
            if key == "u":
                self._undo()
                return True
            if key in keys and self._settle(row, key):
                return True

    def _settle(self, row: dict[str, Any], key: str) -> bool:
        answer = self._asking[row["kind"]](row, key)
        return bool(answer) and self._submit({"id": row["id"], **answer}, is_proposal=row["kind"] == KIND)

    def _submit(self, args: Answer, *, is_proposal: bool) -> bool:
        try:
            if is_proposal:
                result = decide_proposal(self._workspace, str(args["id"]), str(args["outcome"]))
            else:
                result = settle(self._workspace, args)
        except EngramError as problem:
            click.echo(f"  not done: {problem.message} ({problem.hint})")
            return False
        done = not result.error
        click.echo(f"  {'done' if done else 'not done'}: {result.reason}" + ("" if done else f" ({result.hint})"))
        if done:
            self._answers.append(_settled(result, str(args["id"]), is_proposal=is_proposal))
        return done

    def _undo(self) -> None:
        if not self._answers:
            click.echo("  nothing was settled in this review (engram review undo takes an earlier decision back)")
            return
        latest = self._answers[-1]
        if latest.id is None:
            click.echo("  an answer to a proposal cannot be undone")
            return
        if latest.merged:
            result = self._workspace.submit("undo", {"id": latest.id})
        else:
            result = take_back(self._workspace, latest.id)
        click.echo(f"  {result.reason}" + (f" ({result.hint})" if result.error else ""))
        if not result.error:
            self._answers.pop()
            self._skipped.discard(str(result.id))

    def _ask_tension(self, row: dict[str, Any], key: str) -> Answer:
        sides = [side["id"] for side in row["sides"]]
        if key in {"1", "2"}:
            return {"outcome": "supersede", "keep": sides[int(key) - 1]}
        if key == "w":
            click.echo("  which one is right? [1] [2]")
            right = self._keys.read_key()
            return {"outcome": "wrong-source", "keep": sides[int(right) - 1]} if right in {"1", "2"} else {}
        if key == "m":
            text = self._keys.ask("  one sentence that says both")
            return {"outcome": "merge", "text": text} if text else {}
        return {"outcome": "both-true" if key == "b" else "dissolve"}

    def _ask_observation(self, row: dict[str, Any], key: str) -> Answer:
        if key == "x":
            return {"outcome": "dismiss"}
        if key == "m":
            kept = self._keys.ask("  id of the observation that says the same")
            return {"outcome": "merge", "keep": kept} if kept else {}
        suggestion = row["suggestion"] or {}
        if suggestion.get("target") == "memory" or suggestion.get("entity") or row["entity"]:
            return {"outcome": "promote", "create": True}
        entity = self._keys.ask("  whom or what is it about (such as projects/billing)")
        return {"outcome": "promote", "entity": entity, "create": True} if entity else {}


def _settled(result: CommandResult, about: str, *, is_proposal: bool) -> _Settled:
    if result.kind == _MERGED:
        return _Settled(result.command_id, merged=True)
    return _Settled(None if is_proposal else str(result.details.get("settlement", about)))


class _Keyboard:
    """The terminal, read key by key from the first question to the last, so that nothing typed ahead is lost."""

    def __init__(self) -> None:
        self._file = sys.stdin.fileno()
        self._before = termios.tcgetattr(self._file)
        self._begin: Callable[[], object] = lambda: tty.setcbreak(self._file, termios.TCSADRAIN)
        self._end: Callable[[], object] = lambda: termios.tcsetattr(self._file, termios.TCSADRAIN, self._before)

    def __enter__(self) -> "_Keyboard":
        self._begin()
        return self

    def __exit__(self, *_: object) -> None:
        self._end()

    def read_key(self) -> str:
        """Return the next key in lower case; "q" at the end of input, "" for a key that is no character."""
        key = os.read(self._file, 1)
        if not key or key in _ENDS:
            return "q"
        if key == _ESCAPE:
            following = os.read(self._file, 16) if select.select([self._file], [], [], _SEQUENCE_S)[0] else b""
            return "" if following else "q"
        return key.decode("ascii", errors="ignore").lower()

    def ask(self, question: str) -> str:
        """Return a line that is typed; empty when there is none."""
        self.__exit__()
        try:
            return str(click.prompt(question, default="", show_default=False)).strip()
        finally:
            self.__enter__()
