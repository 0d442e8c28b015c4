"""Alerts: each is told once, again after a week or when it comes back, in a file, on stdout and to a program.

`.engram/alerts.jsonl` holds one line for every alert that stands, and for a while those that do not any more. A phase
only says what it finds; which of it is news is decided here.

Invariant: what is news is kept as untold before anybody is told, and as told after that, so that the next run tells
what a killed one did not. What the program could not take is given to it again: twice is better than never.
"""

import datetime as dt
import json
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from pydantic import BaseModel
from pydantic import ConfigDict
from pydantic import ValidationError

from engram.base.clock import to_iso
from engram.base.disk.files import write_atomically
from engram.base.disk.own_files import read_own_text
from engram.base.log import warn
from engram.heartbeat.child.limited_process import ENDED
from engram.heartbeat.child.limited_process import Limits
from engram.heartbeat.child.limited_process import run_limited
from engram.heartbeat.child.phase_result import FAILED_PHASES
from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import PhaseResult
from engram.language.screen.redaction import redact_value
from engram.workspace import Workspace

TOLD_AGAIN_AFTER = dt.timedelta(days=7)
KEPT_ALERTS = 500  # lines of the file: those that stand first, then the newest
ALERT_TIMEOUT_S = 30.0  # that the program which gets alerts may take: it sends a message
_SAID_CHARS = 200  # of what the program says when it fails

SERVER_AWAY = (
    "the server of the shared journal cannot be used: what is recorded waits on this machine until it is back"
    " (engram doctor)"
)
"""Said of it by whoever needs it, always in the same words: it is one alert, and gone when the server is back."""


class Alert(BaseModel):
    """One sentence of one phase."""

    model_config = ConfigDict(frozen=True)

    phase: str
    text: str
    first_at: dt.datetime  # when it was found, this time
    told_at: dt.datetime | None = None  # None: noted, and no run has come to telling it
    is_unheard: bool = False  # the program of the settings failed when it was given this
    is_failure: bool = False  # of the phase itself: ends when the phase does not fail
    gone_at: dt.datetime | None = None


class Merged(NamedTuple):
    """Alerts after a run."""

    known: tuple[Alert, ...]
    news: tuple[Alert, ...]  # to be told now


def merge_alerts(known: Sequence[Alert], results: Sequence[PhaseResult], now: dt.datetime) -> Merged:
    """Return which alerts stand after these phases, and which of them are news.

    What a phase that did its work does not say any more is gone. A phase that had nothing to do leaves all as it was
    but its own failure, and one that failed adds to what is known. What nobody was told of yet is news, too, whether or
    not it is said again.
    """
    news = {_key(alert): alert.model_copy(update={"told_at": now}) for alert in known if alert.told_at is None}
    by_key = {_key(alert): alert for alert in known} | news
    for result in results:
        for text in dict.fromkeys(result.alerts):
            key = (result.phase, text)
            former = by_key.get(key)
            merged = _seen(former, result, text, now)
            if merged is not former:
                news[key] = merged
            by_key[key] = merged
        for key, alert in by_key.items():
            if key[0] == result.phase and alert.gone_at is None and _has_gone(alert, result):
                by_key[key] = alert.model_copy(update={"gone_at": now})
    kept = [one for one in by_key.values() if one.gone_at is None or now - one.gone_at < TOLD_AGAIN_AFTER]
    kept.sort(key=lambda one: (one.gone_at is not None, -one.first_at.timestamp()))
    return Merged(tuple(kept[:KEPT_ALERTS]), tuple(news.values()))


def _key(alert: Alert) -> tuple[str, str]:
    return alert.phase, alert.text


def _seen(former: Alert | None, result: PhaseResult, text: str, now: dt.datetime) -> Alert:
    is_failure = result.status in FAILED_PHASES
    if former is None or former.gone_at is not None:
        return Alert(phase=result.phase, text=text, first_at=now, told_at=now, is_failure=is_failure)
    if former.told_at is None or now - former.told_at >= TOLD_AGAIN_AFTER:
        return former.model_copy(update={"told_at": now})
    return former


