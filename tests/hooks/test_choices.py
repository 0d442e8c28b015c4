"""What hooks read of the settings, and keep until the settings change."""

import json

import pytest

from engram.config.hook_settings import read_hook_choices
from engram.hooks.log import note_firing
from engram.workspace import Workspace


def say(workspace: Workspace, words: str) -> None:
    with workspace.paths.settings.open("a") as out:
        out.write(words)


@pytest.fixture
def fired(workspace: Workspace) -> Workspace:
    note_firing(workspace.paths, "claude-code", "user-prompt")
    return workspace


def test_changed_settings_are_read_again(fired: Workspace) -> None:
    assert read_hook_choices(fired.paths).recall == "warm"
    say(fired, '\n[hooks]\nrecall = "off"\n')

    assert read_hook_choices(fired.paths).recall == "off"
    assert read_hook_choices(fired.paths).recall == "off"


def test_what_was_read_is_kept_for_this_release_and_these_settings(
    fired: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    say(fired, "\n[hooks]\nrecall_tokens = 123\n[recall]\nlog_accesses = false\n")
    first = read_hook_choices(fired.paths)
    monkeypatch.setattr("engram.config.hook_settings._read", lambda _paths: pytest.fail("it was read again"))

    assert read_hook_choices(fired.paths) == first
    assert (first.recall_tokens, first.logs_accesses) == (123, False)
    monkeypatch.setattr("engram.config.hook_settings.__version__", "99.0.0")
    with pytest.raises(pytest.fail.Exception, match="read again"):
        read_hook_choices(fired.paths)


@pytest.mark.parametrize("content", ["", "not JSON", "[]", "[1, 2]", '[null, {"recall": "off"}]', '{"recall": "off"}'])
def test_a_damaged_file_is_as_if_it_were_not_there(fired: Workspace, content: str) -> None:
    read_hook_choices(fired.paths)
    fired.paths.hook_choices.write_text(content)

    assert read_hook_choices(fired.paths).recall == "warm"


def test_a_field_that_is_not_known_is_as_if_nothing_was_kept(fired: Workspace) -> None:
    read_hook_choices(fired.paths)
    stamp, fields = json.loads(fired.paths.hook_choices.read_text())
    fired.paths.hook_choices.write_text(json.dumps([stamp, {**fields, "of_tomorrow": 1}]))

    assert read_hook_choices(fired.paths).recall == "warm"


def test_where_no_hook_has_been_nothing_is_written(workspace: Workspace) -> None:
    read_hook_choices(workspace.paths)

    assert not workspace.paths.hooks.exists()
