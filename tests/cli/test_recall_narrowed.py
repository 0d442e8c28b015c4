"""`engram recall` asked of some of what is known: a category, a tag, a place, the last days, a least score."""

import json
from typing import Any

import pytest

from engram.workspace import Workspace
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.making import NOW

NOTE = "# 2026-02-24\n\n## Events\n\n- The tea kettle in the office broke\n"


def learn(workspace: Workspace) -> None:
    for text, fields in (
        ("Anna prefers tea", {"category": "preference", "tags": ["drinks"]}),
        ("Anna promised tea for the release party", {"category": "commitment", "tags": ["party"]}),
        ("Anna bought a tea house", {"category": "milestone", "valid_from": "2019-05-01"}),
    ):
        workspace.submit("write", {"entity": "people/anna", "text": text, "create": True, **fields})
    note = workspace.paths.memory / "main/main/2026-02-24.md"
    note.parent.mkdir(parents=True)
    note.write_text(NOTE, encoding="utf-8")
    read = workspace.paths.relative(note)
    start = NOTE.encode().index(b"The tea")
    source = {"actor": "agent", "path": read, "start": start, "end": start + 34}
    workspace.submit(
        "write",
        {"entity": "projects/office", "text": "The office needs a tea kettle", "create": True, "source": source},
    )


@pytest.fixture
def known(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(learn)


def texts(engram: Engram, *args: str) -> set[str]:
    return {hit["text"] for hit in engram("recall", "tea", "-k", "50", *args, "--json").json["hits"]}


def test_a_category_and_a_tag_leave_only_facts_that_have_them(known: Workspace, engram: Engram) -> None:
    assert texts(engram, "--category", "commitment") == {"Anna promised tea for the release party"}
    assert texts(engram, "--tag", "drinks") == {"Anna prefers tea"}
    assert texts(engram, "--tag", "drinks", "--category", "commitment") == set()
    assert engram("recall", "tea", "--tag", "nothing", "--json").json["answer"] == "nothing_known"


@pytest.mark.parametrize(
    "path", ["memory", "memory/main/", "./memory/main/main/2026-02-24.md", "memory/*/2026-02-*.md"]
)
def test_a_place_leaves_what_stands_or_was_read_there(known: Workspace, engram: Engram, path: str) -> None:
    found = " | ".join(sorted(texts(engram, "--path", path)))

    assert "tea kettle" in found
    assert "Anna" not in found


def test_no_other_place_is_taken_for_it(known: Workspace, engram: Engram) -> None:
    for path in ("mem", "memory/other", "memory/main/main/2026-02-24", "memory/*/2026-03-*"):
        assert texts(engram, "--path", path) == set()


def test_the_last_days_leave_what_is_older(known: Workspace, engram: Engram) -> None:
    now = ("--now", NOW.isoformat())
    today = texts(engram, "--since", NOW.date().isoformat(), *now)

    assert "Anna bought a tea house" in texts(engram, *now)
    assert "Anna prefers tea" in today
    assert "Anna bought a tea house" not in today
    assert texts(engram, "--recent-days", "1", *now) == today


def test_a_least_score_leaves_the_best(known: Workspace, engram: Engram) -> None:
    now = ("--now", NOW.isoformat())  # what grows older loses some of its score
    hits = engram("recall", "tea", "-k", "50", "--json", *now).json["hits"]
    scores = sorted({hit["score"] for hit in hits}, reverse=True)
    assert len(scores) > 1

    left = engram("recall", "tea", "-k", "50", "--min-score", str(scores[0]), "--json", "--explain", *now).json
    assert {hit["score"] for hit in left["hits"]} == {scores[0]}
    assert "below_score" in {one["exit"] for one in left["explain"]["dropped"]}
    assert engram("recall", "tea", "--min-score", "1", "--json").json["hits"] == []


def test_the_past_is_narrowed_as_well(known: Workspace, engram: Engram) -> None:
    later = ("--as-known", "2099-01-01")

    assert texts(engram, "--tag", "party", *later) == {"Anna promised tea for the release party"}


def test_lines_take_the_same_options(known: Workspace, engram: Engram) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "query": "tea", "tag": "drinks"},
        {"id": 2, "query": "tea", "category": "gossip"},
        {"id": 3, "query": "tea", "recent_days": "many"},
    ]
    done = engram("recall", "--jsonl", "-", "--json", stdin="\n".join(map(json.dumps, rows)))
    assert done.code == 2
    said = [json.loads(line) for line in done.out.splitlines()]

    assert [hit["text"] for hit in said[0]["hits"]] == ["Anna prefers tea"]
    assert said[1]["error"] == "BadValue"
    assert said[2]["error"] == "BadValue"


def test_an_answer_names_what_searched(known: Workspace, engram: Engram) -> None:
    answer = engram("recall", "tea", "--json").json

    assert (answer["model"], answer["index"]) == (None, "qdrant-edge")
