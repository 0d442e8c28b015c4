"""Files that grow, are cut, replaced, broken or hostile: every turn once, in order, and what is bad is named."""

import io
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck
from hypothesis import example
from hypothesis import given
from hypothesis import settings
from hypothesis import strategies as st

from engram.base.text import sha256_hex
from engram.importers.transcripts.files import CapturedFile
from engram.importers.transcripts.files import FileReport
from engram.importers.transcripts.formats import recognise
from engram.importers.transcripts.remembered import Mark
from engram.importers.transcripts.remembered import read_mark
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import make_turns
from tests.importers.transcripts import AUTO
from tests.importers.transcripts import DATA
from tests.importers.transcripts import as_lines
from tests.importers.transcripts import lines_of
from tests.importers.transcripts import read
from tests.importers.transcripts import report_of
from tests.importers.transcripts import said

GROWING = ["claude-code.jsonl", "codex.jsonl", "openclaw.jsonl"]
WORDS = {"type": "user", "sessionId": "s", "timestamp": "2026-02-24T09:00:00Z"}


def capture(path: Path, mark: Mark | None = None) -> tuple[list[RawTurn], Mark | None, FileReport]:
    """Read a file as a capture after another one does, through what is kept of the mark."""
    kept = None if mark is None else read_mark(mark.watermark("x").value)
    file = CapturedFile(str(path), AUTO, kept, frozenset())
    turns = list(file.turns())
    return turns, file.mark(), file.report("x")


def user(text: str, uuid: str = "u", **more: object) -> dict[str, object]:
    return {**WORDS, "uuid": uuid, "message": {"role": "user", "content": text}, **more}


@pytest.mark.parametrize("name", GROWING)
@given(cuts=st.lists(st.integers(0, 9000), min_size=1, max_size=4))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_file_that_grows_byte_by_byte_gives_the_turns_of_one_capture(
    name: str, cuts: list[int], tmp_path: Path
) -> None:
    data = (DATA / name).read_bytes()
    whole = read(DATA / name)
    file = tmp_path / name
    turns: list[RawTurn] = []
    mark = None
    for cut in [*sorted(min(cut, len(data)) for cut in cuts), len(data)]:
        file.write_bytes(data[:cut])
        fresh, after, report = capture(file, mark)
        turns += fresh
        mark = after or mark
        assert report.bad == []

    assert turns == whole
    assert capture(file, mark)[2].turns == len(whole)


def test_an_unchanged_file_is_not_read_and_of_a_grown_one_only_the_tail(tmp_path: Path) -> None:
    rows = lines_of("claude-code.jsonl")
    file = tmp_path / "session.jsonl"
    file.write_text(as_lines(rows[:8]))
    first, mark, _ = capture(file)
    again, unmoved, report = capture(file, mark)
    with file.open("a") as out:
        out.write(as_lines(rows[8:]))
    tail, _, grown = capture(file, mark)

    assert (again, unmoved, report.unchanged, report.turns) == ([], None, True, len(first))
    assert first + tail == read(DATA / "claude-code.jsonl")
    assert grown.turns == len(first) + len(tail)
    assert tail[0].session == first[0].session  # the project was named in the lines before


@pytest.mark.parametrize("name", GROWING)
def test_a_file_that_was_replaced_or_cut_is_read_from_its_beginning(name: str, tmp_path: Path) -> None:
    rows = lines_of(name)
    file = tmp_path / name
    file.write_text(as_lines(rows))
    _, mark, _ = capture(file)
    file.write_text(as_lines([rows[0], *rows]))
    longer, _, _ = capture(file, mark)
    file.write_text(as_lines(rows[:-3]))
    shorter, _, _ = capture(file, mark)

    assert longer == read(DATA / name)
    assert shorter == read(DATA / name)[: len(shorter)] != []


