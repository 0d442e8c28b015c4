"""A store that is held for many calls: what the first question needs is loaded before it is asked."""

from engram.store.locks import QueuedLock
from engram.warm.warm_store import WarmStore
from engram.workspace import Workspace


def test_the_index_is_open_before_the_first_question_and_goes_to_who_waits_for_it(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    workspace.index.complete()
    store = WarmStore(workspace.paths.root)
    try:
        store.warm_up()
        assert store.is_warm()
        with workspace.index.searching(wait_s=20.0) as index:
            assert index.position() == workspace.journal.head()[0]
    finally:
        store.close()


def test_an_index_that_was_never_made_is_not_made_beforehand(workspace: Workspace) -> None:
    before = sorted(workspace.paths.root.rglob("*"))
    store = WarmStore(workspace.paths.root)
    store.warm_up()
    assert (store.is_warm(), sorted(workspace.paths.root.rglob("*"))) == (False, before)


def test_an_index_that_another_process_holds_is_left_to_it(workspace: Workspace) -> None:
    workspace.submit("write", {"entity": "people/anna", "text": "Anna prefers tea", "create": True})
    workspace.index.complete()
    store = WarmStore(workspace.paths.root)
    lock: QueuedLock = workspace.index.lock("test")
    with lock.hold(wait_s=1):
        store.warm_up()
        assert not store.is_warm()
