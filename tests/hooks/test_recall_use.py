"""What was shown for prompts, and what the reply used of it."""

import json
import os
import stat
import time
from pathlib import Path
from typing import Any

import pytest

from engram.base.text import sha256_hex
from engram.hooks.events.recall_use import note_prompt
from engram.hooks.host import Event
from engram.hooks.run import run_hook
from engram.language.terms.used_words import own_word_prints
from engram.operations.use_count import fold_accesses
from engram.store.recall_log import RecallLog
from engram.workspace import Workspace

SESSION = "claude-code/shop-abc"
TEA = "Anna prefers green tea to coffee"
PORT = "Billing listens on port 8443"
PROMPT = "What shall I offer Anna?"
REPLY = "Offer green tea."


def show(workspace: Workspace, *texts: str, session: str = SESSION, prompt: str = PROMPT) -> None:
    hits = [
        {"id": f"people/anna-{number:03}", "kind": "fact", "tokens": 6, "words": own_word_prints(text, prompt)}
        for number, text in enumerate(texts, 1)
    ]
    reply = {"text": "fenced", "tokens": 30, "hits": hits}
    note_prompt(workspace.paths, Event(session, prompt=prompt), "answered", time.monotonic(), reply)


def stop(workspace: Workspace, event: str = "stop", host: str = "claude-code", **fields: Any) -> None:
    sent = {"session_id": "abc", "cwd": "/a/shop", "transcript_path": "/a/none.jsonl", **fields}
    assert run_hook(event, json.dumps(sent).encode(), str(workspace.paths.root), host) is not None


def replies(workspace: Workspace) -> list[dict[str, Any]]:
    return [row for row in RecallLog(workspace.paths.recall_log).rows() if row["kind"] == "reply"]


def test_the_reply_is_measured_once(workspace: Workspace) -> None:
    show(workspace, TEA, PORT)
    stop(workspace, last_assistant_message=REPLY)
    stop(workspace, last_assistant_message=REPLY)

    (row,) = replies(workspace)
    assert (row["shown"], row["used"]) == (["people/anna-001", "people/anna-002"], ["people/anna-001"])
    assert (row["tokens"], row["used_tokens"]) == (12, 6)


def test_no_words_of_anybody_are_left_behind(workspace: Workspace) -> None:
    show(workspace, TEA)
    waiting = list((workspace.paths.hooks / "shown").iterdir())
    kept = b"".join(file.read_bytes() for file in [*waiting, workspace.paths.recall_log])

    assert len(waiting) == 1
    assert stat.S_IMODE(waiting[0].stat().st_mode) == 0o600
    assert not any(word in kept for word in (b"tea", b"prefers", b"offer"))
    stop(workspace, last_assistant_message=REPLY)
    assert list((workspace.paths.hooks / "shown").iterdir()) == []


def test_a_memory_that_was_used_counts_as_accessed_and_one_that_was_only_shown_does_not(workspace: Workspace) -> None:
    for text in (TEA, PORT):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True})
    show(workspace, TEA, PORT)
    stop(workspace, last_assistant_message=REPLY)

    assert fold_accesses(workspace) == {"answers": 1, "facts": 1, "files_removed": 0}
    (row,) = workspace.answers.accesses.rows()
    assert (row["door"], [hit["id"] for hit in row["hits"]]) == ("used", ["people/anna-001"])


def test_where_accesses_are_not_logged_use_is_not(workspace: Workspace) -> None:
    with workspace.paths.settings.open("a") as out:
        out.write("\n[recall]\nlog_accesses = false\n")
    show(workspace, TEA)
    stop(workspace, last_assistant_message=REPLY)

    assert len(replies(workspace)) == 1
    assert not workspace.paths.accesses.exists()


def test_another_session_and_a_subagent_are_not_measured(workspace: Workspace) -> None:
    show(workspace, TEA)
    stop(workspace, session_id="other", last_assistant_message=REPLY)
    stop(workspace, agent_id="a1", agent_type="Explore", last_assistant_message=REPLY)
    stop(workspace, "pre-compact", last_assistant_message=REPLY)

    assert replies(workspace) == []


TRANSCRIPTS: dict[str, list[dict[str, Any]]] = {
    "claude-code": [
        {"type": "user", "message": {"role": "user", "content": PROMPT}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": "I look."}]}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": "green tea"}]}},
        {"type": "assistant", "message": {"role": "assistant", "content": [{"type": "text", "text": REPLY}]}},
    ],
    "codex": [
        {"type": "response_item", "payload": {"role": "user", "content": [{"type": "input_text", "text": PROMPT}]}},
        {
            "type": "response_item",
            "payload": {"role": "assistant", "content": [{"type": "output_text", "text": REPLY}]},
        },
    ],
    "gemini": [{"type": "user", "content": PROMPT}, {"type": "gemini", "content": REPLY}],
}


@pytest.mark.parametrize("form", TRANSCRIPTS)
def test_without_the_reply_in_the_event_it_is_read_from_the_transcript(
    workspace: Workspace, tmp_path: Path, form: str
) -> None:
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("torn {\n" + "".join(json.dumps(row) + "\n" for row in TRANSCRIPTS[form]))
    show(workspace, TEA)
    stop(workspace, "session-end", transcript_path=str(transcript))

    assert [row["used"] for row in replies(workspace)] == [["people/anna-001"]]


@pytest.mark.parametrize("form", TRANSCRIPTS)
def test_what_an_earlier_reply_said_is_not_this_one(workspace: Workspace, tmp_path: Path, form: str) -> None:
    rows = TRANSCRIPTS[form]
    transcript = tmp_path / "transcript.jsonl"
    transcript.write_text("".join(json.dumps(row) + "\n" for row in [*rows, rows[0], {"type": "mode"}]))
    show(workspace, TEA)
    stop(workspace, "session-end", transcript_path=str(transcript))

    assert replies(workspace) == []


def test_a_reply_that_cannot_be_had_is_not_measured(workspace: Workspace) -> None:
    show(workspace, TEA)
    stop(workspace)

    assert replies(workspace) == []


@pytest.mark.parametrize("content", ["not JSON\n", "[]\n", '{"id": 1}\n'])
def test_a_damaged_file_stops_nothing(workspace: Workspace, content: str) -> None:
    show(workspace, TEA)
    (file,) = (workspace.paths.hooks / "shown").iterdir()
    file.write_text(content)
    stop(workspace, last_assistant_message=REPLY)

    assert "what the reply used" in workspace.paths.hooks_log.read_text()


def test_what_waits_for_a_reply_that_never_comes_goes_after_a_week(workspace: Workspace) -> None:
    for session, days in (("crashed", 8), ("sleeping", 6)):
        show(workspace, TEA, session=session)
        (file,) = [one for one in (workspace.paths.hooks / "shown").iterdir() if sha256_hex(session)[:32] in one.name]
        at = time.time() - days * 86_400
        os.utime(file, (at, at))
    show(workspace, TEA)

    left = {one.name.removesuffix(".jsonl") for one in (workspace.paths.hooks / "shown").iterdir()}
    assert left == {sha256_hex(session)[:32] for session in ("sleeping", SESSION)}
