"""What can be shown here of other systems: what Engram imports, and which names it gives to files."""

import subprocess
import sys
from pathlib import Path
from pathlib import PureWindowsPath

import pytest

from engram.base.text import parse_entity_path
from engram.base.text import slug_problem
from engram.base.text import slugify
from engram.errors import BadValueError
from engram.errors import EngramError
from engram.heartbeat.child.phases import child_environment
from engram.model.domain import DomainType
from engram.services.commands.entities.entity import check_session_name
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.workspace import Workspace

SCRIPT = Path(__file__).with_name("platform_like_windows.py")
DEVICES = ("con", "prn", "aux", "nul", "com1", "com9", "lpt1", "lpt9")
UNHELD = (
    *DEVICES,
    *(f"{name}.md" for name in DEVICES),
    *(
        "CON",
        "Nul.txt",
        "Com1",
        "COM¹",
        "a:b",
        "c:",
        "a\\b",
        "a?",
        "a*",
        'a"b',
        "a<b",
        "a|b",
        "a.",
        "a ",
        "a\tb",
        ".",
        "..",
    ),
)
"""Names that Windows cannot hold, or that mean something else there."""


@pytest.mark.integration
def test_every_module_is_imported_where_what_windows_lacks_is_missing() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT)], capture_output=True, text=True, env=child_environment(), check=False, timeout=600
    )

    assert (done.returncode, done.stdout) == (0, "0 cannot be imported\n"), done.stderr


@pytest.mark.parametrize("name", UNHELD)
def test_no_name_of_a_file_is_one_that_windows_cannot_hold(workspace: Workspace, name: str) -> None:
    assert slug_problem(name)
    assert parse_entity_path(f"projects/{name}") is None or name != name.strip()
    assert slugify(name) != name
    with pytest.raises(EngramError):
        check_session_name(name)
    for agent in (name, f"{name}/main"):
        with pytest.raises(EngramError):
            check_session_name(f"{agent}/{name}")
    if name.strip() == name:
        desk = DomainCommands(workspace.files, now=workspace.now(), role=None)
        with pytest.raises(BadValueError):
            desk.add(NewDomain(name, DomainType.META))


@pytest.mark.parametrize(
    "title", ["CON", "Aux. notes", "a:b", "What is it?", "Trailing.", "COM1", "nul.tar.gz", "Anna"]
)
def test_what_is_made_of_a_title_is_a_name_there_too(title: str) -> None:
    slug = slugify(title)

    assert slug == "" or (not PureWindowsPath(slug).is_reserved() and PureWindowsPath(slug).name == slug)
    assert not slug.endswith((".", " "))


@pytest.mark.parametrize(
    "name", ["anna", "billing-2", "v2.3.1", "müller", "анна", "안나", "console", "nullable", "com10"]
)
def test_ordinary_names_are_taken(name: str) -> None:
    assert slug_problem(name) == ""
    assert not PureWindowsPath(name).is_reserved()
    check_session_name(name)
