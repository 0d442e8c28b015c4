"""The README's pictures: what they show can be read, and they fetch nothing and name no machine."""

import re
import xml.etree.ElementTree as ET
from pathlib import Path

from tests.cases import for_each

ROOT = Path(__file__).resolve().parent.parent
PICTURES = sorted((ROOT / "docs" / "pictures").glob("*.svg"))
README = (ROOT / "README.md").read_text(encoding="utf-8")
SVG = "{http://www.w3.org/2000/svg}"


@for_each("picture", PICTURES)
def test_a_picture_is_shown_by_the_readme_with_words_for_those_who_cannot_see_it(picture: Path) -> None:
    assert re.search(rf"!\[[^\]]{{20,}}\]\({re.escape(picture.relative_to(ROOT).as_posix())}\)", README)


@for_each("picture", PICTURES)
def test_a_picture_says_what_it_shows(picture: Path) -> None:
    drawn = ET.fromstring(picture.read_text(encoding="utf-8"))
    described = "".join((drawn.findtext(f"{SVG}desc") or "").split())
    shown = "".join("".join(one.text or "" for one in drawn.iter(f"{SVG}text")).split())

    assert described
    assert described in shown


@for_each("picture", PICTURES)
def test_a_picture_fetches_nothing_and_names_no_folder_of_a_machine(picture: Path) -> None:
    text = picture.read_text(encoding="utf-8")

    assert re.findall(r"https?://[^\"\s]+", text) == ["http://www.w3.org/2000/svg"]
    assert "/tmp" not in text
