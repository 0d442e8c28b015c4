"""Lines that a machine printed on a display or a screen, and somebody copied: "TILL 2 ERROR 0x41".

They are known by their form where nobody speaks in them. `machine_text` knows those of logs, builds and tools, of which
a line alone may be a part; what is told of such a line ("Till 2 shows ERROR 0x41 whenever ...") is no such line.
"""

import re
from functools import cache
from typing import Final

from engram.language.matching.kept_expressions import kept
from engram.language.matching.patterns import joined

_KIND: Final = "machine"  # of the data files
_LONGEST: Final = 160  # characters
_HEX: Final = re.compile(r"(?<!\w)0x[0-9a-fA-F]+")
_FORMS: Final = (
    r"(?:[a-z][\w.-]{0,30}(?:\[\d{1,8}\])?: )?\[ {0,8}\d{1,9}\.\d{1,6}\] \S",  # of a kernel
    r"HTTP(?:/\d(?:\.\d)?)? [1-5]\d\d(?: [A-Z][\w-]{0,20}){0,4}(?: \([^()]{0,40}\))?\W*$",
    r"[^()]{0,80}\(core dumped\)\W*$",
)
# A name of a fault, alone, with its code, or with what a program says of it; "ERROR_LOG: /var/log/app" is a setting.
_NAMED: Final = r"(?:[a-z]{2,8}::)?(?:ERR(?:_[A-Z0-9]+)+|(?:[A-Z][A-Z0-9]*_)+(?:%s))(?![A-Z0-9_])"
_BEHIND_NAMED: Final = r"(?:: [\w-]+ [^,.;:\n]{1,60}|(?: \([^()]{0,40}\)|, -?\d{1,6})?)\W*$"


def is_printed(text: str) -> bool:
    """Tell whether a machine printed a text of one line, and nobody says anything in it."""
    if len(text) > _LONGEST:
        return False
    found = _form().match(text) is not None or _is_display(text)
    return found and _spoken().search(text) is None


def _is_display(text: str) -> bool:
    """Tell whether a text in capitals reports a fault by a number, as displays do."""
    shown = _HEX.sub("0", text)
    return shown.isupper() and any(map(str.isdigit, shown)) and " " in shown and _fault().search(shown) is not None


@cache
def _form() -> re.Pattern[str]:
    named = _NAMED % joined(_KIND, "fault_parts")
    coded = rf"(?:{joined(_KIND, 'fault_codes')})[:： ]{{0,2}}(?:0x)?[A-Za-z]{{0,3}}-?\d[\dA-Fa-f]{{0,8}}\W*$"
    return kept(rf"\W{{0,4}}(?:{'|'.join(_FORMS)}|{named}{_BEHIND_NAMED}|{coded})")


@cache
def _fault() -> re.Pattern[str]:
    return kept(rf"(?<!\w)(?:{joined(_KIND, 'fault')})(?!\w)")


@cache
def _spoken() -> re.Pattern[str]:
    return kept(rf"(?i:(?<!\w)(?:{joined(_KIND, 'spoken')})(?!\w))")
