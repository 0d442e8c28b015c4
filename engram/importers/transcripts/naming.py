"""What a conversation of another program is called here. Light: hooks can use it too."""

from engram.base.text import slugify

_PROJECT_BYTES = 48  # of a project's name in a session's name: a slug holds 120, and an id needs up to 64
_ID_BYTES = 64


def session_name(tool: str, project: str | None, external_id: str) -> str:
    """Return `tool/project-id`: readable, valid as a folder, and another for each conversation of each program."""
    parts = (_cut(slugify(project or ""), _PROJECT_BYTES), _cut(slugify(external_id), _ID_BYTES))
    return f"{tool}/{'-'.join(filter(None, parts)) or 'main'}"


def project_of(folder: object) -> str | None:
    """Return the last part of a working directory as a program wrote it down, on any system."""
    if not isinstance(folder, str):
        return None
    return folder.replace("\\", "/").rstrip("/").rpartition("/")[2] or None


def _cut(slug: str, limit: int) -> str:
    return slug.encode()[:limit].decode(errors="ignore").rstrip("-._")
