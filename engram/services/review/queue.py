"""What waits for review, in the order in which it is to be looked at, each with all that is needed to decide it."""

from collections.abc import Mapping
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.base.clock import to_iso
from engram.config.settings import Settings
from engram.model.changes.settlement import Verdict
from engram.model.fact import Fact
from engram.model.fact import Status
from engram.model.fact import Trust
from engram.model.observation import Observation
from engram.model.tension import Tension
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.ports.text_files import TextFiles
from engram.rules.origin import short_session
from engram.rules.review_queue import WITHHELD
from engram.rules.review_queue import Waiting
from engram.rules.review_queue import by_weight
from engram.rules.review_queue import count_waiting
from engram.rules.review_queue import weight
from engram.rules.temporal import written_begin
from engram.services.facts.sources.origins import source_lines
from engram.services.facts.sources.provenance import read_source
from engram.services.review.names import NamePair
from engram.services.synthesis.promotion import why_proposed

GIVES_ORDERS: Final = "it tries to give orders to the agent; a person decides in the review"
DOES: Final = {
    "tension": {
        Verdict.SUPERSEDE: "the fact to keep (--keep ID; else the newer one) takes the place of the other",
        Verdict.BOTH_TRUE: "both hold; the two are never held against each other again",
        Verdict.MERGE: "one new sentence (--text T) takes the place of both",
        Verdict.WRONG_SOURCE: "the fact that is not kept (--keep ID) never held and is taken back",
        Verdict.DISSOLVE: "there was no conflict: a false alarm",
    },
    "quarantined": {
        Verdict.RELEASE: "believe it, unverified; only a person may say so",
        Verdict.DISMISS: "take it back",
    },
    "names": {
        Verdict.MERGE: "they are one: all that is known of both is known of one of them (--keep PATH says of which)",
        Verdict.TWO: "they are two, and it is not asked again",
    },
    "candidate": {
        Verdict.KEEP: "it is worth keeping: a fact from now on",
        Verdict.REJECT: "it is not; nothing proposes it again",
    },
    "observation": {
        Verdict.PROMOTE: "make a fact of it, or the line of MEMORY.md that it suggests",
        Verdict.DISMISS: "nothing comes of it; it is not brought up again",
        Verdict.MERGE: "another observation (--keep ID) says the same",
    },
}

Thing = Tension | Fact | Observation | NamePair
_MOST_SAID = 3  # facts of each of two entities, to tell them apart


class PendingItem(NamedTuple):
    """One thing that waits."""

    kind: str  # tension, quarantined, observation, names, candidate
    thing: Thing


def queue(database: FactDatabase) -> list[PendingItem]:
    """Return all that waits: tensions oldest first, then quarantined facts, then observations by weight."""
    tensions = sorted(database.list_tensions(), key=lambda one: (one.opened_at, one.id))
    held = sorted(_held(database), key=lambda fact: (fact.recorded_at, fact.id))
    noticed = by_weight(database.list_observations())
    return [
        *(PendingItem("tension", one) for one in tensions),
        *(PendingItem("quarantined", one) for one in held),
        *(PendingItem("observation", one) for one in noticed),
    ]


def count(waiters: Sequence[PendingItem]) -> Waiting:
    """Return how much waits."""
    noticed = [one.thing for one in waiters if isinstance(one.thing, Observation)]
    kinds = [one.kind for one in waiters]
    counted = count_waiting(noticed, kinds.count("tension"), kinds.count("quarantined"))
    return counted._replace(candidates=kinds.count("candidate"), names=kinds.count("names"))


def describe(
    database: FactDatabase, waiter: PendingItem, settings: Settings, files: TextFiles, *, for_person: bool = False
) -> dict[str, Any]:
    """Return one thing that waits as JSON: what it says, the facts it stands on with dates and sources, its outcomes.

    What tries to give orders to the agent is shown only to a person.
    """
    thing = waiter.thing
    about = {
        "id": thing.id,
        "kind": waiter.kind,
        "text": thing.text if for_person else harmless_text(thing),
        **_details(thing, for_person=for_person),
        **_promotion(database, thing),
        "sides": [_side(database, fact, settings, files, for_person=for_person) for fact in _facts(database, thing)],
    }
    return {**about, "outcomes": {str(verdict): does for verdict, does in DOES[waiter.kind].items()}}


def describe_tension(database: FactDatabase, tension: Tension, settings: Settings, files: TextFiles) -> dict[str, Any]:
    """Return a tension, settled or not, with all its fields and both sides."""
    described = describe(database, PendingItem("tension", tension), settings, files)
    return {**tension.model_dump(mode="json", exclude={"pair"}), **described}


def without_orders(view: Mapping[str, Any]) -> dict[str, Any]:
    """Return a view of a fact as an agent may read it: of a quarantined one without any of the words it was given."""
    if view["trust"] != Trust.QUARANTINED:
        return dict(view)
    source = {**view["source"], "label": None}
    said: dict[str, Any] = {"text": WITHHELD, "reason": GIVES_ORDERS, "attribute": None, "value": None}
    said |= {"tags": [], "confirmed_by": []}
    return {**view, "source": source, **{name: one for name, one in said.items() if name in view}}


