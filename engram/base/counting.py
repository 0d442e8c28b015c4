"""How a count is written for people."""


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun: "1 fact", "2 facts"; `many` is the plural where it is not `one` with an s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"
