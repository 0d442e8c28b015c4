"""Fusing legs: the laws that hold for any scores."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.fusion import WEIGHTS
from engram.rules.fusion import Fused
from engram.rules.fusion import fuse
from engram.rules.fusion import fuse_groups
from engram.rules.fusion import z_scores

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-1000, 1000).map(float), max_size=8)
LEGS = st.fixed_dictionaries({"lexical": SCORES, "dense": SCORES})


def order(fused: list[Fused]) -> list[str]:
    return [one.id for one in fused]


@given(LEGS)
def test_the_order_in_which_candidates_and_legs_come_does_not_matter(legs: dict[str, dict[str, float]]) -> None:
    turned = {leg: dict(reversed(scores.items())) for leg, scores in reversed(legs.items())}

    assert fuse(legs) == fuse(turned)


@given(SCORES)
def test_a_leg_that_found_nothing_does_not_change_the_order(scores: dict[str, float]) -> None:
    assert fuse({"lexical": scores}) == fuse({"lexical": scores, "dense": {}})


@given(SCORES)
def test_one_leg_alone_keeps_its_own_order(scores: dict[str, float]) -> None:
    expected = sorted(scores, key=lambda key: (-scores[key], key))

    assert order(fuse({"lexical": scores})) == expected


@given(LEGS, st.sampled_from([0.5, 2.0, 4.0]), st.sampled_from([-8.0, 0.0, 16.0]))
def test_the_scale_of_a_leg_does_not_matter(legs: dict[str, dict[str, float]], factor: float, offset: float) -> None:
    scaled = {**legs, "dense": {key: score * factor + offset for key, score in legs["dense"].items()}}

    before = {one.id: one.score for one in fuse(legs)}
    after = {one.id: one.score for one in fuse(scaled)}

    assert after == pytest.approx(before, abs=1e-6)


@given(LEGS)
def test_every_candidate_comes_out_once_with_the_scores_of_its_legs(legs: dict[str, dict[str, float]]) -> None:
    fused = fuse(legs)

    assert sorted(order(fused)) == sorted(legs["lexical"].keys() | legs["dense"].keys())
    for one in fused:
        assert one.legs == {leg: scores[one.id] for leg, scores in legs.items() if one.id in scores}


def test_being_found_by_both_legs_beats_being_found_by_one() -> None:
    legs = {"lexical": {"both": 3.0, "words": 3.0, "x": 1.0}, "dense": {"both": 0.9, "sense": 0.9, "y": 0.2}}

    assert order(fuse(legs))[0] == "both"


def test_equal_scores_are_neither_good_nor_bad_and_go_by_id() -> None:
    assert z_scores({"a": 0.1, "b": 0.1}) == {"a": 0.0, "b": 0.0}
    assert order(fuse({"lexical": {"b": 1.0, "a": 1.0}})) == ["a", "b"]


def test_a_near_tie_of_two_texts_in_words_stays_a_near_tie() -> None:
    near = {one.id: one.score for one in fuse({"lexical": {"a": 2.27, "b": 2.25}})}
    far = {one.id: one.score for one in fuse({"lexical": {"a": 2.27, "b": 0.25}})}

    assert 0 < near["a"] - near["b"] < 0.1
    assert far["a"] - far["b"] > 1


def test_a_leg_without_a_weight_is_an_error_and_never_guessed() -> None:
    with pytest.raises(KeyError):
        fuse({"graph": {"a": 1.0}})


def test_the_weights_of_the_legs_are_a_whole() -> None:
    assert sum(WEIGHTS.values()) == pytest.approx(1.0)


@given(st.permutations([("a", 3.0), ("b", 2.0), ("c", 1.0), ("d", 0.5)]))
def test_sessions_do_not_depend_on_the_order_of_their_members(members: list[tuple[str, float]]) -> None:
    group_of = {"a": "s1", "b": "s2", "c": "s2", "d": "s3"}
    ranked = fuse_groups([Fused(key, score, {}) for key, score in members], group_of)

    assert order(ranked) == order(fuse_groups([Fused(key, score, {}) for key, score in sorted(members)], group_of))
    assert len(ranked) == 3


def test_of_two_sessions_with_equal_best_members_the_one_with_more_to_say_wins() -> None:
    members = [Fused("a", 3.0, {}), Fused("b", 3.0, {}), Fused("c", 2.5, {}), Fused("d", 0.0, {})]

    ranked = fuse_groups(members, {"a": "short", "b": "long", "c": "long", "d": "other"})

    assert order(ranked) == ["long", "short", "other"]


def test_many_members_that_say_nothing_do_not_lift_a_session() -> None:
    weak = [Fused(f"w{number}", 0.0, {}) for number in range(50)]
    group_of = {one.id: "talk" for one in weak} | {"a": "answer"}

    assert order(fuse_groups([*weak, Fused("a", 0.5, {})], group_of)) == ["answer", "talk"]


def test_no_members_are_no_sessions() -> None:
    assert fuse_groups([], {}) == []


def test_a_better_member_never_lowers_its_session() -> None:
    for scores in itertools.permutations([1.0, 2.0, 3.0]):
        members = [Fused(key, score, {}) for key, score in zip("abc", scores, strict=True)]
        place = order(fuse_groups(members, {"a": "x", "b": "y", "c": "z"})).index("x")
        lifted = [members[0]._replace(score=4.0), *members[1:]]
        assert order(fuse_groups(lifted, {"a": "x", "b": "y", "c": "z"})).index("x") <= place
