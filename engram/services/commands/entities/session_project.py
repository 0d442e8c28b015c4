"""What a session is held about, as commands bring it: the name of a folder, which anybody may have given."""

from collections.abc import Sequence

from engram.base.project import MOST_TITLE_CHARS
from engram.base.text import clean_statement
from engram.base.text import has_control
from engram.base.text import parse_entity_path
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import marked_kinds


def harmless_project(project: str | None, title: str | None, patterns: Sequence[str] = ()) -> dict[str, str]:
    """Return the fields `project` and `project_title` of a session, or none of them.

    There are none when the folder's name is an order, a secret, too long or no name at all: nothing that was said is
    refused for the folder that it was said in. `patterns` are the settings' own signs of an order.
    """
    path, shown = parse_entity_path(project or ""), clean_statement(title or "")
    if marked_kinds(shown):  # the path spells the secret that was taken out of the title
        return {}
    if path is None or path[0] != "projects" or not shown or len(shown) > MOST_TITLE_CHARS or has_control(shown):
        return {}
    if any(find_injection(text, patterns) for text in (shown, path[1].replace("-", " ").replace("_", " "))):
        return {}
    return {"project": "/".join(path), "project_title": shown}
