"""An agent's many conversations: the store is told of each, and who reads along, before any of it is kept. Light."""

from engram.base.clock import utc_now
from engram.base.disk.files import make_folder
from engram.base.text import sha256_hex
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.hooks.host import GROUP
from engram.hooks.host import Event
from engram.importers.transcripts.openclaw_chats import is_own
from engram.model.commands.envelope import make_envelope
from engram.store.spool import Spool


def of_the_workspace(paths: Paths, event: Event) -> Event:
    """Return an event as the workspace sees it: to it another agent's main session is a chat like all others.

    Who talks to that agent need not be the owner.
    """
    if event.main_of is None or is_own(event.main_of, read_hook_choices(paths).agent):
        return event
    return event._replace(kind=GROUP, main_of=None)


def tell_of_chat(paths: Paths, platform: str, event: Event) -> None:
    """Spool, once, that a chat is a silo, and of which kind, so that what is said in it stays in it.

    A chat that the store knows already stays as it is. The owner's main session is never one, also when the host lets
    a group write into it.
    """
    if event.kind is None or event.main_of is not None:
        return
    mark = paths.hooks / "chats" / sha256_hex(event.session)
    if mark.exists():
        return
    named = {"name": event.session, "platform": platform, "kind": event.kind}
    args = {name: value for name, value in named.items() if value is not None}
    Spool(paths.spool).put(make_envelope("session-add", args, at=utc_now()).as_json())
    make_folder(mark.parent)
    mark.touch(mode=0o600)
