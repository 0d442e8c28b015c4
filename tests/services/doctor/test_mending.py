"""What doctor tells while it looks, and what it would do before it does it."""

import contextlib
import dataclasses
from collections.abc import Iterator

from engram.model.finding import Finding
from engram.model.finding import Level
from engram.operations.examine import checkup_of
from engram.operations.examine import examine_workspace
from engram.services.doctor.checks import INDEX_CHECKS
from engram.services.doctor.checks import LIGHT_CHECKS
from engram.services.doctor.checks import STORE_CHECKS
from engram.services.doctor.checks import examine
from engram.services.doctor.repair import plan_mending
from engram.workspace import Workspace


def finding(code: str, path: str = "x", *, fixed: bool = False) -> Finding:
    return Finding(code=code, level=Level.ERROR, path=path, message="", command="", fixed=fixed)


def test_every_check_is_told_of_before_it_runs(workspace: Workspace) -> None:
    told: list[tuple[str, int, int]] = []
    examine(checkup_of(workspace), lambda what, done=0, total=0, most_s=None: told.append((what, done, total)))

    checks = [*LIGHT_CHECKS, *STORE_CHECKS, *INDEX_CHECKS]
    assert [done for _, done, _ in told] == list(range(len(checks)))
    assert {total for *_, total in told} == {len(checks)}
    assert [what for what, *_ in told][:2] == ["forgetting", "retired keys"]


def test_who_waits_to_write_may_between_two_checks(workspace: Workspace) -> None:
    """A waiting writer gets its turn before the next check of the store begins, not after all of them."""
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    holds = 0
    checkup = checkup_of(workspace)

    @contextlib.contextmanager
    def counted() -> Iterator[None]:
        nonlocal holds
        with checkup.hold_store():
            holds += 1
            yield
        workspace.submit("write", {"entity": "people/anna", "text": f"Anna was seen {holds} times"})

    found = examine(dataclasses.replace(checkup, hold_store=counted))

    assert holds == len(STORE_CHECKS)
    assert {one.code for one in found if one.level == Level.ERROR} <= {"index-missing"}


def test_the_plan_names_what_is_mended_in_its_order_and_nothing_else() -> None:
    planned = plan_mending(
        [finding("index-missing"), finding("tensions-open"), finding("leftover", "a"), finding("leftover", "b")]
    )

    assert [(one.does, [found.path for found in one.findings]) for one in planned] == [
        ("remove the temporary files of interrupted writes", ["a", "b"]),
        ("make the index anew; vectors that are kept are not computed again", ["x"]),
    ]
    assert plan_mending([finding("leftover", fixed=True)]) == []


def test_what_was_planned_is_mended_and_marked(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    workspace.paths.database.unlink()
    found = examine_workspace(workspace)
    assert next(one.findings[0].code for one in plan_mending(found)) == "database-missing"

    mended = examine_workspace(workspace, fix=True)
    assert {one.code for one in mended if one.fixed} >= {"database-missing"}
    assert workspace.paths.database.exists()
