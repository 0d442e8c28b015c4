"""The tools that put something in: remember, correct, forget_request, note, domain. They speak for an agent.

What an agent says is screened as at the command line: secrets are taken out, orders to the agent are quarantined. What
is said in a session that is kept apart changes nothing that others see: the commands refuse it, by its source.
"""

from typing import Any

from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.errors import UnknownFactError
from engram.mcp.answers import Answer
from engram.mcp.answers import Caller
from engram.mcp.answers import error_text
from engram.mcp.answers import fenced
from engram.mcp.answers import fields_text
from engram.mcp.answers import plain
from engram.mcp.arguments import CorrectArguments
from engram.mcp.arguments import DomainArguments
from engram.mcp.arguments import ForgetArguments
from engram.mcp.arguments import NoteArguments
from engram.mcp.arguments import RememberArguments
from engram.mcp.read_tools import identify
from engram.mcp.read_tools import result_value
from engram.mcp.resolution import entity_for
from engram.mcp.resolution import fact_of
from engram.model.commands.command import CommandResult
from engram.model.commands.command import Outcome
from engram.model.commands.write_command import WriteCommand
from engram.model.commands.write_command import WriteSource
from engram.model.domain import Role
from engram.model.fact import Actor
from engram.model.observation import ObservationCategory
from engram.model.vocabulary import CAN_BE_UNDONE
from engram.model.vocabulary import EXPERIENCE
from engram.operations.domains.domain_lock import hold_domains
from engram.operations.domains.domain_place import domain_files
from engram.operations.domains.domain_prompt import domain_context
from engram.operations.domains.domain_prompt import domains_now
from engram.operations.inbox import SEND
from engram.operations.inbox import sending
from engram.operations.inbox import told_of_stranger
from engram.operations.notes import note_line
from engram.operations.notes import noting_session
from engram.ports.text_files import TextFiles
from engram.rules.domain import format_duration
from engram.services import visibility
from engram.services.domains.desk import DomainCommands
from engram.services.domains.registry import domain_view
from engram.services.facts.listing import get_fact
from engram.services.silo.folder import silo_folder
from engram.services.silo.handoff import write_handoff
from engram.workspace import Workspace

_WAIT_S = (
    10.0  # that a call waits for the store; what is not applied by then is durable, and applied by whoever is next
)
HANDOFF_SECTION = "handoff"
_ASKS = "Somebody asks to forget"  # begins the observation, so that the same request is counted and not noted twice


def remember(workspace: Workspace, who: Caller, said: RememberArguments) -> Answer:
    """Record a fact, about an entity that is made when nobody of a like name is known."""
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
        replaced = [fact_of(database, caller, one).id for one in said.supersedes]
        meant = entity_for(database, caller, said.entity, said.fact, create=said.create)
    command = WriteCommand(
        entity=meant.path,
        create=meant.is_new,
        title=meant.title,
        text=said.fact,
        source=_source(caller, said.source),
        scope=_scope(caller, who, said),
        supersedes=replaced,
        **said.model_dump(exclude={"entity", "create", "fact", "source", "private", "experience", "supersedes"}),
    )
    answer = _submitted(workspace, "write", command.as_args())
    if answer.is_error or not meant.is_new:
        return answer
    return answer._replace(
        text=f"{answer.text}\nnew entity: {meant.path}", value={**answer.value, "new_entity": meant.path}
    )


def correct(workspace: Workspace, who: Caller, said: CorrectArguments) -> Answer:
    """Put what is right in the place of a fact."""
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
        fact = fact_of(database, caller, said.id)
    args = {"id": fact.id, "text": said.fact, "category": said.category, "value": said.value}
    args = {name: one for name, one in args.items() if one is not None}
    return _submitted(workspace, "correct", {**args, "source": _source(caller).as_args(), CAN_BE_UNDONE: True})


def forget_request(workspace: Workspace, who: Caller, said: ForgetArguments) -> Answer:
    """Note that something is to be forgotten, for a person to decide in the review. Deletes nothing."""
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
        try:
            facts = [get_fact(database, said.what, caller).id]
        except UnknownFactError:
            facts = []  # it was said in words
    what = facts[0] if facts else said.what
    args = {
        "text": f"{_ASKS} {what}" + (f": {said.reason}" if said.reason else ""),
        "category": ObservationCategory.QUALITY.value,
        "facts": facts,
        "session": caller.session,
    }
    answer = _submitted(workspace, "observe", args)
    if answer.is_error:
        return answer
    return answer._replace(text=f"{answer.text}\nnothing is deleted; a person decides in the review")


