"""The text that a fact was read in: the words that it rests on, with what stands before and behind them."""

from typing import Any
from typing import Final

from engram.base.clock import to_iso
from engram.model.conversation import Turn
from engram.model.fact import Fact
from engram.ports.database import FactDatabase
from engram.ports.text_files import TextFiles
from engram.services.facts.sources.provenance import MAX_QUOTE_BYTES
from engram.services.facts.sources.provenance import Located
from engram.services.facts.sources.provenance import find_turn
from engram.services.facts.sources.provenance import locate
from engram.services.facts.sources.provenance import read_source
from engram.services.visibility import Caller
from engram.services.visibility import may_see

PRIVATE: Final = "private"  # state of a source whose text belongs to a session that the reader may not look into
_AROUND_BYTES: Final = 900  # of a file, before the words and behind them, to the next end of a line
_AROUND_CHARS: Final = 1500  # of a turn


def read_passage(database: FactDatabase, fact: Fact, files: TextFiles, caller: Caller | None) -> dict[str, Any]:
    """Return {"state", "path", "line", "speaker", "at", "before", "quote", "after"} of the text of a fact's source.

    `state` is that of `read_source`, or `private`: raw text is only for who may look into its session. What stands
    nowhere any more has no words around it.
    """
    source = fact.source
    if caller is not None and not may_see(caller, fact.scope, source.session, raw=True):
        return _passage(PRIVATE)
    if source.turn is not None and (turn := find_turn(database, source.turn)) is not None:
        return _of_turn(turn, fact)
    if (place := locate(database, source, files)) is not None:
        return _of_file(place)
    read = read_source(database, source, files)
    return _passage(read["state"], path=source.path, quote=read["quote"])


def _of_file(place: Located) -> dict[str, Any]:
    """Return the lines around a place of a file, none of them cut but those that have no end nearby."""
    data, begin = place.data, place.begin
    end = min(place.end, begin + MAX_QUOTE_BYTES)
    before, quote, after = data[_first(data, begin) : begin], data[begin:end], data[end : _last(data, end)]
    return _passage(
        place.state,
        path=place.path,
        line=place.line(),
        before=before.decode("utf-8", errors="ignore"),
        quote=quote.decode("utf-8", errors="replace"),
        after=after.decode("utf-8", errors="ignore"),
    )


def _first(data: bytes, begin: int) -> int:
    """Return where the text before a place begins: with a line, where one begins nearby."""
    earliest = begin - _AROUND_BYTES
    if earliest <= 0:
        return 0
    found = data.find(b"\n", earliest, begin)
    return earliest if found < 0 else found + 1


def _last(data: bytes, end: int) -> int:
    """Return where the text behind a place ends: with a line, where one ends nearby."""
    latest = end + _AROUND_BYTES
    if latest >= len(data):
        return len(data)
    found = data.rfind(b"\n", end, latest)
    return latest if found < 0 else found


def _of_turn(turn: Turn, fact: Fact) -> dict[str, Any]:
    """Return what was said around a statement; where a turn says it in other words, all of the turn is the quote."""
    said = fact.text.rstrip(".!?。！？ ")
    begin = turn.text.find(said)
    if begin < 0:
        begin, end = 0, len(turn.text)
    else:
        end = begin + len(fact.text) if turn.text.startswith(fact.text, begin) else begin + len(said)
    return _passage(
        "intact",
        path=turn.path,
        speaker=turn.speaker,
        at=to_iso(turn.at) if turn.at else None,
        before=turn.text[max(0, begin - _AROUND_CHARS) : begin],
        quote=turn.text[begin : min(end, begin + MAX_QUOTE_BYTES)],
        after=turn.text[end : end + _AROUND_CHARS],
    )


def _passage(state: str, **fields: Any) -> dict[str, Any]:
    empty = {"path": None, "line": None, "speaker": None, "at": None, "before": "", "quote": None, "after": ""}
    return {"state": state, **empty, **fields}
