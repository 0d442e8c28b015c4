"""What a command would do, told to a person: one sentence for each change. `--json` has the changes themselves.

A sentence is a step: a code with what it speaks of. The command line says it in English, from `SENTENCES`; the page in
the language of its reader, from message files that have the same codes.
"""

from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

Change = Mapping[str, Any]  # model.changes.change.Change as JSON

NOTHING: Final = "nothing would change"
WOULD: Final = "nothing is changed; it would"


class Step(NamedTuple):
    """One sentence of a plan."""

    code: str  # key of SENTENCES
    said: dict[str, Any]  # what it speaks of: texts, and as `n` how many


SENTENCES: Final[Mapping[str, str | tuple[str, str]]] = {
    "add-alias": "give {path} the name {alias}",
    "add-session": "make the session {name}",
    "capture-turn": "capture a turn of {session}",
    "confirm": "count {id} as confirmed once more",
    "count-use": "count a use of {id}",
    "drop-alias": "take the name {alias} from {path}",
    "keep-decision": "keep the decision about {subject}",
    "make": "make {path} ({title})",
    "merge": "merge {former} into {path}",
    "merge-facts": ("merge {former} into {path} ({n} fact)", "merge {former} into {path} ({n} facts)"),
    "move": "make {path} of {former}",
    "move-facts": ("make {path} of {former} ({n} fact)", "make {path} of {former} ({n} facts)"),
    "names": "take back a name of {path}",
    "names-facts": ("take back a name of {path} ({n} fact)", "take back a name of {path} ({n} facts)"),
    "note": "note {id}: {text}",
    "open-tension": "open {id}, for a review to settle: {first} or {last}",
    "pin": "pin {id}",
    "open-session": "let the session {name} be open, which was kept apart",
    "place-session": "let the session {name} belong to {project}",
    "read-entries": ("read {n} entry of notes", "read {n} entries of notes"),
    "read-turns": ("read {n} turn", "read {n} turns"),
    "record": "record {id}: {text}",
    "record-candidate": "record {id}: {text} (to wait until it is said again or confirmed)",
    "record-pending": "record {id}: {text} (to wait for a person)",
    "record-quarantined": "record {id}: {text} (quarantined)",
    "rename": "give {path} other names",
    "reopen": "open {id} again",
    "replace": "replace {id} by {by}",
    "restore": "let {id} be {status} and {trust}: {text}",
    "retract": "take back {id}: {reason}",
    "run": "run {phases}",
    "see-again": "count {id} as seen once more",
    "settle": "settle {id}: {resolution}",
    "split": "split {path} off {former}",
    "split-facts": ("split {path} off {former} ({n} fact)", "split {path} off {former} ({n} facts)"),
    "take-in": "take in {path}",
    "undo-decision": "take back the decision {id}",
    "unmerge": "let {former} stand apart from {path} again",
    "unmerge-facts": (
        "let {former} stand apart from {path} again ({n} fact)",
        "let {former} stand apart from {path} again ({n} facts)",
    ),
    "unpin": "unpin {id}",
    "unsplit": "put {former} back into {path}",
    "unsplit-facts": ("put {former} back into {path} ({n} fact)", "put {former} back into {path} ({n} facts)"),
}


def plan_steps(changes: Sequence[Change]) -> list[Step]:
    """Return what a plan comes to, as sentences in no language yet."""
    return [step for change in changes if (step := _TOLD[change["kind"]](change)) is not None]


def plan_lines(changes: Sequence[Change]) -> list[str]:
    """Return what a plan comes to, below a line that says that nothing is changed."""
    return step_lines(plan_steps(changes))


def step_lines(steps: Sequence[Step]) -> list[str]:
    """Return the same in English, below a line that says that nothing is changed."""
    return [f"{WOULD}:", *(f"  {_sentence(step)}" for step in steps)] if steps else [NOTHING]


def _sentence(step: Step) -> str:
    words = SENTENCES[step.code]
    form = words if isinstance(words, str) else words[step.said["n"] != 1]
    return form.format(**step.said)


def _rearranged(change: Change) -> Step:
    done = change["rearrangement"]
    facts, path, former = len(done.get("facts", ())), done["path"], done.get("former") or done["path"]
    if path == former:
        return Step("rename", {"path": path})
    said = {"path": path, "former": former}
    return Step(f"{done['verb']}-facts", {**said, "n": facts}) if facts else Step(done["verb"], said)


def _recorded(change: Change) -> Step:
    fact = change["fact"]
    status = "quarantined" if fact.get("trust") == "quarantined" else fact.get("status", "")
    held = f"record-{status}" if f"record-{status}" in SENTENCES else "record"
    return Step(held, {"id": fact["id"], "text": fact["text"]})


def _restored(change: Change) -> Step:
    fact = change["fact"]
    said = {"id": fact["id"], "status": fact.get("status", "active"), "trust": fact["trust"], "text": fact["text"]}
    return Step("restore", said)


def _tension(change: Change) -> Step:
    tension = change["tension"]
    return Step("open-tension", {"id": tension["id"], "first": tension["fact1"], "last": tension["fact2"]})


def _rated(change: Change) -> Step:
    useful, wrong = change.get("useful", 0), change.get("wrong", 0)
    verdict = "it was useful" if useful else "it was wrong"
    return Step("note", {"id": change["id"], "text": verdict if useful + wrong > 0 else f"no longer, that {verdict}"})


def _said(code: str, *names: str, of: str = "") -> Callable[[Change], Step]:
    """Return what makes a step of fields of a change, or of the value that it holds under a name."""

    def step(change: Change) -> Step:
        held = change[of] if of else change
        return Step(code, {name: held[name] for name in names})

    return step


_TOLD: Final[Mapping[str, Callable[[Change], Step | None]]] = {
    "entity_created": _said("make", "path", "title", of="entity"),
    "entity_aliased": _said("add-alias", "path", "alias"),
    "entity_unaliased": _said("drop-alias", "path", "alias"),
    "entities_rearranged": _rearranged,
    "command_undone": lambda _: None,  # the changes beside it are what it does
    "fact_recorded": _recorded,
    "fact_superseded": _said("replace", "id", "by"),
    "fact_retracted": _said("retract", "id", "reason"),
    "fact_restored": _restored,
    "fact_confirmed": _said("confirm", "id"),
    "fact_accessed": _said("count-use", "id"),
    "fact_pinned": lambda change: Step("pin" if change["pinned"] else "unpin", {"id": change["id"]}),
    "fact_rated": _rated,
    "tension_opened": _tension,
    "tension_resolved": _said("settle", "id", "resolution"),
    "tension_reopened": _said("reopen", "id"),
    "observation_opened": _said("note", "id", "text", of="observation"),
    "observation_seen": _said("see-again", "id"),
    "observation_resolved": _said("settle", "id", "resolution"),
    "observation_reopened": _said("reopen", "id"),
    "review_settled": _said("keep-decision", "subject", of="settlement"),
    "review_undone": _said("undo-decision", "id"),
    "handoff_sent": _said("note", "id", "text", of="handoff"),
    "handoff_settled": lambda change: Step("settle", {"id": change["id"], "resolution": change["status"]}),
    "session_added": _said("add-session", "name", of="session"),
    "session_kind_set": _said("open-session", "name"),
    "session_updated": _said("place-session", "name", "project"),
    "turn_captured": _said("capture-turn", "session", of="turn"),
    "note_recorded": lambda change: Step("take-in", {"path": change["entry"].get("path", "a note")}),
}
