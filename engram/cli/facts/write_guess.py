"""`engram write TEXT`: whom it is about and of what kind it is, found by the program and said to the person."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.base.text import parse_entity_path
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.options import STDIN
from engram.cli.invocation.options import read_text
from engram.errors import UsageError
from engram.language.names.mentions import Known
from engram.model.vocabulary import EXPERIENCE
from engram.model.vocabulary import Category
from engram.ports.database import FactDatabase
from engram.services.extract.subject.home import Home
from engram.services.extract.subject.home import folder_home
from engram.services.extract.subject_guess import guess
from engram.services.visibility import current_path
from engram.services.visibility import identify
from engram.services.visibility import visible_entities
from engram.workspace import Workspace


def split_path(words: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """Return the path of an entity that stands before a statement, "" where none does, and the statement's words.

    Raises UsageError when a path is all there is.
    """
    if (parsed := parse_entity_path(words[0])) is None:
        return "", words
    path = "/".join(parsed)
    if len(words) == 1:
        raise UsageError(f"nothing is said of {path}", hint=f'say it behind the path: engram write {path} "..."')
    return path, words[1:]


def read_statement(words: tuple[str, ...], options: Mapping[str, Any]) -> str:
    """Return the statement that was given as words; `-` reads standard input. Raises UsageError beside --fact."""
    for name in ("fact", "jsonl"):
        if options.get(name) is not None:
            raise UsageError(f"TEXT and --{name} exclude each other", hint="leave one of them out")
    return read_text(STDIN) if words == (STDIN,) else " ".join(words)


def complete(
    asked: Invocation, text: str, given: Mapping[str, Any], path: str = ""
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options of `write` with entity and category, and what of them was guessed.

    `path` is that of the entity that was named before the statement; "": none was. One that is new is told as well.
    To a session only what it may see is known, so no name that is private to others is told.
    """
    workspace = asked.workspace()
    session = given.get("session")
    with workspace.reading() as database:
        caller = identify(database, workspace.settings.agent, session)  # a write is what may make the session known
        entities = visible_entities(database, caller)
        owner = current_path(database, workspace.settings.owner)
        known = [Known(one.path, (one.title, *one.aliases)) for one in entities]
        there = {one.path for one in known}
        home = _home(workspace, database, session, there)
        path = current_path(database, path)
    found = guess(text, known, owner=owner, home=home)
    guessed: dict[str, Any] = {}
    fields = dict(given)
    if path:
        fields |= {"entity": path, "create": True}
        guessed |= {} if path in there else {"entity": path, "new": True}
    elif given.get("entity") is None:
        guessed |= {"entity": found.entity, "new": found.entity not in there}
        fields |= {"entity": found.entity, "create": True}
        if found.title and given.get("title") is None:
            fields["title"] = found.title
    if given.get("category") is None:
        kind = Category.LESSON if given.get("scope") == EXPERIENCE else found.category
        guessed["category"] = fields["category"] = kind.value
    return fields, guessed


def _home(workspace: Workspace, database: FactDatabase, session: str | None, there: set[str]) -> Home | None:
    """Return what a statement is about that names nobody: its session's project, that of the folder, or nothing."""
    for one in database.list_sessions() if session else ():
        if one.name == session and one.project:
            return Home(one.project, one.project_title or "")
    here = folder_home(str(Path.cwd()))
    if here is not None and here.path in there:  # a folder that nothing is known of is not made an entity
        return here
    return folder_home(str(workspace.paths.root))
