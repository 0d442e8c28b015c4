"""What the facts say that a review makes: of two facts in tension, and of an observation."""

from collections.abc import Collection
from collections.abc import Mapping
from typing import Any

from engram.base.text import fingerprint
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.model.changes.state import State
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.fact import Abstraction
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.tension import Tension
from engram.rules.temporal import overlap
from engram.rules.writes.derivation import least_trusted
from engram.services.commands.writes.draft_text import MAX_LISTED


def merged_write(tension: Tension, kept: Fact, other: Fact, text: str, actor: Actor) -> WriteCommand:
    """Return the write that puts one sentence in the place of two facts."""
    return WriteCommand(
        entity=kept.entity,
        text=text,
        category=kept.category,
        abstraction=kept.abstraction,
        confidence=min(kept.confidence, other.confidence),
        tags=sorted({*kept.tags, *other.tags}),
        related=sorted({*kept.related, *other.related} - {kept.entity}),
        scope=kept.scope,
        supersedes=[fact.id for fact in (kept, other) if fact.entity == kept.entity],
        derived_from=[kept.id, other.id],
        source=WriteSource(actor, label=tension.id),
    )


def promoting_write(observation: Observation, wished: Mapping[str, Any], actor: Actor, state: State) -> WriteCommand:
    """Return the write that makes a fact of an observation.

    `wished` holds `entity`, `text` and `create`, None where what the observation suggests is good. Of the evidence, as
    far as `state` holds it, a fact that says the same as an episode gives way to the pattern: it would only be
    confirmed otherwise. Raises BadValueError when nobody says whom or what the fact is about.
    """
    suggestion = observation.suggestion
    entity = wished["entity"] or (suggestion.entity if suggestion else None) or observation.entity
    if not entity:
        raise BadValueError(f"{observation.id} is about no entity", hint="--entity projects/NAME")
    session = observation.sessions[-1] if observation.sessions else None
    text = wished["text"] or (suggestion.text if suggestion else observation.text)
    return WriteCommand(
        entity=entity,
        text=text,
        category=suggestion.category if suggestion else Category.CONTEXT,
        abstraction=suggestion.abstraction if suggestion else Abstraction.EPISODE,
        scope=observation.scope,
        supersedes=_promoted(observation, text, state),
        derived_from=[*_named(observation, state), observation.id],
        create=wished["create"],
        source=WriteSource(actor, session=session, label=observation.id),
    )


def _named(observation: Observation, state: State) -> list[str]:
    """Return the evidence that the fact can name: the newest, and before that the least trusted of all of it.

    The observation keeps the rest, which may be without end; what is doubtful in it stays a reason to doubt the fact.
    """
    known = [state.facts[key] for key in observation.facts if key in state.facts]
    trust = least_trusted(Trust.TRUSTED, known)
    doubtful = {fact.id for fact in known if fact.trust == trust}
    named = sorted(observation.facts, key=doubtful.__contains__)[-(MAX_LISTED - 1) :]
    return [key for key in observation.facts if key in {*named}]


def _promoted(observation: Observation, text: str, state: State) -> list[str]:
    """Return the evidence that says the same, but as something less general."""
    wanted = observation.suggestion.abstraction if observation.suggestion else None
    facts = (state.facts[key] for key in observation.facts if key in state.facts)
    return [
        fact.id
        for fact in facts
        if wanted is not None
        and fact.status == Status.ACTIVE
        and fact.fingerprint == fingerprint(text)
        and fact.entity == (observation.suggestion.entity if observation.suggestion else None)
        and fact.scope == observation.scope
        and fact.abstraction != wanted
    ]


def refuse_twin(state: State, fact: Fact, *, gone: Collection[str] = ()) -> None:
    """Refuse to believe a fact again while another active one, but for those that go, says the same of that time."""
    for other in (state.facts[key] for key in sorted(state.facts_of.get(fact.entity, ()))):
        same = other.fingerprint == fact.fingerprint and other.scope == fact.scope
        stays = other.id not in {fact.id, *gone} and other.status == Status.ACTIVE
        if same and stays and overlap(fact, other):
            raise RefusedError(f"{other.id} says what {fact.id} says", hint=f"engram show {other.id}", id=other.id)


def refuse_above_sources(state: State, fact: Fact) -> None:
    """Refuse to release a fact that was made of what is quarantined still, and would be believed above it."""
    for key in fact.derived_from:
        source = state.facts.get(key) or state.observations.get(key)
        if source is not None and source.trust == Trust.QUARANTINED:
            hint = f"engram show {source.id}; or say in your own words what is right: engram write"
            raise RefusedError(f"{fact.id} was made of {source.id}, which is quarantined", hint=hint, id=source.id)
