"""Questions to the memory, what an agent starts with, and how the memory stands."""

from typing import Any
from typing import Final

from engram.errors import UnknownCommandError
from engram.operations.answers.ask import log_answers
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import read_details
from engram.operations.answers.ask import recalling
from engram.operations.answers.start import start_block
from engram.operations.upkeep import Upkeep
from engram.rest import requests
from engram.rest.call import Call
from engram.rest.call import changed
from engram.services.context.block import ContextQuery
from engram.services.facts.status import overview
from engram.services.recall.query import hit_json

_OF_THE_STORE: Final = (  # in the overview: what tells nothing of what others keep
    *("at", "journal_position", "database_lag", "index_lag", "mirror_lag", "embeddings"),
)


def recall(call: Call, said: requests.RecallRequest) -> dict[str, Any]:
    """Answer a question from the memory, best hits first."""
    asked = said.model_dump(exclude_none=True)
    query = make_query(call.workspace, {**asked, **{name: one for name, one in call.door.view().items() if one}})
    with recalling(call.workspace, query.query) as memory:
        answer = memory.answer(query)
    log_answers(call.workspace, [(query, answer)])
    return answer.as_json()


def detail(call: Call, said: requests.DetailQuery) -> dict[str, Any]:
    """Show the whole text of chosen hits, in the order asked for."""
    given = {name: one for name, one in call.door.view().items() if one}
    return {"hits": [hit_json(hit) for hit in read_details(call.workspace, said.id, given)]}


def context(call: Call, said: requests.ContextQueryRequest) -> dict[str, Any]:
    """Return the block that an agent loads at its start; the same bytes while nothing changed."""
    call.workspace.store.apply_waiting()
    caller = call.caller() or call.asker()
    asked = ContextQuery(caller=caller, by_commands=False, question=said.question or "", budget=said.budget)
    return start_block(call.workspace, asked, named=said.project).as_json()


def status(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Tell how the memory stands."""
    value = overview(Upkeep(call.workspace).standing())
    caller = call.caller()
    if caller is not None and not caller.is_owner:  # counts tell of what others keep
        return {name: value[name] for name in _OF_THE_STORE}
    return value


def command(call: Call, _said: requests.Nothing) -> dict[str, Any]:
    """Tell what became of a command."""
    found = call.result_of(call.about)
    if found is None:
        raise UnknownCommandError(f"no command {call.about!r} was given here", id=call.about)
    return changed(found)
