"""Regular expressions, compiled when they are first needed: the hook path pays for each one."""

import re
from functools import lru_cache


@lru_cache(maxsize=2000)
def compiled(source: str) -> re.Pattern[str]:
    """Compile an expression once."""
    return re.compile(source)
