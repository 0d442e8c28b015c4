"""No command that stands beside recall tells a caller what its scope hides: graph, sql, timelines, the tab key.

Random memories over scopes, sessions and agents, as in tests/services/test_silos_hold.py; every caller that is not the
owner asks each command.
"""

from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck
from hypothesis import Phase
from hypothesis import given
from hypothesis import settings as hypothesis_settings

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import engram_in
from tests.effort import examples
from tests.services.test_silos_hold import KINDS
from tests.services.test_silos_hold import MEMORIES
from tests.services.test_silos_hold import OWNER
from tests.services.test_silos_hold import WHO
from tests.services.test_silos_hold import Planted
from tests.services.test_silos_hold import Who
from tests.services.test_silos_hold import make
from tests.services.test_silos_hold import plant

BILLING = "projects/billing"
HIDDEN_PATHS = tuple(f"people/pathword{number}x" for number in range(len(KINDS)))
DOORS: tuple[tuple[str, ...], ...] = (
    ("graph", "neighbors", OWNER, "--hops", "3"),
    ("graph", "path", OWNER, BILLING),
    *(("graph", "neighbors", path) for path in HIDDEN_PATHS),
    ("graph", "communities"),
    ("timeline", OWNER),
    ("timeline", BILLING),
    ("facts", "--entity", OWNER),
    ("ask", "latest", BILLING),
    ("sql", "SELECT * FROM facts_all"),
)
FORMS = ("graphml", "json", "dot", "html", "svg")
FACTLESS = {"turn", "file", "self", "noticed"}  # of which these commands say nothing to anybody


@pytest.fixture(autouse=True)
def _stdout_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Click leaves by SystemExit when it has offered names; in this process, stdout is read only then."""
    monkeypatch.setattr("engram.cli.main.silence_stdout", lambda: None)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Path]:
    return lambda: tmp_path_factory.mktemp("beside")


def said_to(engram: Engram, workspace: Workspace, who: Who) -> Iterator[tuple[str, str]]:
    """Yield (command, all that it prints) for one caller."""
    session, agent = who
    options = [*(("--session", session) if session else ()), *(("--agent", agent) if agent else ())]
    for words in DOORS:
        done = engram(*words, *options, "--json")
        echoed = words[2] if words[:2] == ("graph", "neighbors") and len(words) == 3 else ""  # as it was asked
        yield " ".join(words), f"{done.out} {done.err}".replace(echoed, "") if echoed else f"{done.out} {done.err}"
    for form in FORMS:
        file = workspace.paths.root.parent / f"graph.{form}"
        done = engram("graph", "export", str(file), *options)
        yield f"graph export {form}", f"{done.err} {file.read_text() if file.exists() else ''}"
        file.unlink(missing_ok=True)
    for begun in (
        ("timeline", *options, "people/"),
        ("facts", *options, "--entity", "p"),
        ("show", *options, "people/"),
    ):
        environment = {
            "_ENGRAM_COMPLETE": "fish_complete",
            "COMP_WORDS": " ".join(["engram", *begun[:-1]]),
            "COMP_CWORD": begun[-1],
            "ENGRAM_WORKSPACE": str(workspace.paths.root),
        }
        yield f"tab {' '.join(begun)}", engram(env=environment).out


@hypothesis_settings(
    max_examples=examples(1),
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # making a failing memory smaller would take minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(MEMORIES)
def test_no_command_beside_recall_tells_what_a_scope_hides(
    folders: Callable[[], Path], memory: tuple[list[Any], list[Any]]
) -> None:
    workspace = make(folders() / "workspace")
    planted = [one for one in plant(workspace, *memory) if one.kind not in FACTLESS]
    engram = engram_in(workspace)
    for who in WHO[1:]:
        for door, said in said_to(engram, workspace, who):
            assert_hidden(planted, who, door, said.casefold())


def assert_hidden(planted: list[Planted], who: Who, door: str, said: str) -> None:
    """Assert that a command told a caller nothing of what it may not see."""
    for one in planted:
        listed = one.hidden and door.startswith("facts")  # where a person looks for what was quarantined
        assert one.is_for(*who) or listed or one.word not in said, (door, who, one)


def test_what_a_caller_may_see_the_commands_tell(folders: Callable[[], Path]) -> None:
    workspace = make(folders() / "workspace")
    facts = [("session:kept", "trusted", OWNER, "context", False, None)]
    plant(workspace, facts, [("open", "trusted")])

    said = dict(said_to(engram_in(workspace), workspace, ("kept", None)))

    assert "pathword2x" in said["tab timeline --session kept people/"]
    assert "factword0x" in said[f"timeline {OWNER}"]
    assert "factword0x" in said[f"facts --entity {OWNER}"]
    assert OWNER in said["graph export json"]
