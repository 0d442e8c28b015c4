import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.language.comparing import compare
from engram.language.comparing import similarity
from engram.language.comparing import skeleton
from engram.language.comparing import words
from engram.model.comparison import EXCLUDING


@pytest.mark.parametrize(
    ("new", "old", "kind"),
    [
        ("does not like working in the evening", "likes working in the evening", "polarity"),
        ("Sergey doesn\u2019t like working in the evening", "likes working in the evening", "polarity"),
        ("не любит работать вечером", "любит работать вечером", "polarity"),
        ("Никогда не работает вечером", "Работает вечером", "polarity"),
        ("The office is not open on Sunday", "On Sunday the office is open", "polarity"),
        ("Does not use Redis", "Billing uses Redis for caching", "polarity"),
        ("uses Redis", "no longer uses Redis", "polarity"),
        ("Logging is disabled", "Logging is enabled", "polarity"),
        ("Research timeout is 900 seconds", "Research timeout is 600 seconds", "number"),
        ("Research timeout is 5 minutes", "Research timeout is 600 seconds", "number"),
        ("The team has four people", "The team has 3 people", "number"),
        ("Budget is $40k", "Budget is $50k", "number"),
        ("Uses version 31", "Uses version 3.1", "version"),
        ("Runs on v2.3.1", "Runs on v2.3.2", "version"),
        ("The review is on 2026-03-01", "The review is on 2026-02-01", "date"),
        ("The review is on March 5", "The review is on March 8th", "date"),
        ("Встреча в пятницу", "Встреча в среду", "date"),
        ("Prefers light theme", "Prefers dark theme", "preference"),
        ("Предпочитает светлую тему", "Предпочитает тёмную тему", "preference"),
        ("Hates long meetings", "Likes long meetings", "preference"),
        ("Prefers spaces over tabs", "Prefers tabs over spaces", "preference"),
        ("Prefers Vim over Emacs", "Prefers Emacs over Vim", "preference"),
        ("no longer uses Redis", "uses Redis", "cessation"),
        ("Billing no longer uses Redis", "Billing uses Redis for caching", "cessation"),
        ("Stopped using Redis", "Uses Redis", "cessation"),
        ("switched from Redis to Valkey", "uses Redis", "cessation"),
        ("больше не использует Redis", "использует Redis", "cessation"),
        ("перешли с Redis на Valkey", "использует Redis", "cessation"),
        ("Lives in Lisbon", "Lives in Berlin", "attribute"),
        ("Works at Globex", "Anna works for Acme", "attribute"),
        ("The deadline moved to Friday", "The deadline is Monday", "attribute"),
        ("Written in C#", "Written in C++", "value"),
        ("The API is deployed to Frankfurt", "The API is deployed to Dublin", "value"),
        ("  likes TEA. ", "Likes tea", "same"),
    ],
)
def test_statements_are_compared(new: str, old: str, kind: str) -> None:
    assert compare(new, old).kind == kind


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("3 dogs and 4 cats", "2 dogs and 3 cats"),
        ("Anna lives in Lisbon", "Bob lives in Berlin"),
        ("Issue 13 is closed", "Issue 12 is closed"),
        ("Research timeout is 10 minutes", "Research timeout is 600 seconds"),
        ("Does not dislike tea", "Likes tea"),
        ("Uses the Redis cache", "Uses Redis cache"),
        ("The API is not public", "The API documentation is public"),
        ("Likes tea", "The meeting is on Monday"),
        ("switched from Redis to Valkey", "Redis costs 40 dollars a month in Frankfurt"),
        ("1,000 users are active", "1000 users are active"),
        ("a", "b"),
    ],
)
def test_statements_that_can_both_hold_do_not_exclude_each_other(new: str, old: str) -> None:
    assert compare(new, old).kind == "none"


@pytest.mark.parametrize(
    ("new", "old", "why"),
    [
        ("Research timeout is 900 seconds", "Research timeout is 600 seconds", "600 became 900"),
        ("Prefers light theme", "Prefers dark theme", "dark became light"),
        ("Written in C#", "Written in C++", "c++ became c#"),
        ("switched from Redis to Valkey", "uses Redis", "redis became valkey"),
        ("Lives in Lisbon", "Lives in Berlin", "city: Berlin became Lisbon"),
        ("does not like tea", "likes tea", "the newer statement denies what the older one says"),
        ("likes tea", "does not like tea", "the older statement denies what the newer one says"),
    ],
)
def test_the_reason_has_a_direction(new: str, old: str, why: str) -> None:
    assert compare(new, old).why == why


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("Uses version 3.1", "Uses version 31"),
        ("Research timeout is 600 seconds", "Research timeout is 900 seconds"),
        ("likes working", "does not like working"),
        ("Prefers the dark theme", "prefers light theme."),
        ("Due on 2026-02-24", "Due on Friday"),
        ("любит чай", "не любит чай"),
    ],
)
def test_skeletons_leave_out_numbers_dates_versions_and_polarity(a: str, b: str) -> None:
    assert skeleton(a) == skeleton(b)


def test_skeletons_keep_what_carries_meaning() -> None:
    assert skeleton("Written in C++") != skeleton("Written in C#")
    assert skeleton("Uses node.js") != skeleton("Uses node")


def test_similarity_is_the_share_of_common_content_words() -> None:
    assert similarity("likes working at night", "liked to work nights") == 1.0
    assert similarity("likes tea", "rain tomorrow") == 0.0
    assert similarity("", "") == 0.0
    assert words("The cats are working") == words("a cat works")


@given(st.text(max_size=80), st.text(max_size=80))
def test_any_two_texts_are_compared_within_bounds(a: str, b: str) -> None:
    result = compare(a, b)

    assert 0 <= result.confidence <= 1
    assert 0 <= result.similarity <= 1
    assert similarity(a, b) == similarity(b, a)


@given(st.text(max_size=80))
def test_a_statement_is_the_same_as_itself_and_never_excludes_itself(text: str) -> None:
    assert compare(text, text).kind == "same"
    assert compare(text + " ", text).kind not in EXCLUDING


@given(st.integers(2, 10**6), st.integers(2, 10**6))
def test_two_numbers_exclude_each_other_exactly_when_they_differ(a: int, b: int) -> None:
    kind = compare(f"The queue holds {a} jobs", f"The queue holds {b} jobs").kind

    assert kind == ("same" if a == b else "number")
