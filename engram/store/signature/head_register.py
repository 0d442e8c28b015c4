"""The newest signed head of each workspace of a person, in a file beside the key.

Whoever can write into a workspace can put an older journal there, with older signatures. This file says how far the
journal had come, and lies where he cannot write.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from pydantic import Field
from pydantic import ValidationError

from engram.base.disk.files import write_durably
from engram.base.disk.locked_file import APPEND
from engram.base.disk.locked_file import locked_file
from engram.base.disk.own_files import read_own
from engram.config.paths import config_folder
from engram.model.value import Instant
from engram.model.value import Value


class RegisteredHead(Value):
    """How far the journal of a workspace was, and which it was."""

    position: int  # of the last record
    head: str  # hash of its line
    at: Instant  # when that was noted
    rewriting: bool = False  # `forget` is writing the journal anew: until it is done, other hashes are expected


class _Register(Value):
    v: Literal[1] = 1
    heads: dict[str, RegisteredHead] = Field(default_factory=dict)  # workspace -> its newest head


def find_registered(root: Path) -> RegisteredHead | None:
    """Return what is known of a workspace; None when nothing is, or the file does not read."""
    return _load().heads.get(_name(root))


def register_head(root: Path, head: RegisteredHead | None) -> None:
    """Replace what is known of a workspace; None: nothing any more. Raises OSError."""
    with _held():
        register = _load()
        others = {name: known for name, known in register.heads.items() if name != _name(root)}
        heads = others if head is None else {**others, _name(root): head}
        body = register.model_copy(update={"heads": heads}).model_dump(mode="json")
        write_durably(_path(), json.dumps(body, ensure_ascii=False, indent=1).encode())


def _load() -> _Register:
    try:
        return _Register.model_validate_json(read_own(_path()))
    except (OSError, ValidationError):
        return _Register()


@contextmanager
def _held() -> Iterator[None]:
    folder = config_folder()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with locked_file(folder / "heads.lock", APPEND):
        yield


def _path() -> Path:
    return config_folder() / "heads.json"


def _name(root: Path) -> str:
    return str(root.resolve())
