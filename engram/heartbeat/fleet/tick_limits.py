"""What one tick of a fleet may use."""

from typing import NamedTuple


class TickLimits(NamedTuple):
    """What one tick may use."""

    timeout_s: float
    memory_mb: int
