"""Every kind of change has its sentence."""

from typing import get_args

from engram.model.changes.change import Change
from engram.model.changes.rearrangement import Verb
from engram.operations.words.plan_text import _TOLD
from engram.operations.words.plan_text import SENTENCES
from engram.operations.words.plan_text import Step
from engram.operations.words.plan_text import plan_steps
from engram.operations.words.plan_text import step_lines


def test_every_kind_of_change_is_told() -> None:
    union, *_ = get_args(Change)

    assert {kind.model_fields["kind"].default for kind in get_args(union)} == {*_TOLD}


def test_a_sentence_counts_facts_in_words() -> None:
    done = {"verb": "merge", "path": "people/anna", "former": "people/ann"}

    def told(facts: int) -> str:
        return step_lines(
            plan_steps([{"kind": "entities_rearranged", "rearrangement": {**done, "facts": [{}] * facts}}])
        )[1]

    assert told(0) == "  merge people/ann into people/anna"
    assert told(1) == "  merge people/ann into people/anna (1 fact)"
    assert told(2) == "  merge people/ann into people/anna (2 facts)"


def test_what_somebody_wrote_is_no_template() -> None:
    fact = {"id": "people/anna-001", "text": "Anna writes {text} and {0}", "trust": "trusted", "status": "active"}
    (step,) = plan_steps([{"kind": "fact_recorded", "fact": fact}])
    assert step == Step("record", {"id": "people/anna-001", "text": "Anna writes {text} and {0}"})
    assert step_lines([step])[1] == "  record people/anna-001: Anna writes {text} and {0}"


def test_every_way_to_rearrange_has_its_sentence_with_and_without_facts() -> None:
    assert {code for verb in Verb for code in (verb.value, f"{verb.value}-facts")} <= {*SENTENCES}
