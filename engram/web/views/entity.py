"""One entity: what matters of it, every fact, whom it is joined to, and what waits about it."""

from typing import Any

from engram.operations.pages.entity_page import entity_page
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.stamps import stamped


def entity(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `entity_page` does for the path, title or alias behind the view's name."""
    found = entity_page(page.workspace, asked.rest, page.caller)
    return {**found, "facts": [stamped(view) for view in found["facts"]], "now": page.workspace.now().isoformat()}
