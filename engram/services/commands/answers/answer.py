"""The command `review-answer`: one thing that waits is settled."""

from engram.model.changes.settlement import Verdict
from engram.model.changes.state import State
from engram.model.commands.command import Envelope
from engram.ports.database import SliceKeys
from engram.rules.entities.name_pair import read_pair
from engram.rules.writes.derivation import OBSERVATION
from engram.services.commands.answers.fact_answer import fact_keys
from engram.services.commands.answers.fact_answer import settle_fact
from engram.services.commands.answers.given_answer import TENSION
from engram.services.commands.answers.given_answer import GivenAnswer
from engram.services.commands.answers.observation_answer import observation_keys
from engram.services.commands.answers.observation_answer import settle_observation
from engram.services.commands.answers.tension_answer import settle_tension
from engram.services.commands.answers.tension_answer import tension_keys
from engram.services.commands.decider import Context
from engram.services.commands.decider import Decided
from engram.services.commands.decider import get_entity
from engram.services.commands.decider import get_fact
from engram.services.commands.decider import get_observation


class Answer:
    """Settles a tension, an observation, two names, or a fact that waits."""

    def __init__(self, envelope: Envelope, context: Context) -> None:
        """Read the arguments; raise BadValueError."""
        self._answer = GivenAnswer(envelope, context)
        self._args = self._answer.args

    def keys(self) -> SliceKeys:
        """See Decider."""
        one = self._args.id
        if (pair := read_pair(one)) is not None:
            return SliceKeys(names=frozenset(pair))
        if one.startswith(TENSION):
            return SliceKeys(tension_ids=frozenset({one}))
        if one.startswith(OBSERVATION):
            return SliceKeys(observation_ids=frozenset({one, self._args.keep or one}))
        return SliceKeys(fact_ids=frozenset({one}))

    def further_keys(self, state: State) -> SliceKeys:
        """See Following."""
        one = self._args.id
        if (tension := state.tensions.get(one)) is not None:
            return tension_keys(self._answer, state, tension)
        if (observation := state.observations.get(one)) is not None:
            return observation_keys(self._answer, state, observation)
        return fact_keys(self._answer, state)

    def decide(self, state: State) -> Decided:
        """See Decider."""
        if self._args.id.startswith(TENSION):
            return settle_tension(self._answer, state)
        if self._args.id.startswith(OBSERVATION):
            return settle_observation(self._answer, state, get_observation(state, self._args.id))
        if (pair := read_pair(self._args.id)) is not None:
            return self._settle_names(state, pair)
        return settle_fact(self._answer, state, get_fact(state, self._args.id))

    def _settle_names(self, state: State, pair: tuple[str, str]) -> Decided:
        """Decide that two entities are two; that they are one is the command `entity-merge` (see `merging_args`)."""
        self._answer.check_verdict("two names", (Verdict.TWO,))
        for path in pair:
            get_entity(state, path)
        return self._answer.settled(state, (), [])
