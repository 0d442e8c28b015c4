"""Words that tell of a change and are no part of what is said, by the files in patterns/lead_ins."""

import re
from functools import cache
from functools import lru_cache

from engram.language.matching.patterns import joined


@lru_cache(maxsize=8192)  # a statement is compared with many
def without_lead(text: str) -> str:
    """Return a statement without words before it that only say that something has changed: "We changed that: ..."."""
    lead = _leads().match(text)
    rest = text[lead.end() :] if lead else ""
    return rest if rest.strip() else text


@cache
def _leads() -> re.Pattern[str]:
    changes = joined("lead_ins", "changes")
    return re.compile(rf"\W{{0,6}}(?:{changes})\s{{0,3}}[:：,，—–.。!-]\s{{0,3}}", re.IGNORECASE)
