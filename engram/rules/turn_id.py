"""The id of a turn: made of its content, so that capturing a conversation again adds nothing. Light: hooks use it."""

from engram.base.text import sha256_hex


def turn_id(*content: str | None, occurrence: int = 1) -> str:
    """Return the id for session, ref, speaker, time and text; `occurrence` counts equal turns of one file from 1."""
    return "turn/" + sha256_hex("\0".join([*(part or "" for part in content), str(occurrence)]))[:32]
