"""The view of a fact that was made of others, and of one that is to be kept for good, in a real browser."""

from typing import TYPE_CHECKING

import pytest

from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.ui.conftest import Serve
from tests.ui.conftest import looking
from tests.web.test_fact import RULES
from tests.web.test_fact import SHOP
from tests.web.test_fact import fill

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SAID = {
    "en": ("rests on 2 of 3", "It was made of 3 facts and now rests on 2.", "counts no longer", "retracted"),
    "ru": ("держится на 2 из 3", "Выведено из фактов: 3. Теперь держится на 2.", "больше не в счёт", "отозван"),
}


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


@pytest.mark.parametrize("language", SAID)
def test_what_rests_on_less_says_so_and_why_a_fact_is_not_proposed_is_told(
    filled: Workspace, serve: Serve, browser: "Browser", language: str
) -> None:
    chip, sentence, lost, state = SAID[language]
    with looking(browser, locale=language, viewport={"width": 1280, "height": 800}) as page:
        page.goto(serve(filled.paths.root))
        begin = page.url.partition("/today")[0]
        page.goto(f"{begin}/fact/{RULES}-001")
        for text in (chip, sentence, lost):
            page.get_by_text(text, exact=True).wait_for()

        page.goto(f"{begin}/entity/{RULES}")
        page.get_by_text(chip, exact=True).first.wait_for()

        page.goto(f"{begin}/fact/{SHOP}-002")
        page.locator("#proposed").wait_for()
        assert state in page.locator("section:has(> #proposed)").inner_text()