def test_a_torn_last_line_waits_and_says_so(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    whole = as_lines([user("one", "1"), user("two", "2")])
    file.write_text(whole[:-9])
    first, mark, report = capture(file)
    file.write_text(whole)
    second, _, done = capture(file, mark)

    assert (report.torn, done.torn) == (True, False)
    assert said(first + second) == [("user", "one"), ("user", "two")]


@pytest.mark.parametrize(
    ("line", "field"),
    [
        (b"{broken", ""),
        (b"[1]", ""),
        (b"\xff\xfe{}", ""),
        (b'{"a": ' * 100_000 + b"1" + b"}" * 100_000, ""),
        (json.dumps(user("x", timestamp="soon")).encode(), "timestamp"),
        (json.dumps(user("x", timestamp=[1])).encode(), "timestamp"),
        (json.dumps(user("x" * 2_000_001)).encode(), "text"),
        (json.dumps(user("x", timestamp=10**400)).encode(), "timestamp"),
        (b'{"a": ' + b"1" * 5000 + b"}", ""),
    ],
)
def test_a_bad_line_is_named_and_the_others_are_kept(line: bytes, field: str, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_bytes(as_lines([user("one", "1")]).encode() + line + b"\n" + as_lines([user("two", "2")]).encode())
    turns, _, report = capture(file)

    assert said(turns) == [("user", "one"), ("user", "two")]
    assert [(bad.line, bad.field) for bad in report.bad] == [(2, field)]


@pytest.mark.parametrize(
    "content", [None, 5, [], [None], [{}], [{"type": "text"}], [{"type": "text", "text": 5}], {"text": "x"}, "", " \n"]
)
@pytest.mark.parametrize("kind", ["user", "assistant"])
def test_a_message_of_another_shape_says_nothing_and_harms_nothing(kind: str, content: object, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_text(as_lines([{**user("x"), "type": kind, "message": {"content": content}}, user("two", "2")]))
    turns, _, report = capture(file)

    assert said(turns) == [("user", "two")]
    assert sum(report.left_out.values()) == 1
    assert report.bad == []


def test_a_line_too_long_for_memory_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engram.importers.transcripts.streams.MAX_LINE_BYTES", 1 << 20)
    file = tmp_path / "session.jsonl"
    file.write_text(as_lines([user("one", "1"), user("x" * (3 << 20)), user("two", "2")]))
    turns, mark, report = capture(file)

    assert said(turns) == [("user", "one"), ("user", "two")]
    assert [bad.line for bad in report.bad] == [2]
    assert mark is not None
    assert mark.offset == file.stat().st_size


def test_what_terminals_and_broken_text_leave_behind_is_no_reason_to_lose_a_turn(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    file.write_text(json.dumps(user("\x1b[31mred\x1b[0m \ud83d end\x07")) + "\n")

    assert said(read(file)) == [("user", "red \N{REPLACEMENT CHARACTER} end\N{REPLACEMENT CHARACTER}")]


@pytest.mark.parametrize("field", ["uuid", "sessionId", "cwd"])
def test_an_id_of_broken_text_is_an_id(field: str, tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    rows = [{**user("one"), field: "\ud800"}, user("two", "2")]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    turns, mark, _ = capture(file)

    assert [turn.text for turn in make_turns(turns, path=None)] == ["one", "two"]
    assert mark is not None
    assert json.loads(mark.watermark("x").value.encode())["turns"] == 2


def test_numbers_that_are_too_long_cost_no_more_than_their_conversation(tmp_path: Path) -> None:
    (cake, tea) = json.loads((DATA / "chatgpt.json").read_text())
    for node in cake["mapping"].values():
        if node.get("message"):
            node["message"]["create_time"] = 10**400
    del cake["current_node"]
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([cake, tea]))
    untimed = read(file)
    file.write_text(f"[{json.dumps(tea)}, {'1' * 5000}]")
    report = report_of(file)

    assert [turn.at for turn in untimed[:1]] == [None]
    assert said(untimed[-2:]) == [("user", "내일 우산이 필요해?"), ("assistant", "네, 비가 옵니다.")]
    assert (report.turns, [bad.message for bad in report.bad]) == (2, ["it holds a number that is too long"])


def test_ids_and_names_that_nobody_would_choose_make_valid_sessions(tmp_path: Path) -> None:
    file = tmp_path / "session.jsonl"
    rows = [user("one", "1", sessionId="../../etc/passwd", cwd="/a/../.."), user("two", "2", sessionId="й" * 900)]
    file.write_text(as_lines(rows))

    first, second = (sha256_hex(str(row["sessionId"]))[:12] for row in rows)
    assert [turn.session for turn in read(file)] == [
        f"claude-code/etc-passwd-{first}",
        f"claude-code/{'й' * 25}-{second}",
    ]


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf", b"[]", b"{}\n"])
def test_a_file_without_anything_has_no_turns(data: bytes, tmp_path: Path) -> None:
    file = tmp_path / "conversations.json"
    file.write_bytes(data)

    assert read(file, AUTO._replace(file_format="claude-code")) == []


@pytest.mark.parametrize("name", ["chatgpt.json", "claude-ai.json", "gemini.json"])
def test_an_export_that_was_cut_off_says_so(name: str, tmp_path: Path) -> None:
    data = (DATA / name).read_bytes()
    (tmp_path / name).write_bytes(data[: len(data) * 9 // 10])
    report = report_of(tmp_path / name)

    assert len(report.bad) == 1
    assert report.turns == (3 if name == "chatgpt.json" else 0)  # of the conversations that are whole


@pytest.mark.parametrize(
    "data", [b"PK\x03\x04 and no more", b"PK\x03\x04" + bytes(1000), bytes(range(256)) * 10, b"\x89PNG\r\n\x1a\n"]
)
def test_bytes_that_are_no_conversation_are_refused_with_a_reason(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "export.zip").write_bytes(data)
    report = report_of(tmp_path / "export.zip")

    assert report.turns == 0
    assert len(report.bad) == 1


@given(st.binary(max_size=300))
@example(b"[[[")
@example(b'[{"mapping"')
def test_any_bytes_have_some_format(data: bytes) -> None:
    assert recognise(io.BytesIO(data), "x") != "auto"


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=8),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    [
                        *(
                            "type",
                            "message",
                            "content",
                            "uuid",
                            "sessionId",
                            "timestamp",
                            "payload",
                            "role",
                            "text",
                            "id",
                        ),
                        *(
                            "mapping",
                            "parent",
                            "children",
                            "author",
                            "current_node",
                            "parts",
                            "create_time",
                            "metadata",
                        ),
                        *("chat_messages", "sender", "messages", "cwd", "attachment", "prompt", "directories", "$set"),
                    ]
                ),
                inner,
                max_size=5,
            )
        ),
        max_leaves=20,
    ),
    st.sampled_from(
        ["auto", "claude-code", "codex", "openclaw", "chatgpt", "claude-ai", "gemini", "jsonl", "markdown"]
    ),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_json_breaks_a_reader(tmp_path: Path, value: object, form: str) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps(value) + "\n")

    assert all(turn.text.strip() for turn in read(file, AUTO._replace(file_format=form, session="s")))


def test_a_mark_of_another_make_is_no_mark() -> None:
    assert [read_mark(value) for value in (None, "", "{}", "nonsense", '{"offset": 5}', "[1]")] == [None] * 6


def test_a_link_is_the_file_it_leads_to(tmp_path: Path) -> None:
    link = tmp_path / "link.jsonl"
    link.symlink_to(DATA / "codex.jsonl")

    assert said(read(link)) == said(read(DATA / "codex.jsonl"))
