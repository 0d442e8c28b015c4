"""Doctor: checks every invariant of a workspace, and mends with --fix."""

from collections.abc import Sequence

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import invocation
from engram.config.paths import find_workspace
from engram.model.finding import Finding
from engram.model.finding import Level
from engram.operations.examine import examine_workspace
from engram.services.doctor.checks import check_settings


@click.command(cls=EngramCommand)
@click.option("--fix", is_flag=True, help="Mend what can be mended without losing a fact.")
@click.option("--dry-run", is_flag=True, help="With --fix: only say what is wrong.")
def doctor(*, fix: bool, dry_run: bool) -> int:
    """Check every invariant, and mend with --fix.

    Each finding names its place and the command that mends it; nothing is changed without --fix. Exit 6 when an error
    is left.

    \b
    Example:
      engram doctor
    """
    asked = invocation()
    findings = check_settings(find_workspace(asked.workspace_dir))
    if not findings:
        findings = examine_workspace(asked.workspace(), fix=fix and not dry_run)
    left = [finding for finding in findings if finding.level == Level.ERROR and not finding.fixed]
    shown = [finding.model_dump(mode="json") for finding in findings]
    asked.emit({"ok": not left, "findings": shown}, findings_text(findings))
    return 6 if left else 0


def findings_text(findings: Sequence[Finding]) -> str:
    """Return the findings for people: what is wrong where, and under it the command that mends it."""
    if not findings:
        return "everything holds"
    lines = []
    for finding in findings:
        level = "mended" if finding.fixed else finding.level.value
        lines.append(f"{level:8}{finding.code}  {finding.path}: {finding.message}")
        lines += [] if finding.fixed else [f"        {finding.command}"]
    return "\n".join(lines)
