"""What a memory that was just filled has to show: ten facts with their sources, and how the next session begins."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.config.hook_settings import read_hook_choices
from engram.hooks.hosts import NAMES
from engram.hooks.hosts import load_host
from engram.model.conversation import Session
from engram.model.fact import Fact
from engram.operations.answers.ask import circumstances
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.origin import OWNERS
from engram.rules.origin import Origin
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.context.knowledge import Knowledge
from engram.services.context.shelves import without_restated
from engram.services.visibility import current_path
from engram.services.visibility import identify
from engram.services.visibility import scope_in
from engram.workspace import Workspace

MOST_THINGS: Final = 10
_TOLD: Final = OWNERS | {Origin.IMPORTED}  # origins of what is worth showing, each with its source


class Thing(NamedTuple):
    """A fact that was learnt."""

    id: str
    text: str
    about: str  # path of the entity
    source: str  # who said it where and on which day, in words


class NextSession(NamedTuple):
    """What the next session in the project that was worked on last begins with."""

    host: str  # title of the program
    project: str | None  # path; None: outside of any
    title: str | None  # of the project
    text: str  # the block
    tokens: int

    def as_json(self) -> dict[str, Any]:
        """Return the JSON shape of the command line."""
        return self._asdict()


class Apart(NamedTuple):
    """What was said where others than the owner may have spoken, so that it stays there."""

    facts: int = 0  # that hold now
    sessions: Sequence[str] = ()  # names, the one with the most facts first


class Learnt(NamedTuple):
    """What there is to show."""

    facts: int  # that hold now
    things: Sequence[Thing]
    next_session: NextSession
    apart: Apart = Apart()  # what is not among them


def look_back(workspace: Workspace) -> Learnt:
    """Return what a memory holds for its owner, as far as it fits a screen. Reads only."""
    choices = read_hook_choices(workspace.paths)
    with workspace.reading() as database:
        caller = identify(database, workspace.settings.agent, None, choices.agent)
        known = Knowledge(database, workspace.settings, caller, circumstances(workspace), project=None)
        sessions = {one.name: one for one in database.list_sessions()}
        last = _last_session(known.current, sessions)
        spoken = last or _last_session(known.current, sessions, anywhere=True)
        project = current_path(database, last.project) if last and last.project else None
        asked = ContextQuery(caller=caller, budget=choices.context_tokens, project=project)
        block = load_context(database, workspace.files, workspace.settings, asked, now=workspace.now())
        title = known.title(project) if project else None
        things = [_thing(known, fact) for fact in choose_things(known)]
        held = known.count_held()
        apart = _kept_apart(database, sessions.values())
    coming = NextSession(_host_title(spoken), project, title, block.text, block.tokens)
    return Learnt(held, things, coming, apart)


def _kept_apart(database: FactDatabase, sessions: Iterable[Session]) -> Apart:
    names = {scope_in(one): one.name for one in sessions if one.kind is not None}
    found = database.list_facts(FactFilter(scopes=tuple(sorted(names)))) if names else []
    counts = Counter(fact.scope for fact in found)
    return Apart(counts.total(), tuple(names[scope] for scope, _ in counts.most_common()))


def choose_things(known: Knowledge) -> list[Fact]:
    """Return facts that the owner said, of the owner and each project in turn, and of each several kinds."""
    said = [fact for fact in known.current if fact.id not in known.outdated and known.origin(fact) in _TOLD]
    of_home: dict[str, list[Fact]] = {}
    for fact in without_restated(said):
        of_home.setdefault(known.home(fact) or "", []).append(fact)
    places = {fact.id: place for facts in of_home.values() for place, fact in enumerate(_varied(facts))}
    chosen = [fact for facts in of_home.values() for fact in facts]
    weight = {fact.id: place for place, fact in enumerate(known.current)}
    first = sorted(chosen, key=lambda fact: (places[fact.id], weight[fact.id]))[:MOST_THINGS]
    homes = [*of_home]
    return sorted(first, key=lambda fact: (homes.index(known.home(fact) or ""), places[fact.id]))


def _varied(facts: Iterable[Fact]) -> list[Fact]:
    """Return facts, weightiest first, so that one of each category comes before the second of any."""
    seen: Counter[str] = Counter()
    placed = []
    for fact in facts:
        placed.append((seen[fact.category], fact))
        seen[fact.category] += 1
    return [fact for _, fact in sorted(placed, key=lambda one: one[0])]


def _thing(known: Knowledge, fact: Fact) -> Thing:
    source = known.origin_mark(fact)
    return Thing(fact.id, fact.text, fact.entity, source)


def _last_session(facts: Iterable[Fact], sessions: dict[str, Session], *, anywhere: bool = False) -> Session | None:
    """Return the session in which something was said last in a project that somebody works on, or anywhere."""
    within = {name for name, one in sessions.items() if anywhere or one.project}
    spoken = [fact for fact in facts if fact.source.session in within]
    last = max(spoken, key=lambda fact: (fact.valid_from, fact.id), default=None)
    return sessions[last.source.session or ""] if last else None


def _host_title(session: Session | None) -> str:
    """Return what people call the program of a session."""
    tool = session.name.partition("/")[0] if session else NAMES[0]
    return load_host(tool).title if tool in NAMES else tool
