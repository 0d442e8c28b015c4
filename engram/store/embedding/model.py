"""What a model is to Engram: a batch of texts in, unit vectors out; and what is put before the texts."""

import unicodedata
from collections.abc import Sequence
from typing import Literal
from typing import NamedTuple
from typing import Protocol

from engram.config.sections.recall import EmbeddingSettings
from engram.language.matching.prefilter import compiled

Role = Literal["query", "passage"]  # whether a text asks or is asked for: some models treat the two differently

PASSAGE_CHARACTERS = 1000
# A vector is a mean over all tokens, so that a long text drowns the one sentence that is asked for; what stands behind
# the cut is still found by its words. A text of 1,000 characters also fits into 512 tokens in all but a few scripts.
QUERY_CHARACTERS = 2000  # what the usual 512 tokens can hold; a longer question would only be slow

_EMPTY = "."  # stands for a text of which nothing is left: services refuse an empty one
_UNEXPANDED = 4  # times the limit that is composed; NFKC makes one sign into up to 18, seldom into less than one


class Scheme(NamedTuple):
    """How texts are put to a model."""

    query: str = ""  # stands before a question
    passage: str = ""  # stands before a text that is searched
    centred: bool = False  # whether questions are moved by the mean of background questions; see centring

    def prefixed(self, text: str, role: Role) -> str:
        """Return the text with the prefix of its role."""
        return (self.query if role == "query" else self.passage) + text

    @property
    def words(self) -> str:
        """The prefixes, in words."""
        return "e5 prefixes" if self.query else "no prefixes"


class TextModel(Protocol):
    """One model, loaded when it is first used. Errors: EmbeddingError when it cannot be."""

    name: str  # model and source; another name means vectors that cannot be compared
    scheme: Scheme
    batch_size: int  # texts that are worth embedding together

    @property
    def dimensions(self) -> int | None:
        """Numbers in a vector; None when that is known only once something has been embedded."""
        ...

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """Return one unit vector per prepared text, in order; the model puts its own prefix before each."""
        ...


def scheme_of(name: str, settings: EmbeddingSettings) -> Scheme:
    """Return the scheme of the model with that name, as far as the settings do not say otherwise.

    Only models that were measured are centred: on dialogue it adds 5 points of recall to e5 and 11 to the multilingual
    sentence encoder, and takes 2 from MiniLM.
    """
    is_e5 = "e5" in name.casefold()
    prefixed = is_e5 if settings.prefixes == "auto" else settings.prefixes == "e5"
    return Scheme("query: ", "passage: ", is_e5) if prefixed else Scheme(centred=is_e5)


def prepared(text: str, role: Role) -> str:
    """Return a text as models get it: composed (NFKC), without what breaks them, and no longer than they make use of.

    A NUL ends a text for models written in C, and half of a surrogate pair cannot be encoded at all.
    """
    limit = QUERY_CHARACTERS if role == "query" else PASSAGE_CHARACTERS
    whole = compiled("[\ud800-\udfff]").sub("\ufffd", text[: _UNEXPANDED * limit]).replace("\0", " ")
    return unicodedata.normalize("NFKC", whole)[:limit].strip() or _EMPTY
