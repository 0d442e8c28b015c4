"""Words that tell of a change and are no part of what is said, by the file patterns/change_words.toml."""

import re
from functools import cache
from functools import lru_cache
from typing import Final

from engram.base.table_files import read_table
from engram.language import PATTERNS

_FILE: Final = "change_words.toml"


@lru_cache(maxsize=8192)  # a statement is compared with many
def without_lead(text: str) -> str:
    """Return a statement without words before it that only say that something has changed: "We changed that: ..."."""
    lead = _leads().match(text)
    rest = text[lead.end() :] if lead else ""
    return rest if rest.strip() else text


@cache
def _leads() -> re.Pattern[str]:
    leads = "|".join(_listed("leads"))
    return re.compile(rf"\W{{0,6}}(?:{leads})\s{{0,3}}[:：,，—–.。!-]\s{{0,3}}", re.IGNORECASE)


def _listed(name: str) -> list[str]:
    return [word for words in read_table(PATTERNS + _FILE)[name].values() for word in words]
