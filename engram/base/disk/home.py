"""Names of files that begin with a tilde."""

import os
from pathlib import Path


def at_home(name: "str | os.PathLike[str]") -> Path:
    """Return the path that a name means: a leading ~ is our home, ~anna is Anna's, and one of nobody stays as it is."""
    return Path(os.path.expanduser(name))  # noqa: PTH111 - pathlib raises RuntimeError where nobody has that name
