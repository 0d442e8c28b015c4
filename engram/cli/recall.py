"""`engram recall`: one question, many questions, or the whole text of chosen hits."""

import datetime as dt
import json
import time
from collections.abc import Callable
from collections.abc import Iterator
from contextlib import ExitStack
from contextlib import contextmanager
from typing import Any
from typing import NamedTuple

import click
from pydantic import ValidationError

from engram.base.dates import parse_moment
from engram.cli.options import EngramCommand
from engram.cli.options import Invocation
from engram.cli.options import check_text
from engram.cli.options import invocation
from engram.cli.options import read_text
from engram.cli.recall_text import answer_text
from engram.cli.recall_text import hits_lines
from engram.errors import BadValueError
from engram.errors import DegradedIndexError
from engram.errors import EngramError
from engram.errors import MalformedInputError
from engram.errors import NothingKnownError
from engram.errors import StoreBusyError
from engram.errors import UsageError
from engram.ports.index import VectorIndex
from engram.rules.ranking import estimate_tokens
from engram.services.accesses import GivenOut
from engram.services.keeping_current import is_current
from engram.services.recall import Recall
from engram.services.recall_candidates import Gatherer
from engram.services.recall_query import NOTHING_KNOWN
from engram.services.recall_query import Circumstances
from engram.services.recall_query import RecallAnswer
from engram.services.recall_query import RecallQuery
from engram.services.recall_query import hit_json
from engram.workspace import Workspace

_MOMENTS = ("as_of", "as_known", "since", "until")
_LINES_AT_A_TIME = 32  # questions between which writers get their turn
_DATE_CHARS = len("2026-02-24")
_NAMES = {"k": "limit", "index": "index_only"}  # as the options are called -> as the query calls them


@click.command(cls=EngramCommand)
@click.argument("words", nargs=-1, metavar="QUERY")
@click.option("-k", "k", type=click.IntRange(1, 1000), metavar="N", help="Hits at most.")
@click.option("--entity", metavar="E", help="Only facts of this entity: path, title or alias.")
@click.option("--space", type=click.Choice(["notes", "ops", "self", "all"]), help="notes: facts; ops: raw text; self.")
@click.option("--session", metavar="S", help="Who asks: with its private facts, and only its own raw text.")
@click.option("--as-of", metavar="T", help="What was true in the world then.")
@click.option("--as-known", metavar="T", help="What was believed then.")
@click.option("--since", metavar="D", help="Said, or true, from then on.")
@click.option("--until", metavar="D", help="Said, or true, until then; a date includes its day.")
@click.option("--budget", type=click.IntRange(0), metavar="TOKENS", help="Whole hits that fit into so many tokens.")
@click.option("--by", type=click.Choice(["item", "session"]), help="Rank single documents or whole sessions.")
@click.option("--index", is_flag=True, default=None, help="Ids and first lines only.")
@click.option("--explain", is_flag=True, default=None, help="Scores of the legs, and why others were dropped.")
@click.option("--strict", is_flag=True, help="Exit 7 when the index is degraded, 8 when nothing is known.")
@click.option("--detail", is_flag=True, help="QUERY is ids of hits: print their whole text.")
@click.option("--standing", is_flag=True, help="No QUERY: the instructions and preferences that always hold.")
@click.option("--jsonl", metavar="F", help='Many questions: lines {"id", "query", ...options}; - is standard input.')
def recall(
    words: tuple[str, ...], *, strict: bool, detail: bool, standing: bool, jsonl: str | None, **options: Any
) -> int:
    """Ask the memory.

    \b
    Example:
      engram recall "what does Anna prefer"
    """
    asked = invocation()
    given = {name: value for name, value in options.items() if value is not None}
    check_usage(words, given, detail=detail, standing=standing, jsonl=jsonl)
    workspace = asked.workspace()
    if standing:
        return answer_standing(asked, workspace, given, strict=strict)
    if jsonl is not None:
        return answer_lines(asked, workspace, read_text(jsonl), given, strict=strict)
    if detail:
        scopes = make_query(workspace, {"query": "ids", **given}).visible_scopes()
        with recalling(workspace) as memory:
            hits = memory.detail(words, scopes)
        asked.emit({"hits": [hit_json(hit) for hit in hits]}, "\n".join(hits_lines(hits)))
        tokens = sum(estimate_tokens(hit.text) for hit in hits)
        workspace.log_accesses([GivenOut(hits, tokens, session=given.get("session"), door="detail")])
        return 0
    query = make_query(workspace, {"query": " ".join(words), **given})
    with recalling(workspace, query.query) as memory:
        answer = memory.answer(query)
        asked.emit(answer.as_json(), answer_text(answer))
        workspace.log_accesses([GivenOut(answer.hits, answer.tokens, query.query, query.session)])
        refuse_if_strict([answer], strict=strict)
        asked.leave(0)  # closing the index would empty the page cache, for which the next question had to wait
    return 0


