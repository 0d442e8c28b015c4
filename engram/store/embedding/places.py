"""Where models and what is derived from them lie for one user, by the XDG base directory specification."""

import os
from pathlib import Path


def models_folder() -> Path:
    """Return the folder of models that were converted or downloaded: $XDG_DATA_HOME/engram/models."""
    return _base("XDG_DATA_HOME", ".local/share") / "engram" / "models"


def tables_folder() -> Path:
    """Return the folder of what can be made again from a model: $XDG_CACHE_HOME/engram/models."""
    return _base("XDG_CACHE_HOME", ".cache") / "engram" / "models"


def _base(variable: str, below_home: str) -> Path:
    # The specification: a relative path in the variable is to be ignored.
    named = Path(os.environ.get(variable, ""))
    return named if named.is_absolute() else Path.home() / below_home
