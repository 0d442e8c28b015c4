"""What a conversation of another program is called here. Light: hooks can use it too."""

from engram.base.text import sha256_hex
from engram.base.text import slugify

_PROJECT_BYTES = 48  # of a project's name in a session's name: a slug holds 120, and an id needs up to 64
_ID_BYTES = 64
_READABLE_CHARS = 48  # of an id before its hash
_HASH_CHARS = 12


def session_name(tool: str, project: str | None, external_id: str) -> str:
    """Return `tool/project-id`: readable, valid as a folder, and another for each conversation of a project.

    The ids of programs are UUIDs, which no project's name can be part of; they differ between projects, too.
    """
    is_whole = slugify(external_id) == external_id and len(external_id.encode()) <= _ID_BYTES
    parts = (_cut(slugify(project or ""), _PROJECT_BYTES), external_id if is_whole else hashed_id(external_id))
    return f"{tool}/{'-'.join(filter(None, parts)) or 'main'}"


def hashed_id(external_id: str) -> str:
    """Return what can be read of an id that is no folder's name, and its hash, which tells it from all others."""
    head = _cut(slugify(external_id)[:_READABLE_CHARS], _ID_BYTES - _HASH_CHARS - 1)
    return "-".join(filter(None, (head, sha256_hex(external_id)[:_HASH_CHARS])))


def project_of(folder: object) -> str | None:
    """Return the last part of a working directory as a program wrote it down, on any system."""
    if not isinstance(folder, str):
        return None
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2] or None


def _cut(slug: str, limit: int) -> str:
    return slug.encode()[:limit].decode(errors="ignore").rstrip("-._")