def _has_gone(alert: Alert, result: PhaseResult) -> bool:
    if alert.text in result.alerts or result.status in FAILED_PHASES:
        return False
    return alert.is_failure or result.status != SKIPPED


class AlertFile:
    """`.engram/alerts.jsonl`."""

    def __init__(self, path: Path) -> None:
        """Take the file, whether it is there or not."""
        self._path = path

    def load(self) -> list[Alert]:
        """Return all that is known; a line that does not read is passed over, and its alert told once more."""
        try:
            lines = read_own_text(self._path, errors="replace").splitlines()
        except FileNotFoundError:
            return []
        found = []
        for line in lines:
            try:
                found.append(Alert.model_validate_json(line))
            except ValidationError:
                warn(f"a line of {self._path.name} does not read as an alert; passed over")
        return found

    def current(self) -> list[Alert]:
        """Return the alerts that stand, newest first."""
        return [alert for alert in self.load() if alert.gone_at is None]

    def save(self, alerts: Sequence[Alert]) -> None:
        """Write them all."""
        lines = [f"{alert.model_dump_json(exclude_none=True)}\n" for alert in alerts]
        write_atomically(self._path, "".join(lines).encode(), mode=0o600)


def note_alerts(workspace: Workspace, results: Sequence[PhaseResult]) -> Merged:
    """Keep what the phases say, without secrets, and return it with what is news: untold until `tell_alerts` is done.

    Writes nothing when nothing changed.
    """
    file = AlertFile(workspace.paths.alerts)
    known = file.load()
    cleaned = [result._replace(alerts=redact_value(result.alerts)) for result in results]
    merged = merge_alerts(known, cleaned, workspace.now())
    untold = _updated(merged.known, merged.news, told_at=None)
    if untold != known:
        file.save(untold)
    return merged


def tell_alerts(workspace: Workspace, run_id: str, noted: Merged, *, adopts_orphans: bool = False) -> list[str]:
    """Tell the program of the settings what is news and what it could not take before, and keep that all were told.

    Returns what went wrong with that, in words. `adopts_orphans`: see `process.Limits`.
    """
    told = list({_key(one): one for one in (*(one for one in noted.known if one.is_unheard), *noted.news)}.values())
    if not told:
        return []
    problems = tell_command(workspace, run_id, told, adopts_orphans=adopts_orphans)
    AlertFile(workspace.paths.alerts).save(_updated(noted.known, told, is_unheard=bool(problems)))
    return problems


def _updated(alerts: Sequence[Alert], some: Sequence[Alert], **update: object) -> list[Alert]:
    """Return the alerts, some of them changed."""
    keys = {*map(_key, some)}
    return [one.model_copy(update=update) if _key(one) in keys else one for one in alerts]


def tell_command(
    workspace: Workspace, run_id: str, news: Sequence[Alert], *, adopts_orphans: bool = False
) -> list[str]:
    """Give the news to the program that the settings name; return what went wrong with that, in words."""
    settings = workspace.settings.heartbeat
    if not settings.alert_command or not news:
        return []
    given = {
        "run_id": run_id,
        "workspace": str(workspace.paths.root),
        "at": to_iso(workspace.now()),
        "alerts": [{"phase": one.phase, "text": one.text, "first_at": to_iso(one.first_at)} for one in news],
    }
    limits = Limits(ALERT_TIMEOUT_S, settings.memory_mb, adopts_orphans)
    ending = run_limited(
        settings.alert_command,
        json.dumps(given, ensure_ascii=False),
        limits,
        folder=workspace.paths.root,
        mark=run_id,
    )
    if ending.status == ENDED and ending.exit_code == 0:
        return []
    how = f"exit code {ending.exit_code}" if ending.status == ENDED else ending.status.replace("_", " ")
    said = f": {' '.join(ending.errors[-_SAID_CHARS:].split())}" if ending.errors else ""
    return [f"the alert command {settings.alert_command[0]} failed ({how}){said}"]
