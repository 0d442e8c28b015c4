"""The names of entities, for the command palette: read once, and filtered in the browser."""

from typing import Any

from engram.services.visibility import Caller
from engram.services.visibility import visible_entities
from engram.web.asked import Asked
from engram.web.asked import Page


def names(page: Page, _asked: Asked) -> dict[str, Any]:
    """Return {"entities": [[path, title, [alias, ...]], ...], "position"} of those that the reader may know."""
    with page.workspace.reading() as database:
        found = visible_entities(database, page.caller or Caller())
        position = database.position()
    return {"entities": [[one.path, one.title, list(one.aliases)] for one in found], "position": position}
