"""What the server can do: operations with their paths, what they take and answer, and the commands they stand for."""

import re
from collections.abc import Callable
from typing import Any
from typing import Final
from typing import NamedTuple

from pydantic import BaseModel

from engram.api.values import ShownFact
from engram.rest import answers
from engram.rest import domains
from engram.rest import facts
from engram.rest import questions
from engram.rest import recall
from engram.rest import requests
from engram.rest import review
from engram.rest import sessions
from engram.rest.call import Call

_NO_LETTERS: Final = re.compile("[^a-z]+")


class Operation(NamedTuple):
    """One operation. The first sentence of what runs it says what it does."""

    method: str
    path: str  # with {id} where it names one thing
    command: str  # of the command line
    run: Callable[[Call, Any], dict[str, Any]]
    answer: type[BaseModel]
    takes: type[requests.Request] = requests.Nothing  # of GET in the query, else in the body
    writes: bool = True

    @property
    def name(self) -> str:
        """The name that generated clients give it: that of the command."""
        return _NO_LETTERS.sub("_", self.command.lower())

    @property
    def is_command(self) -> bool:
        """Whether it is one command, whose id the client may choose: the same id twice is one effect."""
        return self.writes and self.answer is answers.Changed


def _read(
    path: str,
    command: str,
    run: Callable[[Call, Any], dict[str, Any]],
    answer: type[BaseModel],
    takes: type[requests.Request] = requests.Nothing,
) -> Operation:
    return Operation("GET", path, command, run, answer, takes, writes=False)


OPERATIONS: Final = (
    _read("/v1/status", "status", recall.status, answers.Standing),
    _read("/v1/commands/{id}", "status COMMAND_ID", recall.command, answers.Changed),
    Operation("POST", "/v1/recall", "recall", recall.recall, answers.Recalled, requests.RecallRequest, writes=False),
    _read("/v1/recall/detail", "recall --detail", recall.detail, answers.Hits, requests.DetailQuery),
    _read("/v1/context", "context", recall.context, answers.ContextBlock, requests.ContextQueryRequest),
    _read("/v1/facts", "facts", facts.list_all, answers.Facts, requests.FactsQuery),
    Operation("POST", "/v1/facts", "write", facts.write, answers.Changed, requests.WriteRequest),
    _read("/v1/facts/{id}/history", "history", facts.history, answers.History),
    _read("/v1/facts/{id}/why", "why", facts.why, answers.Why),
    Operation("POST", "/v1/facts/{id}/correct", "correct", facts.correct, answers.Changed, requests.CorrectRequest),
    Operation("POST", "/v1/facts/{id}/retract", "retract", facts.retract, answers.Changed, requests.RetractRequest),
    Operation("POST", "/v1/facts/{id}/confirm", "confirm", facts.confirm, answers.Changed, requests.Change),
    Operation("POST", "/v1/facts/{id}/pin", "pin", facts.pin, answers.Changed, requests.Change),
    Operation("POST", "/v1/facts/{id}/unpin", "unpin", facts.unpin, answers.Changed, requests.Change),
    Operation("POST", "/v1/facts/{id}/feedback", "feedback", facts.feedback, answers.Changed, requests.FeedbackRequest),
    _read("/v1/facts/{id}", "show", facts.show, ShownFact),
    Operation("POST", "/v1/undo", "undo", facts.undo, answers.Changed, requests.UndoRequest),
    _read("/v1/entities", "entity list", facts.list_entities, answers.Entities, requests.EntitiesQuery),
    Operation("POST", "/v1/entities", "entity add", facts.add_entity, answers.Changed, requests.EntityRequest),
    _read("/v1/entities/{id}", "entity show", facts.show_entity, answers.EntityWhole),
    _read("/v1/timeline", "timeline", questions.timeline, questions.Timeline, questions.TimelineQuery),
    _read("/v1/relations", "graph relations", questions.relations, questions.Relations, questions.RelationsQuery),
    Operation(
        "POST",
        "/v1/contradictions",
        "contradictions",
        questions.contradictions,
        questions.Conflicts,
        questions.ContradictionsRequest,
        writes=False,
    ),
    _read("/v1/domains", "domain list", domains.list_all, domains.Domains, domains.DomainsQuery),
    _read("/v1/domains/{id}/context", "domain context", domains.context, domains.DomainPrompt),
    _read("/v1/domains/{id}", "domain show", domains.show, domains.DomainView),
    _read("/v1/proposals", "domain proposals", domains.proposals, domains.Proposals),
    _read("/v1/review", "review list", review.show, answers.Reviews, requests.ReviewQuery),
    _read("/v1/review/next", "review next", review.show_next, answers.NextReview, requests.NextQuery),
    Operation(
        "POST", "/v1/review/{id}/answer", "review answer", review.answer, answers.Changed, requests.AnswerRequest
    ),
    Operation("POST", "/v1/notes", "note add", sessions.add_note, answers.Noted, requests.NoteRequest),
    _read("/v1/handoff", "handoff read", sessions.show_handoff, answers.HandoffVersion),
    Operation(
        "PUT", "/v1/handoff", "handoff write", sessions.put_handoff, answers.HandoffVersion, requests.TextRequest
    ),
    Operation("POST", "/v1/handoffs", "handoff send", sessions.send_handoff, answers.Changed, requests.SendRequest),
    _read("/v1/inbox", "inbox", sessions.inbox, answers.InboxAnswer, requests.InboxQuery),
    Operation(
        "POST", "/v1/inbox/{id}/accept", "inbox accept", sessions.accept, answers.Changed, requests.AcceptRequest
    ),
    Operation(
        "POST", "/v1/inbox/{id}/reject", "inbox reject", sessions.reject, answers.Changed, requests.RetractRequest
    ),
    _read("/v1/decisions", "decision list", sessions.show_decisions, answers.LoggedDecisions, requests.DecisionsQuery),
    Operation(
        "POST", "/v1/decisions", "decision log", sessions.add_decision, answers.LoggedDecision, requests.DecisionRequest
    ),
    Operation("POST", "/v1/turns", "capture", sessions.capture, answers.Captured, requests.TurnsRequest),
)
"""In the order in which paths are tried: what is longer stands before what it would be taken for."""
