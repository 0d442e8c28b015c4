"""Whether a statement says of itself that it holds for the project that is worked on, in any language. Light."""

from engram.language.matching.patterns import joined
from engram.language.matching.prefilter import compiled


def is_said_of_here(text: str) -> bool:
    """Tell whether a statement speaks of "this repository", "здесь", "这个项目", "이 프로젝트" and the like."""
    return compiled(f"(?i:{joined('hints', 'here')})").search(text) is not None
