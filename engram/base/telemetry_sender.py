"""What sends traces and metrics to a collector of OpenTelemetry."""

import logging
import os
from typing import Final
from typing import NamedTuple

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import Histogram
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import Span
from opentelemetry.trace import Status
from opentelemetry.trace import StatusCode
from opentelemetry.trace import Tracer

from engram import __version__

_ARGUMENTS: Final = "process.command"  # begins what a detector of processes says of their arguments, which hold facts
_TIMEOUTS: Final = ("OTEL_EXPORTER_OTLP_TIMEOUT", "OTEL_EXPORTER_OTLP_{}_TIMEOUT")  # the standard's, in seconds


class Sender(NamedTuple):
    """What makes spans, counts seconds, and sends both."""

    tracer: Tracer
    seconds: Histogram
    traces: TracerProvider
    metrics: MeterProvider

    def mark_failed(self, span: Span, outcome: str) -> None:
        """Say of a span that it failed, and how."""
        span.set_status(Status(StatusCode.ERROR, outcome))


def make_sender(service: str, limit_s: float) -> Sender:
    """Return what sends in the name of a service, unless a variable of the standard names another.

    Args:
        service: the name.
        limit_s: how long a collector may take, unless a variable of the standard says it.

    Raises ValueError or RuntimeError when OpenTelemetry refuses its variables.
    """
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)  # a collector that is away is no fault of a command
    named = {} if os.environ.get("OTEL_SERVICE_NAME") else {"service.name": service}
    found = Resource.create({**named, "service.version": __version__})
    told = {name: value for name, value in found.attributes.items() if not name.startswith(_ARGUMENTS)}
    resource = Resource(told, found.schema_url)
    traces = TracerProvider(resource=resource, shutdown_on_exit=False)
    traces.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(timeout=_limit_s("TRACES", limit_s))))
    reader = PeriodicExportingMetricReader(OTLPMetricExporter(timeout=_limit_s("METRICS", limit_s)))
    metrics = MeterProvider([reader], resource=resource, shutdown_on_exit=False)
    seconds = metrics.get_meter(service).create_histogram("engram.work.duration", "s", "How long pieces of work took")
    return Sender(traces.get_tracer(service, __version__), seconds, traces, metrics)


def _limit_s(what: str, limit_s: float) -> float | None:
    """Return how long an exporter may try; None where a variable of the standard says it.

    What flushes waits for an exporter however long that tries again, so the exporter itself has the limit.
    """
    is_said = any(os.environ.get(name.format(what)) for name in _TIMEOUTS)
    return None if is_said else limit_s
