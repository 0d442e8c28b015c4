"""What waits for a person: the next thing with both sides, how many are left, and what was decided last."""

from typing import Any
from typing import Final

from engram.operations.pages.review_items import KINDS
from engram.operations.pages.review_items import Wanted
from engram.operations.pages.review_items import review_items
from engram.web.asked import Asked
from engram.web.asked import Page
from engram.web.review_changes import shows_for_person
from engram.web.review_changes import with_stamp

_MOST_SETTLED: Final = 20


def review(page: Page, asked: Asked) -> dict[str, Any]:
    """Return {"items", "left", "more", "waiting", "settled", "daily_limit"}.

    Parameters: `kind`, `most`, `all` (1: more than the day allows), `skip` (ids, with commas between), `id` (of what
    comes first).
    """
    workspace, caller = page.workspace, page.caller
    wanted = Wanted(
        kind=asked.one_of("kind", ("", *KINDS)) or None,
        most=asked.number("most", 1, 1, 100),
        unbounded=asked.text("all") == "1",
        skipped=frozenset(filter(None, asked.text("skip").split(","))),
        first=asked.text("id"),
        for_person=shows_for_person(caller),
    )
    found = review_items(workspace, caller, wanted)
    return {
        "items": [with_stamp(item) for item in found.items],
        "left": found.left,
        "more": found.more,
        "waiting": found.waiting,
        "settled": _settled(page) if shows_for_person(caller) else [],
        "daily_limit": workspace.settings.review.daily_limit,
    }


def _settled(page: Page) -> list[dict[str, Any]]:
    """Return the latest decisions of reviews, the latest first."""
    with page.workspace.reading() as database:
        found = database.list_settlements()[-_MOST_SETTLED:]
    kept = ("id", "subject", "verdict", "keep", "note", "actor", "at", "undone_at")
    rows = [one.model_dump(mode="json") for one in reversed(found)]
    return [{name: row[name] for name in kept} for row in rows]
