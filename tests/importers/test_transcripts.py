"""Every format: what user and assistant said is kept, and all else is counted."""

import json
import zipfile
from pathlib import Path

import pytest

from engram.importers.transcripts import chatgpt
from engram.importers.transcripts.reader import Source
from engram.services.extract.turn_commands import make_turns
from tests.importers.transcripts import AUTO
from tests.importers.transcripts import DATA
from tests.importers.transcripts import as_lines
from tests.importers.transcripts import lines_of
from tests.importers.transcripts import read
from tests.importers.transcripts import report_of
from tests.importers.transcripts import said

KEPT = {
    "claude-code.jsonl": [
        ("user", "Please move the invoices to PostgreSQL 16."),
        ("assistant", "I will look at the schema first."),
        ("user", "And keep the old table for a month."),
        ("assistant", "Done: the invoices are in PostgreSQL 16, and invoices_old stays until March."),
        ("user", "Спасибо! Теперь обнови документацию."),
        ("user", "/review the migration of the invoices"),
    ],
    "codex.jsonl": [
        ("user", "Which payment provider does the shop use?"),
        ("assistant", "It uses Stripe."),
        ("user", "Switch it to Adyen."),
    ],
    "codex-bare.jsonl": [("user", "Add a dark theme."), ("assistant", "The dark theme is in place.")],
    "openclaw.jsonl": [
        ("user", "Полей цветы завтра в восемь"),
        ("assistant", "Напомню завтра в восемь."),
        ("user", "Thanks, that is all."),
    ],
    "chatgpt.json": [
        ("user", "What cake can I bake without flour?"),
        ("assistant", "An almond cake needs no flour."),
        ("user", "Anna is allergic to almonds."),
        ("user", "내일 우산이 필요해?"),
        ("assistant", "네, 비가 옵니다."),
    ],
    "claude-ai.json": [
        ("user", "When do tomatoes go outside?"),
        ("assistant", "After the last frost."),
        ("user", "Here that is in the middle of May."),
    ],
    "gemini.json": [
        ("user", "Summarise @notes.txt"),
        ("assistant", "It is a shopping list."),
        ("user", "Add bread to it."),
    ],
    "gemini.jsonl": [
        ("user", "Summarise @notes.txt"),
        ("assistant", "It is a shopping list."),
        ("user", "Add bread to it."),
    ],
}
LEFT_OUT = {
    "claude-code.jsonl": {
        "attachment": 1,
        "command": 2,
        "injected_context": 2,
        "meta": 2,
        "notice": 2,
        "subagent": 2,
        "summary": 2,
        "system": 1,
        "thinking": 1,
        "tool_call": 1,
        "tool_output": 1,
    },
    "codex.jsonl": {
        "copy": 2,
        "injected_context": 3,
        "meta": 3,
        "summary": 1,
        "system": 1,
        "thinking": 2,
        "tool_call": 1,
        "tool_output": 1,
    },
    "codex-bare.jsonl": {"meta": 3},
    "openclaw.jsonl": {
        "injected_context": 2,
        "meta": 3,
        "notice": 2,
        "summary": 1,
        "thinking": 1,
        "tool_call": 1,
        "tool_output": 1,
    },
    "chatgpt.json": {
        "abandoned_branch": 1,
        "attachment": 1,
        "system": 1,
        "thinking": 1,
        "tool_call": 1,
        "tool_output": 1,
    },
    "claude-ai.json": {"attachment": 1, "thinking": 1, "tool_call": 1, "tool_output": 1},
    "gemini.json": {"injected_context": 1, "notice": 1, "thinking": 1, "tool_call": 1},
    "gemini.jsonl": {"abandoned_branch": 1, "injected_context": 1, "notice": 1, "thinking": 1, "tool_call": 1},
}
FORMS = {name: name.partition(".")[0].removesuffix("-bare") for name in KEPT}
SESSIONS = {
    "claude-code.jsonl": {"claude-code/billing-5b1c9f0e-3a77-4d52-9c1e-7f2a8d4b6c10"},
    "codex.jsonl": {"codex/shop-0199a0b1-c2d3-7e4f-8a5b-6c7d8e9f0a1b"},
    "codex-bare.jsonl": {"codex/7d3e1c52-0f4b-4f0e-9d58-1a2b3c4d5e6f"},
    "openclaw.jsonl": {"openclaw/workspace-c0ffee00-1111-4222-8333-444455556666"},
    "chatgpt.json": {
        "chatgpt/67aa0000-1111-8000-9000-abcdefabcdef",
        "chatgpt/67aa0000-2222-8000-9000-abcdefabcdef",
    },
    "claude-ai.json": {"claude-ai/aaaa1111-2222-4333-8444-555566667777"},
    "gemini.json": {"gemini/477739d0-1b78-4aa7-9116-02d08c952344"},
    "gemini.jsonl": {"gemini/list-477739d0-1b78-4aa7-9116-02d08c952344"},
}


