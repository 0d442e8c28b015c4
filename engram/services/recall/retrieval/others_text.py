"""Raw text of other agents, of which only its owner hears, and only that there is some."""

from engram.model.document import OF_STORE
from engram.model.document import Document
from engram.rules.recall.eligibility import OUT_OF_SCOPE
from engram.services.recall.query import RecallQuery
from engram.services.visibility import is_anothers


def is_others_text(document: Document, asked: RecallQuery) -> bool:
    """Tell whether raw text that the asker might see by its scope is another agent's."""
    is_raw = document.kind not in OF_STORE and document.live and document.scope in asked.searched_scopes()
    return is_raw and is_anothers(asked.asker(), document.session)


def exit_of_text(document: Document, asked: RecallQuery) -> str:
    """Return the exit of raw text that is another agent's, empty for any other."""
    hidden = document.kind not in OF_STORE and is_anothers(asked.asker(), document.session)
    return OUT_OF_SCOPE if hidden else ""
