"""A service that speaks the embeddings part of the OpenAI interface: POST URL/embeddings with texts, vectors back."""

import functools
import itertools
import math
import time
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

import httpx

from engram.base.machine.api_key import find_api_key
from engram.base.machine.retry_after import wanted_pause
from engram.config.sections.recall import EmbeddingSettings
from engram.errors import EmbeddingError
from engram.store.embedding.centre import unit
from engram.store.embedding.model import Role
from engram.store.embedding.model import scheme_of

BATCH_S = 120.0  # that the service may take for one batch of texts: one that loads its model first takes long
_CONNECT_S = 3.0  # a service that does not even take the call is not there
_ATTEMPTS = 3  # of one batch
_QUESTION_S = 10.0  # for a question, however long batches may take: somebody waits
_REST_S = 30.0  # after a service was silent, in which it is not asked: else many questions would each wait for it
_FIRST_PAUSE_S = 0.5  # before the second attempt; doubled before each further one
_LONGEST_PAUSE_S = 5.0  # even when the service asks for more
_PASSING = frozenset({408, 409, 425, 429, 500, 502, 503, 504})  # answers that another attempt may better
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})
_SHOWN = 200  # characters of what a service says about an error
_HINT = "engram config embeddings.url URL names another; embeddings.provider = auto does without"


class EndpointModel:
    """store.embedding.model.TextModel over HTTP.

    A service that is busy gets further attempts, but not for a question: somebody waits for the answer, and words alone
    are an answer too. One that is silent is left alone for a while.
    """

    batch_size = 64
    dimensions: int | None = None

    def __init__(self, settings: EmbeddingSettings) -> None:
        """Take the settings. Calls nobody."""
        self._settings = settings
        self._address = f"{settings.url.rstrip('/')}/embeddings"
        self._rests_until = 0.0
        self.scheme = scheme_of(settings.model, settings)
        self.name = f"{settings.model} at {settings.url.rstrip('/')}"

    def embed(self, texts: Sequence[str], role: Role) -> list[list[float]]:
        """See the port."""
        asked = {"model": self._settings.model, "input": [self.scheme.prefixed(text, role) for text in texts]}
        if time.monotonic() < self._rests_until:
            raise EmbeddingError(f"{self._address} was silent a moment ago", hint=_HINT)
        if role == "query":
            answer = self._post(asked, attempts=1, timeout_s=min(BATCH_S, _QUESTION_S))
        else:
            answer = self._post(asked, attempts=_ATTEMPTS, timeout_s=BATCH_S)
        return [unit(vector) for vector in _vectors(answer, len(texts), self._address)]

    def _post(self, asked: dict[str, Any], *, attempts: int, timeout_s: float) -> Any:
        pause, timeout = _FIRST_PAUSE_S, httpx.Timeout(timeout_s, connect=min(timeout_s, _CONNECT_S))
        while True:
            attempts -= 1
            try:
                answer = self._client.post(self._address, json=asked, timeout=timeout)
                if answer.is_success:
                    return answer.json()
                problem, may_pass = _refusal(answer, self._address), answer.status_code in _PASSING
                pause = max(pause, wanted_pause(answer.headers.get("retry-after")))
            except ValueError as wrong:
                raise EmbeddingError(f"{self._address} answered with something else than JSON", hint=_HINT) from wrong
            except (httpx.HTTPError, httpx.InvalidURL) as wrong:
                self._rests_until = time.monotonic() + _REST_S
                raise _silence(wrong, self._address) from wrong
            if not may_pass or not attempts:
                raise problem
            time.sleep(min(pause, _LONGEST_PAUSE_S))
            pause *= 2

    @functools.cached_property
    def _client(self) -> httpx.Client:
        key = find_api_key(self._settings.key_variable, self._settings.url)
        address = urlsplit(self._settings.url)
        if key and address.scheme == "http" and address.hostname not in _THIS_MACHINE:
            message = f"the key is not sent to {address.hostname} without encryption"
            raise EmbeddingError(message, hint="engram config embeddings.url with https://")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            return httpx.Client(headers=headers)
        except (ValueError, UnicodeError) as problem:  # a key with signs that no header may hold
            raise EmbeddingError("the key for the embedding service cannot be sent", hint=_HINT) from problem


def _vectors(answer: Any, wanted: int, address: str) -> list[list[float]]:
    """Return the vectors of an answer in the order of the texts."""
    try:
        rows = sorted(answer["data"], key=lambda row: row["index"])
        vectors = [[float(number) for number in row["embedding"]] for row in rows]
    except (TypeError, KeyError, ValueError) as problem:
        raise EmbeddingError(f"{address} answered without embeddings", hint=_HINT) from problem
    if not all(map(math.isfinite, itertools.chain.from_iterable(vectors))):
        raise EmbeddingError(f"{address} answered with numbers that are none", hint=_HINT)
    if len(vectors) != wanted or len({len(vector) for vector in vectors}) != 1 or not vectors[0]:
        raise EmbeddingError(f"{address} answered with {len(vectors)} vectors for {wanted} texts", hint=_HINT)
    return vectors


def _refusal(answer: httpx.Response, address: str) -> EmbeddingError:
    said = " ".join(answer.text.split())[:_SHOWN]
    is_key = answer.status_code in {401, 403}
    hint = "put the key into the environment variable that embeddings.key_variable names" if is_key else _HINT
    return EmbeddingError(f"{address} answered {answer.status_code}{f': {said}' if said else ''}", hint=hint)


def _silence(problem: Exception, address: str) -> EmbeddingError:
    return EmbeddingError(f"{address} cannot be reached: {problem or type(problem).__name__}", hint=_HINT)
