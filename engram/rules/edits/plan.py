"""What a person meant by editing a file in life/: commands for what was changed, added, moved or struck out.

A fact's text never changes under its id, so a line that is merely old (written before a crash, or by an earlier
version) never looks like an edit. A line or item that is gone is not a retraction: a half-written file looks the same.
"""

from collections.abc import Sequence

from engram.model.entity import Entity
from engram.model.fact import Fact
from engram.rules.edits.items import ItemsReader
from engram.rules.edits.reader import EditedFile
from engram.rules.edits.reader import EditPlan
from engram.rules.edits.summary import SummaryReader
from engram.rules.life.mirror import SUMMARY


def plan_edits(file: EditedFile, entity: Entity, facts: Sequence[Fact]) -> EditPlan:
    """Return what the edited summary or items file asks for, given every version of the entity's facts."""
    if damage := _damage(file):
        return EditPlan(damage=damage)
    reader = SummaryReader if file.name.endswith(f"/{SUMMARY}") else ItemsReader
    return reader(file, entity, facts).plan()


def _damage(file: EditedFile) -> str:
    if not file.content.strip():
        return "it is empty"
    if file.content != file.expected and file.expected.startswith(file.content):
        return "it is only the beginning of what was written"
    try:
        text = file.content.decode()
    except UnicodeDecodeError as problem:
        return f"it is not UTF-8 text (byte {problem.start})"
    return "it holds a NUL character" if "\0" in text else ""
