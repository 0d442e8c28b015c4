"""How often a process of ours looks for garbage in circles, of which it makes hardly any."""

import gc
from typing import Final

_AFTER: Final = 200_000  # new objects; with the usual 700 a tenth of a recall's time goes into looking, and of a
# heartbeat's child, which makes many objects that stay, a fifth


def seldom_collect() -> None:
    """Look seldom, for the rest of the process: what is not in a circle is freed at once anyway."""
    gc.set_threshold(_AFTER, 10, 10)
