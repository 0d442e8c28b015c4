"""One question to a workspace: index and database held for it, and what the options of a door mean.

Every door asks through here, so that the same words get the same answer at each.
"""

import datetime as dt
import time
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from engram.base.clock import local_day
from engram.base.dates import parse_bound
from engram.base.dates import parse_moment
from engram.base.disk.own_files import read_own_text
from engram.base.text import require_plain
from engram.base.text import slug_problem
from engram.base.tokens.estimate import estimate_tokens
from engram.config.project_folders import read_project_folders
from engram.errors import BadValueError
from engram.errors import DegradedIndexError
from engram.model.commands.field_errors import wrong_field
from engram.model.document import Hit
from engram.operations.answers.held_index import CATCH_UP_S
from engram.operations.answers.held_index import Searched
from engram.operations.answers.held_index import searching
from engram.services.commands.access_counts import RecallReceipt
from engram.services.context.standing_instructions import StandingQuery
from engram.services.context.standing_instructions import recall_standing
from engram.services.recall.answer import Recall
from engram.services.recall.place import Reader
from engram.services.recall.place import check_line
from engram.services.recall.place import parse_place
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.services.recall.workplaces import Workplaces
from engram.services.silo.folder import silo_folder
from engram.services.visibility import Caller
from engram.services.visibility import identify
from engram.workspace import Workspace

_BOUNDS = ("since", "until")  # that admit the days which they name
_MOMENTS = ("as_of", "as_known", *_BOUNDS)
_RECENT = "recent_days"  # an option that stands for since
_MOST_DAYS = 36_500
_MOST_PARTS = 2  # of a session's name: AGENT/SESSION
_NAMES = {"k": "limit", "index": "index_only"}  # as the options are called -> as the query calls them


@contextmanager
def recalling(workspace: Workspace, question: str = "", *, applies: bool = True) -> Iterator[Recall]:
    """Bring database and index up to date, and hold both for one question, which may be told before.

    Commands that wait in the spool are applied first if `applies`.
    """
    if question:
        workspace.index.prefetch(question)
    with (
        searching(workspace, CATCH_UP_S, applies=applies) as searched,
        remembering(workspace, searched, applies=applies) as memory,
    ):
        yield memory


@contextmanager
def remembering(workspace: Workspace, searched: Searched, *, applies: bool = True) -> Iterator[Recall]:
    """Hold the database for some questions; writers wait meanwhile, so not for many. `applies`: see `recalling`."""
    with workspace.reading(applies=applies) as database:
        yield Recall(searched.vectors, database, circumstances(workspace, searched))


def find_caller(workspace: Workspace, session: str | None = None, agent: str | None = None) -> Caller:
    """Return who asks; raise UnknownSessionError for a session, not the main one, that nothing was said or noted in."""
    with workspace.reading() as database:
        return identify(
            database, workspace.settings.agent, session, agent, has_notes=lambda name: _has_notes(workspace, name)
        )


def log_answers(workspace: Workspace, answers: Iterable[tuple[RecallQuery, RecallAnswer]]) -> None:
    """Note what questions were answered with: it is known again when it comes back, and it counts as used."""
    workspace.answers.note([RecallReceipt(one.hits, one.tokens, asked.query, asked.session) for asked, one in answers])


def answer_standing(workspace: Workspace, asked: StandingQuery) -> RecallAnswer:
    """Return what always holds for who asks; the index is not needed for it. Raises UnknownSessionError."""
    with workspace.reading() as database:
        around = circumstances(workspace)
        identify(database, around.agent, asked.session, has_notes=around.has_notes)  # refuses one that nobody knows
        answer = recall_standing(database, asked, around, owner=workspace.settings.owner)
    workspace.answers.note([RecallReceipt(answer.hits, answer.tokens, session=asked.session, door="standing")])
    return answer


def read_details(workspace: Workspace, ids: Sequence[str], given: Mapping[str, Any]) -> list[Hit]:
    """Return the whole text of chosen hits, in the order asked for.

    Args:
        workspace: knows them.
        ids: of facts, turns and entries of notes.
        given: who asks: session, agent.

    Raises:
        NotFoundError: names the first id that is unknown, or not for who asks.
        UnknownSessionError: when there is no such session.
    """
    asker = make_query(workspace, {"query": "ids", **given})
    with recalling(workspace) as memory:
        hits = memory.detail(list(ids), asker)
    tokens = sum(estimate_tokens(hit.text) for hit in hits)
    workspace.answers.note([RecallReceipt(hits, tokens, session=asker.session, door="detail")])
    return hits


