"""Where names stand in a line by their form alone: sites, and repositories by their address."""

import pytest

from engram.language.names.spans import DOMAIN
from engram.language.names.spans import find_names
from engram.language.names.spans import repository_names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("parcel-post.org had no certificate since May", ["parcel-post.org"]),
        ("Новый бот для паром.рф", ["паром.рф"]),
        ("The api.loom.dev host answers slowly", ["api.loom.dev"]),
        ("See notes.md, press.py and setup.sh", []),
        ("Version 2.5.1 came on 3.4.2026", []),
        ("Write to vera@loom.dev", []),
        ("It stands at https://loom.dev/weaving", []),
        ("We stopped.Then we went on", []),
    ],
)
def test_a_site_is_a_name(text: str, names: list[str]) -> None:
    assert [span.name for span in find_names(text) if span.form == DOMAIN] == names


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Repository: https://github.com/weavers/loom-bot", ["loom-bot"]),
        ("**Репозиторий:** https://github.com/weavers/loom-bot.git (готов)", ["loom-bot"]),
        ("cloned git@gitlab.com:weavers/kiln.git", ["kiln"]),
        ("Merged https://github.com/weavers/ferry/pull/12.", ["ferry"]),
        ("https://github.com/weavers has nothing yet", []),
    ],
)
def test_a_repository_is_known_by_its_address(text: str, names: list[str]) -> None:
    assert repository_names(text) == names


@pytest.mark.parametrize(
    ("text", "names", "no_name"),
    [
        ("And Anna prefers green tea.", {"Anna"}, "And Anna"),
        ("But Then Boris Petrov called", {"Boris Petrov"}, "But Then Boris Petrov"),
        ("In Berlin we use metric units", {"Berlin"}, "In Berlin"),
        ("Since March Lantern runs on Mongo", {"March Lantern"}, "Since March Lantern"),
        ("А Борис живёт в Перми", {"Борис"}, "А Борис"),
        ("Cuando Lucía llega, comemos", {"Lucía"}, "Cuando Lucía"),
        ("Will Smith takes over the importer", {"Will Smith", "Will", "Smith"}, "Smith takes"),
        ("However", {"However"}, ""),
    ],
)
def test_a_word_that_opens_a_sentence_is_no_part_of_the_name(text: str, names: set[str], no_name: str) -> None:
    found = {span.name: span for span in find_names(text)}
    assert names <= found.keys()
    assert no_name not in found
    assert all(text[span.start : span.end] == name for name, span in found.items())
