"""Whose words a statement is, when somebody else than a person writes it and names a turn in which a person said it."""

from typing import Final

from engram.base.speaker_names import is_own_speech
from engram.language.terms.terms import terms
from engram.language.text.pasted_text import find_pasted
from engram.model.changes.state import State
from engram.model.conversation import Turn
from engram.model.entity import Entity
from engram.model.fact import Actor
from engram.model.fact import Draft
from engram.model.fact import Trust
from engram.rules.trust.authority import PERSONS
from engram.rules.trust.authority import less_trusted

_OWN_SHARE: Final = 2 / 3  # of a statement's terms that its speaker used: whoever reads a turn may word it anew
_ADDRESS_SIGNS: Final = ("://", "@")  # in an address, which nobody words anew


def told_by(draft: Draft, actor: Actor, entity: Entity, state: State) -> Draft:
    """Return the draft with who says it, when `actor` writes it down.

    A reader of turns writes down what a person said there, and it is the person's, as far as the turn is believed. What
    the turn does not hold, or somebody else said there, is the words of whoever writes it.
    """
    source = draft.source
    if actor in PERSONS or source.actor not in PERSONS:
        return draft
    turn = state.turns.get(source.turn or "")
    if turn is None or not is_own_speech(turn.speaker) or not _says(turn, draft, entity):
        return draft.model_copy(update={"source": source.model_copy(update={"actor": actor})})
    asked = draft.trust or Trust.TRUSTED
    trust = less_trusted(asked, turn.trust)
    return draft if trust == asked else draft.model_copy(update={"trust": trust})


def _says(turn: Turn, draft: Draft, entity: Entity) -> bool:
    """Tell whether a statement is made of the words that are typed in a turn, and of its entity's names."""
    typed = _typed(turn.text)
    known = set(terms(" ".join([typed, entity.title, *entity.aliases, entity.path.replace("-", " ")])))
    said = set(terms(draft.text))
    new_addresses = [word for word in draft.text.split() if _is_address(word) and word.strip(".,;") not in typed]
    return not new_addresses and len(said & known) >= _OWN_SHARE * len(said)


def _is_address(word: str) -> bool:
    return any(sign in word for sign in _ADDRESS_SIGNS)


def _typed(text: str) -> str:
    """Return a text without what its speaker only passed on."""
    pieces, begin = [], 0
    for start, end in find_pasted(text):
        pieces.append(text[begin:start])
        begin = end
    return " ".join([*pieces, text[begin:]])
