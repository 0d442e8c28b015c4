"""Fusing legs: the laws that hold for any scores."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.rules.recall.fusion import SESSION_SUPPORT
from engram.rules.recall.fusion import Fused
from engram.rules.recall.fusion import add_support
from engram.rules.recall.fusion import fuse
from engram.rules.recall.fusion import fuse_groups
from engram.rules.recall.fusion import scale
from engram.rules.recall.fusion import z_scores

SCORES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 1000).map(float), max_size=8)
COSINES = st.dictionaries(st.sampled_from("abcdefgh"), st.integers(-100, 100).map(lambda part: part / 100), max_size=8)
LEGS = st.fixed_dictionaries({"lexical": SCORES, "dense": COSINES})


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
def test_words_alone_keep_their_own_order(scores: dict[str, float]) -> None:
    expected = sorted(scores, key=lambda key: (-scores[key], key))

    assert order(fuse({"lexical": scores})) == expected


@given(LEGS, st.sampled_from([0.5, 2.0, 4.0]), st.sampled_from([-0.25, 0.0, 0.5]))
def test_neither_the_scale_of_the_words_nor_the_zero_of_the_meaning_matters(
    legs: dict[str, dict[str, float]], factor: float, offset: float
) -> None:
    scaled = {
        "lexical": {key: score * factor for key, score in legs["lexical"].items()},
        "dense": {key: score + offset for key, score in legs["dense"].items()},
    }

    before = {one.id: one.score for one in fuse(legs)}
    after = {one.id: one.score for one in fuse(scaled)}

    assert after == pytest.approx(before, abs=1e-6)


@given(st.sampled_from(["lexical", "dense", "graph"]), SCORES)
def test_a_scaled_leg_lies_between_0_and_1_and_its_best_is_1(leg: str, scores: dict[str, float]) -> None:
    scaled = scale(leg, scores)

    assert scaled.keys() == scores.keys()
    assert all(0 <= score <= 1 for score in scaled.values())
    assert not scores or scaled[max(scores, key=lambda key: scores[key])] == 1


def test_a_leg_that_found_nothing_good_scales_to_nothing() -> None:
    assert scale("lexical", {"a": 0.0, "b": -1.0}) == {"a": 0.0, "b": 0.0}


def test_cosines_that_lie_close_together_count_as_close() -> None:
    assert scale("dense", {"a": 0.31, "b": 0.30}) == pytest.approx({"a": 1.0, "b": 1 - 0.01 / 0.15})


def test_of_many_cosines_the_first_two_hundred_span_the_scale() -> None:
    many = {f"{number:03d}": 1.0 - number / 400 for number in range(300)}
    scaled = scale("dense", many)

    assert (scaled["000"], scaled["199"], scaled["299"]) == pytest.approx((1.0, 0.0, 0.0))
    assert scaled["100"] == pytest.approx(99 / 199)


@given(LEGS)
def test_every_candidate_comes_out_once_with_the_scores_of_its_legs(legs: dict[str, dict[str, float]]) -> None:
    fused = fuse(legs)

    assert sorted(order(fused)) == sorted(legs["lexical"].keys() | legs["dense"].keys())
    for one in fused:
        assert one.legs == {leg: scores[one.id] for leg, scores in legs.items() if one.id in scores}


def test_being_found_by_both_legs_beats_being_found_by_one() -> None:
    legs = {"lexical": {"both": 3.0, "words": 3.0, "x": 1.0}, "dense": {"both": 0.9, "sense": 0.9, "y": 0.2}}

    assert order(fuse(legs))[0] == "both"


def test_each_leg_adds_its_share_and_the_graph_lifts_only_what_it_reaches_and_others_found() -> None:
    legs = {"lexical": {"a": 2.0, "b": 1.0}, "dense": {"b": 0.9}, "graph": {"a": 1.0, "c": 5.0}}

    assert [(one.id, one.score) for one in fuse(legs)] == [
        ("b", pytest.approx(0.5 * 0.5 + 0.5)),
        ("a", pytest.approx(0.5 * (1 + 0.25 * 0.2))),
        ("c", 0.0),
    ]
    (alone,) = fuse({"lexical": {"a": 2.0}, "graph": {"a": 1.0}}, {"lexical": 3.0})
    assert alone.score == pytest.approx(1.0)


def test_equal_scores_are_neither_good_nor_bad_and_go_by_id() -> None:
    assert z_scores({"a": 0.1, "b": 0.1}) == {"a": 0.0, "b": 0.0}
    assert scale("dense", {"a": 0.1, "b": 0.1}) == {"a": 1.0, "b": 1.0}
    assert order(fuse({"lexical": {"b": 1.0, "a": 1.0}})) == ["a", "b"]


def test_a_near_tie_of_two_texts_in_words_stays_a_near_tie() -> None:
    near = {one.id: one.score for one in fuse({"lexical": {"a": 2.27, "b": 2.25}})}
    far = {one.id: one.score for one in fuse({"lexical": {"a": 2.27, "b": 0.25}})}

    assert 0 < near["a"] - near["b"] < 0.02
    assert far["a"] - far["b"] > 0.8


def test_a_leg_without_a_weight_is_an_error_and_never_guessed() -> None:
    with pytest.raises(KeyError):
        fuse({"smell": {"a": 1.0}})


@given(LEGS)
def test_whatever_legs_there_are_their_shares_are_a_whole(legs: dict[str, dict[str, float]]) -> None:
    best = {leg: {"top": max(scores.values()) + 1.0, **scores} for leg, scores in legs.items() if scores}

    assert not best or fuse(best)[0].score == pytest.approx(1.0)


# --- sessions --------------------------------------------------------------------------------------------------


def test_of_two_equal_turns_the_one_in_a_talk_about_the_question_wins() -> None:
    turns = [Fused("alone", 0.8, {}), Fused("within", 0.8, {}), Fused("beside", 0.7, {})]

    supported = add_support(turns, {"alone": "other", "within": "talk", "beside": "talk"})

    assert order(supported)[0] == "within"
    assert {one.id: one.score for one in supported}["within"] == pytest.approx(0.8 + SESSION_SUPPORT)


def test_a_fact_is_not_pushed_down_by_a_long_talk() -> None:
    turns = [Fused("fact", 1.0, {}), *(Fused(f"t{number}", 0.9, {}) for number in range(5))]

    assert order(add_support(turns, {f"t{number}": "talk" for number in range(5)}))[0] == "fact"


def test_support_of_nothing_is_nothing() -> None:
    assert add_support([], {}) == []
    assert add_support([Fused("a", 0.0, {})], {"a": "talk"}) == [Fused("a", 0.0, {})]


def test_a_session_that_speaks_of_the_whole_question_wins_over_one_with_an_equal_turn() -> None:
    members = [Fused("a", 1.0, {}), Fused("b", 1.0, {}), Fused("c", 0.1, {})]
    group_of = {"a": "part", "b": "all", "c": "none"}

    assert order(fuse_groups(members, group_of, {"part": 2.0, "all": 5.0}))[0] == "all"


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