def answer_standing(asked: Invocation, workspace: Workspace, given: dict[str, Any], *, strict: bool) -> int:
    """Print what always holds; the index is not needed for it."""
    from engram.services.standing import StandingQuery  # noqa: PLC0415 - only for this kind of question
    from engram.services.standing import recall_standing  # noqa: PLC0415 - as above

    query = StandingQuery(session=given.get("session"), budget=given.get("budget"), limit=given.get("k"))
    with workspace.reading() as database:
        around = circumstances(workspace)
        Gatherer(None, database, around).check_session(query.session)
        answer = recall_standing(database, query, around, owner=workspace.settings.owner)
    asked.emit(answer.as_json(), answer_text(answer))
    workspace.log_accesses([GivenOut(answer.hits, answer.tokens, session=query.session, door="standing")])
    refuse_if_strict([answer], strict=strict)
    return 0


def check_usage(
    words: tuple[str, ...], given: dict[str, Any], *, detail: bool, standing: bool, jsonl: str | None
) -> None:
    """Refuse what does not go together, and words that no option may hold."""
    for name, value in (("query", " ".join(words)), *given.items()):
        if isinstance(value, str):
            check_text(name.replace("_", "-"), value)
    if standing and (words or detail or jsonl is not None):
        raise UsageError("--standing takes no question", hint="engram recall --standing")
    if standing and (others := given.keys() - {"session", "budget", "k"}):
        name = min(others).replace("_", "-")
        raise UsageError(f"--standing does not go with --{name}", hint="engram recall --standing --budget 500")
    if jsonl is not None and (words or detail):
        raise UsageError("--jsonl takes its questions from the file alone", hint="engram recall --help")
    if detail and (others := given.keys() - {"session"}):
        name = min(others).replace("_", "-")
        raise UsageError(f"--detail does not go with --{name}", hint="engram recall --detail ID...")
    if jsonl is None and not standing and not " ".join(words).strip():
        raise BadValueError("there is no question", hint='such as engram recall "what does Anna prefer"')


class Searched(NamedTuple):
    """The index as it stands for one command."""

    vectors: VectorIndex | None  # None: it cannot be used
    behind: int  # journal records that it has not taken in
    degraded: tuple[str, ...]  # why it cannot be used, or lacks the model that the settings name


@contextmanager
def recalling(workspace: Workspace, question: str = "") -> Iterator[Recall]:
    """Bring database and index up to date, and hold both for one question, which may be told before."""
    if question:
        workspace.foresee(question)
    budget_s = workspace.settings.recall.catch_up_s
    with searching(workspace, budget_s) as searched, remembering(workspace, searched) as memory:
        yield memory


@contextmanager
def searching(workspace: Workspace, budget_s: float | None) -> Iterator[Searched]:
    """Bring the index up to date within so many seconds (None: wholly) and hold it; what is missing is said."""
    workspace.apply_waiting()  # the store is not held while the index catches up
    with ExitStack() as stack:
        try:
            if budget_s is None:
                workspace.complete_index()
            index = stack.enter_context(workspace.searching())
            searched = _catch_up(workspace, index, budget_s)
        except (DegradedIndexError, StoreBusyError) as problem:
            why = f"no index: {problem.message} ({problem.hint})"
            searched = Searched(None, workspace.journal.head()[0], (why,))
        yield searched


def _catch_up(workspace: Workspace, index: VectorIndex, budget_s: float | None) -> Searched:
    """Take in the words of what is new, then as many vectors as there is time for."""
    settings, clock = workspace.settings, time.monotonic
    started, behind = clock(), 0
    if not is_current(workspace.journal, index):
        from engram.services.indexing import catch_up  # noqa: PLC0415 - most questions find the index current

        zone, patterns = settings.zone, settings.screen.patterns
        lag = catch_up(workspace.journal, index, budget_s=budget_s, clock=clock, zone=zone, patterns=patterns)
        behind = lag.behind
    embedder, why = workspace.embedder
    lacks_model = embedder is None and settings.embeddings.provider not in {"auto", "none"}
    degraded = [why] if lacks_model else []
    try:
        index.embed_pending(None if budget_s is None else budget_s - (clock() - started), clock)
    except EngramError as problem:  # such as a service that does not answer
        degraded.append(f"no new vectors: {problem.message} ({problem.hint})")
    return Searched(index, behind, (*degraded, *index.missing()))


@contextmanager
def remembering(workspace: Workspace, searched: Searched) -> Iterator[Recall]:
    """Hold the database for some questions; writers wait meanwhile, so not for many."""
    with workspace.reading() as database:
        yield Recall(searched.vectors, database, circumstances(workspace, searched))


