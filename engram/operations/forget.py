"""Forgetting for good: what a person names is erased from everything that the workspace holds.

A list of what has to go is written first (`.engram/forgetting.json`), and goes last: whoever finds it goes on where a
crash cut the work off. No step can be done half, and every step can be done twice.
"""

import contextlib
import json
import secrets
import shutil
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.base.ids import new_id
from engram.base.json_values import load_json
from engram.errors import DamagedStateError
from engram.errors import DegradedIndexError
from engram.errors import RefusedError
from engram.model.card import Cards
from engram.model.conversation import Watermark
from engram.operations.backups.backup import backups_made
from engram.rules.erasure import EntityMover
from engram.rules.erasure import Forgotten
from engram.rules.erasure import TextEraser
from engram.rules.erasure import erase_lines
from engram.rules.erasure import forget_in
from engram.rules.recall.cards import tells_of
from engram.services.erasure.plan import ForgetPlan
from engram.services.erasure.plan import ForgetQuery
from engram.services.erasure.plan import plan_forgetting
from engram.services.index.full_catch_up import Allowance
from engram.store.encryption.store_cipher import StoreCipher
from engram.store.written_texts import ErasedFile
from engram.store.written_texts import erase_in_files
from engram.store.written_texts import files_with
from engram.store.written_texts import iter_texts
from engram.workspace import Workspace
from engram.workspace.card_file import read_cards
from engram.workspace.card_file import write_cards
from engram.workspace.signed_history import begin_rewriting
from engram.workspace.signed_history import end_rewriting

_VECTORS_S: Final = 20.0  # that a person waits for vectors; the next heartbeats make the others
_CONSUMERS: Final = ("extraction", "synthesis")  # whose watermarks hold digests of files
_STAND_IN: Final = "forgotten-"  # begins the name that takes the place of a forgotten entity's


class Receipt(NamedTuple):
    """What was forgotten."""

    plan: dict[str, Any]  # see `ForgetPlan.as_json`
    records: int  # of the journal that were written anew
    files: tuple[str, ...]  # that held the words besides the journal, relative to the workspace
    left: tuple[str, ...]  # files in which they still stand
    backups: tuple[str, ...]  # made before, so that they may hold the words

    def as_json(self) -> dict[str, Any]:
        """Return it as it is printed."""
        removed = {**self.plan, "records": self.records, "files": [*self.files]}
        told: dict[str, Any] = {name: removed.pop(name, []) for name in ("outside", "mentions", "already")}
        return {
            "status": "forgotten",
            "removed": removed,
            **told,
            "left": [*self.left],
            "kept_in_backups": [*self.backups],
        }


