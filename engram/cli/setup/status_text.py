"""The status screen for people: what is known, what it was read from, what there is to do. `--json` has the rest."""

import datetime as dt
from typing import Any

from engram.base.counts import counted
from engram.cli.invocation.local_time import minute_in
from engram.cli.invocation.options import table
from engram.cli.terminal.screen_lines import from_home


def status_text(view: dict[str, Any], zone: dt.tzinfo) -> str:
    """Return the overview as one screen; what is as it should be is not told."""
    rows = [
        ("workspace", from_home(str(view["workspace"]))),
        ("known", _known(view)),
        ("read", _read(view)),
        ("recall", _recall(str(view["embeddings"]))),
        ("heartbeat", _heartbeat(view["last_heartbeat"], zone)),
        ("to review", _to_review(view)),
        *_unfinished(view, zone),
    ]
    return table(rows)


def _known(view: dict[str, Any]) -> str:
    facts = view["facts"]
    about = counted(view["entities"], "person or thing", "people and things")
    told = f"{counted(facts['active'], 'fact')} about {about}"
    fresh = f" ({facts['hot']} hot, {facts['warm']} warm, {facts['cold']} cold)" if facts["active"] else ""
    past = [(facts["superseded"], "replaced"), (facts["retracted"], "taken back"), (facts["candidate"], "unsure")]
    return "; ".join([f"{told}{fresh}", *(f"{number} {word}" for number, word in past if number)])


def _read(view: dict[str, Any]) -> str:
    entries = counted(view["note_entries"], "note entry", "note entries")
    return f"{counted(view['sessions'], 'session')}, {counted(view['turns'], 'turn')}, {entries}"


def _recall(embeddings: str) -> str:
    """Return how recall works, by the name of the model alone: where it lies `engram config embeddings` tells."""
    name = model_name(embeddings) if "@" in embeddings else ""
    return f"by words and by meaning ({name})" if name and " " not in name else embeddings


def model_name(model: str) -> str:
    """Return what people call an embedding model, without its digest and without what runs it."""
    return model.partition(" from ")[0].partition("@")[0]


def _heartbeat(run: dict[str, Any] | None, zone: dt.tzinfo) -> str:
    if run is None:
        return "never ran; engram heartbeat run"
    at = str(run.get("ticked_at") or run.get("finished_at") or run.get("started_at") or "")
    return f"{run['status'].replace('_', ' ')} at {minute_in(at, zone) if at else 'unknown'}"


def _to_review(view: dict[str, Any]) -> str:
    reviews = view["reviews"]
    waiting = [counted(reviews[name], name.removesuffix("s")) for name in ("tensions", "observations") if reviews[name]]
    if reviews["quarantined"] or reviews["quarantined_turns"]:
        kept_back = f"{counted(reviews['quarantined'], 'fact')} and {counted(reviews['quarantined_turns'], 'turn')}"
        waiting.append(f"{kept_back} quarantined")
    # What else waits, candidates and names that may be one, takes a look at every fact to be counted.
    return f"{', '.join(waiting) or 'no tension'}; engram review has the rest"


def _shared(journal: dict[str, Any] | None, zone: dt.tzinfo) -> str:
    """Return where the journal is shared, and when its server was last heard; "" where it is not."""
    if journal is None:
        return ""
    at = journal["last_contact"]
    heard = f"last contact {minute_in(at, zone)}" if at else "no contact yet"
    return f"as {journal['name']} at {journal['url']}, {heard}"


def _unfinished(view: dict[str, Any], zone: dt.tzinfo) -> list[tuple[str, str]]:
    """Return what is not done yet or went wrong, each with its name, and where the journal is shared."""
    spool = view["spool"]
    lags = [f"{name} {view[f'{name}_lag']} behind" for name in ("database", "index", "mirror") if view[f"{name}_lag"]]
    rows = [
        ("to embed", f"{counted(view['unembedded'], 'text')}; each heartbeat goes on" if view["unembedded"] else ""),
        ("shared", _shared(view.get("shared_journal"), zone)),
        ("to apply", counted(spool["waiting"], "change") if spool["waiting"] else ""),
        ("set aside", f"{counted(spool['rejected'], 'file')}; engram doctor" if spool["rejected"] else ""),
        ("catching up", ", ".join(lags)),
    ]
    return [row for row in rows if row[1]]
