"""What recall gave out: the row that the access log keeps of an answer, its folding into the journal, its prints.

Folding is exactly once: the marks behind what was counted are a watermark in the same journal record as the counts.
"""

import datetime as dt
import json
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Annotated
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic import Field

from engram.base.clock import from_iso
from engram.base.clock import to_iso
from engram.base.text import fingerprint
from engram.base.text import sha256_hex
from engram.language.screen.recall_echo import Recalled
from engram.language.screen.recall_echo import prints_of
from engram.language.screen.secrets import redact
from engram.language.terms.terms import terms
from engram.model.changes.change import FactAccessed
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.model.conversation import Watermark
from engram.model.document import Hit
from engram.model.value import Instant
from engram.model.value import Value
from engram.ports.database import SliceKeys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import done
from engram.services.commands.decider import read_args

CONSUMER: Final = "accesses"  # of the log, by its watermark
GUARD_DAYS: Final = 30  # for which what was given out is known again
_FACT = "fact"  # the kind of hits that are counted
# Doors that show what was asked for, or tell what a reply used; what is shown unasked proves no use.
_ASKED = frozenset({"recall", "detail", "used"})
_KEY = "*"  # one watermark for all files: places in files that are gone go with them
_QUESTION_CHARS = 16  # hexadecimal digits that stand for a question


class RecallReceipt(NamedTuple):
    """One answer, as it was given out."""

    hits: Sequence[Hit]
    tokens: int  # that their texts take
    question: str = ""  # empty: none was asked
    session: str | None = None  # who asked
    door: str = "recall"  # how: recall, detail, standing, context


def access_row(given: RecallReceipt, *, at: dt.datetime, keep_words: bool) -> dict[str, Any]:
    """Return what the log keeps of one answer: of a question only what tells it from others, unless `keep_words`."""
    words = fingerprint(given.question)
    return {
        "v": 1,
        "at": to_iso(at),
        "door": given.door,
        "session": given.session,
        "question": sha256_hex(words)[:_QUESTION_CHARS] if words else None,
        "asks": _asks(given.question),
        **({"words": redact(given.question).text} if keep_words else {}),
        "tokens": given.tokens,
        "hits": [{"id": hit.id, "kind": hit.kind, "prints": prints_of(hit.text)} for hit in given.hits],
    }


def _asks(question: str) -> str | None:
    """Return what stays the same when a question is put in another order or with other small words."""
    about = sorted({*terms(question)})
    return sha256_hex(" ".join(about))[:_QUESTION_CHARS] if about else None


def recalled_lately(rows: Iterable[Mapping[str, Any]], now: dt.datetime) -> Recalled:
    """Return the prints of what was given out in the last 30 days; of two ids with one print the fact's."""
    since = now - dt.timedelta(days=GUARD_DAYS)
    prints: dict[str, str] = {}
    kinds: dict[str, str] = {}
    for row in rows:
        at = _instant(row.get("at"))
        if at is None or at < since:
            continue
        for hit_id, kind, found in _hits(row):
            for one in found:
                if one not in prints or (kind == _FACT and kinds[one] != _FACT):
                    prints[one], kinds[one] = hit_id, kind
    return Recalled(prints)


# --- folding -------------------------------------------------------------------------------------------------------


class FactUse(Value):
    """How often one fact was given out, and when last."""

    id: str
    at: Instant
    count: Annotated[int, Field(ge=1)]


class UsesArgs(Value):
    """What `uses` takes."""

    uses: tuple[FactUse, ...]


class CountUses:
    """`uses`: facts that recall gave out; what the store does not hold any more is passed over."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the counts; raise BadValueError."""
        del context  # each use has its own instant
        self._envelope = envelope
        self._uses = read_args(UsesArgs, envelope).uses

    def keys(self) -> SliceKeys:
        """See Decider."""
        return SliceKeys(fact_ids=frozenset(use.id for use in self._uses))

    def decide(self, state: State) -> Decided:
        """See Decider."""
        known = [use for use in self._uses if use.id in state.facts]
        changes = tuple(FactAccessed(id=use.id, at=use.at, count=use.count) for use in known)
        return Decided(done(self._envelope, details={"facts": len(known)}), changes)


def count_uses(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return how often, and when last, rows of the log say that each fact was given out to a question."""
    uses: dict[str, tuple[dt.datetime, int]] = {}
    for row in rows:
        at = _instant(row.get("at"))
        if at is None or row.get("door") not in _ASKED:
            continue
        for fact_id in [hit_id for hit_id, kind, _ in _hits(row) if kind == _FACT]:
            last, count = uses.get(fact_id, (at, 0))
            uses[fact_id] = (max(last, at), count + 1)
    return [{"id": fact_id, "at": to_iso(last), "count": count} for fact_id, (last, count) in sorted(uses.items())]


def read_marks(watermarks: Mapping[str, str]) -> dict[str, int]:
    """Return file name -> bytes that were counted, from the consumer's watermarks."""
    found: dict[str, int] = json.loads(watermarks.get(_KEY, "{}"))
    return found


def marks_watermark(marks: Mapping[str, int]) -> Watermark:
    """Return the watermark that says so."""
    return Watermark(consumer=CONSUMER, key=_KEY, value=json.dumps(dict(marks), sort_keys=True))


def _hits(row: Mapping[str, Any]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield id, kind and prints of a row's hits; what is no hit is passed over: anybody may have written the file."""
    hits = row.get("hits")
    for hit in hits if isinstance(hits, list) else ():
        if isinstance(hit, dict) and isinstance(hit.get("id"), str):
            prints = hit.get("prints")
            found = [one for one in prints if isinstance(one, str)] if isinstance(prints, list) else []
            yield hit["id"], str(hit.get("kind")), found


def _instant(text: Any) -> dt.datetime | None:
    try:
        return from_iso(text)
    except (ValueError, TypeError):
        return None
