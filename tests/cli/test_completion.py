"""`engram completion`: the shell's script, and what the tab key offers through it."""

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in


@pytest.fixture(autouse=True)
def _three_facts(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_three_facts)


def write_three_facts(workspace: Workspace) -> None:
    engram = engram_in(workspace)
    for entity, text in (("people/anna", "Anna sings"), ("people/anna", "Anna swims"), ("projects/apex", "Apex grows")):
        assert engram("write", "--entity", entity, "--create", "--fact", text).code == 0


@pytest.fixture(autouse=True)
def _stdout_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Click leaves by SystemExit when it has offered names; in this process, stdout is read only then."""
    monkeypatch.setattr("engram.cli.main.silence_stdout", lambda: None)


def offered(engram: Engram, workspace: Workspace, *words: str) -> list[str]:
    """Return what a fish shell is offered for the last word."""
    environment = {
        "_ENGRAM_COMPLETE": "fish_complete",
        "COMP_WORDS": " ".join(["engram", *words[:-1]]),
        "COMP_CWORD": words[-1],
        "ENGRAM_WORKSPACE": str(workspace.paths.root),
    }
    answer = engram(env=environment)
    assert (answer.code, answer.err) == (0, "")
    return [line.partition(",")[2].split("\t")[0] for line in answer.out.splitlines() if line]


@pytest.mark.parametrize(
    ("words", "names"),
    [
        (["timel"], ["timeline"]),
        (["show", "people/anna-00"], ["people/anna-001", "people/anna-002"]),
        (["retract", "anna-002"], ["anna-002"]),
        (["timeline", "p"], ["people/anna", "projects/apex"]),
        (["entity", "show", "ap"], ["apex"]),
        (["facts", "--entity", "people/a"], ["people/anna"]),
        (["graph", "path", "anna", "projects/"], ["projects/apex"]),
        (["show", "nobody"], []),
    ],
    ids=" ".join,
)
def test_the_tab_key_offers_commands_entities_and_ids(
    engram: Engram, workspace: Workspace, words: list[str], names: list[str]
) -> None:
    assert names == offered(engram, workspace, *words)


def test_a_process_offers_them_too(engram_process: Engram, workspace: Workspace) -> None:
    assert offered(engram_process, workspace, "show", "people/anna-00") == ["people/anna-001", "people/anna-002"]


def test_the_tab_key_offers_what_other_commands_name(workspace: Workspace, engram: Engram) -> None:
    engram("session", "add", "standup")
    engram("session", "add", "codex/apex-1")
    engram("tension", "add", "which?", "--fact1", "anna-001", "--fact2", "anna-002")
    engram("observe", "the build is slow on Mondays")
    engram("domain", "add", "nightly", "--type", "cron-task")
    run = engram("heartbeat", "run", "--phase", "review", "--force", "--json").json["run_id"]
    asked = {
        ("session", "show", "s"): ["standup"],
        ("recall", "x", "--session", "codex/"): ["codex/apex-1"],
        ("tension", "resolve", ""): ["tension-0001"],
        ("tension", "reopen", ""): [],
        ("tension", "add", "x", "--fact1", "anna-002"): ["anna-002"],
        ("review", "answer", "t"): ["tension-0001"],
        ("review", "answer", "o"): ["observation-0001"],
        ("domain", "show", "n"): ["nightly"],
        ("heartbeat", "log", "0"): [run],
        ("config", "decay.hot"): ["decay.hot_days"],
        ("config", "context.shares.p"): ["context.shares.project", "context.shares.people"],
        ("recall", "x", "--entity", "people/a"): ["people/anna"],
    }

    assert asked == {words: offered(engram, workspace, *words) for words in asked}

    engram("tension", "resolve", "tension-0001", "--outcome", "dissolve")
    assert offered(engram, workspace, "tension", "reopen", "") == ["tension-0001"]
    assert offered(engram, workspace, "review", "undo", "t") == ["tension-0001"]


def test_where_there_is_no_workspace_nothing_is_offered(engram: Engram, workspace: Workspace) -> None:
    workspace.paths.settings.unlink()

    assert offered(engram, workspace, "show", "people/") == []


@pytest.mark.parametrize(
    ("shell", "sign"), [("bash", "complete -o"), ("zsh", "compdef"), ("fish", "complete --no-files")]
)
def test_each_shell_has_its_script(engram: Engram, shell: str, sign: str) -> None:
    answer = engram("completion", shell)

    assert answer.code == 0
    assert sign in answer.out
    assert "_ENGRAM_COMPLETE" in answer.out
    assert answer.out.startswith("# ")
    assert engram("completion", shell, "--json").json["script"] in answer.out
