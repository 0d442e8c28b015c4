"""What a child is asked about one batch: its texts, whom they may be about, and what helps to judge them."""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import NamedTuple

from engram.heartbeat.extraction.batches import Batch
from engram.heartbeat.extraction.homes import Homes
from engram.heartbeat.extraction.line_vectors import Packed
from engram.heartbeat.extraction.passages import occasion_of
from engram.heartbeat.extraction.passages import passage_row
from engram.language.names.mentions import Known
from engram.language.names.new_entities import MIN_MENTIONS
from engram.language.names.new_entities import find_beginnings
from engram.language.screen.secrets import redact
from engram.model.conversation import NoteEntry
from engram.model.conversation import Turn
from engram.model.handoff import HandoffFact
from engram.services.visibility import current_path
from engram.workspace import Workspace

Rows = Mapping[str, dict[str, Any]]  # by the id of an entry or turn: as a question shows it
_NAMES = 200  # of a batch that evidence is sought for, in entries that were read before
_ENTRIES_PER_NAME = 30  # the newest that count as evidence for one name


class Whom(NamedTuple):
    """Whom texts may be about."""

    known: Sequence[Known]
    owner: str  # path, or "" for nobody

    def after(self, facts: Iterable[HandoffFact]) -> "Whom":
        """Return whom the next texts may be about when these facts are recorded, which make entities."""
        there = {one.path for one in self.known}
        made = {fact.entity: fact.title or "" for fact in facts if fact.entity not in there}
        return self._replace(
            known=[*self.known, *(Known(path, (title,) if title else ()) for path, title in made.items())]
        )


def find_whom(workspace: Workspace) -> Whom:
    """Return the entities that there are, and the owner."""
    with workspace.reading() as database:
        entities = database.list_entities()
        owner = current_path(database, workspace.settings.owner)
    return Whom([Known(entity.path, (entity.title, *entity.aliases)) for entity in entities], owner)


def passages_of(rows: Iterable[NoteEntry | Turn], homes: Homes, *, without_secrets: bool) -> list[dict[str, Any]]:
    """Return entries and turns as a question shows them; `without_secrets` for what leaves for an agent."""
    if without_secrets:  # and perhaps for another machine
        return [{**passage_row(row, homes), "text": redact(row.text).text} for row in rows]
    return [{**passage_row(row, homes), "occasion": occasion_of(row)} for row in rows]


def built_in_question(
    workspace: Workspace, batch: Batch, whom: Whom, vectors: Mapping[str, Packed], unrecorded: Sequence[str] = ()
) -> dict[str, Any]:
    """Return what the built-in child is asked about a batch.

    Args:
        workspace: where the batch comes from.
        batch: what is asked about.
        whom: whom it may be about.
        vectors: by the id of an entry or turn, those of its lines.
        unrecorded: texts that were read just before and are not recorded yet: they count as evidence for names, too.
    """
    passages = passages_of(batch.rows, Homes(workspace), without_secrets=False)
    return {
        **_about(passages, whom),
        "background": _background(workspace, batch, unrecorded),
        "vectors": {text: vector for row in passages for text, vector in vectors.get(row["id"], {}).items()},
    }


def agent_question(passages: Sequence[Mapping[str, Any]], whom: Whom) -> dict[str, Any]:
    """Return what an agent is asked about passages."""
    return {**_about(passages, whom), "background": []}


def _about(passages: Sequence[Mapping[str, Any]], whom: Whom) -> dict[str, Any]:
    return {
        "passages": passages,
        "entities": [{"path": one.path, "names": list(one.names)} for one in whom.known],
        "owner": whom.owner,
        "min_mentions": MIN_MENTIONS,
    }


def _background(workspace: Workspace, batch: Batch, unrecorded: Sequence[str]) -> list[str]:
    """Return what was read before of names that the batch may be evidence for: a name counts over all notes."""
    names = find_beginnings(batch.texts, most=_NAMES)
    if not names:
        return []
    with workspace.reading() as database:
        texts = database.notes_naming(names, _ENTRIES_PER_NAME)
    given = {note.id for note in batch.notes}
    stored = [text for entry_id, text in sorted(texts.items()) if entry_id not in given]
    return [*stored, *_naming(unrecorded, names)]


def _naming(texts: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return the newest texts that hold one of the beginnings of names, a bounded number for each."""
    counts: Counter[str] = Counter()
    found = []
    for text in reversed(texts):
        low = text.lower()
        held = [name for name in names if name in low and counts[name] < _ENTRIES_PER_NAME]
        counts.update(held)
        if held:
            found.append(text)
    return found
