"""An agent's many conversations: the store is told of each, and who reads along, before any of it is kept. Light."""

from engram.base.clock import to_iso
from engram.base.clock import utc_now
from engram.base.ids import new_id
from engram.base.text import sha256_hex
from engram.config.paths import Paths
from engram.hooks.host import Event
from engram.store.spool import Spool


def tell_of_chat(paths: Paths, platform: str, event: Event) -> None:
    """Spool, once, that a chat is a silo, and of which kind, so that what is said in it stays in it.

    A chat that the store knows already stays as it is.
    """
    mark = paths.hooks / "chats" / sha256_hex(event.session)
    if mark.exists():
        return
    named = {"name": event.session, "platform": platform, "kind": event.kind}
    args = {name: value for name, value in named.items() if value is not None}
    known = {"v": 1, "id": new_id(), "kind": "session-add", "at": to_iso(utc_now()), "actor": "user"}
    Spool(paths.spool).put({**known, "args": args, "wants_result": False})
    mark.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    mark.touch(mode=0o600)