def read_place(workspace: Workspace, at: str, given: Mapping[str, Any]) -> Hit:
    """Return the lines around a place of a note.

    Args:
        workspace: whose note it is.
        at: PATH:LINE, or PATH:FIRST-LAST, as hits name places.
        given: who asks: session, agent.

    Raises:
        BadValueError: for what is no place, leads out of the workspace, or has no such line.
        NotFoundError: when nothing there is for the asker.
        UnknownSessionError, DegradedIndexError: when there is no such session, or no index.
    """
    place = parse_place(at, workspace.paths.root)
    note = workspace.paths.root / place.path
    if note.is_file():
        check_line(place, read_own_text(note, errors="replace"))
    asker = make_query(workspace, {"query": "place", **given})
    with searching(workspace, CATCH_UP_S) as searched, workspace.reading() as database:
        index = searched.vectors
        if index is None:
            raise DegradedIndexError("; ".join(searched.degraded))
        reader = Reader(index, database, circumstances(workspace, searched))
        hit = reader.read(place, workspace.index.notes.ids_of(index, place.path), asker)
    tokens = estimate_tokens(hit.text)
    workspace.answers.note([RecallReceipt([hit], tokens, session=asker.session, door="detail")])
    return hit


def circumstances(workspace: Workspace, searched: Searched | None = None) -> RecallContext:
    """Return when and where it is asked; without an index nothing of it is missing."""
    own = workspace.paths.self_file
    return RecallContext(
        now=workspace.now(),
        zone=workspace.settings.zone,
        decay=workspace.settings.decay,
        clock=time.perf_counter,
        agent=workspace.settings.agent,
        self_text=read_own_text(own, errors="replace") if own.is_file() else "",
        has_notes=lambda session: _has_notes(workspace, session),
        threshold=workspace.settings.recall.threshold,
        graph=workspace.settings.recall.graph,
        behind=searched.behind if searched else 0,
        degraded=searched.degraded if searched else (),
        workplaces=workplaces_of(workspace),
        engine=workspace.index.place.engine if searched and searched.vectors is not None else None,
    )


def workplaces_of(workspace: Workspace) -> Workplaces:
    """Return the folders in which what is remembered may name something."""
    return Workplaces(str(workspace.paths.root), lambda: read_project_folders(workspace.paths))


def make_query(workspace: Workspace, given: Mapping[str, Any]) -> RecallQuery:
    """Return the query that options mean; raise BadValueError that names the first bad one."""
    fields = {_NAMES.get(name, name): value for name, value in given.items()}
    fields.setdefault("limit", workspace.settings.recall.limit)
    if (days := fields.pop(_RECENT, None)) is not None:
        fields["since"] = _days_ago(workspace, days, beside=fields)
    for name in _MOMENTS:
        if isinstance(fields.get(name), str):
            fields[name] = _moment(workspace, name, fields[name])
    require_plain(given)
    try:
        return RecallQuery.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        name = {value: key for key, value in _NAMES.items()}.get(str(first["loc"][0]), str(first["loc"][0]))
        is_unknown = first["type"] == "extra_forbidden"
        why = f"{name}: is not an option" if is_unknown else wrong_field(name, first)
        hint = f"give {name}: the question, in plain words" if first["type"] == "missing" else "engram recall --help"
        raise BadValueError(why, hint=hint) from problem


def _days_ago(workspace: Workspace, days: object, *, beside: Mapping[str, Any]) -> dt.datetime:
    """Return the instant from which the last so many days, today among them, begin; raise BadValueError."""
    if "since" in beside:
        raise BadValueError("recent_days and since exclude each other", hint="leave one of them out")
    if not isinstance(days, int) or isinstance(days, bool) or not 1 <= days <= _MOST_DAYS:
        raise BadValueError(f"recent_days: {days!r} is no whole number from 1 to {_MOST_DAYS}", hint="such as 7")
    zone = workspace.settings.zone
    first = local_day(workspace.now(), zone) - dt.timedelta(days=days - 1)
    return dt.datetime.combine(first, dt.time(), zone).astimezone(dt.UTC)


def _has_notes(workspace: Workspace, session: str) -> bool:
    """Tell whether notes of a session lie in its folder, read or not."""
    parts = session.split("/")
    if len(parts) > _MOST_PARTS or any(slug_problem(part) for part in parts):
        return False
    folder = workspace.paths.root / silo_folder(workspace.settings.agent, session)
    return folder.is_dir() and any(folder.glob("*.md"))


def _moment(workspace: Workspace, name: str, text: str) -> dt.datetime:
    option = "--" + name.replace("_", "-")
    zone, now = workspace.settings.zone, workspace.now()
    if name in _BOUNDS:
        return parse_bound(text, zone=zone, now=now, name=option, ends=name == "until")
    return parse_moment(text, zone=zone, now=now, name=option)
