"""Signatures of single lines: what lies on a server says itself who vouches for it."""

from typing import NamedTuple

from engram.store.signature.key import SigningKey


class LineSignature(NamedTuple):
    """Who signed a line, and how; both are empty for one that nobody signed."""

    key: str = ""  # id of the key
    signature: str = ""


class LineSigner:
    """Signs and checks lines with the key of this person, where there is one."""

    def __init__(self, key: SigningKey | None) -> None:
        """Take the key; None signs nothing."""
        self._key = key

    def sign(self, workspace: str, position: int, line_hash: str) -> LineSignature:
        """Return the signature of the line with that hash, at that place."""
        if self._key is None:
            return LineSignature()
        return LineSignature(self._key.id, self._key.sign(_said(workspace, position, line_hash)))

    def check(self, found: LineSignature, workspace: str, position: int, line_hash: str) -> bool | None:
        """Tell whether a signature holds; None for one of a key that is not here, or for no signature at all."""
        if self._key is None or found.key != self._key.id:
            return None
        return self._key.holds(_said(workspace, position, line_hash), found.signature)


def _said(workspace: str, position: int, line_hash: str) -> str:
    return f"engram line v1\n{workspace}\n{position}\n{line_hash}"