def harmless_text(thing: Thing) -> str:
    """Return what it says, unless that tries to give orders to the agent."""
    return thing.text if _is_harmless(thing) else WITHHELD


def source_words(database: FactDatabase, fact: Fact, files: TextFiles) -> str:
    """Return where a fact came from, for people: file and line, or who said it where."""
    source = fact.source
    if source.turn is not None and source.session:
        return f"said by {source.actor} in {short_session(source.session)}"
    if source.path is not None:
        line = read_source(database, source, files)["line"]
        return f"{source.path}:{line}" if line else source.path
    parts = [source.label or f"said by {source.actor}", f"session {source.session}" if source.session else ""]
    return ", ".join(part for part in parts if part)


def _held(database: FactDatabase) -> list[Fact]:
    found = database.list_facts(FactFilter(status=Status.PENDING))
    return [fact for fact in found if fact.trust == Trust.QUARANTINED]


def _is_harmless(thing: Thing) -> bool:
    return isinstance(thing, Tension) or thing.trust != Trust.QUARANTINED


def _facts(database: FactDatabase, thing: Thing) -> list[Fact]:
    if isinstance(thing, Fact):
        return [thing]
    if isinstance(thing, NamePair):
        return [fact for path in (thing.goes, thing.stays) for fact in _latest_of(database, path)]
    ids = (thing.fact1, thing.fact2) if isinstance(thing, Tension) else thing.facts
    found = {fact.id: fact for fact in database.list_facts(FactFilter(status="all", ids=ids))} if ids else {}
    return [found[one] for one in ids if one in found]


def _latest_of(database: FactDatabase, path: str) -> list[Fact]:
    facts = [fact for fact in database.list_facts(FactFilter(entity=path)) if fact.trust != Trust.QUARANTINED]
    return sorted(facts, key=lambda fact: (fact.recorded_at, fact.id))[-_MOST_SAID:]


def _details(thing: Thing, *, for_person: bool) -> dict[str, Any]:
    if isinstance(thing, Tension):
        said = thing.text if thing.kind == "manual" else thing.text.rpartition("): ")[2]
        return {"why": f"{thing.kind}: {said}", "opened_at": to_iso(thing.opened_at)}
    if isinstance(thing, NamePair):
        return {"why": thing.why, "goes": thing.goes, "stays": thing.stays, "opened_at": to_iso(thing.opened_at)}
    if isinstance(thing, Fact) and thing.status == Status.CANDIDATE:
        said = f"{thing.category}, {thing.confidence:.0%} sure"
        return {"why": f"is it worth keeping? ({said})", "opened_at": to_iso(thing.recorded_at)}
    if isinstance(thing, Fact):
        return {
            "why": thing.reason if for_person else "it tries to give orders",
            "opened_at": to_iso(thing.recorded_at),
        }
    suggestion = thing.suggestion.model_dump(mode="json") if thing.suggestion else None
    if suggestion and not for_person and not _is_harmless(thing):
        suggestion["text"] = WITHHELD
    return {
        "category": thing.category.value,
        "entity": thing.entity,
        "seen": thing.seen,
        "weight": round(weight(thing), 2),
        "sessions": list(thing.sessions),
        "suggestion": suggestion,
        "trust": thing.trust.value,
        "opened_at": to_iso(thing.opened_at),
        "seen_at": to_iso(thing.seen_at),
    }


def _promotion(database: FactDatabase, thing: Thing) -> dict[str, Any]:
    """Return why an observation with a suggestion was put forward: its use, or that it came again."""
    if not isinstance(thing, Observation) or thing.suggestion is None:
        return {}
    return {"why_promoted": why_proposed(database, thing)}


def _unlabelled(fact: Fact) -> Fact:
    return fact.model_copy(update={"source": fact.source.model_copy(update={"label": None})})


def _side(
    database: FactDatabase, fact: Fact, settings: Settings, files: TextFiles, *, for_person: bool
) -> dict[str, Any]:
    is_shown = for_person or fact.trust != Trust.QUARANTINED
    return {
        "id": fact.id,
        "entity": fact.entity,
        "text": fact.text if is_shown else WITHHELD,
        "date": written_begin(fact, settings.zone),
        "recorded_at": to_iso(fact.recorded_at),
        "status": fact.status.value,
        "trust": fact.trust.value,
        "confidence": fact.confidence,
        "scope": fact.scope,
        "source": source_words(database, fact if is_shown else _unlabelled(fact), files),
        **(_for_person(database, fact, files) if for_person else {}),
    }


def _for_person(database: FactDatabase, fact: Fact, files: TextFiles) -> dict[str, Any]:
    """Return the words that a fact rests on, and whose they are."""
    said = source_lines(database, [fact], database.usages([fact.id]))[fact.id]
    return {"quote": read_source(database, fact.source, files)["quote"], "said": said}