@pytest.mark.parametrize("name", KEPT)
def test_what_user_and_assistant_said_is_kept_in_its_order(name: str) -> None:
    assert said(read(DATA / name)) == KEPT[name]


@pytest.mark.parametrize("name", KEPT)
def test_all_else_is_counted_by_kind_and_the_format_is_recognised(name: str) -> None:
    report = report_of(DATA / name)

    assert (report.format, report.left_out, report.bad) == (FORMS[name], LEFT_OUT[name], [])


@pytest.mark.parametrize("name", KEPT)
def test_each_conversation_is_a_session_unless_the_user_names_one(name: str) -> None:
    assert {turn.session for turn in read(DATA / name)} == SESSIONS[name]
    assert {turn.session for turn in read(DATA / name, AUTO._replace(session="demo"))} == {"demo"}


@pytest.mark.parametrize("name", KEPT)
def test_the_content_tells_the_format_whatever_the_file_is_called(name: str, tmp_path: Path) -> None:
    other = tmp_path / "notes.md"
    other.write_bytes(b"\xef\xbb\xbf" + (DATA / name).read_bytes().replace(b"\n", b"\r\n"))

    assert report_of(other).format == FORMS[name]
    assert said(read(other)) == KEPT[name]


@pytest.mark.parametrize("name", ["claude-code.jsonl", "codex.jsonl", "openclaw.jsonl", "chatgpt.json", "gemini.json"])
def test_turns_keep_their_times_and_the_ids_of_their_messages(name: str) -> None:
    turns = read(DATA / name)

    assert all(turn.at is not None and turn.at.year == 2026 for turn in turns)
    assert len({turn.ref for turn in turns}) == len(turns)


@pytest.mark.parametrize("name", ["chatgpt.json", "claude-ai.json"])
@pytest.mark.parametrize("member", ["conversations.json", "export/conversations-000.json"])
def test_an_export_is_read_out_of_its_zip(name: str, member: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("chat.html", "<p>the same again</p>")
        archive.write(DATA / name, member)

    assert said(read(tmp_path / "export.zip")) == KEPT[name]


def test_a_message_that_a_resumed_session_repeats_is_the_same_turn(tmp_path: Path) -> None:
    rows = [{**row, "sessionId": "another"} for row in lines_of("claude-code.jsonl")]
    (tmp_path / "resumed.jsonl").write_text(as_lines(rows))
    first, again = (
        [turn.id for turn in make_turns(read(path), path=None)]
        for path in (DATA / "claude-code.jsonl", tmp_path / "resumed.jsonl")
    )

    assert first == again
    assert len(set(first)) == len(first)


def test_words_said_again_later_are_another_turn(tmp_path: Path) -> None:
    rows = lines_of("codex.jsonl")
    (tmp_path / "again.jsonl").write_text(as_lines([*rows, {**rows[4], "timestamp": "2026-02-24T10:30:00.000Z"}]))
    turns = make_turns(read(tmp_path / "again.jsonl"), path=None)

    assert [turn.text for turn in turns].count(turns[0].text) == 2
    assert len({turn.id for turn in turns}) == 4


def test_a_session_that_is_kept_under_its_own_id_stays_there() -> None:
    known = frozenset({"5b1c9f0e-3a77-4d52-9c1e-7f2a8d4b6c10"})

    assert {turn.session for turn in read(DATA / "claude-code.jsonl", AUTO, known)} == known


def test_a_branch_without_a_current_node_ends_on_what_was_said_last(tmp_path: Path) -> None:
    (cake, _) = json.loads((DATA / "chatgpt.json").read_text())
    del cake["current_node"]
    (tmp_path / "one.json").write_text(json.dumps(cake))

    assert said(read(tmp_path / "one.json")) == KEPT["chatgpt.json"][:3]


def test_a_tree_that_bites_its_tail_ends() -> None:
    knot = {"a": {"parent": "b", "children": ["b"]}, "b": {"parent": "a", "children": ["a"]}}
    source = Source(path=None, session=None, zone=AUTO.zone)

    assert list(chatgpt.read({"mapping": knot, "current_node": "a"}, source)) == []
