"""What the files of a domain say: proposals in them, who may write which, whether a domain still shows life."""

import datetime as dt
import re
from collections.abc import Sequence
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.base.text import sha256_hex
from engram.model.domain import WRITERS
from engram.model.domain import Domain
from engram.model.domain import DomainFile
from engram.model.domain import FileBase
from engram.model.domain import Proposal
from engram.model.domain import ProposalStatus
from engram.model.domain import Role

STALE_CADENCES = 3  # cadences without a sign of life after which a domain is stale and no longer only due
CHANGED_BY_SUBAGENT = "was changed while its subagent was at work"

_MOST_PROPOSAL = 2000  # characters of one proposal that are kept
_FENCE = re.compile(r"(\s*(?:[-*+]\s{1,4})?)(`{3,}(?=[^`]*$)|~{3,})")  # of one line
_PROPOSAL = re.compile(
    r"\s{0,8}(?:[-*+]\s{1,4})?(?:\[?\d{4}-\d{2}-\d{2}[^\s\]]{0,20}\]?[:,]?\s{1,4}(?:\d{2}:\d{2}\s{1,4})?)?"
    r"(?:\*\*)?PROPOSAL:(?:\*\*)?\s{0,8}(\S.*)"
)
_ITEM = re.compile(r"[-*+]\s{1,4}")
_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}Z)(?:\s|$)")


class FileState(NamedTuple):
    """What a file is now, measured against its base."""

    base: FileBase | None  # None: never looked at
    now: FileBase | None  # None: it is gone
    continues: bool  # the bytes of the base are still the first ones of the file, or of what was rotated away
    added: str = ""  # the text behind them


def find_proposals(text: str) -> list[str]:
    """Return the texts of the lines that begin with PROPOSAL:, outside code fences, each once.

    As in CommonMark a fence within a list item ends with the item, so none can hide what stands in later entries.
    """
    found: dict[str, str] = {}
    fence, in_item = "", False
    for line in text.splitlines():
        if in_item and line.strip() and not line[0].isspace():
            fence, in_item = "", False
        mark = _FENCE.match(line)
        if mark and not fence:
            fence, in_item = mark[2], bool(mark[1])
        elif fence and line.strip().startswith(fence) and not line.strip().strip(fence[0]):
            fence = ""
        elif not fence and (proposal := _PROPOSAL.fullmatch(line.rstrip())):
            words = clean_statement(proposal[1])[:_MOST_PROPOSAL]
            found.setdefault(fingerprint(words), words)
    return list(found.values())


def changelog_entry(text: str, now: dt.datetime) -> str:
    """Return a text as one item of a changelog; code at its beginning stands below the date, where it is code."""
    first, *rest = text.splitlines()
    if _FENCE.match(first):
        first, rest = "", [first, *rest]
    return "\n".join([f"- {_stamp(now)} {first}".rstrip(), *(f"  {line}".rstrip() for line in rest)])


class ChangelogEntry(NamedTuple):
    """One entry of a changelog."""

    at: str  # as it is written, an instant in ISO 8601; "" where somebody wrote none
    text: str  # without the mark of the item, lines below it at the margin


def changelog_entries(text: str) -> list[ChangelogEntry]:
    """Return the entries of a changelog in their order; what people wrote between them is an entry of its own.

    Headings are none. A line that is set in belongs to the entry above it.
    """
    blocks: list[list[str]] = []
    for line in text.splitlines():
        if line.startswith("#") or not line.strip():
            continue
        if line[0].isspace() and blocks:
            blocks[-1].append(line.removeprefix("  "))
        else:
            blocks.append([line])
    return [_entry(block) for block in blocks]


def decision_entry(decided: Proposal, mark: str) -> str:
    """Return the line of decisions.md about a proposal that was decided; `mark` says what was decided about which."""
    why = f" ({clean_statement(decided.note)})" if decided.note else ""
    when = f"{_stamp(decided.decided_at)} " if decided.decided_at else ""
    words = f"{when}{mark}: {decided.text}{why}"
    if decided.status == ProposalStatus.ACCEPTED:
        return f"- {words}"
    words = re.sub(r"-(?=-)", "- ", words)  # two dashes in a row could end the comment
    return f"<!-- {words} -->"  # a rejected decision must not be read as one that was taken


