"""What the next session of a project will start with: the block itself, part by part."""

from typing import Any

from engram.operations.answers.start import preview_block
from engram.web.asked import Asked
from engram.web.asked import Page


def start(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `preview_block` does for the project of the path; without one, for work outside of any."""
    return preview_block(page.workspace, page.caller, asked.rest or None)
