"""What an agent may word anew: the text of roll-ups and of candidates. Anything else in its answer fails the phase."""

import re
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.heartbeat.child.child_answer import ask_child
from engram.heartbeat.child.phase_result import PhaseFailedError
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.prompts import synthesis_prompt
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.model.handoff import Handoff
from engram.model.handoff import HandoffProposal

MOST_LINE_CHARS: Final = 600  # of one line that an agent writes
_COMMENT = re.compile(r"<!--.*?-->|<!--|-->", re.DOTALL)  # the runner's own marks are comments
_RESERVED = re.compile(r"#\s|##\s+Notes\s*$")  # headings that the runner writes itself


def word_rollups(task: PhaseTask, rollups: Sequence[dict[str, Any]], drafts: Mapping[str, str]) -> dict[str, str]:
    """Return file -> text for the roll-ups that the agent worded; raise PhaseFailedError for an answer that lies.

    It may leave one out, and then the draft stands. Its text has no more lines than twice the roll-up's limit.
    """
    limits = {one["file"]: 2 * one["limit"] for one in rollups if drafts[one["file"]]}
    waiting = [
        {"file": one["file"], "kind": one["kind"], "title": one["title"], "draft": drafts[one["file"]]}
        for one in rollups
        if one["file"] in limits
    ]
    worded = {}
    for handoff, asked in _ask(task, "rollups", waiting):
        for one in handoff.summary_content:
            if one.name not in {row["file"] for row in asked}:
                raise PhaseFailedError(f"it wrote {one.name[:80]!r}, which is none of the files that were asked for")
            worded[one.name] = _checked(task, one.name, one.text, limits[one.name])
    return worded


def word_proposals(
    task: PhaseTask, proposals: Sequence[HandoffProposal], texts: Mapping[str, str]
) -> list[HandoffProposal]:
    """Return the proposals in the agent's words; raise PhaseFailedError when one is of other facts than were given."""
    known = {_of_what(one): one for one in proposals}
    waiting = [
        {**one.model_dump(mode="json"), "evidence": [texts[source] for source in one.sources if source in texts]}
        for one in proposals
    ]
    for handoff, _ in _ask(task, "proposals", waiting):
        for one in handoff.proposals:
            mine = known.get(_of_what(one))
            if mine is None:
                raise PhaseFailedError("it proposes something that was not among the candidates")
            if find_injection(one.text, task.workspace.settings.screen.patterns):
                raise PhaseFailedError("the wording of a candidate would give orders to the agent")
            known[_of_what(one)] = mine.model_copy(update={"text": redact(one.text).text})
    return list(known.values())


def _ask(
    task: PhaseTask, what: str, waiting: Sequence[dict[str, Any]]
) -> Iterator[tuple[Handoff, Sequence[dict[str, Any]]]]:
    """Yield the agent's answers, each with the rows that it was asked about: as many at a time as a prompt holds.

    A row that is larger than a prompt is not asked about: the built-in words stand.
    """
    tokens = task.workspace.settings.heartbeat.agent_tokens
    while waiting:
        prompt = synthesis_prompt({what: waiting}, tokens)
        count = max(1, sum(prompt.asked.values()))
        rows = waiting[:count]
        if not prompt.shortened:
            names = [str(row["file"]) for row in rows] if what == "rollups" else []
            yield ask_child(task, {what: rows}, prompt.text, prompt.given, names=names), rows
        waiting = waiting[count:]


def _checked(task: PhaseTask, name: str, text: str, limit: int) -> str:
    if find_injection(text, task.workspace.settings.screen.patterns):
        raise PhaseFailedError(f"what it wrote for {name} would give orders to the agent")
    plain = _without_comments(text).replace("<!--", "‹!--").replace("-->", "--›")  # what is left of marks within marks
    lines = [line.rstrip() for line in plain.splitlines() if not _RESERVED.match(line)]
    if sum(map(bool, lines)) > limit or any(len(line) > MOST_LINE_CHARS for line in lines):
        raise PhaseFailedError(f"what it wrote for {name} is more than {limit} lines of {MOST_LINE_CHARS} characters")
    return "\n".join(lines).strip()


def _without_comments(text: str) -> str:
    """Return the text without comments; the end of none is sought where there is none: that would take for ever."""
    closed, end, rest = text.rpartition("-->")
    return _COMMENT.sub("", closed + end) + rest.replace("<!--", "")


def _of_what(one: HandoffProposal) -> tuple[str, str, tuple[str, ...]]:
    return one.target, one.abstraction.value, tuple(sorted(one.sources))
