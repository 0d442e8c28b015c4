"""Whether one statement denies what another one says: in another order of words, a part of it, or a whole kind."""

import re

from engram.language.compare.reading.alignment import find_run
from engram.language.compare.reading.alignment import is_name
from engram.language.compare.reading.alignment import is_within
from engram.language.compare.reading.lexicon import load_lexicon
from engram.language.compare.reading.tokens import Token
from engram.language.compare.reading.tokens import Tokens

_NONE: frozenset[str] = frozenset()
_LEAST_SHARED = 2  # content words that must agree
_MOST_UNSAID = 2  # content words that a denial may leave out
_MOST_UNSAID_BEHIND = 4  # the same when they follow what is denied
_MOST_UNSAID_OF_A_KIND = 6  # the same when a whole kind is denied: "there is no ..."


def find_denial(new: Tokens, old: Tokens) -> tuple[str, float, str] | None:
    """Return kind, confidence and reason when one statement denies the other or a part of it, else None."""
    if new.negated == old.negated or new.ceased or old.ceased:
        return None
    denied, said = (new, old) if new.negated else (old, new)
    meant = denied.content - load_lexicon().people
    said = _as_kinds(said, meant)
    unsaid = len(said.content - meant)
    if not meant <= said.content:
        return None
    if denied.denied_last and len(meant) >= _LEAST_SHARED and said.denied_at < 0:
        if (said.content - meant) & load_lexicon().relatives or _is_only_part(denied.items[0], said):
            return None
        return "polarity", 0.65, explain_denial(denied is new)
    if unsaid > _MOST_UNSAID_OF_A_KIND:
        return None
    if load_lexicon().nobody.search(denied.folded):
        holds = bool(meant) and is_within([item.key for item in denied.items if item.key in meant], said.keys)
    else:
        holds = len(meant) >= _LEAST_SHARED and _denies_part(denied, said, unsaid)
    return ("polarity", 0.7, explain_denial(denied is new)) if holds else None


def _as_kinds(said: Tokens, meant: frozenset[str]) -> Tokens:
    """Name what is said by its kind where the denial does: who drinks no alcohol drinks no beer."""
    kinds = load_lexicon().kinds
    wider = {key: min(kinds[key] & meant) for key in said.content - meant if kinds.get(key, _NONE) & meant}
    if not wider:
        return said
    items = tuple(token._replace(key=wider.get(token.key, token.key)) for token in said.items)
    content = frozenset(wider.get(key, key) for key in said.content)
    return said._replace(items=items, keys=tuple(token.key for token in items), content=content)


def explain_denial(newer_denies: bool) -> str:  # noqa: FBT001 - it says what it is
    """Return the reason in words: which of the two statements denies the other."""
    denying, other = ("newer", "older") if newer_denies else ("older", "newer")
    return f"the {denying} statement denies what the {other} one says"


def _denies_part(denied: Tokens, said: Tokens, unsaid: int) -> bool:
    """Tell whether a denial of the same subject leaves out no more than what narrows the statement down."""
    if not unsaid:
        return True
    place = find_run(said.keys, denied.keys)
    if place >= 0:
        if place and (denied.denied_at or not is_name(said.items[:place])):
            return False
        return unsaid <= (_MOST_UNSAID_BEHIND if place == 0 else _MOST_UNSAID)
    if denied.content & load_lexicon().preference:
        return False  # who does not like cats may like big cats
    # Behind the negation the statement may be narrower, but not before it: there it speaks of something else.
    begun = denied.keys[: denied.denied_at + 1]
    same = len(begun) > denied.denied_at > 0 and said.keys[: len(begun)] == begun
    return same and unsaid <= _MOST_UNSAID and is_within(denied.keys, said.keys)


def _is_only_part(subject: Token, said: Tokens) -> bool:
    """Tell whether a statement says something of a part of the subject: "API 문서는", not "API는"."""
    lexicon = load_lexicon()
    name = re.escape(subject.shown.rstrip("".join(lexicon.subject_marks)))
    return any(re.search(part.replace("{name}", name), said.folded) for part in lexicon.part_subjects)
