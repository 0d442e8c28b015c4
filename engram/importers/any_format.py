"""One way in for every format: the memory of another system, or an archive of Engram."""

from pathlib import Path

from engram.base.text import parse_entity_path
from engram.errors import BadValueError
from engram.importers.archive_import import ARCHIVE
from engram.importers.archive_import import import_archive
from engram.importers.import_report import ImportReport
from engram.importers.import_run import import_memory
from engram.importers.memories import formats
from engram.workspace import Workspace

FORMATS = (*formats.FORMATS, ARCHIVE)


def import_any(
    workspace: Workspace,
    form: str,
    path: Path,
    *,
    entity: str | None = None,
    as_own: bool = False,
    dry_run: bool = False,
) -> ImportReport:
    """Import what lies at a path and return what became of each item; see `import_memory` and `import_archive`.

    `entity` is whom statements are about that name nobody, which no archive holds; `as_own` is for archives alone.
    Raises BadValueError where one of them is out of place and for what is no entity path, MalformedInputError for what
    cannot be read.
    """
    if form != ARCHIVE:
        if as_own:
            raise BadValueError("as-own says something about an archive alone", hint=f"leave it out, or say {ARCHIVE}")
        return import_memory(workspace, form, path, entity=_entity(entity), dry_run=dry_run)
    if entity is not None:
        raise BadValueError("entity says nothing about an archive", hint="leave it out")
    return import_archive(workspace, path, as_own=as_own, dry_run=dry_run)


def _entity(text: str | None) -> str | None:
    if text is None:
        return None
    parsed = parse_entity_path(text)
    if parsed is None:
        raise BadValueError(f"entity {text!r} is not an entity path", hint="such as people/anna or projects/billing")
    return "/".join(parsed)
