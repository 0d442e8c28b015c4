"""The file of retrieval cards, .engram/cards.json: encrypted like the journal, in backups, and written on one line.

On one line, because forgetting takes out whole lines that say nothing else.
"""

from pydantic import ValidationError

from engram.base.disk.files import write_durably
from engram.base.disk.own_files import read_own
from engram.config.paths import Paths
from engram.errors import DamagedStateError
from engram.model.card import Cards
from engram.store.encryption.store_cipher import StoreCipher


def read_cards(paths: Paths) -> Cards:
    """Return the cards of a workspace. Raises DamagedStateError, and EncryptionKeyError without the key."""
    try:
        data = read_own(paths.cards)
    except FileNotFoundError:
        return Cards()
    try:
        return Cards.model_validate_json(StoreCipher(paths.encryption).decrypt_file(data, paths.cards.name))
    except ValidationError as problem:
        raise DamagedStateError(
            f"{paths.relative(paths.cards)} does not read: {problem.errors(include_url=False)[0]['msg']}",
            path=str(paths.cards),
        ) from problem


def write_cards(paths: Paths, cards: Cards) -> None:
    """Keep these cards instead of those that are there, durably. Raises OSError."""
    body = cards.model_dump_json(exclude_defaults=True).encode() + b"\n"
    content = StoreCipher(paths.encryption).encrypt_file(body, paths.cards.name)
    write_durably(paths.cards, content, root=paths.root)
