"""Doctor in a process of its own, for the page: `python -m engram.web.doctor_process ROOT [--fix]`.

It prints lines of JSON: {"check", "done", "total"} before each check, and at the end {"findings"} or {"error"}.
"""

import json
import sys
from typing import Any

from engram.config.paths import find_workspace
from engram.errors import EngramError
from engram.operations.examine import examine_workspace
from engram.services.doctor.checks import check_settings
from engram.workspace import open_workspace


def main(arguments: list[str]) -> int:
    """Look at the workspace, mend it with --fix, and tell how far that is."""
    root, fix = arguments[0], "--fix" in arguments[1:]
    try:
        findings = check_settings(find_workspace(root))
        if not findings:
            workspace = open_workspace(root)
            workspace.progress = _tell
            findings = examine_workspace(workspace, fix=fix)
    except EngramError as problem:
        _print({"error": {"code": problem.code, "message": problem.message, "hint": problem.hint}})
        return 1
    _print({"findings": [finding.model_dump(mode="json") for finding in findings]})
    return 0


def _tell(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:  # noqa: ARG001 - of the port
    _print({"check": what, "done": done, "total": total})


def _print(told: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(told) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
