"""Who this process runs as."""

import os


def user_id() -> int:
    """Return the number of the user on whose behalf this process acts; -1 on a system that has no such numbers."""
    return os.geteuid() if hasattr(os, "geteuid") else -1
