"""The lines of MEMORY.md as documents, for when there is no index that holds them."""

from engram.config.paths import SELF_FILE
from engram.language.screen.fence import lines_that_order
from engram.model.document import Document
from engram.services.visibility import OWN_SCOPE


def self_lines(text: str) -> list[Document]:
    """Return the lines of a text of MEMORY.md that say something.

    Lines in which orders to the agent stand are left out, as in a start block.
    """
    withheld = lines_that_order(text)
    return [
        Document(
            id=f"{SELF_FILE}#{number}",
            kind="self",
            scope=OWN_SCOPE,
            text=line.strip(),
            indexed_text=line,
            path=SELF_FILE,
            lines=str(number),
        )
        for number, line in enumerate(text.splitlines(), 1)
        if line.strip() and not line.lstrip().startswith("#") and number not in withheld
    ]
