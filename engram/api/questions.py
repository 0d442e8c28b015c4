"""The verbs that answer from facts without ranking: timeline, difference, fixed questions and relations."""

from typing import Any

from engram.api.opened import Opened
from engram.api.opened import require_text
from engram.api.values import FactView
from engram.api.values import Moment
from engram.base.text import require_plain
from engram.operations.answers.plain_questions import answer_plainly
from engram.services.facts import listing
from engram.services.facts.difference import differences
from engram.services.facts.timeline import Window
from engram.services.facts.timeline import timeline
from engram.services.facts.timeline import window_between
from engram.services.graph.entity_graph import GraphQuery
from engram.services.graph.ontology_file import read_ontology
from engram.services.graph.typed_relations import list_relations


class Questions(Opened):
    """What was true when, what changed, and how entities stand to each other."""

    def timeline(self, entity: str, *, since: Moment | None = None, until: Moment | None = None) -> list[FactView]:
        """Return what was true of an entity at some time in between, in the order in which it became true.

        Days that `until` names are included. Raises UnknownEntityError, AmbiguousNameError, BadValueError.
        """
        require_text(entity=entity)
        window = self._window(since, until)
        with self._reading() as (_, database):
            _, views = timeline(database, entity, window, self._moment())
        return [FactView.model_validate(view) for view in views]

    def diff(self, since: Moment, until: Moment | None = None, *, entity: str = "") -> dict[str, list[FactView]]:
        """Return what was created, superseded, retracted and promoted in between, under these names.

        Days that `until` names are included. Raises UnknownEntityError, AmbiguousNameError, BadValueError.
        """
        require_plain({"entity": entity})
        window = self._window(since, until)
        with self._reading() as (_, database):
            found = differences(database, window, self._moment(), entity)
        return {kind: [FactView.model_validate(view) for view in views] for kind, views in found.items()}

    def ask(self, *words: str) -> dict[str, Any]:
        """Answer who, when, where, what, latest or prefers about an entity from its facts, or not at all.

        The words are the form and a name, ask("where", "anna"), or plain: ask("where does Anna live"). Returns
        {"template", "entity", "answer", "facts"}, and where no fact answers "recalled": what recall finds. Raises
        UsageError, UnknownEntityError, AmbiguousNameError where that finds nothing, either.
        """
        require_text(question=" ".join(map(str, words)))
        return answer_plainly(self._workspace, tuple(map(str, words)), self._moment(), {}).as_json()

    def graph_relations(self, entity: str = "", *, type: str = "") -> list[dict[str, Any]]:  # noqa: A002 - as the option
        """Return who stands in which relation to whom: all, or those of one entity or one type, such as works_at.

        Each is {"type", "from", "to", "joins", "since", "until", "trust", "facts"}. Raises UnknownEntityError,
        AmbiguousNameError, BadValueError.
        """
        require_plain({"entity": entity, "type": type})
        with self._reading() as (_, database):
            return [one.as_json() for one in list_relations(database, self._graph(), name=entity, kind=type)]

    # -- inside

    def _window(self, since: Moment | None, until: Moment | None) -> Window:
        return window_between(self._bound("since", since), self._bound("until", until, ends=True))

    def _moment(self) -> listing.Moment:
        at = self._workspace
        return listing.Moment(now=at.now(), decay=at.settings.decay, zone=at.settings.zone, caller=None)

    def _graph(self) -> GraphQuery:
        return GraphQuery(self._moment(), ontology=read_ontology(self._workspace.files))
