"""Who is told, while something long goes on, what is being done and how far it is."""

from typing import Protocol


class Progress(Protocol):
    """Told often: it must cost next to nothing, and never raise."""

    def __call__(self, what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
        """Take what is being done, and how far it is.

        Args:
            what: in a word or two, such as "embedding".
            done: how many of `total`.
            total: 0 where that is not known.
            most_s: seconds after which it ends however far it is; None: it goes on to the end.
        """
        ...


def tell_nobody(what: str, done: int = 0, total: int = 0, most_s: float | None = None) -> None:
    """Tell nobody: where no person looks on."""
