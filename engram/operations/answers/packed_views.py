"""The facts of a listing as they are at one moment, compressed until they are asked for: some 0.2 kB each, not 6."""

import json
from collections.abc import Iterator
from itertools import chain
from typing import Any

from engram.operations.answers.kept_promises import with_what_is_over
from engram.operations.answers.packed_text import PackedText
from engram.ports.database import FactDatabase
from engram.services.facts.listing import OVERDUE
from engram.services.facts.listing import FactQuery
from engram.services.facts.listing import Moment
from engram.services.facts.listing import iter_fact_pages
from engram.services.facts.listing import list_facts
from engram.services.recall.validity.outdated_now import outdated_now


def packed_views(database: FactDatabase, query: FactQuery, moment: Moment) -> Iterator[dict[str, Any]]:
    """Return an iterator over what `list_facts` and `without_kept` tell of a query; all of it is read here.

    Nobody but the store itself asks. Raises UnknownEntityError, AmbiguousNameError.
    """
    pages = [list_facts(database, query, moment)] if query.limit else iter_fact_pages(database, query, moment)
    held, late = PackedText(), list[str]()
    for view in chain.from_iterable(pages):
        held.add(f"{json.dumps(view)}\n")
        late += [view["id"]] if view[OVERDUE] else []
    over = {} if query.is_of_past else outdated_now(database, late, moment.now)
    return (view for line in held.lines() for view in with_what_is_over([json.loads(line)], over))
