"""What the name of a turn's speaker tells: that it is the user of an agent, a program, or somebody else. Light."""

from typing import Final

from engram.base.self_names import is_self_name

NAMELESS: Final = "Nameless speaker"  # who speaks under no name, or under one that can be no entity's
_OWN: Final = frozenset({"user", "human", "me", "owner"})  # names that hosts give to the user
_PROGRAMS: Final = frozenset(
    {"agent", "ai", "assistant", "bot", "chatbot", "chatgpt", "claude", "codex", "copilot", "function", "gemini"}
    | {"gpt", "llm", "model", "system", "tool"}
)


def is_own_speech(speaker: str | None) -> bool:
    """Tell whether a turn is the user's own: nobody is named, or the host calls the speaker user, human or me."""
    return speaker is None or speaker.casefold() in _OWN


def is_program(speaker: str | None) -> bool:
    """Tell whether a turn is an agent's or a tool's."""
    return speaker is not None and speaker.strip().casefold() in _PROGRAMS


def chosen_name(name: str | None) -> str:
    """Return a name that somebody chose in a chat, NAMELESS where it would pass them off as the user or a program."""
    said = (name or "").strip()
    return NAMELESS if not said or is_own_speech(said) or is_program(said) or is_self_name(said) else said