def proposal_id(domain: str, text: str) -> str:
    """Return the id of a proposal: the same words in the same domain are the same proposal."""
    return f"{domain}-{sha256_hex(fingerprint(text))[:8]}"


def writing_refusal(file: DomainFile, role: Role | None) -> str:
    """Return why a role may not write a file; empty when it may. No role is a person, who may write everything."""
    if role is None or WRITERS[file] == role:
        return ""
    return f"{file.value} is written by the {_called(WRITERS[file])}, not by the {_called(role)}"


def judge_file(file: DomainFile, state: FileState, *, subagent_worked: bool) -> str:
    """Return what is wrong with a file since its base, in words that follow its name; empty when nothing is.

    `subagent_worked`: the subagent wrote through a command since the base was taken, so that what changed by hand in
    the main agent's files may be its doing.
    """
    if state.base is None or state.base == state.now:
        return ""
    if state.now is None:
        return "is gone"
    if file == DomainFile.CHANGELOG:
        return "" if state.continues else "was rewritten, although it is only ever appended to"
    if WRITERS[file] != Role.MAIN or not subagent_worked:
        return ""
    only_proposals = file == DomainFile.DECISIONS and state.continues and _holds_only_proposals(state.added)
    return "" if only_proposals else f"{CHANGED_BY_SUBAGENT}; only the main agent writes it"


def liveness(domain: Domain, now: dt.datetime) -> str:
    """Return archived, live, due (no sign of life for a cadence) or stale (for three); a clock set back is life."""
    if domain.archived:
        return "archived"
    silent_s = (now - domain.active_at).total_seconds()
    expected_s = expected_within_s(domain)
    if silent_s <= expected_s:
        return "live"
    return "due" if silent_s <= STALE_CADENCES * expected_s else "stale"


def expected_within_s(domain: Domain) -> int:
    """Return the seconds within which a sign of life is expected: of a subagent that is run less often, twice its pace.

    A run is a sign of life, and the heartbeat need not come at the very minute at which it is due.
    """
    return max(domain.cadence_s, 2 * domain.spawning.pace_s) if domain.spawning else domain.cadence_s


def next_pace_s(pace_s: int, bounds_s: tuple[int, int], *, is_busy: bool) -> int:
    """Return the seconds until a subagent's next run: half as long as before when it found work, else twice as long."""
    shortest, longest = bounds_s
    return min(max(pace_s // 2 if is_busy else pace_s * 2, shortest), longest)


def needs_alert(domain: Domain, now: dt.datetime) -> bool:
    """Tell whether silence should be reported: once when it becomes due, then once a cadence."""
    if liveness(domain, now) not in {"due", "stale"}:
        return False
    last = domain.alerted_at
    return last is None or last <= domain.active_at or (now - last).total_seconds() > domain.cadence_s


def format_duration(seconds: float) -> str:
    """Write a span as people say it: in whole days, hours or minutes, whichever is the largest that fits."""
    whole = max(0, int(seconds))
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if whole >= length:
            count = whole // length
            return f"{count} {unit}{'' if count == 1 else 's'}"
    return "less than a minute"


def _entry(block: Sequence[str]) -> ChangelogEntry:
    first = _ITEM.sub("", block[0])
    found = _STAMP.match(first)
    words = first[found.end() :] if found else first
    return ChangelogEntry(found[1] if found else "", "\n".join([words, *block[1:]]).strip())


def _stamp(at: dt.datetime) -> str:
    return to_iso(at.replace(microsecond=0))


def _holds_only_proposals(added: str) -> bool:
    return all(_PROPOSAL.fullmatch(line.rstrip()) for line in added.splitlines() if line.strip())


def _called(role: Role) -> str:
    return "main agent" if role == Role.MAIN else "subagent"
