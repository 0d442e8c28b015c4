"""An answer that may be longer than memory, such as every fact of a large store.

It is held compressed, of one moment, before any of it is sent: a client that reads slowly holds up nobody, and what
fails halfway is no half of an answer.
"""

import json
from collections.abc import Iterator
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any
from typing import Final

from starlette.responses import JSONResponse
from starlette.responses import Response
from starlette.responses import StreamingResponse

from engram.operations.answers.packed_text import PackedText
from engram.operations.answers.packed_text import has_rows
from engram.operations.answers.packed_text import json_pieces

_MARKS: Final = (",", ":")


def answered(value: Mapping[str, Any], status: HTTPStatus) -> Response:
    """Return the answer to a request; rows of it that are made while they are read are all read here."""
    if not any(map(has_rows, value.values())):
        return JSONResponse(value, status)
    held, size = PackedText(), 0
    for piece in json_pieces(value, _written, _MARKS):
        held.add(piece)
        size += len(piece.encode())
    headers = {"Content-Length": str(size)}
    return StreamingResponse(_pieces(held), status, headers, media_type=JSONResponse.media_type)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=_MARKS)  # as JSONResponse writes it


def _pieces(held: PackedText) -> Iterator[bytes]:
    return (piece.encode() for piece in held.pieces())
