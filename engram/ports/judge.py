"""The judge: how a newer statement stands to an older one of the same entity."""

from typing import Protocol

from engram.model.comparison import Comparison


class Judge(Protocol):
    """Judges two statements.

    Pure: the same statements always get the same answer, and nothing is written. Directional: `new` was said later.
    Limits: a statement has up to 2,000 characters; a longer one is cut. Equal statements are never in each other's way.
    Errors: SettingsError when what it judges with cannot be loaded, at the first question and at each one after it.
    """

    def judge(self, new: str, old: str) -> Comparison:
        """Return how the newer statement stands to the older one; kind none when both may hold."""
        ...
