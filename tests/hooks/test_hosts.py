"""Each host's events, in the shape in which its documentation shows them, read and answered."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.base.text import RECALLED_CLOSING
from engram.base.text import RECALLED_OPENING
from engram.base.text import sha256_hex
from engram.hooks import host as h
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.hooks.hosts import recognise
from engram.services.commands.entities.entity import check_session_name

CLAUDE = {"session_id": "abc123", "transcript_path": "/a/.claude/projects/-p/abc123.jsonl", "cwd": "/a/shop",
          "permission_mode": "default"}  # fmt: skip
CODEX = {"session_id": "0198", "transcript_path": "/a/.codex/sessions/2026/02/24/rollout-2026-02-24T10-0198.jsonl",
         "cwd": "/a/shop", "model": "gpt-5"}  # fmt: skip
GEMINI = {"session_id": "g-1", "transcript_path": "/a/.gemini/tmp/x/chats/session-1.json", "cwd": "/a/shop",
          "timestamp": "2026-02-24T10:00:00.000Z"}  # fmt: skip
CURSOR = {"conversation_id": "c-1", "generation_id": "gen-1", "model": "gpt-5", "cursor_version": "3.0.1",
          "workspace_roots": ["/a/shop"], "user_email": None, "transcript_path": None}  # fmt: skip
CLAW = {"timestamp": "2026-02-24T10:00:00.000Z"}

SHOP = "/a/shop"
HASHED = sha256_hex("agent:main:telegram:group:-42")[:12]

CASES: list[tuple[str, dict[str, Any], h.Event]] = [
    (
        "claude-code",
        {**CLAUDE, "hook_event_name": "UserPromptSubmit", "prompt": "I prefer tea."},
        h.Event("claude-code/shop-abc123", folder=SHOP, prompt="I prefer tea.", transcript=CLAUDE["transcript_path"]),
    ),
    (
        "claude-code",
        {**CLAUDE, "hook_event_name": "SessionStart", "source": "startup", "model": "claude-sonnet-4-5"},
        h.Event("claude-code/shop-abc123", folder=SHOP, transcript=CLAUDE["transcript_path"]),
    ),
    (
        "claude-code",
        {**CLAUDE, "hook_event_name": "SubagentStop", "agent_id": "a7", "agent_type": "billing",
         "agent_transcript_path": "/x/agent-a7.jsonl", "last_assistant_message": "Done.", "stop_hook_active": False},
        h.Event("claude-code/shop-abc123", folder=SHOP, transcript=CLAUDE["transcript_path"], subagent="a7",
                keys=("billing",), said="Done.", by_agent=True),
    ),
    (
        "codex",
        {**CODEX, "hook_event_name": "UserPromptSubmit", "turn_id": "t-1", "prompt": "I prefer tea."},
        h.Event("codex/shop-0198", folder=SHOP, prompt="I prefer tea.", transcript=CODEX["transcript_path"],
                turn="t-1"),
    ),
    (
        "codex",
        {**CODEX, "hook_event_name": "SessionStart", "source": "resume"},
        h.Event("codex/shop-0198", folder=SHOP, transcript=CODEX["transcript_path"]),
    ),
    (
        "codex",
        {**CODEX, "transcript_path": None, "hook_event_name": "Stop", "turn_id": "t-1", "stop_hook_active": False},
        h.Event("codex/shop-0198", folder=SHOP, turn="t-1"),
    ),
    (
        "gemini",
        {**GEMINI, "hook_event_name": "BeforeAgent", "prompt": "I prefer tea."},
        h.Event("gemini/shop-g-1", folder=SHOP, prompt="I prefer tea.", transcript=GEMINI["transcript_path"]),
    ),
    (
        "gemini",
        {**GEMINI, "hook_event_name": "SessionEnd", "reason": "exit"},
        h.Event("gemini/shop-g-1", folder=SHOP, transcript=GEMINI["transcript_path"]),
    ),
    (
        "cursor",
        {**CURSOR, "hook_event_name": "beforeSubmitPrompt", "prompt": "I prefer tea.", "attachments": []},
        h.Event("cursor/shop-c-1", folder=SHOP, prompt="I prefer tea.", turn="gen-1"),
    ),
    (
        "cursor",
        {**CURSOR, "hook_event_name": "subagentStop", "subagent_type": "explore", "status": "completed",
         "summary": "Found it.", "parent_conversation_id": "c-0"},
        h.Event("cursor/shop-c-1", folder=SHOP, keys=("explore",), said="Found it.", turn="gen-1", by_agent=True),
    ),
    (
        "openclaw",
        {**CLAW, "type": "message", "action": "preprocessed", "sessionKey": "agent:main:telegram:group:-42",
         "context": {"body": "I prefer tea.", "channelId": "telegram", "conversationId": "-42", "messageId": "9",
                     "senderId": "77", "senderName": "Boris", "senderUsername": "boris7", "isGroup": True}},
        h.Event(f"openclaw/agent-main-telegram-group-42-{HASHED}", prompt="I prefer tea.",
                keys=("agent:main:telegram:group:-42", "telegram:-42"), turn="9", kind="group",
                speaker="Boris"),
    ),
    (
        "openclaw",
        {**CLAW, "type": "message", "action": "preprocessed", "sessionKey": "agent:main:main",
         "context": {"body": "I prefer tea.", "channelId": "telegram", "messageId": "9", "senderName": "Anna"}},
        h.Event("openclaw/agent-main-main", prompt="I prefer tea.", keys=("agent:main:main",), turn="9",
                main_of="main"),
    ),
    (
        "openclaw",
        {**CLAW, "type": "command", "action": "new", "sessionKey": "agent:main:telegram:direct:7",
         "context": {"sessionFile": "/a/.openclaw/agents/main/sessions/s.jsonl"}},
        h.Event("openclaw/agent-main-telegram-direct-7", transcript="/a/.openclaw/agents/main/sessions/s.jsonl",
                keys=("agent:main:telegram:direct:7",), kind="group"),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("name", "fields", "event"), CASES, ids=lambda value: value if isinstance(value, str) else "")
def test_documented_payloads_are_recognised_and_read(name: str, fields: dict[str, Any], event: h.Event) -> None:
    found = recognise(fields)

    assert found is not None
    assert found.name == name
    assert found.read(fields, {}) == event


def test_codex_does_not_complain_about_the_time_for_the_end_of_a_session() -> None:
    entry = load_host("codex").entry(h.SESSION_END, "engram hooks run session-end")

    assert entry["hooks"][0]["timeout"] == 3


@pytest.mark.parametrize("name", NAMES)
def test_what_a_host_is_said_to_send_is_recognised_as_its_own(name: str) -> None:
    adapter = load_host(name)
    transcript = "/a/rollout-1.jsonl" if name == "codex" else "/a/1.jsonl"
    for event in adapter.events:
        found = recognise(adapter.sample(event, transcript))
        assert found is not None
        assert (event, found.name) == (event, name)


@pytest.mark.parametrize(
    ("name", "event", "path"),
    [
        ("claude-code", h.SESSION_START, ("hookSpecificOutput", "additionalContext")),
        ("claude-code", h.USER_PROMPT, ("hookSpecificOutput", "additionalContext")),
        ("codex", h.SUBAGENT_START, ("hookSpecificOutput", "additionalContext")),
        ("gemini", h.USER_PROMPT, ("hookSpecificOutput", "additionalContext")),
        ("cursor", h.SESSION_START, ("additional_context",)),
        ("openclaw", h.SESSION_START, ("context",)),
    ],
)
def test_words_for_the_agent_stand_where_the_host_looks(name: str, event: str, path: tuple[str, ...]) -> None:
    adapter = load_host(name)
    said = json.loads(adapter.reply(event, 'words "quoted"\nand more'))
    if path[0] == "hookSpecificOutput":
        assert said["hookSpecificOutput"]["hookEventName"] == adapter.events[event]
    for key in path:
        said = said[key]

    assert said == 'words "quoted"\nand more'


@pytest.mark.parametrize("fields", [{}, {"prompt": "x"}, {"session_id": "s", "hook_event_name": "UserPromptSubmit"}])
def test_what_no_host_sends_is_not_recognised(fields: dict[str, Any]) -> None:
    assert recognise(fields) is None


def test_places_follow_the_hosts_own_variables() -> None:
    home, project = Path("/a"), Path("/a/shop")
    moved = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "GEMINI_CLI_HOME": "/g", "OPENCLAW_STATE_DIR": "/o"}
    user = [str(load_host(name).places("user", project, home, moved).config) for name in NAMES]
    own = [str(load_host(name).places("project", project, home, moved).config) for name in NAMES]

    assert user == ["/c/settings.json", "/x/hooks.json", "/g/.gemini/settings.json", "/a/.cursor/hooks.json",
                    "/o/hooks/engram"]  # fmt: skip
    assert all(place.startswith("/a/shop/") for place in own)


def silo_of(key: str) -> str:
    return load_host("openclaw").read({"type": "agent", "sessionKey": key}, {}).session


NEAR = [
    *("group:-42", "group:42", "group:4_2", "group:4-2", "group:4:2", "group:4.2", "group:4..2"),
    *("é", "e", "É", "-", ":"),
    *("x" * 90, "x" * 91, "x" * 37, "x" * 38, "группа " * 9, "группа " * 10),
    *(f"#команда-разработки-продукта-{number}" for number in ("один", "два")),
    *(f"产品开发团队内部沟通协调与项目管理讨论群组{number}" for number in "一二"),
    *(f"제품개발팀내부소통협력및프로젝트관리토론그룹{number}" for number in "가나"),
]


def test_two_chats_never_share_a_silo() -> None:
    keys = [f"agent:main:irc:channel:{chat}" for chat in NEAR]
    # Whoever can choose a chat's name knows what the hash of another's would be.
    keys += [f"agent:main:irc:channel:{silo_of(key).rpartition('-')[2]}" for key in keys[:1]]
    keys += [silo_of(key).removeprefix("openclaw/").replace("-", ":") for key in keys[:1]]

    assert len({silo_of(key) for key in keys}) == len(set(keys))


@given(st.lists(st.text(st.sampled_from("ab-_.:#Aé я中"), min_size=1), unique=True, max_size=20))
def test_different_ids_have_different_names(ids: list[str]) -> None:
    keys = [f"agent:{one}" for one in ids]

    assert len({silo_of(key) for key in keys}) == len(keys)
    assert len({h.silo("codex", "/a/shop", one) for one in ids}) == len(ids)
    for name in (silo_of(key) for key in keys):
        check_session_name(name)


@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("agent:main:main", "agent-main-main"),
        ("agent:main:telegram:direct:7", "agent-main-telegram-direct-7"),
        ("agent:main:discord:channel:123456:thread:987654", "agent-main-discord-channel-123456-thread-987654"),
        ("agent:main:telegram:group:-42", f"agent-main-telegram-group-42-{HASHED}"),
    ],
)
def test_what_a_chat_is_called_stays(key: str, name: str) -> None:
    assert silo_of(key) == f"openclaw/{name}"


def test_an_event_without_a_chat_is_nobodys() -> None:
    for key in ("", " "):
        with pytest.raises(ValueError, match="no session"):
            load_host("openclaw").read({"type": "message", "sessionKey": key}, {})


@pytest.mark.parametrize("most", [200, 300, 5000])
def test_what_a_host_cuts_is_cut_after_a_line_and_no_fence_stays_open(most: int) -> None:
    said = [f"| line {number}" for number in range(40)]
    block = "\n".join([f"{RECALLED_OPENING} context ===", *said, RECALLED_CLOSING])
    text = f"{block}\n\n{block}"

    shown = h.shortened(text, most)

    lines = shown.split("\n")
    assert len(shown) <= most
    assert lines.count(RECALLED_CLOSING) == sum(line.startswith(RECALLED_OPENING) for line in lines) > 0
    assert set(lines[:-1]) <= set(text.split("\n"))
    assert (shown == text) == (len(text) <= most)


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_host_is_told_no_more_than_it_shows(name: str) -> None:
    text = "\n".join([f"{RECALLED_OPENING} context ===", *["| what is known"] * 2000, RECALLED_CLOSING])

    said = json.loads(load_host(name).reply("session-start", text))["hookSpecificOutput"]["additionalContext"]

    assert len(said) <= 10_000
    assert RECALLED_CLOSING in said.split("\n")
