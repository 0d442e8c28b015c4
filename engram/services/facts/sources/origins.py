"""Where facts come from, short enough for one line beside each: whose words they are, and where those were said."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final

from engram.model.fact import Fact
from engram.model.fact import Usage
from engram.ports.database import FactDatabase
from engram.ports.database import SliceKeys
from engram.rules.origin import origin_of
from engram.rules.origin import short_session

_COMPARED: Final = frozenset({"fingerprint", "skeleton"})  # fields that no reader needs


def source_lines(
    database: FactDatabase, facts: Sequence[Fact], usages: Mapping[str, Usage]
) -> dict[str, dict[str, Any]]:
    """Return id -> {"origin", "session", "path", "label"}; a session's name without most of a program's long id."""
    names = frozenset(fact.source.session for fact in facts if fact.source.session)
    sessions = database.load_slice(SliceKeys(sessions=names)).sessions if names else {}
    return {
        fact.id: {
            "origin": origin_of(fact, usages.get(fact.id), sessions.get(fact.source.session or "")).value,
            "session": short_session(fact.source.session) if fact.source.session else None,
            "path": fact.source.path,
            "label": fact.source.label,
        }
        for fact in facts
    }


def with_source_lines(
    database: FactDatabase, facts: Sequence[Fact], views: Sequence[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return views of `fact_views` with their source lines as `said`, without the forms that facts compare by."""
    shown = {view["id"] for view in views}
    lines = source_lines(database, [fact for fact in facts if fact.id in shown], database.usages(shown))
    plain = ({name: value for name, value in view.items() if name not in _COMPARED} for view in views)
    return [{**view, "said": lines[view["id"]]} for view in plain]
