"""What kind of answer a question wants: every example beside the patterns."""

import pytest

from engram.language.compare.slots.answer_kinds import KINDS
from engram.language.compare.slots.answer_kinds import find_kind
from engram.language.compare.slots.answer_kinds import holds_kind
from engram.language.matching.patterns import Pattern
from engram.language.matching.prefilter import compiled
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import patterns_without_both
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / "answer_kinds").glob("*.toml"))
EXAMPLES = [example for path in FILES for example in read_examples(path)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_every_pattern_has_examples_of_both_kinds(path: object) -> None:
    assert patterns_without_both(path) == []  # type: ignore[arg-type]


@for_each("example", EXAMPLES)
def test_an_example(example: Example) -> None:
    text = example.text if example.table == "name" else example.text.casefold().replace("ё", "е")

    assert (compiled(Pattern(example.entry).source).search(text) is not None) is example.found
    assert example.table.removeprefix("asks_") in {*KINDS, "date", "no_number"}


@for_each(
    ("question", "kind"),
    [
        ("what does Tobias earn at the print shop?", "money"),
        ("how much water do the plants want?", "number"),
        ("how old is Edda?", "age"),
        ("which bank refused the loan?", "name"),
        ("when is Zdenka due?", None),
        ("why did they leave?", None),
        ("сколько Надя берёт за занятие?", "money"),
        ("во сколько открывается сад?", None),
        ("芝麻看病的那家医院叫什么", "name"),
        ("준서 카페 이름이 뭐였지?", "name"),
        ("wie hoch ist unsere Retourenquote?", "number"),
        ("quel âge a Paul ?", "age"),
        ("combien coûte la location du four ?", "money"),
        ("¿cuánto tiempo tarda el pan?", "duration"),
        ("¿cómo se llama la panadería?", "name"),
        ("what is Edda's phone number?", "phone"),
        ("какой у Нади номер телефона?", "phone"),
        ("wie lautet die Mailadresse von Uwe?", "email"),
        ("mitä maksaa vuokra?", None),  # no file of that language
        ("how old is Edda? " + "She lives on the hill. " * 30, None),
    ],
)
def test_what_a_question_asks_for(question: str, kind: str | None) -> None:
    assert find_kind(question) == kind


@for_each(
    ("text", "question", "held"),
    [
        ("Marcus: I got promoted at the bakery last month", "what's the bakery called where Marcus works?", False),
        ("Marcus: I start at Levain on Monday", "what's the bakery called where Marcus works?", True),
        ("The pub closes in June", "what was the name of the pub?", False),
        ("Edda moved to Riga on 12.10.2026, room 4711", "what is Edda's phone number?", False),
        ("Edda's number is 0341 223 344 55", "what is Edda's phone number?", True),
        ("Maëlle habite à Brest", "quel âge a Maëlle ?", False),
        ("Maëlle a douze ans", "quel âge a Maëlle ?", True),
        ("La panadería está cerrada", "¿cuántas sillas hay en la panadería?", False),
        ("我家猫叫芝麻", "芝麻看病的那家医院叫什么", False),
        ("1. Write to the 23:00 group, task #19, by 2026-03-04", "how many people came?", False),
        ("1. Write to the 12 who came", "how many people came?", True),
        ("Edda moved out", "how old is Edda?", False),
        ("Edda turned ninety", "how old is Edda?", True),
        ("I ran the 5 km race", "how many minutes did the 5 km race take?", False),
        ("I ran the 5 km race in 31 minutes", "how many minutes did the 5 km race take?", True),
    ],
)
def test_whether_a_text_holds_an_answer_of_the_kind(text: str, question: str, held: bool) -> None:
    kind = find_kind(question)
    assert kind is not None

    assert holds_kind(text, kind, question) is held
