"""Whether a statement says of itself that it holds for the project that is worked on, in any language. Light."""

from engram.language.matching.patterns import expression


def is_said_of_here(text: str) -> bool:
    """Tell whether a statement speaks of "this repository", "здесь", "这个项目", "이 프로젝트" and the like."""
    return expression("hints", "here", "(?i:%s)").search(text) is not None
