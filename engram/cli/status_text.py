"""The status screen for people."""

from typing import Any

from engram.cli.options import table


def status_text(view: dict[str, Any]) -> str:
    """Return the overview as one screen."""
    facts, spool, reviews = view["facts"], view["spool"], view["reviews"]
    tiers = f"{facts['hot']} hot, {facts['warm']} warm, {facts['cold']} cold"
    past = f"{facts['superseded']} superseded, {facts['retracted']} retracted, {facts['pending']} waiting"
    past += f", {facts['candidate']} candidates" if facts["candidate"] else ""
    lags = [f"{name} {view[f'{name}_lag']} behind" for name in ("database", "index", "mirror") if view[f"{name}_lag"]]
    kept_back = f"{reviews['quarantined']} facts and {reviews['quarantined_turns']} turns"
    waiting = f"{reviews['tensions']} tensions, {reviews['observations']} observations"
    rows = [
        ("workspace", view["workspace"]),
        ("entities", str(view["entities"])),
        ("facts", f"{facts['active']} active ({tiers}); {past}"),
        ("raw text", f"{view['sessions']} sessions, {view['turns']} turns, {view['note_entries']} note entries"),
        ("spool", f"{spool['waiting']} waiting" + (f", {spool['rejected']} set aside" if spool["rejected"] else "")),
        ("journal", f"position {view['journal_position']}" + (f"; {', '.join(lags)}" if lags else "; all caught up")),
        ("embeddings", view["embeddings"]),
        *([("to embed", f"{view['unembedded']} texts; each heartbeat goes on")] if view["unembedded"] else []),
        ("heartbeat", _heartbeat(view["last_heartbeat"])),
        ("to review", f"{waiting}, {kept_back} quarantined"),
    ]
    return table(rows)


def _heartbeat(run: dict[str, Any] | None) -> str:
    if run is None:
        return "never ran; engram heartbeat run"
    at = str(run.get("ticked_at") or run.get("finished_at") or run.get("started_at") or "unknown")
    had_work = f" ({run['run_id']})" if run["run_id"] else ""
    return f"{run['status']} at {at[:16].replace('T', ' ')} UTC{had_work}"
