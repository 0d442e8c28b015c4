"""Pure text analysis without a language model."""

from typing import Final

PATTERNS: Final = __file__.removesuffix("__init__.py") + "patterns/"  # a string: hooks are spared pathlib
