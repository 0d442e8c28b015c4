"""Stores that tests of the page look at: one of everything, and one in which every text is hostile."""

import json
from pathlib import Path

import pytest

from engram.base.clock import utc_now
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.conftest import engram_in
from tests.heartbeat.in_process import answer_in_process

SCRIPT = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>"
HOSTILE = f"{SCRIPT} '\"`}}{{{{7*7}}}} javascript:window.hacked=1 \u202egnp.exe\u202c \u200bhidden"
LONG_WORD = "Donaudampfschifffahrtsgesellschaftskapitän" * 6
MIXED = "Анна 安娜 안나 أنا prefers чай 茶 차 شاي"


def make_store(root: Path) -> Workspace:
    """Make a workspace with something for each view: entities, versions, sources, what waits, runs, a domain."""
    workspace = _made(root, "Mara Lind")
    engram = engram_in(workspace)
    said = [
        ("people/anna", "Anna prefers tea", "preference"),
        ("people/anna", MIXED, "preference"),
        ("people/anna", "Anna works on [[projects/billing]]", "context"),
        ("people/boris", "Boris lives in Riga", "context"),
        ("projects/billing", "Billing runs on PostgreSQL 15", "decision"),
        ("projects/billing", f"The word {LONG_WORD} is long", "context"),
        ("projects/site", "The site is written in Elm, says [[people/anna]]", "decision"),
    ]
    for entity, text, category in said:
        done = engram("write", "--entity", entity, "--create", "--fact", text, "--category", category)
        assert done.code == 0, done.err
    steps = [
        ("correct", "projects/billing-001", "--fact", "Billing runs on PostgreSQL 16"),
        ("pin", "people/anna-001"),
        (
            "write",
            "--entity",
            "people/boris",
            "--fact",
            "Boris lives in Tallinn",
            "--attribute",
            "home",
            "--value",
            "Tallinn",
        ),
        ("observe", "The release took a week longer than planned", "--category", "friction"),
        ("domain", "add", "release", "--type", "dev-project", "--description", "Ships the next release"),
        ("domain", "log", "release", "The branch for 2.0 is cut"),
        ("domain", "propose", "release", "Billing is released on Thursdays"),
        ("note", "add", "Decided: the site moves to SvelteKit", "--section", "decisions"),
        ("retract", "people/boris-002", "--reason", "it was another Boris"),
    ]
    for step in steps:
        done = engram(*step)
        assert done.code == 0, (step, done.err)
    _talk(workspace, ["I prefer short meetings, no more than 20 minutes", "From now on always use tabs in Go files"])
    _tick(workspace)
    engram("recall", "what does Anna prefer")
    return workspace


def make_hostile_store(root: Path) -> Workspace:
    """Make a workspace in which whatever people can write says markup, scripts and signs that turn text."""
    workspace = _made(root, "Mara Lind")
    submit = workspace.submit
    submit("entity-add", {"path": "people/eve", "title": f"Eve {SCRIPT}", "aliases": [f"E {SCRIPT}"]})
    for place in range(3):
        source = {"actor": "user", "label": f"{SCRIPT} {place}"}
        args = {"entity": "people/eve", "text": f"Eve said {place} {HOSTILE}", "category": "context", "source": source}
        submit("write", {**args, "tags": [f"<b>{place}"], "attribute": "said", "value": f"<i>{place}"})
    submit("correct", {"id": "people/eve-001", "text": f"Eve said nothing {HOSTILE}"})
    submit("observe", {"text": f"Noticed {HOSTILE}", "category": "friction"})
    submit("retract", {"id": "people/eve-002", "reason": SCRIPT})
    submit("write", {"entity": "people/eve", "text": "Eve wrote " + "x" * 1900, "category": "context"})
    _talk(workspace, [f"I prefer {HOSTILE}", f"We decided to use {SCRIPT} for billing"])
    _tick(workspace)
    return workspace


def _tick(workspace: Workspace) -> None:
    with pytest.MonkeyPatch.context() as patched:
        answer_in_process(patched)
        engram_in(workspace)("heartbeat", "run")


def _made(root: Path, owner: str) -> Workspace:
    make_workspace(root, {"timezone": "UTC", "owner": owner}, now=utc_now, force=False, dry_run=False)
    with (root / "engram.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
    return open_workspace(str(root))


def _talk(workspace: Workspace, said: list[str]) -> None:
    """Capture a conversation that was had just now."""
    at = workspace.now().isoformat()
    rows = [
        {"id": f"m{place}", "session": "chat", "speaker": "user", "at": at, "text": text}
        for place, text in enumerate(said)
    ]
    file = workspace.paths.root.parent / "talk.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    done = engram_in(workspace)("capture", str(file))
    assert done.code == 0, done.err
