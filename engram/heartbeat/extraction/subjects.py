"""Whom the facts of a model are about.

An entity that is there under another name is not made again; whom the model could not name, attribution names, so that
nothing is dropped for being about nobody.
"""

from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any

from engram.base.text import parse_entity_path
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.model.handoff import HandoffFact
from engram.services.extract.extract import find_promising
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.lines.passage import read_passages
from engram.services.extract.subject.attribution import About
from engram.services.extract.subject.attribution import Attribution


def settle_subjects(
    facts: Sequence[HandoffFact], rows: Sequence[Mapping[str, Any]], known: Iterable[Known], *, owner: str
) -> list[HandoffFact]:
    """Return the facts, each about an entity that is there or a path for a new one.

    Args:
        facts: as a model answered them.
        rows: the passages that it was asked about.
        known: the entities there are, with their names.
        owner: path of the entity that a user's "I" means, or "".
    """
    listed = list(known)
    index = NameIndex(listed)
    named = [_known_path(fact, index) for fact in facts]
    nameless = [fact for fact, path in zip(facts, named, strict=True) if path is None]
    found = _attributed(nameless, rows, listed, owner) if nameless else {}
    settled = []
    for fact, path in zip(facts, named, strict=True):
        if path is not None:
            settled.append(fact.model_copy(update={"entity": path}) if path != fact.entity else fact)
        elif (about := found.get(_key(fact))) is not None:
            settled.append(fact.model_copy(update={"entity": about.path, "title": about.title}))
        else:
            settled.append(fact)  # its quote stands nowhere: it is refused with the reason for that
    return settled


def entities_named(rows: Sequence[Mapping[str, Any]], known: Iterable[Known], *, owner: str) -> list[Known]:
    """Return of the entities those that passages, or the headings and lines above them, name; their homes; the owner.

    A model needs no others: what it makes anew under another name is found again when its answer is read.
    """
    listed = list(known)
    index = NameIndex(listed)
    wanted = {owner}
    for row in rows:
        wanted.add(row.get("home", ""))
        for text in (row["text"], row.get("before", ""), *row.get("headings", ())):
            wanted.update(mention.path for mention in index.find(text))
    return [one for one in listed if one.path in wanted]


def _known_path(fact: HandoffFact, index: NameIndex) -> str | None:
    """Return the path of a fact's entity, by its path, its title or its name; a new one's own; None for neither."""
    parsed = parse_entity_path(fact.entity)
    name = parsed[1].replace("-", " ") if parsed else ""
    for one in (fact.entity, fact.title, name):
        if one and (path := index.find_path(one)) is not None:
            return path
    return "/".join(parsed) if parsed else None


def _attributed(
    facts: Sequence[HandoffFact], rows: Sequence[Mapping[str, Any]], known: Sequence[Known], owner: str
) -> dict[tuple[str | None, str], About]:
    attribution = Attribution(known, owner=owner)
    passages = read_passages(rows)
    lines = [(passage, statement.text, line) for passage, statement, line in find_promising(passages, {}, 0.0)]
    evidence = Evidence()
    for _, _, line in lines:
        evidence.add(line.text, line.headings)
    found = {}
    for fact in facts:
        if (place := _place(fact, passages, lines)) is not None:
            found[_key(fact)] = attribution.about(place[1], place[0], evidence)
    return found


def _place(
    fact: HandoffFact, passages: Sequence[Passage], lines: Sequence[tuple[Passage, str, Line]]
) -> tuple[Passage, Line] | None:
    """Return the passage and the line that a fact's quote stands in, or where it begins."""
    for passage, said, line in lines:
        if fact.entry in {None, passage.id} and (fact.quote in said or fact.quote.startswith(said)):
            return passage, line
    for passage in passages:
        if fact.entry in {None, passage.id} and fact.quote in passage.text:
            return passage, Line(fact.quote, headings=passage.headings)
    return None


def _key(fact: HandoffFact) -> tuple[str | None, str]:
    return fact.entry, fact.quote
