"""Whatever is said, confirmed and rejected: a candidate is in no summary, no start block and no contradiction."""

import datetime as dt
from pathlib import Path

from hypothesis import HealthCheck
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from engram.model.changes.state import State
from engram.model.fact import Actor
from engram.model.fact import Status
from engram.ports.database import FactFilter
from engram.rules.fold.fold import fold_record
from engram.rules.invariants import broken
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.facts.contradictions import find_contradictions
from engram.services.visibility import Caller
from engram.workspace import Workspace
from tests.conftest import workspace_in
from tests.effort import examples
from tests.making import NOW

LIMITS = ("The upload limit of Billing is 32 MB", "The upload limit of Billing is 64 MB", "Billing must never retry")
OTHER = "The upload limit of Billing is 8 MB"
STEPS = st.one_of(
    st.tuples(
        st.just("write"),
        st.sampled_from(LIMITS),
        st.sampled_from(["monday", "standup"]),
        st.sampled_from(["instruction", "correction", "context"]),
        st.booleans(),
        st.sampled_from(["shared", "session:monday"]),
    ),
    st.tuples(st.sampled_from(["confirm", "retract", "review-answer", "review-undo"]), st.integers(1, 4)),
)


def take(workspace: Workspace, step: tuple[object, ...]) -> None:
    """Do one step; what the rules refuse changes nothing."""
    if step[0] == "write":
        _, text, session, category, candidate, scope = step
        source = {"actor": "agent", "session": session}
        args = {"entity": "projects/billing", "create": True, "text": text, "category": category, "source": source}
        workspace.submit("write", {**args, "candidate": candidate, "scope": scope}, actor=Actor.AGENT)
        return
    kind, number = step
    more = {"retract": {"reason": "of no use"}, "review-answer": {"outcome": "reject"}}.get(str(kind), {})
    workspace.submit(str(kind), {"id": f"projects/billing-{number:03d}", **more})


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=2, max_size=8))
def test_no_candidate_is_stated_anywhere(tmp_path_factory: object, steps: list[tuple[object, ...]]) -> None:
    workspace = workspace_in(Path(tmp_path_factory.mktemp("unseen")))  # type: ignore[attr-defined]
    clock = [NOW]
    workspace.now = lambda: clock[0]
    for step in steps:
        clock[0] += dt.timedelta(hours=7)
        take(workspace, step)
    workspace.store.refresh_mirror()

    with workspace.reading() as database, workspace.store.projection.in_memory() as folded:
        assert database.digests() == folded.digests()
        waiting = database.list_facts(FactFilter(status=Status.CANDIDATE))
        for caller in (Caller(), Caller(session="monday")):
            asked = ContextQuery(caller=caller, question="Billing", budget=20_000)
            shown = load_context(database, workspace.files, workspace.settings, asked, now=workspace.now())
            assert {fact.id for fact in waiting}.isdisjoint(hit.id for hit in shown.hits)
        if database.list_entities():
            found = find_contradictions(
                database, "projects/billing", "The upload limit of Billing is 8 MB", cross_entity=True
            )
            assert {fact.id for fact in waiting}.isdisjoint(one["id"] for one in found)
        sides = {side for one in database.list_tensions() for side in (one.fact1, one.fact2)}
        assert {fact.id for fact in waiting}.isdisjoint(sides)
    summary = workspace.paths.life / "projects/billing/summary.md"
    text = summary.read_text() if summary.is_file() else ""
    assert not any(f"[{fact.id.rpartition('-')[2]}]" in text for fact in waiting)
    state = State()
    for record, _ in workspace.journal.read():
        fold_record(state, record)
    assert broken(state) == []
