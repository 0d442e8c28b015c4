"""One fact: its versions, where each was read, what it led to, and who was shown it."""

from typing import Any

from engram.operations.pages.fact_page import fact_page
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.stamps import stamped


def fact(page: Page, asked: Asked) -> dict[str, Any]:
    """Return what `fact_page` does for the id behind the view's name."""
    found = fact_page(page.workspace, asked.rest, page.caller)
    return {**found, "versions": [stamped(view) for view in found["versions"]]}
