"""Where the journal lies: in the workspace alone, or on a server that several machines share."""

from typing import Annotated
from typing import Self
from urllib.parse import parse_qs
from urllib.parse import urlsplit

from pydantic import AfterValidator
from pydantic import model_validator

from engram.config.sections.section import Section
from engram.config.words import PartitionName

_SCHEMES = {"postgresql", "postgres"}
_FORM = "has to be of the form postgresql://engram@db.example.org/engram"
_SECRET = {"password", "sslpassword", "oauth_client_secret"}  # parameters of the driver that are secrets


def _server_or_empty(url: str) -> str:
    """Return an address that names a server and holds no password; no error quotes it, for it may hold one."""
    if not url:
        return url
    try:
        parts = urlsplit(url)
        has_password = parts.password is not None or bool(_SECRET & set(parse_qs(parts.query, keep_blank_values=True)))
    except ValueError:
        raise ValueError(_FORM) from None
    if parts.scheme not in _SCHEMES:
        raise ValueError(_FORM)
    if has_password:
        raise ValueError("holds a password, which has no place in settings: put it into ~/.pgpass or PGPASSWORD")
    return url


class JournalSettings(Section):
    """A journal that several machines share."""

    url: Annotated[str, AfterValidator(_server_or_empty)] = ""
    """Address of a PostgreSQL database, such as postgresql://engram@db/engram, no password; empty: files alone."""
    workspace: PartitionName = ""
    """Name of this workspace's part of the server's journal; machines with the same one share a memory."""
    require_signature: bool = False
    """Refuse records that were not signed with the key of this person; then every machine needs the same key."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if self.url and not self.workspace:
            raise ValueError("url needs journal.workspace, the name that all machines of this memory use")
        return self
