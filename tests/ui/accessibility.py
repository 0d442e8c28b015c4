"""What axe finds wrong with a page for people who hear it or use no mouse."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SERIOUS = ("serious", "critical")


def barriers(page: "Page") -> list[str]:
    """Return the serious and critical findings of axe on what is shown now, each with the first place of it."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [
        f"{one['id']}: {one['help']}: {one['nodes'][0]['html'][:200]}" for one in found if one["impact"] in _SERIOUS
    ]