class Forgetting:
    """Erases what a person names; made for one workspace."""

    def __init__(self, workspace: Workspace) -> None:
        """Take the workspace."""
        self._workspace = workspace
        self._list = workspace.paths.forgetting
        self._cipher = StoreCipher(workspace.paths.encryption)

    def plan(self, query: ForgetQuery) -> ForgetPlan:
        """Return what would go; changes nothing."""
        at = self._workspace
        with at.reading() as database:
            plan = plan_forgetting(database, query, at.paths.root, f"{_STAND_IN}{secrets.token_hex(4)}")
        return plan._replace(outside=tuple(path for path in plan.outside if Path(path).exists()))

    def is_unfinished(self) -> bool:
        """Tell whether a forgetting was cut off."""
        return self._list.exists()

    def run(self, plan: ForgetPlan, reason: str) -> Receipt:
        """Erase what the plan names; what was forgotten before is told and not written anew.

        Raises RefusedError while another forgetting is not finished.
        """
        if self.is_unfinished():
            raise RefusedError("something else is not wholly forgotten yet", hint="engram forget --resume")
        if plan.is_done:
            return Receipt(plan.as_json(), 0, (), (), tuple(backups_made(self._workspace)))
        if not any(plan.forgotten):
            raise RefusedError("there is nothing to forget", hint="engram forget --help")
        listed = {**plan.forgotten._asdict(), "plan": plan.as_json(), "reason": reason, "command_id": new_id()}
        body = json.dumps(listed, default=sorted, ensure_ascii=False)
        write_durably(self._list, self._cipher.encrypt_file(body.encode(), self._list.name), mode=0o600)
        return self.resume()

    def resume(self) -> Receipt:
        """Go on with what was cut off; raise RefusedError when nothing was."""
        listed = self._listed()
        forgotten = _forgotten(listed)
        eraser = TextEraser(forgotten.texts)
        at = self._workspace
        begin_rewriting(at.paths, at.journal, at.now())
        self._retract(listed)
        records = self._rewrite(forgotten, eraser)
        at.progress("writing everything else anew")
        with contextlib.suppress(DegradedIndexError):
            at.index.remove("forget")
        shutil.rmtree(at.paths.embedding_cache, ignore_errors=True)  # nothing tells which vector is of which text
        files = self._erase_files(listed, eraser)
        at.life.renew_pages()
        at.store.refresh_mirror()
        at.index.rebuild(Allowance(_VECTORS_S))
        texts = [path for path in iter_texts(at.paths) if path != self._list]
        left = files_with([*texts, *at.journal.segments()], eraser.is_in, self._cipher)
        end_rewriting(at.paths, at.journal, at.now())
        self._list.unlink()
        return Receipt(listed["plan"], records, _names(at, files), _names(at, left), tuple(backups_made(at)))

    # -- steps

    def _retract(self, listed: dict[str, Any]) -> None:
        at = self._workspace
        args = {"ids": listed["facts"], "reason": listed["reason"], "former_head": at.journal.head()[1]}
        at.submit("forget", args, command_id=listed["command_id"])  # known where it was cut off: then it does nothing

    def _rewrite(self, forgotten: Forgotten, eraser: TextEraser) -> int:
        at = self._workspace
        at.progress("writing the journal anew")
        wait = at.settings.store.wait_s
        with at.store.shared.deciding(wait), at.locks.named("store", "forget").hold(wait_s=wait):
            at.journal.cut_torn_tail()
            for _ in at.journal.read():  # before the database goes, which may know what a damaged journal has lost
                pass
            at.database.destroy()  # the next writer makes it anew, from the journal as it stands then
            records = at.journal.rewrite(lambda record: forget_in(record, forgotten, eraser))
        with at.writing("forget"):
            return records

    def _erase_files(self, listed: dict[str, Any], eraser: TextEraser) -> list[Path]:
        at = self._workspace
        with at.locks.named("store", "forget").hold(wait_s=at.settings.store.wait_s):
            whole = [path for name in listed["plan"]["notes"] if (path := at.paths.root / name).is_file()]
            for path in whole:
                path.unlink()
            for path in [*at.paths.projections.glob("engram.duckdb.*"), *at.paths.journal.glob("damaged-*")]:
                path.unlink()  # set aside when it was damaged
            mirrored = at.paths.life
            own = {self._list, at.paths.mirror_state}
            texts = (path for path in iter_texts(at.paths) if path not in own and not path.is_relative_to(mirrored))
            whole += self._forget_cards(_forgotten(listed), eraser)
            mover = EntityMover(listed["moved"])
            erased = erase_in_files(texts, lambda text: mover.move(erase_lines(text, eraser)), self._cipher)
        self._mark(erased)
        return [*whole, *(one.path for one in erased)]

    def _forget_cards(self, forgotten: Forgotten, eraser: TextEraser) -> list[Path]:
        """Remove the retrieval cards that tell of it, and return their file if there were any."""
        paths = self._workspace.paths
        cards = read_cards(paths).cards
        kept = tuple(card for card in cards if not tells_of(card, forgotten, eraser))
        if kept == cards:
            return []
        write_cards(paths, Cards(cards=kept))
        return [paths.cards]

    def _mark(self, erased: Sequence[ErasedFile]) -> None:
        """Let who has read or written these files know them as they are now: nobody else has touched them."""
        digests = {one.was: one.now for one in erased}
        with self._workspace.writing("forget") as recorder:
            marks = [
                Watermark(consumer=consumer, key=key, value=_with(value, digests))
                for consumer in _CONSUMERS
                for key, value in recorder.database.watermarks(consumer).items()
                if any(was in value for was in digests)
            ]
            if marks:
                recorder.record_together([], marks)

    def _listed(self) -> dict[str, Any]:
        try:
            listed = load_json(self._cipher.decrypt_file(read_own(self._list), self._list.name))
        except FileNotFoundError:
            raise RefusedError("no forgetting was cut off", hint="engram forget --help") from None
        except ValueError as problem:
            raise DamagedStateError(f"{self._list.name} does not read: {problem}", path=str(self._list)) from problem
        return dict(listed)


def _forgotten(listed: dict[str, Any]) -> Forgotten:
    sets = {name: frozenset(listed[name]) for name in ("facts", "turns", "entries", "names")}
    return Forgotten(texts=tuple(listed["texts"]), moved=dict(listed["moved"]), **sets)


def _with(value: str, digests: Mapping[str, str]) -> str:
    for was, now in digests.items():
        value = value.replace(was, now)
    return value


def _names(workspace: Workspace, paths: list[Path]) -> tuple[str, ...]:
    return tuple(sorted({workspace.paths.relative(path) for path in paths}))
