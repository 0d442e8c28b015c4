"""Turns and the commands that carry them."""

import datetime as dt

from hypothesis import given
from hypothesis import strategies as st

from engram.model.conversation import Turn
from engram.services.extract.turn_commands import RawTurn
from engram.services.extract.turn_commands import capture_commands
from engram.services.extract.turn_commands import is_too_old
from engram.services.extract.turn_commands import make_turns
from engram.services.extract.turn_commands import said_before

NOW = dt.datetime(2026, 2, 24, 12, tzinfo=dt.UTC)
FEW = st.sampled_from
SPEAKERS = st.none() | FEW(["", "user"])
RAW = st.lists(
    st.builds(
        RawTurn,
        session=FEW("ab"),
        text=FEW("xy"),
        speaker=SPEAKERS,
        ref=SPEAKERS,
        at=st.none() | st.just(NOW),
        key=st.none(),
    )
)


@given(RAW, RAW)
def test_ids_are_unique_in_a_file_and_stay_when_the_file_grows(before: list[RawTurn], more: list[RawTurn]) -> None:
    first = [turn.id for turn in make_turns(before, path=None)]
    grown = [turn.id for turn in make_turns([*before, *more], path=None)]

    assert len(set(grown)) == len(grown)
    assert grown[: len(first)] == first


def test_commands_hold_one_session_and_at_most_500_turns_in_order() -> None:
    raw = [RawTurn("ab"[number % 2], str(number)) for number in range(1002)]
    commands = list(capture_commands(make_turns(raw, path="chat.jsonl")))

    assert [(one["session"], len(one["turns"])) for one in commands] == [("a", 500), ("a", 1), ("b", 500), ("b", 1)]
    assert [turn["text"] for turn in commands[0]["turns"][:3]] == ["0", "2", "4"]
    assert set(commands[0]["turns"][0]) == {"id", "text", "path"}  # and nothing said elsewhere


def test_turns_without_a_time_are_never_too_old() -> None:
    old, new, undated = (
        RawTurn("a", "old", at=NOW - dt.timedelta(days=2)),
        RawTurn("a", "new", at=NOW),
        RawTurn("a", "undated"),
    )

    assert [is_too_old(turn, NOW - dt.timedelta(days=1)) for turn in (old, new, undated)] == [True, False, False]
    assert not is_too_old(old, None)


def test_what_a_hook_kept_stands_for_one_turn_near_it_in_time() -> None:
    def turns(*said: tuple[int, str, str], key: str | None) -> list[Turn]:
        raw = [
            RawTurn("a", text, None, who, NOW + dt.timedelta(seconds=second), key and f"{key}{second}")
            for second, who, text in said
        ]
        return make_turns(raw, path="x.jsonl" if key else None)

    kept = turns((0, "user", "yes"), (500, "user", "the key is [secret:github]"), key=None)
    fresh = turns(
        (1, "user", "yes"),  # the hook's, by another clock
        (60, "user", "yes"),  # said again, and kept by no hook
        (530, "user", "the key is [secret:github]"),  # too late to be the same
        (2, "assistant", "yes"),
        (900, "user", "the key is [secret:github]"),  # too late to be the same
        key="k",
    )

    assert said_before(fresh, kept) == {fresh[0].id}
    assert said_before(fresh[1:], kept) == set()  # nor in a later capture, which the first one is not before
    assert said_before(fresh, []) == set()
    assert said_before(fresh, fresh) == set()  # what came from a file was kept by no hook


def test_what_a_hook_kept_under_a_name_is_the_users_turn_of_the_transcript() -> None:
    kept = make_turns([RawTurn("a", "yes", None, "Boris", NOW), RawTurn("a", "no", None, "Boris", NOW)], path=None)
    raw = [RawTurn("a", "yes", None, "user", NOW, "k1"), RawTurn("a", "no", None, "Vera", NOW, "k2")]
    raw += [RawTurn("a", "yes", None, "assistant", NOW, "k3")]
    fresh = make_turns(raw, path="x.jsonl")

    assert said_before(fresh, kept) == {fresh[0].id}
