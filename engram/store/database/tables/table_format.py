"""The format of the tables in the database's file, and of digests of them."""

from engram.base.text import sha256_hex
from engram.store.database.derivation import derivation
from engram.store.database.sql_files import schema

FORMAT = sha256_hex(schema())[:16]  # of the tables; another one means: rebuild


def digest_format() -> str:
    """Return what digests of the tables depend on, besides the journal."""
    return f"{FORMAT}-{derivation()}"
