"""`engram config embeddings`: which model turns text into vectors, and how to get one."""

from typing import Any

from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import table
from engram.cli.terminal.progress import passing
from engram.config.settings import load_settings
from engram.errors import BadValueError
from engram.store.embedding.setting_up import download_model
from engram.store.embedding.setting_up import model_report
from engram.store.embedding.setting_up import prepare_model
from engram.workspace import Workspace

ACTIONS = ("status", "prepare", "download")


def run_embeddings(asked: Invocation, workspace: Workspace, action: str, *, dry_run: bool) -> None:
    """Run one of ACTIONS and print what came of it; raises BadValueError for another word."""
    if action not in ACTIONS:
        raise BadValueError(f"{action!r} is not one of {', '.join(ACTIONS)}", hint="engram config embeddings status")
    paths = workspace.paths
    settings = load_settings(paths.settings).embeddings
    if action == "status":
        report = model_report(settings, paths.embedding_cache)
        asked.emit(report, lambda: _status_text(report))
        return
    what = "converting the model" if action == "prepare" else f"downloading {settings.model}"
    with passing(workspace.progress, what):
        done = (prepare_model if action == "prepare" else download_model)(settings, dry_run=dry_run)
    asked.emit(done, lambda: _done_text(action, done))


def _status_text(report: dict[str, Any]) -> str:
    rows = [("used", report["used"] or "none"), ("why", report["why"])]
    if stamp := report["stamp"]:
        prefixes = " and ".join(repr(prefix) for prefix in stamp["prefixes"].values() if prefix)
        rows.append(("prefixes", prefixes or "none"))
        rows.append(("centring", f"version {stamp['centring']}" if stamp["centring"] else "none"))
    rows += [(f"  {name}", choice["model"] or choice["why"]) for name, choice in report["providers"].items()]
    cache = report["cache"]
    return table([*rows, ("kept", f"{cache['vectors']} vectors, {cache['bytes'] / 1e6:.1f} MB in {cache['folder']}")])


def _done_text(action: str, done: dict[str, Any]) -> str:
    if done.get("dry_run"):
        return f"would {action} {done['model']} into {done['folder']}"
    return f"{done['model']} is ready in {done['folder']} ({done['dimensions']} dimensions, {done['took_s']} s)"
