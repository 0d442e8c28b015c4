"""What a service that has too much to do says of when to come again."""


def wanted_pause(said: str | None) -> float:
    """Return the seconds of a header `retry-after`; 0 where there is none, or where it names a date."""
    try:
        return max(0.0, float(said or ""))
    except ValueError:
        return 0.0
