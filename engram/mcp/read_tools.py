"""The tools that read: recall, show, context, status. Each calls the services that the command line calls."""

from collections.abc import Mapping
from typing import Any

from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.errors import UnknownCommandError
from engram.mcp.answers import Answer
from engram.mcp.answers import Caller
from engram.mcp.answers import fenced
from engram.mcp.answers import fields_text
from engram.mcp.answers import plain
from engram.mcp.arguments import ContextArguments
from engram.mcp.arguments import RecallArguments
from engram.mcp.arguments import ShowArguments
from engram.mcp.arguments import StatusArguments
from engram.mcp.resolution import entity_of
from engram.mcp.resolution import fact_of
from engram.mcp.tool_vocabulary import in_tool_words
from engram.model.commands.command import Outcome
from engram.model.fact import Fact
from engram.operations.answers.ask import log_answers
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import read_details
from engram.operations.answers.ask import read_place
from engram.operations.answers.ask import recalling
from engram.operations.answers.combined import answer_combined
from engram.operations.answers.freshness import freshness_of_fact
from engram.operations.answers.kept_promises import without_kept
from engram.operations.answers.start import start_block
from engram.operations.upkeep import Upkeep
from engram.ports.database import FactDatabase
from engram.rules.review_queue import WITHHELD
from engram.services import visibility
from engram.services.context.block import ContextQuery
from engram.services.facts.listing import Moment
from engram.services.facts.parts import view_with_parts
from engram.services.facts.status import overview
from engram.services.recall.presentation.render import answer_text
from engram.services.recall.presentation.render import hits_lines
from engram.services.recall.query import hit_json
from engram.services.review.queue import GIVES_ORDERS
from engram.services.review.queue import without_orders
from engram.workspace import Workspace

HERE = "."  # as a project: that of the folder in which the client works
_OF_ALL = ("facts", "entities", "to_review")


def recall(workspace: Workspace, who: Caller, said: RecallArguments) -> Answer:
    """Answer a question from the memory, or read the lines around a place of a note."""
    if said.at is not None:
        hit = read_place(workspace, said.at, who.view())
        return Answer("\n".join(hits_lines([hit])), {"hits": [hit_json(hit)]})
    asked = said.model_dump(exclude_none=True, exclude={"combined"})
    if said.entity is not None:
        with workspace.reading() as database:
            asked["entity"] = entity_of(database, identify(workspace, database, who), said.entity)
    if said.project == HERE:
        asked["project"] = _here(who)
    query = make_query(workspace, {**asked, **who.view(), "folder": who.folder})
    if said.combined:
        found = answer_combined(workspace, query)
        return Answer(found.text(), found.as_json())
    with recalling(workspace, query.query) as memory:
        answer = memory.answer(query)
    log_answers(workspace, [(query, answer)])
    return Answer(answer_text(answer), answer.as_json())


def _here(who: Caller) -> str:
    """Return the folder in which the client works; raise BadValueError where it has told none."""
    if who.folder is None:
        raise BadValueError("project: this client has told no folder", hint="name the project")
    return who.folder


def show(workspace: Workspace, who: Caller, said: ShowArguments) -> Answer:
    """Show one fact with all that is known of it, or the whole text of another hit."""
    with workspace.reading() as database:
        try:
            caller = identify(workspace, database, who)
            fact = fact_of(database, caller, said.id)
        except NotFoundError as problem:
            unknown = problem
        else:
            value = _fact_value(workspace, database, fact, caller)
            value |= freshness_of_fact(workspace, database, fact, caller, who.folder)
            return Answer(fenced(fact.id, fields_text(value)), plain(value))
    return _hit(workspace, who, said.id, unknown)


def context(workspace: Workspace, who: Caller, said: ContextArguments) -> Answer:
    """Return the block that an agent loads at its start."""
    workspace.store.apply_waiting()
    with workspace.reading() as database:
        caller = identify(workspace, database, who)  # of the whole server: no tool asks for a session
    asked = ContextQuery(caller=caller, by_commands=False, question=said.query or "", budget=said.budget)
    answer = start_block(workspace, asked, named=said.project, folder=who.folder)
    return Answer(answer.text, answer.as_json())


def status(workspace: Workspace, who: Caller, said: StatusArguments) -> Answer:
    """Tell how the memory stands, or what became of a command."""
    if said.command_id is not None:
        value = _command(workspace, who, said.command_id)
    else:
        value = _standing(overview(Upkeep(workspace).standing()))
        with workspace.reading() as database:
            if not identify(workspace, database, who).is_owner:  # counts tell of what others keep
                value = {name: one for name, one in value.items() if name not in _OF_ALL}
    return Answer("\n".join(fields_text(value)), plain(value))


def _standing(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return of the overview what a model can act on: how much is known, what waits, and what does not work."""
    facts, run = view["facts"], view["last_heartbeat"]
    lags = {name: view[f"{name}_lag"] for name in ("database", "index", "mirror")}
    ended = run and (run.get("ticked_at") or run.get("finished_at") or run.get("started_at"))
    return {
        "facts": {name: facts[name] for name in ("active", "candidate") if facts[name] or name == "active"},
        "entities": view["entities"],
        "to_review": sum(view["reviews"].values()),
        "commands_waiting": view["spool"]["waiting"],
        "behind": ", ".join(f"{name} by {lag}" for name, lag in lags.items() if lag),
        "embeddings": view["embeddings"],
        "heartbeat": f"{run['status']} at {ended}" if run else "never ran",
    }


def identify(workspace: Workspace, database: FactDatabase, who: Caller) -> visibility.Caller:
    """Return what the workspace knows of whom the server was started for."""
    return visibility.identify(database, workspace.settings.agent, who.session, who.agent)


def _fact_value(workspace: Workspace, database: FactDatabase, fact: Fact, caller: visibility.Caller) -> dict[str, Any]:
    moment = Moment(workspace.now(), workspace.settings.decay, workspace.settings.zone, caller)
    (value,) = without_kept(database, [view_with_parts(database, fact, moment, WITHHELD)], moment)
    hidden = {"fingerprint", "skeleton"}
    return without_orders({name: one for name, one in value.items() if name not in hidden})


def _hit(workspace: Workspace, who: Caller, key: str, unknown: NotFoundError) -> Answer:
    try:
        hits = read_details(workspace, [key], who.view())
    except NotFoundError:
        raise unknown from None
    return Answer("\n".join(hits_lines(hits)), {"hits": [hit_json(hit) for hit in hits]})


def _command(workspace: Workspace, who: Caller, command_id: str) -> dict[str, Any]:
    """Return what became of a command, unless it is about something that is not for the caller."""
    result = workspace.commands.find_result(command_id)
    if result is None:
        raise UnknownCommandError(f"no command {command_id!r} was given here", id=command_id)
    if result.id is not None:
        with workspace.reading() as database:
            caller, facts = identify(workspace, database, who), database.find_facts(result.id)
        if facts and not any(visibility.may_see(caller, fact.scope) for fact in facts):
            raise UnknownCommandError(f"no command {command_id!r} was given here", id=command_id)
    return result_value(result.model_dump(mode="json"))


def result_value(result: dict[str, Any]) -> dict[str, Any]:
    """Return a command's result without what is only for the door, and without the words of what gives orders."""
    hidden = {"exit_code", "kind", "details", "fact"}
    value = {name: one for name, one in result.items() if name not in hidden}
    value |= {name: in_tool_words(value[name]) for name in ("reason", "hint") if value[name]}
    return value | ({"reason": GIVES_ORDERS} if result["status"] == Outcome.QUARANTINED else {})
