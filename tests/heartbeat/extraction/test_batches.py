"""Batches of what is unread: what tells most first, nothing for ever last, and a mark for what is done."""

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.batches import split_batches
from engram.heartbeat.intake.unread import CONSUMER
from engram.heartbeat.intake.unread import Unread
from engram.heartbeat.intake.watermark_keys import SESSION_KEY
from engram.model.conversation import Turn
from engram.model.conversation import Watermark
from tests.making import DAY0
from tests.making import NOW

RICH = "Last Tuesday I moved with my sister Olga to Riga, and my new address is Brivibas 12."
POOR = "ok thanks, sure, great"


def talk(session: str, text: str, count: int = 4, **fields: object) -> list[Turn]:
    rows = [
        {"id": f"turn/{session}{place}", "session": session, "text": text, "ordinal": place} for place in range(count)
    ]
    return [Turn.model_validate({**row, "at": NOW, **fields}) for row in rows]


def unread(*talks: list[Turn]) -> Unread:
    turns = [turn for talk in talks for turn in talk]
    ends = {turn.session: turn.ordinal + 1 for turn in turns}
    keys = {SESSION_KEY + name: str(end) for name, end in ends.items()}
    marks = {key: Watermark(consumer=CONSUMER, key=key, value=end) for key, end in keys.items()}
    return Unread([], turns, marks, [])


def sessions(batches: list[Batch]) -> list[str]:
    return [batch.turns[0].session for batch in batches]


def test_the_talk_that_tells_most_goes_first_when_not_all_may_be_read() -> None:
    waiting = unread(talk("chatter", POOR), talk("move", RICH))

    assert sessions(list(split_batches(waiting, 400, by_worth=True))) == ["move", "chatter"]
    assert sessions(list(split_batches(waiting, 400))) == ["chatter", "move"]


def test_the_oldest_is_never_further_back_than_third() -> None:
    rich = [talk(f"rich{number}", RICH) for number in range(8)]
    waiting = unread(*rich, talk("old", POOR, at=DAY0))

    assert sessions(list(split_batches(waiting, 350, by_worth=True))).index("old") == 2


def test_a_long_session_is_read_in_order_and_its_mark_follows() -> None:
    waiting = unread(talk("long", RICH, count=9))
    batches = list(split_batches(waiting, 3 * len(RICH), by_worth=True))

    assert [[turn.ordinal for turn in batch.turns] for batch in batches] == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]
    assert [[mark.value for mark in batch.marks] for batch in batches] == [["3"], ["6"], ["9"]]


def test_short_sessions_share_a_batch_with_a_mark_for_each() -> None:
    (batch,) = split_batches(unread(talk("a", POOR), talk("b", POOR)), 1000)

    assert {mark.key: mark.value for mark in batch.marks} == {"session:a": "4", "session:b": "4"}
