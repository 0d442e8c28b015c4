"""What the keys of a review do, without a terminal: undo takes back what this session settled last, and only that."""

import pytest

from engram.cli.review import review_session
from engram.model.domain import DomainType
from engram.ports.database import FactFilter
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith


class Keys:
    """Keys that are pressed one after the other; then the input ends."""

    def __init__(self, pressed: str) -> None:
        self._pressed = iter(pressed)

    def __enter__(self) -> "Keys":
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing is held."""

    def read_key(self) -> str:
        """The next one."""
        return next(self._pressed, "q")


def leave_waiting(workspace: Workspace) -> None:
    """Two observations and two proposals wait; a third observation was dismissed last week."""
    for text in ("Deploys are slow on Mondays", "The tests of the web page are flaky", "The cat is old"):
        workspace.submit("observe", {"text": text})
    workspace.submit("review-answer", {"id": "observation-0003", "outcome": "dismiss"})
    desk = DomainCommands(workspace.files, now=workspace.now(), role=None)
    desk.add(NewDomain("backup", DomainType.META))
    for text in ("Keep copies for a year", "Keep copies elsewhere"):
        desk = DomainCommands(workspace.files, now=workspace.now(), role=None)
        desk.propose("backup", text)


def leave_candidates(workspace: Workspace) -> None:
    """Twelve statements wait to be believed."""
    trees = "alder birch cedar dogwood elm fir hazel ivy juniper larch maple oak"
    told = [
        {"entity": f"projects/{tree}", "create": True, "text": f"Trees called {tree} grow here", "candidate": True}
        for tree in trees.split()
    ]
    with workspace.writing("test") as recorder:
        recorder.record([workspace.envelope("write", args) for args in told])
    workspace.store.refresh_mirror()


@pytest.fixture
def waiting(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(leave_waiting)


@pytest.mark.parametrize(
    ("keys", "open_after", "said"),
    [
        ("u", 2, "nothing was settled in this review"),
        ("xu", 2, "0 settled"),
        ("xxu", 1, "1 settled"),
        ("xxuu", 2, "0 settled"),
        ("xxau", 0, "an answer to a proposal cannot be undone"),
        ("ssau", 2, "an answer to a proposal cannot be undone"),
    ],
)
def test_undo_takes_back_what_was_settled_last(
    waiting: Workspace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keys: str,
    open_after: int,
    said: str,
) -> None:
    monkeypatch.setattr(review_session, "_Keyboard", lambda: Keys(keys))

    review_session.ReviewSession(waiting).run()

    with waiting.reading() as database:
        assert len(database.list_observations()) == open_after
        assert [one.undone_at for one in database.list_settlements() if one.subject == "observation-0003"] == [None]
    assert said in capsys.readouterr().out


@pytest.mark.parametrize(
    ("keys", "unbounded", "kept", "said"),
    [
        ("k" * 12, False, 10, "enough for today"),
        ("s" * 12, False, 0, "enough for today"),
        ("k" * 4 + "x" * 8, False, 4, "10 settled, 0 skipped"),
        ("k" * 12, True, 12, "nothing else waits"),
    ],
)
def test_a_person_is_asked_no_more_than_ten_times_a_day(
    workspace_with: WorkspaceWith,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    keys: str,
    kept: int,
    said: str,
    *,
    unbounded: bool,
) -> None:
    workspace = workspace_with(leave_candidates)
    monkeypatch.setattr(review_session, "_Keyboard", lambda: Keys(keys))

    review_session.ReviewSession(workspace, unbounded=unbounded).run()

    with workspace.reading() as database:
        assert len(database.list_facts(FactFilter())) == kept
    assert said in capsys.readouterr().out
