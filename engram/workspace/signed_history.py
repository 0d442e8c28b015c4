"""Whether a journal goes on from the head that was signed last, and the signing of the next one.

A hash chain convinces nobody by itself: who forges a record can mend every hash after it. So the head is signed now and
then with a key that lies outside of the workspace, and noted there. What was written after the last signed head is
vouched for by nobody, and is told as such.
"""

import datetime as dt
from pathlib import Path
from typing import Any
from typing import NamedTuple

from pydantic import ValidationError

from engram.base.clock import to_iso
from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own
from engram.base.log import warn
from engram.config.paths import Paths
from engram.errors import DamagedJournalError
from engram.model.value import Instant
from engram.model.value import Value
from engram.ports.journal import Journal
from engram.services.backup.history import find_hash
from engram.services.backup.history import require_chain
from engram.store.signature.head_register import RegisteredHead
from engram.store.signature.head_register import find_registered
from engram.store.signature.head_register import register_head
from engram.store.signature.key import SigningKey
from engram.store.signature.key import ensure_key
from engram.store.signature.key import find_key

FORGED = "engram backup verify DIR and engram restore bring back what was signed; engram verify --sign accepts this one"


class SignedHead(Value):
    """A head of the journal with a signature, as it lies in the workspace and goes where that goes."""

    position: int  # of the last record
    head: str  # hash of its line
    at: Instant  # when it was signed
    key: str  # id of the key
    signature: str  # of the three before


class History(NamedTuple):
    """How far a journal is vouched for."""

    position: int = 0  # last record that is; 0: none
    at: dt.datetime | None = None  # when that was signed or noted
    problem: str = ""  # the journal is not what was signed
    note: str = ""  # why nothing more can be told
    is_rewriting: bool = False  # `forget` was cut off while it wrote the journal anew

    def as_json(self, head: int) -> dict[str, Any] | None:
        """Return how far it is vouched for, None for not at all; `head` is the journal's position."""
        if self.at is None:
            return None
        return {"position": self.position, "at": to_iso(self.at), "unsigned": max(head - self.position, 0)}


def check_history(paths: Paths, journal: Journal) -> History:
    """Compare a journal with what was signed of it; raises DamagedJournalError where it cannot be read."""
    registered = find_registered(paths.root)
    if registered is not None and registered.rewriting:
        return History(note="something is not wholly forgotten yet (engram forget --resume)", is_rewriting=True)
    signed, unknown = _find_signed(paths.signed_head)
    if unknown.problem:
        return unknown
    newest = unknown
    for one in (signed, registered):
        if one is None:
            continue
        found = find_hash(journal, one.position)
        if found != one.head:
            return History(at=one.at, problem=_difference(one, found))
        if one.position >= newest.position:
            newest = History(one.position, one.at, note=newest.note if one is registered else "")
    return newest


def require_history(paths: Paths, journal: Journal) -> None:
    """Raise DamagedJournalError for a journal that is not what was signed: nothing is to be made of it."""
    if problem := check_history(paths, journal).problem:
        raise DamagedJournalError(problem, hint=FORGED)


def sign_history(paths: Paths, journal: Journal, now: dt.datetime, *, accepts: bool = False) -> History:
    """Sign the head of a journal that goes on from what was signed, and note it beside the key; return what holds.

    One that does not go on from it is left unsigned, unless somebody `accepts` it as it is.
    """
    history = check_history(paths, journal)
    position, head = journal.head()
    if ((history.problem or history.is_rewriting) and not accepts) or not position:
        return history
    require_chain(journal, history.position)
    is_signed = history.position == position and history.at is not None and paths.signed_head.exists()
    key = None if is_signed else ensure_key()
    if key is None:
        return history
    try:
        _save(paths.signed_head, _sign(key, position, head, now))
        register_head(paths.root, RegisteredHead(position=position, head=head, at=now))
    except OSError as problem:
        warn(f"the head of the journal is not signed: {problem.strerror or problem}")
        return history
    return History(position, now)


def forget_history(paths: Paths) -> None:
    """Forget what was signed of a workspace that stood in this folder; raises OSError."""
    if find_registered(paths.root) is not None:
        register_head(paths.root, None)


def begin_rewriting(paths: Paths, journal: Journal, now: dt.datetime) -> None:
    """Note beside the key that a journal, which has to be what was signed, is about to be written anew."""
    registered = find_registered(paths.root)
    if registered is not None and registered.rewriting:
        return
    require_history(paths, journal)
    position, head = journal.head()
    if registered is not None or paths.signed_head.exists():
        at = registered.at if registered is not None else now
        register_head(paths.root, RegisteredHead(position=position, head=head, at=at, rewriting=True))


def end_rewriting(paths: Paths, journal: Journal, now: dt.datetime) -> None:
    """Sign a journal that was written anew, if that was noted before."""
    registered = find_registered(paths.root)
    if registered is not None and registered.rewriting:
        register_head(paths.root, None)
        paths.signed_head.unlink(missing_ok=True)
        sign_history(paths, journal, now)


def _difference(one: "SignedHead | RegisteredHead", found: str | None) -> str:
    when = f"signed at {one.at:%Y-%m-%d %H:%M} UTC"
    if found is None:
        return f"the journal was {when} up to position {one.position}, and does not reach it any more"
    return f"the journal is not the one that was {when}: up to position {one.position} something was changed"


def _find_signed(path: Path) -> tuple[SignedHead | None, History]:
    """Return the signed head in the workspace if its signature holds, and what is to be said of it."""
    try:
        signed = SignedHead.model_validate_json(read_own(path))
    except FileNotFoundError:
        return None, History(note="no head of this journal was signed here")
    except (OSError, ValidationError):
        return None, History(note="the signed head in the workspace does not read")
    key = find_key()
    if key is None or key.id != signed.key:
        return None, History(note=f"the key {signed.key}, with which the journal was signed, is not here")
    if not key.holds(_said(signed.position, signed.head, signed.at), signed.signature):
        return None, History(at=signed.at, problem="the signed head in the workspace does not bear its signature")
    return signed, History()


def _sign(key: SigningKey, position: int, head: str, at: dt.datetime) -> SignedHead:
    return SignedHead(position=position, head=head, at=at, key=key.id, signature=key.sign(_said(position, head, at)))


def _said(position: int, head: str, at: dt.datetime) -> str:
    return f"engram head v1\n{position}\n{head}\n{at.astimezone(dt.UTC).isoformat()}"


def _save(path: Path, signed: SignedHead) -> None:
    write_atomically(path, signed.model_dump_json(indent=1).encode() + b"\n", mode=0o600)
