"""`engram capture`: exactly once, and bad lines named."""

import datetime as dt
import json
from pathlib import Path

import pytest

from engram.errors import RefusedError
from engram.importers import capture
from engram.importers.transcripts.files import Choices
from engram.services.commands.decider import Decider
from engram.services.commands.deciders import DECIDERS
from engram.workspace import Workspace
from tests.conftest import Engram


def lines(*turns: dict[str, object]) -> str:
    return "".join(json.dumps({"session": "demo", **turn}) + "\n" for turn in turns)


def texts(workspace: Workspace) -> list[str]:
    with workspace.reading() as database:
        return [turn.text for turn in database.list_turns("demo")]


def test_the_same_file_twice_adds_nothing_and_a_grown_one_its_new_turns(
    engram: Engram, workspace: Workspace, tmp_path: Path
) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(lines({"text": "one"}, {"text": "two"}, {"text": "one"}))
    first = engram("capture", str(file), "--json").json
    second = engram("capture", str(file), "--json").json
    file.write_text(file.read_text() + lines({"text": "three"}))
    third = engram("capture", str(file), "--json").json

    assert [(one["captured"], one["known"]) for one in (first, second, third)] == [(3, 0), (0, 3), (1, 3)]
    assert texts(workspace) == ["one", "two", "one", "three"]


def test_what_was_refused_is_read_again_the_next_time(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> Decider:
        raise RefusedError("not now", hint="later")

    monkeypatch.setattr(capture, "_TURNS_AT_ONCE", 1)
    file = tmp_path / "session.jsonl"
    row = {"type": "user", "sessionId": "s", "message": {"role": "user"}}
    said = [{**row, "uuid": text, "message": {"role": "user", "content": text}} for text in ("one", "two")]
    file.write_text("".join(json.dumps(one) + "\n" for one in said))
    choices = Choices("auto", "demo", None, dt.UTC)
    with monkeypatch.context() as refusing:
        refusing.setitem(DECIDERS, "capture", refuse)
        refused = capture.capture_files(workspace, [str(file)], choices, dry_run=False)

    again = capture.capture_files(workspace, [str(file)], choices, dry_run=False)

    assert (refused.captured, refused.refused) == (0, ["not now", "not now"])
    assert again.captured == 2
    assert texts(workspace) == ["one", "two"]


def test_a_bad_line_is_named_and_the_others_are_captured(engram: Engram, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(lines({"text": "one"}, {"text": "two", "at": "soon"}, {"text": "three"}))
    answer = engram("capture", str(file), "--json")

    assert answer.code == 2
    assert "chat.jsonl:2: at: " in answer.err
    assert [bad["field"] for bad in answer.json["files"][0]["bad"]] == ["at"]
    assert texts(workspace) == ["one", "three"]


def test_a_torn_last_line_waits(engram: Engram, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    whole = lines({"text": "one"}, {"text": "two"})
    file.write_text(whole[:-8])
    torn = engram("capture", str(file), "--json")
    file.write_text(whole)
    engram("capture", str(file))

    assert torn.code == 0
    assert torn.json["files"][0]["torn"]
    assert texts(workspace) == ["one", "two"]


def test_standard_input_a_session_and_an_age(engram: Engram, workspace: Workspace) -> None:
    given = '{"text": "old", "at": "2026-02-20"}\n{"text": "new", "at": "2026-03-02 09:00"}\n{"text": "undated"}\n'
    answer = engram(
        "--now", "2026-03-02T10:00:00Z", "capture", "-", "--session", "demo", "--since", "24h", "--json", stdin=given
    )

    assert (answer.json["captured"], answer.json["files"][0]["too_old"]) == (2, 1)
    assert texts(workspace) == ["new", "undated"]


def test_places_go_on_where_a_session_ended_whatever_is_flushed_together(
    engram: Engram, workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.importers.capture._TURNS_AT_ONCE", 3)
    file = tmp_path / "chat.jsonl"
    for day in ("one", "two"):
        file.write_text(
            "".join(lines({"session": name, "text": f"{day} {number}"}) for number in range(3) for name in "abc")
        )
        engram("capture", str(file))
    with workspace.reading() as database:
        turns = database.list_turns()

    assert [(turn.session, turn.ordinal, turn.text) for turn in turns] == [
        (name, 3 * place + number, f"{day} {number}")
        for name in ("a", "b", "c")
        for place, day in enumerate(("one", "two"))
        for number in range(3)
    ]


@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"id": "turn/2"}, "text is missing"),
        ({"id": "turn/2", "text": "x", "at": "soon"}, "at: "),
        ({"id": "turn/2", "text": "x", "mood": "good"}, "mood: is not a field here"),
        ({"id": "turn/2", "text": "a\x00b"}, "text holds a control character"),
        ({"id": "turn/2", "text": "a\ud800b"}, "a text holds broken UTF-8"),
    ],
)
def test_a_command_with_a_bad_turn_among_good_ones_is_refused_whole_and_says_which_field(
    workspace: Workspace, bad: dict[str, object], why: str
) -> None:
    good = {"id": "turn/1", "text": "one"}
    envelope = workspace.envelope("capture", {"session": "demo", "turns": [good, bad, good]})
    with workspace.writing("test") as recorder:
        (result,) = recorder.record([envelope])

    assert result.exit_code == 2
    assert (result.reason or "").startswith(why)
    assert texts(workspace) == []


def test_markdown_is_recognised(engram: Engram, workspace: Workspace, tmp_path: Path) -> None:
    file = tmp_path / "2026-02-24.md"
    file.write_text("**Anna:** Hi\n\n**Boris:** Hello\n")
    engram("capture", str(file), "--session", "demo")
    with workspace.reading() as database:
        turns = database.list_turns("demo")

    assert [(turn.speaker, turn.text, turn.at and turn.at.day) for turn in turns] == [
        ("Anna", "Hi", 24),
        ("Boris", "Hello", 24),
    ]


def test_a_dry_run_captures_nothing(engram: Engram, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(lines({"text": "one"}))

    assert engram("capture", str(file), "--dry-run", "--json").json["captured"] == 1
    assert engram("session", "list", "--json").json == {"sessions": []}


def test_a_file_that_is_not_there_captures_nothing_of_the_others(engram: Engram, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(lines({"text": "one"}))

    assert engram("capture", str(file), str(tmp_path / "no.jsonl")).code == 2
    assert engram("session", "list", "--json").json == {"sessions": []}


def test_wrong_usage(engram: Engram, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text(lines({"text": "one"}))

    assert engram("capture").code == 2
    assert engram("capture", str(file), "--format", "chatgpt").code == 2
    assert engram("capture", str(file), "--since", "some day").code == 2
    assert engram("capture", str(file), "--session", "../x").code == 2
    assert engram("capture", str(tmp_path)).code == 2


def test_secrets_are_not_stored(engram: Engram, workspace: Workspace) -> None:
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    engram("capture", "-", stdin=lines({"text": f"the key is {key}"}))

    assert key not in texts(workspace)[0]
    assert key.encode() not in b"".join(file.read_bytes() for file in workspace.paths.journal.iterdir())
