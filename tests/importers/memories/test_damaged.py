"""A document that is no JSON as a whole: its good memories are imported, and what could not be read is told."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Remark
from tests.conftest import Engram
from tests.importers.memories.reading import only
from tests.importers.memories.reading import read

TEXTS = ["Kim keeps the keys", "Kim sold the canoe", "Kim prefers tea"]
DEEP = "[" * 10_000 + "]" * 10_000


def one(form: str, text: str) -> dict[str, Any]:
    return {{"mem0": "memory", "chatgpt": "content", "engram-v2": "fact"}[form]: text}


FILES = {"mem0": "mem0.json", "chatgpt": "memories.json", "engram-v2": "life/areas/people/kim/items.json"}
LISTS = {"mem0": "results", "chatgpt": "memories", "engram-v2": "facts"}
BAD = {
    "it is nested too deeply": DEEP,
    "it is not valid JSON": '{"memory": }',
    "it holds a number that is too long": "9" * 5000,
    "it is not UTF-8 text": '{"memory": "x\udcffy"}',
}


def document(form: str, elements: list[str], *, is_bare: bool) -> bytes:
    rows = f"[{', '.join(elements)}]"
    text = rows if is_bare else f'{{"title": "[1]", "{LISTS[form]}": {rows}}}'
    return text.encode("utf-8", "surrogateescape")


@pytest.mark.parametrize("is_bare", [True, False])
@pytest.mark.parametrize("why", BAD)
@pytest.mark.parametrize("form", FILES)
def test_what_stands_around_a_bad_memory_is_read(form: str, why: str, *, is_bare: bool) -> None:
    first, _, last = (json.dumps(one(form, text)) for text in TEXTS)

    items = read(form, {FILES[form]: document(form, [first, BAD[why], last], is_bare=is_bare)})

    assert [item.text for item in only(FactItem, items)] == [TEXTS[0], TEXTS[2]]
    (told,) = [remark for remark in only(Remark, items) if remark.reason.startswith(why)]
    assert told.place.endswith(" 2")


@pytest.mark.parametrize("form", FILES)
def test_what_stands_before_the_end_of_a_cut_file_is_read(form: str) -> None:
    whole = document(form, [json.dumps(one(form, text)) for text in TEXTS], is_bare=False)

    items = read(form, {FILES[form]: whole[: whole.index(b"tea")]})

    assert [item.text for item in only(FactItem, items)] == TEXTS[:2]
    assert [remark.place[-1] for remark in only(Remark, items) if "cut off" in remark.reason] == ["3"]


@pytest.mark.parametrize("data", [b"", b"{", b"[", b"\xff\xfe", b'{"results": [', b'{"results": [}', b"[1, 2"])
@pytest.mark.parametrize("form", FILES)
def test_where_nothing_can_be_read_one_remark_says_so(form: str, data: bytes) -> None:
    items = read(form, {FILES[form]: data})

    assert not only(FactItem, items)
    assert only(Remark, items)


def test_a_text_of_megabytes_is_refused_before_it_is_looked_into(engram: Engram, tmp_path: Path) -> None:
    rows = [{"memory": TEXTS[0]}, {"memory": "boat house " * 500_000}, {"memory": TEXTS[2]}]
    (tmp_path / "mem0.json").write_text(json.dumps(rows))
    began = time.process_time()

    answer = engram("import", "mem0", str(tmp_path / "mem0.json"))

    assert (answer.code, "memory 2: it has 5500000 characters; 2000 is the most" in answer.err) == (2, True)
    assert "hint: the rest is imported" in answer.err
    assert time.process_time() - began < 10  # it took several times that


def test_where_nothing_was_imported_the_hint_says_so(engram: Engram, tmp_path: Path) -> None:
    (tmp_path / "mem0.json").write_text("{")

    assert "hint: nothing was imported" in engram("import", "mem0", str(tmp_path / "mem0.json")).err
