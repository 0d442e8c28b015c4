"""What a command would do, told to a person: one sentence for each change. `--json` has the changes themselves."""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

Change = Mapping[str, Any]  # model.changes.change.Change as JSON

NOTHING: Final = "nothing would change"
WOULD: Final = "nothing is changed; it would"

_MOVES: Final = {
    "move": "make {path} of {former}",
    "merge": "merge {former} into {path}",
    "split": "split {path} off {former}",
    "unmerge": "let {former} stand apart from {path} again",
    "unsplit": "put {former} back into {path}",
    "names": "take back a name of {path}",
}


def plan_lines(changes: Sequence[Change]) -> list[str]:
    """Return what a plan comes to, below a line that says that nothing is changed."""
    told = [line for change in changes if (line := _TOLD[change["kind"]](change))]
    return [f"{WOULD}:", *(f"  {line}" for line in told)] if told else [NOTHING]


def _made(change: Change) -> str:
    entity = change["entity"]
    return f"make {entity['path']} ({entity['title']})"


def _rearranged(change: Change) -> str:
    done = change["rearrangement"]
    facts, path, former = len(done.get("facts", ())), done["path"], done.get("former") or done["path"]
    moved = f" ({facts} fact{'s' * (facts != 1)})" if facts else ""
    if path == former:
        return f"give {path} other names"
    return _MOVES[done["verb"]].format(path=path, former=former) + moved


def _recorded(change: Change) -> str:
    fact = change["fact"]
    waits = {"candidate": " (to wait until it is said again or confirmed)", "pending": " (to wait for a person)"}
    held = " (quarantined)" if fact.get("trust") == "quarantined" else waits.get(fact.get("status", ""), "")
    return f"record {fact['id']}: {fact['text']}{held}"


def _restored(change: Change) -> str:
    fact = change["fact"]
    return f"let {fact['id']} be {fact.get('status', 'active')} and {fact['trust']}: {fact['text']}"


def _superseded(change: Change) -> str:
    return f"replace {change['id']} by {change['by']}"


def _tension(change: Change) -> str:
    tension = change["tension"]
    return f"open {tension['id']}, for a review to settle: {tension['fact1']} or {tension['fact2']}"


_TOLD: Final[Mapping[str, Callable[[Change], str]]] = {
    "entity_created": _made,
    "entity_aliased": lambda change: f"give {change['path']} the name {change['alias']}",
    "entity_unaliased": lambda change: f"take the name {change['alias']} from {change['path']}",
    "entities_rearranged": _rearranged,
    "command_undone": lambda _: "",  # the changes beside it are what it does
    "fact_recorded": _recorded,
    "fact_superseded": _superseded,
    "fact_retracted": lambda change: f"take back {change['id']}: {change['reason']}",
    "fact_restored": _restored,
    "fact_confirmed": lambda change: f"count {change['id']} as confirmed once more",
    "fact_accessed": lambda change: f"count a use of {change['id']}",
    "fact_pinned": lambda change: f"{'pin' if change['pinned'] else 'unpin'} {change['id']}",
    "tension_opened": _tension,
    "tension_resolved": lambda change: f"settle {change['id']}: {change['resolution']}",
    "tension_reopened": lambda change: f"open {change['id']} again",
    "observation_opened": lambda change: f"note {change['observation']['id']}: {change['observation']['text']}",
    "observation_seen": lambda change: f"count {change['id']} as seen once more",
    "observation_resolved": lambda change: f"settle {change['id']}: {change['resolution']}",
    "observation_reopened": lambda change: f"open {change['id']} again",
    "review_settled": lambda change: f"keep the decision about {change['settlement']['subject']}",
    "review_undone": lambda change: f"take back the decision {change['id']}",
    "session_added": lambda change: f"make the session {change['session']['name']}",
    "session_updated": lambda change: f"let the session {change['name']} belong to {change['project']}",
    "turn_captured": lambda change: f"capture a turn of {change['turn']['session']}",
    "note_recorded": lambda change: f"take in {change['entry'].get('path', 'a note')}",
}
