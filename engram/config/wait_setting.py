"""The one setting that the light path needs: how long to wait. Read without pydantic, for processes that only wait."""

from engram.base.disk.own_files import read_own_text
from engram.base.toml_values import load_toml
from engram.config.paths import Paths
from engram.errors import SettingsError

DEFAULT_WAIT_S = 30.0  # seconds that a command waits for its turn
MOST_WAIT_S = 3600.0  # seconds that can be asked for


def read_wait_s(paths: Paths) -> float:
    """Return store.wait_s of engram.toml in seconds, or its default; raise SettingsError when it cannot be read."""
    try:
        raw = load_toml(read_own_text(paths.settings))
    except ValueError as problem:  # no TOML, or no UTF-8
        raise SettingsError(
            f"{paths.settings} is not valid TOML: {problem}", hint=f"mend {paths.settings} by hand"
        ) from problem
    store = raw.get("store", {})
    wait = store.get("wait_s", DEFAULT_WAIT_S) if isinstance(store, dict) else None
    if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait <= MOST_WAIT_S:
        raise SettingsError(f"{paths.settings}: store.wait_s: is no number of seconds, 0 to {MOST_WAIT_S:.0f}")
    return float(wait)
