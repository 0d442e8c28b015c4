"""Stemmers of languages. Light until one is asked for."""

from typing import Any


def load_stemmer(language: str, kept: int = 10_000) -> Any:
    """Return a stemmer that keeps so many words with their stems, as PyStemmer names them."""
    import Stemmer  # noqa: PLC0415 - a compiled library that the hook path must not load

    return Stemmer.Stemmer(language, kept)
