"""What a host can attach to a conversation: summaries of people and projects, domains, and the context block."""

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import quote
from urllib.parse import unquote

from engram.base.disk.safe_files import read_within
from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.errors import NotFoundError
from engram.mcp.answers import Caller
from engram.mcp.answers import fenced
from engram.mcp.arguments import ContextArguments
from engram.mcp.read_tools import context
from engram.mcp.read_tools import identify
from engram.operations.domains.domain_place import domain_files
from engram.operations.domains.domain_prompt import domain_context
from engram.services import visibility
from engram.services.domains.registry import load_registry
from engram.services.visibility import visible_entities
from engram.workspace import Workspace

SCHEME = "engram://"
CONTEXT = f"{SCHEME}context"
SUMMARY = f"{SCHEME}summary/"  # and an entity's path, such as people/anna
DOMAIN = f"{SCHEME}domain/"  # and a domain's name

_MOST_LISTED = 200  # entities; others are read by their path all the same
_MOST_BYTES = 1 << 20  # of a summary


class Listed(NamedTuple):
    """One resource as a host lists it."""

    uri: str
    name: str
    description: str


TEMPLATES = (
    Listed(f"{SUMMARY}{{kind}}/{{name}}", "summary", "What is known of a person or project: its hot and warm facts."),
    Listed(f"{DOMAIN}{{name}}", "domain", "The context of a domain that was given to a subagent."),
)


def list_resources(workspace: Workspace, who: Caller) -> list[Listed]:
    """Return the context block, domains, and summaries of entities that the caller may know, up to 200 by path."""
    return [
        Listed(CONTEXT, "context", "What an agent loads when work begins."),
        *_domains(workspace, who),
        *_summaries(workspace, who),
    ]


def read_resource(workspace: Workspace, who: Caller, uri: str) -> str:
    """Return the text of a resource; raise NotFoundError when there is none of that address."""
    if uri == CONTEXT:
        return context(workspace, who, ContextArguments()).text
    if uri.startswith(DOMAIN):
        return domain_context(workspace, unquote(uri.removeprefix(DOMAIN)), caller=_caller(workspace, who))
    if uri.startswith(SUMMARY):
        return _summary(workspace, who, unquote(uri.removeprefix(SUMMARY)), uri)
    raise NotFoundError(f"there is no resource {uri!r}", hint=f"such as {CONTEXT} or {SUMMARY}people/anna")


def _caller(workspace: Workspace, who: Caller) -> visibility.Caller:
    with workspace.reading() as database:
        return identify(workspace, database, who)


def _domains(workspace: Workspace, who: Caller) -> Iterator[Listed]:
    try:
        files = domain_files(workspace, _caller(workspace, who))
    except BadValueError:  # a chat whose name can have no silo has no domains
        return
    for name, one in sorted(load_registry(files).domains.items()):
        if not one.archived:
            yield Listed(f"{DOMAIN}{quote(name)}", name, f"Context of the domain {name} ({one.type.value}).")


def _summaries(workspace: Workspace, who: Caller) -> Iterator[Listed]:
    with workspace.reading() as database:
        entities = visible_entities(database, identify(workspace, database, who))
    for entity in entities[:_MOST_LISTED]:
        yield Listed(f"{SUMMARY}{quote(entity.path)}", entity.title, f"Summary of {entity.path}.")


def _summary(workspace: Workspace, who: Caller, path: str, uri: str) -> str:
    """Return the summary.md, in which only shared facts stand, of an entity that the caller may know.

    Of one of whom nothing shared is known there is no file: its name alone is returned.
    """
    title = _title(workspace, who, path) if parse_entity_path(path) else None
    if title is None:
        raise NotFoundError(f"there is no resource {uri!r}", hint="engram entity list")
    try:
        raw = read_within(workspace.paths.root, f"life/{path}/summary.md", most_bytes=_MOST_BYTES)
        lines = raw.decode("utf-8-sig", errors="replace").splitlines()
    except FileNotFoundError:
        lines = [f"# {title}"]
    except OSError as problem:
        raise NotFoundError(f"{uri} cannot be read: {problem.strerror}", hint="engram doctor") from problem
    return fenced(f"summary of {path}", lines)


def _title(workspace: Workspace, who: Caller, path: str) -> str | None:
    """Return what an entity is called, or None when the caller may know of none at that path."""
    with workspace.reading() as database:
        known = visible_entities(database, identify(workspace, database, who))
    return next((entity.title for entity in known if entity.path == path), None)
