"""Whose words a statement is, when somebody else than a person writes it and names a turn in which a person said it."""

import re
from typing import Final

from engram.base.speaker_names import is_own_speech
from engram.language.compare.slots.answers import QUESTION_ENDS
from engram.language.terms.terms import terms
from engram.language.text.talk.pasted_text import find_pasted
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
_SENTENCE_ENDS: Final = ".!?。！？"
_ASKED_SINCE: Final = 4  # turns before an answer among which its question stands


def told_by(draft: Draft, actor: Actor, entity: Entity, state: State) -> Draft:
    """Return the draft with who says it, when `actor` writes it down.

    A reader of turns writes down what a person said there, and it is the person's, as far as the turn is believed. So
    is an answer together with its question, which somebody else has put right before. What the turn does not hold, or
    somebody else said there, is the words of whoever writes it.
    """
    source = draft.source
    if actor in PERSONS or source.actor not in PERSONS:
        return draft
    turn = state.turns.get(source.turn or "")
    if turn is None or not is_own_speech(turn.speaker) or not _says(turn, draft, entity, state):
        return draft.model_copy(update={"source": source.model_copy(update={"actor": actor})})
    asked = draft.trust or Trust.TRUSTED
    trust = less_trusted(asked, turn.trust)
    return draft if trust == asked else draft.model_copy(update={"trust": trust})


def answers(draft: Draft) -> bool:
    """Tell whether a statement that was read in a turn is a question with its answer: what was said before matters."""
    return draft.source.turn is not None and bool(_question_in(draft.text))


def _question_in(text: str) -> str:
    end = max(text.find(sign, 0, len(text) - 1) for sign in QUESTION_ENDS)
    return text[: end + 1].strip()


def _says(turn: Turn, draft: Draft, entity: Entity, state: State) -> bool:
    """Tell whether a statement is made of the words that are typed in a turn, and of its entity's names."""
    typed = _typed(turn.text)
    if any(_is_address(word) and word.strip(".,;") not in typed for word in draft.text.split()):
        return False
    asked = _question_in(draft.text)
    if asked and _is_whole(draft.text.removeprefix(asked), typed) and _is_asked(asked, turn, state):
        return True
    known = set(terms(" ".join([typed, entity.title, *entity.aliases, entity.path.replace("-", " ")])))
    said = set(terms(draft.text))
    return len(said & known) >= _OWN_SHARE * len(said)


def _is_whole(answer: str, typed: str) -> bool:
    """Tell whether an answer is typed as it stands, up to the end of a sentence: half of one may say the opposite."""
    ends = re.escape(_SENTENCE_ENDS)
    said = re.escape(answer.strip(f"{_SENTENCE_ENDS} "))
    return bool(said) and re.search(rf"(?:^|[\s{ends}]){said}\s*(?:[{ends}]|\n|$)", typed) is not None


def _is_asked(question: str, turn: Turn, state: State) -> bool:
    """Tell whether somebody else asked a question shortly before a turn."""
    since = range(turn.ordinal - _ASKED_SINCE, turn.ordinal)
    before = (one for one in state.turns.values() if one.session == turn.session and one.ordinal in since)
    return any(question.casefold() in one.text.casefold() for one in before if not is_own_speech(one.speaker))


def _is_address(word: str) -> bool:
    return any(sign in word for sign in _ADDRESS_SIGNS)


def _typed(text: str) -> str:
    """Return a text without what its speaker only passed on."""
    pieces, begin = [], 0
    for start, end in find_pasted(text):
        pieces.append(text[begin:start])
        begin = end
    return " ".join([*pieces, text[begin:]])