def note(workspace: Workspace, who: Caller, said: NoteArguments) -> Answer:
    """Append a line to today's note of the caller's session, or write the handoff for the next one or another agent."""
    if said.to is not None:
        return _handed_over(workspace, who, said)
    with workspace.reading() as database:
        session = noting_session(database, identify(workspace, database, who))
    if said.section == HANDOFF_SECTION:
        folder = silo_folder(workspace.settings.agent, session)
        written = write_handoff(workspace.files, folder, said.text, now=workspace.now())
        value = {"status": "done", "path": written.path, "version": written.version}
        return Answer(f"version {written.version} of {written.path}", value)
    noted = note_line(workspace, session, said.text, said.section)
    value = {"status": "done", "path": noted.path, "section": said.section}
    return Answer(f"noted in {noted.path}", {**value, "redactions": list(noted.report.redactions)})


def _handed_over(workspace: Workspace, who: Caller, said: NoteArguments) -> Answer:
    if "section" in said.model_fields_set and said.section != HANDOFF_SECTION:
        raise BadValueError("only a handoff has an addressee", hint=f"memory_note with section {HANDOFF_SECTION}")
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
    args = sending(workspace, caller, said.to or "", said.text)
    result = workspace.submit(SEND, _given(args), actor=Actor.AGENT, wait_s=_WAIT_S)
    if result.status == Outcome.DONE:
        reason = told_of_stranger(workspace, result.model_dump(mode="json"), said.to or "")["reason"]
        result = result.model_copy(update={"reason": reason})
    return result_answer(result)


def _given(args: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in args.items() if value is not None}


def domain(workspace: Workspace, who: Caller, said: DomainArguments) -> Answer:
    """List domains, show the context of one, or report into it; in a session that is kept apart, of its own alone."""
    with workspace.reading() as database:
        caller = identify(workspace, database, who)
    files = domain_files(workspace, caller)
    if said.say is not None:
        return _reported(workspace, files, said)
    if said.name is not None:
        text = domain_context(workspace, said.name, caller=caller)
        return Answer(text, {"name": said.name, "text": text})
    registry, folder = domains_now(workspace, files), files.paths.relative(files.paths.domains)
    views = [
        domain_view(registry, one, workspace.now(), folder)
        for _, one in sorted(registry.domains.items())
        if not one.archived
    ]
    lines = [
        f"{one['name']}  {one['type']}  {one['state']}  {format_duration(one['silent_s'])} silent" for one in views
    ]
    return Answer(fenced("domains", lines) if lines else "no domains yet", {"domains": views})


def _reported(workspace: Workspace, files: TextFiles, said: DomainArguments) -> Answer:
    if said.name is None or said.text is None:
        raise BadValueError(
            "a report needs the name of a domain and a text", hint="memory_domain without arguments lists them"
        )
    with hold_domains(workspace, "domain", wait_s=_WAIT_S):
        desk = DomainCommands(files, now=workspace.now(), role=Role.SUBAGENT)
        report = {"status": desk.set_status, "log": desk.log, "propose": desk.propose}[said.say or "log"]
        value = report(said.name, said.text)
    return Answer("\n".join(fields_text(plain(value))), plain(value))


def _submitted(workspace: Workspace, kind: str, args: dict[str, Any]) -> Answer:
    """Submit a command and return what became of it."""
    return result_answer(workspace.submit(kind, args, actor=Actor.AGENT, wait_s=_WAIT_S))


def result_answer(result: CommandResult) -> Answer:
    """Return what became of a command as a tool says it."""
    whole = result.model_dump(mode="json")
    value = result_value(whole)
    if result.status == Outcome.REFUSED:
        said = {"error": result.error, "message": value["reason"], "hint": value["hint"], "details": whole["details"]}
        text = error_text(result.error or "", value["reason"] or "", value["hint"] or "")
        return Answer(text, {**said, "result": value}, is_error=True)
    reason = [value["reason"]] if value["reason"] else []
    lines = [f"{result.status.value}  {result.id or result.command_id}", *reason]
    similar = [f"similar: {one['id']}  {one['text']}" for one in result.similar]
    return Answer("\n".join(lines + ([fenced("facts", similar)] if similar else [])), value)


def _source(caller: visibility.Caller, label: str | None = None) -> WriteSource:
    """Return where it comes from: an agent, in the session in which it stands."""
    return WriteSource(Actor.AGENT, session=caller.session, label=label)


def _scope(caller: visibility.Caller, who: Caller, said: RememberArguments) -> str | None:
    if said.experience and said.private:
        raise BadValueError("a lesson for the pool is not private", hint="leave out one of experience and private")
    return EXPERIENCE if said.experience else _private_scope(caller, who) if said.private else None


def _private_scope(caller: visibility.Caller, who: Caller) -> str:
    if caller.session is not None:
        return f"session:{caller.session}"
    if who.agent is None:
        raise RefusedError(
            "this server was started for no session and no agent", hint="engram mcp --session NAME, or write it shared"
        )
    return f"agent:{caller.agent}"
