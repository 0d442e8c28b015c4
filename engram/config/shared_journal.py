"""When the server of a shared journal was last heard, as this machine notes it. No server is asked."""

import datetime as dt

from engram.config.paths import Paths


def last_contact(paths: Paths) -> dt.datetime | None:
    """Return when this machine last stood where the shared journal stands, aware, in UTC; None: it never did.

    That is the time of the file which says what the journal is a copy of: every look at the server touches it.
    """
    try:
        return dt.datetime.fromtimestamp(paths.replica.stat().st_mtime, tz=dt.UTC).replace(microsecond=0)
    except OSError:
        return None
