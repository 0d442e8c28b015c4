"""The environment of a program that reads for the heartbeat: an allow list, for the user's secrets are none of its.

Such a program reads what others wrote, and hands it to a model elsewhere. It gets what every program needs to run and
to reach its service, what its own preset names, and what `heartbeat.agent_environment` adds.
"""

import os
from collections.abc import Iterable
from collections.abc import Mapping

EVERYBODY = frozenset(
    (
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "no_proxy", "all_proxy"),
        *("SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
    )
)
"""What every program needs: where things lie, the language, and the way through a proxy."""


def reduced_environment(names: Iterable[str], fixed: Mapping[str, str]) -> dict[str, str]:
    """Return of our environment what everybody needs and these names, with `fixed` in the place of what it says."""
    allowed = EVERYBODY.union(names)
    return {**{name: value for name, value in os.environ.items() if name in allowed}, **fixed}
