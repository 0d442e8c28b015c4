"""Freed memory is given back where the system's allocator can be asked to, and nothing happens elsewhere."""

import ctypes
from types import SimpleNamespace
from typing import Any

import pytest

from engram.base.machine.free_memory import give_memory_back


def test_the_allocator_is_asked_to_keep_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    monkeypatch.setattr(ctypes, "CDLL", lambda _name: SimpleNamespace(malloc_trim=asked.append))

    give_memory_back()

    assert asked == [0]


def test_another_c_library_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def opened(name: Any) -> SimpleNamespace:
        asked.append(name)
        return SimpleNamespace()

    monkeypatch.setattr(ctypes, "CDLL", opened)

    give_memory_back()

    assert asked == [None]
