"""What Engram does and how long it takes, told to a collector of OpenTelemetry where somebody asks for it.

ENGRAM_OTEL=1 switches it on; where it goes, and in whose name, the standard OTEL_ variables say. The extra `otel`
brings what sends it. Names, counts and times are told, never a word of what is remembered: of a failure only its class.
Without the variable nothing is loaded and nothing is sent.
"""

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING
from typing import Final

from engram.base.log import warn
from engram.base.telemetry_switch import VARIABLE
from engram.base.telemetry_switch import is_on

if TYPE_CHECKING:
    from opentelemetry.trace import Span

    from engram.base.telemetry_sender import Sender

_SERVICE: Final = "engram"
_FLUSH_MS: Final = 1000  # that the end of a process waits for a collector, once for traces and once for metrics

Count = str | int | float | bool


class Observation:
    """One piece of work that is going on."""

    def __init__(self, span: "Span | None" = None) -> None:
        """Take what is told of it; None: nobody asks."""
        self._span = span

    def note(self, **counts: Count) -> None:
        """Add counts and choices, such as `hits=3`; no text that anybody said."""
        if self._span is not None:
            for name, value in counts.items():
                self._span.set_attribute(f"{_SERVICE}.{name}", value)


_NOBODY: Final = Observation()


def observed(work: str, **about: Count) -> AbstractContextManager[Observation]:
    """Tell that a piece of work is done while the block runs, such as "recall" or "phase extraction"."""
    sender = _sender() if is_on() else None
    return nullcontext(_NOBODY) if sender is None else _observed(sender, work, about)


def flush() -> None:
    """Send what is still here, for a process that ends: within two seconds, unless OTEL_ variables allow more."""
    if is_on() and (sender := _sender()) is not None:
        sender.traces.force_flush(_FLUSH_MS)
        sender.metrics.force_flush(_FLUSH_MS)


@contextmanager
def _observed(sender: "Sender", work: str, about: dict[str, Count]) -> Iterator[Observation]:
    began = time.monotonic()
    outcome = "ok"
    with sender.tracer.start_as_current_span(work, record_exception=False, set_status_on_exception=False) as span:
        observation = Observation(span)
        observation.note(**about)
        try:
            yield observation
        except BaseException as problem:
            outcome = type(problem).__name__
            sender.mark_failed(span, outcome)
            raise
        finally:
            sender.seconds.record(time.monotonic() - began, {"work": work, "outcome": outcome})


@cache
def _sender() -> "Sender | None":
    """Return what sends, made once a process; None, said once, where it cannot be: no command fails for that."""
    try:
        from engram.base.telemetry_sender import make_sender  # noqa: PLC0415 - an extra, 150 ms, and seldom on

        return make_sender(_SERVICE, _FLUSH_MS / 1000)
    except ModuleNotFoundError:
        from engram.base.machine.install_hints import install_command  # noqa: PLC0415 - 19 ms, and only where it is missing

        warn(f"{VARIABLE} is set, and OpenTelemetry is not installed: {install_command('otel')}")
    except (ValueError, RuntimeError) as problem:
        warn(f"OpenTelemetry refuses its variables, so nothing is told: {' '.join(str(problem).split())}")
    return None
