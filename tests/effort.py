"""How many examples a property is tried with: HYPOTHESIS_PROFILE=nightly in the environment asks for seven times more.

Each run tries other examples, so what a run of the usual length passes over a later one finds.
"""

import os

from hypothesis import settings

PROFILE = os.environ.get("HYPOTHESIS_PROFILE", "ci")
_TIMES = {"ci": 1, "nightly": 7}


def examples(usual: int) -> int:
    """Return how many examples to try where the usual run tries that many; for tests whose examples are dear."""
    return usual * _TIMES[PROFILE]


def load_profile() -> None:
    """Make the profiles known and load the one that is asked for; raises KeyError for one that is not known."""
    for name, times in _TIMES.items():
        settings.register_profile(name, max_examples=30 * times, deadline=None)  # a busy machine fails no test
    settings.load_profile(PROFILE)
