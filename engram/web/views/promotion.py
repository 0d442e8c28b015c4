"""Whether a fact is proposed to be kept for good, as a line of MEMORY.md or as a pattern; why, and why not."""

from typing import Any

from engram.operations.promotion import explain_promotion
from engram.web.asked import Asked
from engram.web.asked import Page


def promotion(page: Page, asked: Asked) -> dict[str, Any]:
    """Return {"promotion"}, what `explain_promotion` tells of the id behind the view's name.

    None to a reader, whom the counts would tell of what others asked.
    """
    if page.caller is not None:
        return {"promotion": None}
    return {"promotion": explain_promotion(page.workspace, asked.rest)}
