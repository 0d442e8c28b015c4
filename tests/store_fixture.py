"""Makes the store of this version that later versions must read: python -m tests.store_fixture FOLDER.

It holds what a store holds that cannot be made again: a sealed segment, one that is appended to, and a command that
waits.
The fixture of each format stays as it was made; `tests/test_store_formats.py` reads them all.
"""

import json
import shutil
import sys
from pathlib import Path

from engram.config.paths import Paths
from engram.operations.setup import make_workspace
from engram.ports.database import FactFilter
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.making import NOW

KEPT = ("engram.toml", ".engram/journal", ".engram/spool", ".engram/format")


def make_store(folder: Path) -> None:
    """Make the fixture in a folder that is not there."""
    root = folder.with_name(f"{folder.name}-workspace")
    make_workspace(root, {"timezone": "UTC", "owner": "people/anna"}, now=lambda: NOW, force=False, dry_run=False)
    with (root / "engram.toml").open("a", encoding="utf-8") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n\n[store]\nsegment_bytes = 4096\n')
    workspace = open_workspace(str(root), now=lambda: NOW)
    for text in ("Anna prefers tea", "Anna lives in Riga", "Anna plays chess", "Anna knows Latvian"):
        workspace.submit("write", {"entity": "people/anna", "text": text})
    workspace.submit("correct", {"id": "people/anna-002", "text": "Anna lives in Tallinn"})
    workspace.submit("write", {"entity": "projects/billing", "text": "It runs on PostgreSQL 16", "create": True})
    workspace.submit("write", {"entity": "people/anna", "text": "Anna sails on Sundays"}, wait_s=0)
    _keep(Paths(root), folder)
    facts = sorted(texts(workspace))
    (folder / "facts.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    shutil.rmtree(root)


def texts(workspace: Workspace) -> list[str]:
    """Return what holds in a workspace."""
    with workspace.reading() as database:
        return [fact.text for fact in database.list_facts(FactFilter())]


def _keep(paths: Paths, folder: Path) -> None:
    for name in KEPT:
        source, target = paths.root / name, folder / name.replace(".engram", "engram")
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target)
        elif source.exists():
            shutil.copy(source, target)


if __name__ == "__main__":
    make_store(Path(sys.argv[1]))