def circumstances(workspace: Workspace, searched: Searched | None = None) -> Circumstances:
    """Return when and where it is asked; without an index nothing of it is missing."""
    own = workspace.paths.self_file
    return Circumstances(
        now=workspace.now(),
        zone=workspace.settings.zone,
        decay=workspace.settings.decay,
        clock=time.perf_counter,
        self_text=own.read_text(encoding="utf-8", errors="replace") if own.is_file() else "",
        threshold=workspace.settings.recall.threshold,
        graph=workspace.settings.recall.graph,
        behind=searched.behind if searched else 0,
        degraded=searched.degraded if searched else (),
    )


def make_query(workspace: Workspace, given: dict[str, Any]) -> RecallQuery:
    """Return the query that options mean; raise BadValueError that names the first bad one."""
    fields = {_NAMES.get(name, name): value for name, value in given.items()}
    fields.setdefault("limit", workspace.settings.recall.limit)
    for name in _MOMENTS:
        if isinstance(fields.get(name), str):
            fields[name] = _moment(workspace, name, fields[name])
    try:
        return RecallQuery.model_validate(fields)
    except ValidationError as problem:
        first = problem.errors(include_url=False)[0]
        name = {value: key for key, value in _NAMES.items()}.get(str(first["loc"][0]), str(first["loc"][0]))
        why = "is not an option" if first["type"] == "extra_forbidden" else first["msg"]
        raise BadValueError(f"{name}: {why}", hint="engram recall --help") from problem


def _moment(workspace: Workspace, name: str, text: str) -> dt.datetime:
    option = "--" + name.replace("_", "-")
    at = parse_moment(text, zone=workspace.settings.zone, now=workspace.now(), name=option)
    whole_day = name == "until" and len(text.strip()) == _DATE_CHARS
    return at + dt.timedelta(days=1) if whole_day else at


def answer_lines(asked: Invocation, workspace: Workspace, text: str, given: dict[str, Any], *, strict: bool) -> int:
    """Answer each line in order, the index opened once; raise MalformedInputError when a line was bad, after all."""
    answers: list[RecallAnswer] = []
    lines = [line for line in text.split("\n") if line.strip()]
    with searching(workspace, None) as searched:  # many questions are worth waiting for the whole index
        for first in range(0, len(lines), _LINES_AT_A_TIME):
            with remembering(workspace, searched) as memory:
                given_out: list[GivenOut] = []
                for number, line in enumerate(lines[first : first + _LINES_AT_A_TIME], first + 1):
                    one = _answer_line(workspace, line, given, memory.answer)
                    _emit_line(asked, line, number, one)
                    if isinstance(one, RecallAnswer):
                        answers.append(one)
                        given_out.append(_given_out(line, given, one))
            workspace.log_accesses(given_out)
    if len(answers) < len(lines):
        raise MalformedInputError(
            f"{len(lines) - len(answers)} of {len(lines)} questions could not be asked; each says why",
            hint='lines are {"id": 1, "query": "what does Anna prefer"}',
        )
    refuse_if_strict(answers, strict=strict)
    return 0


def _emit_line(asked: Invocation, line: str, number: int, one: RecallAnswer | EngramError) -> None:
    if isinstance(one, EngramError):
        words = {"line": number, "error": one.code, "message": one.message, "hint": one.hint}
        asked.emit_line({"id": _id_of(line), **words}, f"line {number}: {one.message}")
    else:
        asked.emit_line({"id": _id_of(line), **one.as_json()}, answer_text(one))


def _answer_line(
    workspace: Workspace, line: str, given: dict[str, Any], answer: Callable[[RecallQuery], RecallAnswer]
) -> RecallAnswer | EngramError:
    try:
        fields = json.loads(line)
        if not isinstance(fields, dict):
            return BadValueError("it is not an object", hint='such as {"id": 1, "query": "what does Anna prefer"}')
        fields.pop("id", None)
        return answer(make_query(workspace, {**given, **fields}))
    except ValueError as problem:
        return BadValueError(f"it is not JSON: {problem}", hint='such as {"id": 1, "query": "what does Anna prefer"}')
    except EngramError as problem:
        return problem


def _given_out(line: str, given: dict[str, Any], answer: RecallAnswer) -> GivenOut:
    fields = {**given, **json.loads(line)}
    return GivenOut(answer.hits, answer.tokens, fields["query"], fields.get("session"))


def _id_of(line: str) -> Any:
    try:
        fields = json.loads(line)
    except ValueError:
        return None
    return fields.get("id") if isinstance(fields, dict) else None


def refuse_if_strict(answers: list[RecallAnswer], *, strict: bool) -> None:
    """With --strict, raise DegradedIndexError or NothingKnownError for answers that were given on a poor footing."""
    for answer in answers if strict else ():
        if answer.impaired:
            raise DegradedIndexError("; ".join(answer.degraded))
        if answer.answer == NOTHING_KNOWN:
            raise NothingKnownError
