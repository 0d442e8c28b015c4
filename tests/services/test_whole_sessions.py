"""Sessions as one text."""

from hypothesis import given
from hypothesis import strategies as st

from engram.model.document import Document
from engram.services.recall.session_scores import weigh_sessions


def said(*pairs: tuple[str | None, str]) -> list[Document]:
    return [
        Document(id=f"t{place}", kind="turn", text=text, indexed_text=text, session=session)
        for place, (session, text) in enumerate(pairs)
    ]


def test_a_session_that_has_both_things_beats_one_that_has_one_twice() -> None:
    found = weigh_sessions(
        "the harbour and the violin",
        said(("a", "the harbour"), ("a", "a violin"), ("b", "the harbour"), ("b", "harbour walk"), ("c", "rain")),
    )

    assert found["a"] > found["b"]
    assert "c" not in found


def test_a_shorter_session_beats_a_longer_one_with_the_same_words() -> None:
    found = weigh_sessions("violin", said(("a", "violin"), ("b", "violin and so many other things to speak about")))

    assert found["a"] > found["b"] > 0


def test_without_sessions_or_words_nothing_is_weighed() -> None:
    assert weigh_sessions("violin", said((None, "violin"))) == {}
    assert weigh_sessions("", said(("a", "violin"))) == {}
    assert weigh_sessions("violin", []) == {}


@given(st.permutations([("a", "violin harbour"), ("a", "rain"), ("b", "harbour"), ("c", "violin violin")]))
def test_the_order_of_the_turns_does_not_matter(turns: list[tuple[str | None, str]]) -> None:
    expected = weigh_sessions("violin in the harbour", said(*sorted(turns)))

    assert weigh_sessions("violin in the harbour", said(*turns)) == expected
