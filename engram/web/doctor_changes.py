"""Mending from the page, as `engram doctor --fix` does it: the plan is made of what doctor found last."""

from collections.abc import Mapping
from typing import Any
from typing import Final

from engram.errors import RefusedError
from engram.operations.words.plan_text import NOTHING
from engram.operations.words.plan_text import WOULD
from engram.services.visibility import Caller
from engram.services.visibility import require_owner
from engram.warm.warm_store import WarmWorkspace
from engram.web.examination import examination_of
from engram.web.stamps import stamp_of
from engram.web.verb import Args
from engram.web.verb import Planned
from engram.web.verb import Verb


def findings_shown(workspace: WarmWorkspace, _args: Args, caller: Caller | None) -> list[dict[str, Any]]:
    """Return what doctor found last, as one thing with a stamp; raise RefusedError when it has not looked yet."""
    require_owner(caller, "doctor")
    state = examination_of(workspace.paths.root).state()
    if state["running"]:
        raise RefusedError("doctor is looking", hint="wait until it has looked at everything")
    if state.get("findings") is None:
        raise RefusedError("doctor has not looked yet", hint="let it look first: the plan is made of what it finds")
    return [{"text": f"{len(state['findings'])} findings", "status": "found", "stamp": stamp_of(state["findings"])}]


def _plan(workspace: WarmWorkspace, _args: Args) -> Planned:
    plan = examination_of(workspace.paths.root).state()["plan"]
    lines = [f"  {one['does']}: {', '.join(found['path'] for found in one['findings'])}" for one in plan]
    return Planned({"status": "planned", "details": {"plan": plan}}, [f"{WOULD}:", *lines] if lines else [NOTHING])


def _fix(workspace: WarmWorkspace, _args: Args) -> dict[str, Any]:
    if not examination_of(workspace.paths.root).begin(fix=True):
        raise RefusedError("doctor is looking", hint="wait until it has looked at everything")
    return {"status": "accepted", "id": None, "details": {}}


DOCTOR_VERBS: Final[Mapping[str, Verb]] = {"doctor-fix": Verb((), plan=_plan, apply=_fix, shows=findings_shown)}
