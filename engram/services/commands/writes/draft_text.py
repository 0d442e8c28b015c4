"""A draft as it is recorded: in normal form, within its bounds, without secrets, and with what its text shows."""

from collections.abc import Sequence
from typing import Any

from engram.base.text import MAX_FACT_CHARS
from engram.base.text import RECALLED_OPENING
from engram.base.text import clean_statement
from engram.base.text import fingerprint
from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.errors import RefusedError
from engram.language.compare.contradiction.compare import skeleton
from engram.language.screen.injection import Injection
from engram.language.screen.injection import find_injections
from engram.language.screen.intent import STEERS
from engram.language.screen.intent import Suspicion
from engram.language.screen.intent import find_steering
from engram.language.screen.secrets import marked_kinds
from engram.language.screen.secrets import redact
from engram.model.fact import EXPERIENCE
from engram.model.fact import Actor
from engram.model.fact import Category
from engram.model.fact import Draft
from engram.model.fact import Trust
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import in_own_name
from engram.rules.trust.authority import own_trust
from engram.rules.writes.situation import Analysis
from engram.services.commands.entity_names import ENTITY_PATHS
from engram.services.visibility import require_scope

MAX_WORD_CHARS = 200  # of a tag, an attribute, a scope, a title, a session or an entity's name
MAX_LABEL_CHARS = 1000  # of a slot's value and of a source in words
MAX_LISTED = 100  # tags, relations or replaced facts of one fact
_MOST_NAMED = 3  # orders of one text that its reason names


def clean_draft(draft: Draft, actor: Actor) -> tuple[Draft, tuple[str, ...]]:
    """Return the draft in normal form without secrets, and the kinds of secrets that were taken out.

    `actor` is who asks for it, who cannot make it a person's by saying so.
    """
    text = clean_statement(draft.text)
    if not text:
        raise BadValueError("the fact is empty", hint="say one statement, 1 to 2,000 characters")
    if RECALLED_OPENING in text:
        raise RefusedError("that is text which Engram itself recalled", hint="engram access ID counts a use of a fact")
    redacted = redact(text)
    if len(redacted.text) > MAX_FACT_CHARS:
        raise BadValueError(
            f"the fact has {len(redacted.text)} characters; {MAX_FACT_CHARS} is the most",
            hint="split it into statements",
        )
    _check_scope(draft)
    _check_lengths(draft)
    if draft.valid_from is not None and draft.valid_to is not None and draft.valid_to < draft.valid_from:
        raise BadValueError("the fact ends before it begins", hint="--valid-to is not before --valid-from")
    if draft.candidate and draft.supersedes:
        raise BadValueError("a candidate takes the place of nothing", hint="leave out candidate, or what it replaces")
    if "/" in draft.entity and parse_entity_path(draft.entity) is None:
        raise BadValueError(
            f"{draft.entity!r} is not an entity path", hint=f"write {ENTITY_PATHS}", entity=draft.entity
        )
    value = redact(clean_statement(draft.value)) if draft.value else None
    label = redact(draft.source.label) if draft.source.label else None
    kinds = marked_kinds(" ".join(found.text for found in (redacted, value, label) if found))
    source = in_own_name(draft.source, actor).model_copy(update={"label": label.text if label else None})
    update: dict[str, Any] = {"text": redacted.text, "value": value.text if value else None, "source": source}
    update |= {"attribute": draft.attribute.strip().casefold() if draft.attribute else None}
    update |= {"derived_from": tuple(dict.fromkeys(one.strip().casefold() for one in draft.derived_from))}
    update |= {"tags": _labels(draft.tags), "related": _paths(draft.related)}
    return draft.model_copy(update=update), kinds


def _check_lengths(draft: Draft) -> None:
    short = {"attribute": draft.attribute, "scope": draft.scope, "title": draft.title, "session": draft.source.session}
    lengths = {name: len(text or "") for name, text in short.items()}
    lengths |= {"tags": max(map(len, draft.tags), default=0), "related": max(map(len, draft.related), default=0)}
    long = {"value": len(draft.value or ""), "source": len(draft.source.label or "")}
    for most, found in ((MAX_WORD_CHARS, lengths), (MAX_LABEL_CHARS, long)):
        for name, length in found.items():
            if length > most:
                message = f"{name} has {length} characters; {most} is the most"
                raise BadValueError(message, hint="shorten it", field=name)
    if max(len(draft.tags), len(draft.related), len(draft.supersedes), len(draft.derived_from)) > MAX_LISTED:
        raise BadValueError(f"a list of a fact has at most {MAX_LISTED} members", hint="split the fact")


def analyse(draft: Draft, patterns: Sequence[str] = ()) -> Analysis:
    """Return what text analysis knows about a cleaned draft; `patterns` are the settings' own signs of an order."""
    # Each of them is shown by itself somewhere: a value as the end of a relation, a source in the heading of a hit.
    said = [one for one in (draft.text, draft.value, draft.source.label, draft.attribute, *draft.tags) if one]
    orders = [order for one in said for order in find_injections(one, patterns)]
    trust = own_trust(draft.source.actor, draft.trust)
    reason = "the writer asked for quarantine" if trust == Trust.QUARANTINED else ""
    if orders:
        trust, reason = Trust.QUARANTINED, f"it tries to give orders: {_named(orders)}"
    elif draft.source.actor not in PERSONS and (steers := _steering(draft)) is not None:
        trust, reason = Trust.QUARANTINED, f"it tries to give orders: “{steers.text}” ({STEERS})"
    return Analysis(
        fingerprint=fingerprint(draft.text),
        skeleton=skeleton(draft.text),
        trust=trust,
        single_valued=False,
        reason=reason,
    )


def _steering(draft: Draft) -> Suspicion | None:
    found = (find_steering(one) for one in (draft.text, draft.source.label) if one)
    return next(filter(None, found), None)


def _named(orders: Sequence[Injection]) -> str:
    """Return the first orders in words, each stretch of text once with the first rule that found it."""
    named: dict[str, str] = {}
    for order in orders:
        named.setdefault(order.text, f"“{order.text}” ({order.rule})")
    return "; ".join(list(named.values())[:_MOST_NAMED])


def _labels(labels: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({clean_statement(label) for label in labels} - {""}))


def _paths(names: tuple[str, ...]) -> tuple[str, ...]:
    paths = set()
    for name in names:
        parsed = parse_entity_path(name)
        if parsed is None:
            raise BadValueError(
                f"related: {name!r} is not an entity path", hint="such as people/anna or projects/billing"
            )
        paths.add("/".join(parsed))
    return tuple(sorted(paths))


def _check_scope(draft: Draft) -> None:
    require_scope(draft.scope)
    if draft.scope == EXPERIENCE and draft.category != Category.LESSON:
        raise BadValueError(
            f"only lessons enter the pool of experience, and this is {draft.category.value}",
            hint="--category lesson, or leave out --scope",
        )
