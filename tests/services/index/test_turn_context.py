"""By which words of others a short turn is found."""

from typing import cast

from engram.model.conversation import Turn
from engram.ports.index import VectorIndex
from engram.services.index.documents import turn_document
from engram.services.index.turn_context import SpokenBefore
from tests.cases import for_each
from tests.making import NOW


@for_each(
    ("asked", "speaker", "answered", "has_context"),
    [
        ("The limit is 64 MB", "assistant", "Ok, got it.", False),
        ("限流是每分钟 100 次", "assistant", "好的。", False),
        ("mx1 переехал", "assistant", "Принято.", False),
        ("The limit is 64 MB", "assistant", "Ok, and the timeout?", True),
        ("Is the limit 64 MB?", "assistant", "Yes.", True),
        ("Then the limit is 64 MB", "user", "yes", True),
    ],
)
def test_a_program_that_only_says_that_it_heard_is_found_by_nothing_said_before(
    asked: str, speaker: str, answered: str, *, has_context: bool
) -> None:
    spoken = SpokenBefore(cast("VectorIndex", None))  # which is asked for nothing when a session begins here
    turns = [
        Turn(id=f"turn/{place}", session="talk", speaker=who, text=text, ordinal=place, at=NOW)
        for place, (who, text) in enumerate([("user", asked), (speaker, answered)])
    ]

    _, found = [spoken.put_in_context(turn_document(turn)) for turn in turns]

    assert bool(found.context) is has_context
