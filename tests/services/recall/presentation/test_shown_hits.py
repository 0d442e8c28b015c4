"""No line stands twice in what is shown."""

from engram.model.document import Document
from engram.rules.recall.fusion import Fused
from engram.services.recall.presentation.shown_hits import show


def line(key: str, text: str, path: str, *beside: str) -> Document:
    return Document(id=key, kind="note", text=text, indexed_text="", path=path, beside=beside)


DAY, WEEK = "memory/2026-03-01.md", "memory/weekly/2026-W09.md"
NOTE = (
    line("n1", "- The web shop moved to Kestrel", DAY, "n1", "n2"),
    line("n2", "- Kestrel costs 14 euro a month", DAY, "n1", "n2"),
)
ROLL_UP = (
    line("w1", "Hosting: Kestrel costs 14 euro a month", WEEK, "w1", "w2", "w3"),
    line("w2", "Hosting: The old machine was sold to Olaf", WEEK, "w1", "w2", "w3"),
    line("w3", "Office: The kettle broke again", WEEK, "w1", "w2", "w3"),
)


def shown(*found: Document) -> dict[str, str]:
    known = {one.id: one for one in (*NOTE, *ROLL_UP)}
    ranked = [Fused(one.id, 1.0, {}) for one in found]
    return show(ranked, known, {}, lambda _places: known, question="Kestrel", limit=5).texts


def test_a_line_beside_a_hit_is_not_shown_again_in_the_words_of_a_roll_up() -> None:
    assert shown(NOTE[0], ROLL_UP[1])["w2"].splitlines() == [
        "» Hosting: The old machine was sold to Olaf",
        "Office: The kettle broke again",
    ]


def test_nor_is_a_line_of_a_roll_up_shown_again_in_the_words_of_the_note() -> None:
    assert shown(ROLL_UP[1], NOTE[0])["n1"] == "- The web shop moved to Kestrel"


def test_a_fact_is_shown_beside_another_one_of_its_turn_and_the_turn_beside_neither() -> None:
    turn = Document(id="turn/1", kind="turn", text="I slept over it. So no Pulsar after all", indexed_text="")
    facts = [
        Document(id=f"projects/shop-{number}", kind="fact", text=text, indexed_text="")
        for number, text in enumerate(("I slept over it.", "So no Pulsar after all", "I slept over it."))
    ]
    documents = {one.id: one for one in (turn, *facts)}
    ranked = [Fused(one.id, 1.0, {}) for one in (*facts, turn)]

    found = show(ranked, documents, {one.id: turn.id for one in facts}, lambda _: {}, question="Pulsar", limit=5)

    assert [*found.texts] == [facts[0].id, facts[1].id]
