"""How a document lies in a point's payload, and what a search filter means there."""

import json
from collections.abc import Iterable
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from engram.base.text import sha256_hex
from engram.errors import DegradedIndexError
from engram.language.terms.bm25 import document_terms
from engram.model.document import Document
from engram.ports.index import REBUILD
from engram.ports.index import SearchFilter
from engram.store.index.engine import TEXT
from engram.store.index.engine import WORDS_ONLY
from engram.store.index.engine import NewPoint
from engram.store.index.engine import Payload
from engram.store.index.engine import Span
from engram.store.index.engine import Where
from engram.store.index.engine import point_id

EVERY_KIND = frozenset({"fact", "note", "turn"})  # asking for all of them lets most documents through
OF_FILES = ("note", "self")  # kinds that come from files: when they were read is no part of what they are
_ALWAYS = {"kind", "scope", "live"}  # fields that every document has and searches are filtered by
_ALL_KINDS = EVERY_KIND | {*OF_FILES}


def to_payload(document: Document) -> Payload:
    """Return the payload of a document: everything but the context, whose words are in the sparse vector."""
    # `live` as a number: the engine's filter does not match booleans. `at_s` is what ranges are compared with.
    payload = document.model_dump(mode="json", exclude_defaults=True, exclude={"context", WORDS_ONLY})
    payload |= {"id": document.id, "kind": document.kind, "scope": document.scope}
    payload |= {"live": int(document.live), "position": document.position}
    payload |= {WORDS_ONLY: 1} if document.words_only else {}
    return payload | ({"at_s": document.at.timestamp()} if document.at else {})


def to_point(document: Document) -> NewPoint:
    """Return a document as a new point, with the terms of its text and its context."""
    return NewPoint(
        point_id(document.id), document_terms(document.indexed_text, document.context), to_payload(document)
    )


def to_document(payload: Mapping[str, Any]) -> Document:
    """Return the document of a payload; its indexed text is empty when that was not read.

    Raises DegradedIndexError for a payload that is no document's: pages of the index are lost or mixed.
    """
    fields = {key: value for key, value in payload.items() if key != "at_s"}
    try:
        made = {"live": bool(payload["live"]), WORDS_ONLY: bool(payload.get(WORDS_ONLY))}
        return Document.model_validate({TEXT: "", **fields, **made})
    except (KeyError, ValidationError) as problem:
        raise _damage(payload) from problem


def id_of(payload: Mapping[str, Any]) -> str:
    """Return the id of a payload's document; raise DegradedIndexError as `to_document` does."""
    if "id" not in payload:
        raise _damage(payload)
    return str(payload["id"])


def content_of(payload: Payload) -> Payload:
    """Return what is the same in every index of the same journal and files.

    Raises DegradedIndexError as `to_document` does.
    """
    if not payload.keys() >= _ALWAYS:
        raise _damage(payload)
    # Whether a text is worth a vector was not always asked.
    content = {name: value for name, value in payload.items() if name != WORDS_ONLY}
    return {**content, "position": 0} if payload["kind"] in OF_FILES else content


def digest_of(payloads: Iterable[Payload]) -> str:
    """Return the SHA-256 over the id and content of every document, in id order."""
    contents = map(content_of, payloads)
    lines = sorted((id_of(payload), sha256_hex(json.dumps(payload, sort_keys=True))) for payload in contents)
    return sha256_hex("".join(f"{key} {digest}\n" for key, digest in lines))


def is_broad(wanted: SearchFilter) -> bool:
    """Tell whether a filter is likely to let most documents through."""
    bounds = (wanted.since, wanted.until, wanted.said_by)
    narrow = wanted.entity or wanted.session or wanted.ids or any(bound is not None for bound in bounds)
    return not narrow and (not wanted.kinds or set(wanted.kinds) >= EVERY_KIND)


def admits(wanted: SearchFilter, payload: Mapping[str, Any]) -> bool:
    """Tell whether a broad filter lets a document through; the same as `to_where` says to the engine."""
    if not payload.keys() >= _ALWAYS:
        raise _damage(payload)
    scoped = not wanted.scopes or payload["scope"] in wanted.scopes
    of_kind = not wanted.kinds or payload["kind"] in wanted.kinds
    return scoped and of_kind and (bool(payload["live"]) or not wanted.live_only)


def _damage(payload: Mapping[str, Any]) -> DegradedIndexError:
    whose = f"document {payload['id']!r}" if "id" in payload else "a document"
    return DegradedIndexError(f"the index is damaged: {whose} is not whole in it", hint=REBUILD)


def to_where(wanted: SearchFilter) -> Where:
    """Return a search filter as conditions on payload fields."""
    kinds = () if set(wanted.kinds) >= _ALL_KINDS else wanted.kinds
    among: dict[str, tuple[str | int, ...]] = {
        "kind": kinds,
        "scope": wanted.scopes,
        "entity": (wanted.entity,) if wanted.entity else (),
        "session": (wanted.session,) if wanted.session else (),
        "live": (1,) if wanted.live_only else (),
    }
    within = {} if wanted.since is None and wanted.until is None else {"at_s": Span(wanted.since, wanted.until)}
    up_to = {} if wanted.said_by is None else {"at_s": wanted.said_by}
    return Where(
        {field: values for field, values in among.items() if values}, within, up_to, tuple(map(point_id, wanted.ids))
    )
