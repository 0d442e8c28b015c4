"""The status screen for people."""

from typing import Any

from engram.base.counting import counted
from engram.cli.options import table


def status_text(view: dict[str, Any]) -> str:
    """Return the overview as one screen."""
    facts, spool, reviews = view["facts"], view["spool"], view["reviews"]
    tiers = f"{facts['hot']} hot, {facts['warm']} warm, {facts['cold']} cold"
    past = f"{facts['superseded']} superseded, {facts['retracted']} retracted, {facts['pending']} waiting"
    past += f", {counted(facts['candidate'], 'candidate')}" if facts["candidate"] else ""
    lags = [f"{name} {view[f'{name}_lag']} behind" for name in ("database", "index", "mirror") if view[f"{name}_lag"]]
    kept_back = f"{counted(reviews['quarantined'], 'fact')} and {counted(reviews['quarantined_turns'], 'turn')}"
    waiting = f"{counted(reviews['tensions'], 'tension')}, {counted(reviews['observations'], 'observation')}"
    rows = [
        ("workspace", view["workspace"]),
        ("entities", str(view["entities"])),
        ("facts", f"{facts['active']} active ({tiers}); {past}"),
        ("raw text", _raw_text(view)),
        ("spool", f"{spool['waiting']} waiting" + (f", {spool['rejected']} set aside" if spool["rejected"] else "")),
        ("journal", f"position {view['journal_position']}" + (f"; {', '.join(lags)}" if lags else "; all caught up")),
        ("embeddings", view["embeddings"]),
        *(
            [("to embed", f"{counted(view['unembedded'], 'text')}; each heartbeat goes on")]
            if view["unembedded"]
            else []
        ),
        ("heartbeat", _heartbeat(view["last_heartbeat"])),
        ("to review", f"{waiting}, {kept_back} quarantined"),
    ]
    return table(rows)


def _raw_text(view: dict[str, Any]) -> str:
    entries = counted(view["note_entries"], "note entry", "note entries")
    return f"{counted(view['sessions'], 'session')}, {counted(view['turns'], 'turn')}, {entries}"


def _heartbeat(run: dict[str, Any] | None) -> str:
    if run is None:
        return "never ran; engram heartbeat run"
    at = str(run.get("ticked_at") or run.get("finished_at") or run.get("started_at") or "unknown")
    had_work = f" ({run['run_id']})" if run["run_id"] else ""
    return f"{run['status']} at {at[:16].replace('T', ' ')} UTC{had_work}"
