"""What Engram does and how long it takes, told to a collector of OpenTelemetry where somebody asks for it.

ENGRAM_OTEL=1 switches it on; where it goes, and in whose name, the standard OTEL_ variables say. The extra `otel`
brings what sends it. Names, counts and times are told, never a word of what is remembered: of a failure only its class.
Without the variable nothing is loaded and nothing is sent.
"""

import os
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from contextlib import contextmanager
from contextlib import nullcontext
from functools import cache
from typing import TYPE_CHECKING
from typing import Final
from typing import NamedTuple

from engram.base.log import warn

if TYPE_CHECKING:
    from opentelemetry.metrics import Histogram
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span
    from opentelemetry.trace import Tracer

VARIABLE: Final = "ENGRAM_OTEL"

_SERVICE: Final = "engram"
_ARGUMENTS: Final = "process.command"  # begins what a detector of processes says of their arguments, which hold facts
_FLUSH_MS: Final = 1000  # that the end of a process waits for a collector, once for traces and once for metrics
_TIMEOUTS: Final = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_{}_TIMEOUT")  # the standard's, in seconds

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


def is_on() -> bool:
    """Tell whether somebody asks to be told."""
    return os.environ.get(VARIABLE) == "1"


def observed(work: str, **about: Count) -> AbstractContextManager[Observation]:
    """Tell that a piece of work is done while the block runs, such as "recall" or "phase extraction"."""
    sender = _sender() if is_on() else None
    return nullcontext(_NOBODY) if sender is None else _observed(sender, work, about)


def flush() -> None:
    """Send what is still here, for a process that ends: within two seconds, unless OTEL_ variables allow more."""
    if is_on() and (sender := _sender()) is not None:
        sender.traces.force_flush(_FLUSH_MS)
        sender.metrics.force_flush(_FLUSH_MS)


class _Sender(NamedTuple):
    tracer: "Tracer"
    seconds: "Histogram"
    traces: "TracerProvider"
    metrics: "MeterProvider"


@contextmanager
def _observed(sender: _Sender, work: str, about: dict[str, Count]) -> Iterator[Observation]:
    from opentelemetry.trace import Status  # noqa: PLC0415 - only where it is switched on
    from opentelemetry.trace import StatusCode  # noqa: PLC0415 - as above

    began = time.monotonic()
    outcome = "ok"
    with sender.tracer.start_as_current_span(work, record_exception=False, set_status_on_exception=False) as span:
        observation = Observation(span)
        observation.note(**about)
        try:
            yield observation
        except BaseException as problem:
            outcome = type(problem).__name__
            span.set_status(Status(StatusCode.ERROR, outcome))
            raise
        finally:
            sender.seconds.record(time.monotonic() - began, {"work": work, "outcome": outcome})


@cache
def _sender() -> _Sender | None:
    """Return what sends, made once a process; None, said once, where it cannot be: no command fails for that."""
    try:
        return _make_sender()
    except ModuleNotFoundError:
        from engram.base.machine.install_hints import install_command  # noqa: PLC0415 - only where it is missing

        warn(f"{VARIABLE} is set, and OpenTelemetry is not installed: {install_command('otel')}")
    except (ValueError, RuntimeError) as problem:
        warn(f"OpenTelemetry refuses its variables, so nothing is told: {' '.join(str(problem).split())}")
    return None


def _make_sender() -> _Sender:
    import logging  # noqa: PLC0415 - only where it is switched on

    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter  # noqa: PLC0415 - 150 ms
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter  # noqa: PLC0415 - as above
    from opentelemetry.sdk.metrics import MeterProvider  # noqa: PLC0415 - as above
    from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader  # noqa: PLC0415 - as above
    from opentelemetry.sdk.resources import Resource  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace import TracerProvider  # noqa: PLC0415 - as above
    from opentelemetry.sdk.trace.export import BatchSpanProcessor  # noqa: PLC0415 - as above

    from engram import __version__  # noqa: PLC0415 - as above

    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # a collector that is away is no fault of a command
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": _SERVICE}
    found = Resource.create({**named, "service.version": __version__})
    told = {name: value for name, value in found.attributes.items() if not name.startswith(_ARGUMENTS)}
    resource = Resource(told, found.schema_url)
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_limit_s("TRACES"))))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(timeout=_limit_s("METRICS")))
    metrics = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    seconds = metrics.get_meter(_SERVICE).create_histogram("engram.work.duration", "s", "How long pieces of work took")
    return _Sender(traces.get_tracer(_SERVICE, __version__), seconds, traces, metrics)


def _limit_s(what: str) -> float | None:
    """Return how long an exporter may try; None where a variable of the standard says it.

    What flushes waits for an exporter however long that tries again, so the exporter itself has the limit.
    """
    is_said = any(os.environ.get(name.format(what)) for name in _TIMEOUTS)
    return None if is_said else _FLUSH_MS / 1000
