"""What a collector of OpenTelemetry is told, by a real one: an HTTP server that reads OTLP."""

import http.server
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from engram.base import telemetry
from engram.base import telemetry_sender
from engram.base.telemetry_switch import VARIABLE
from engram.cli.invocation.options import EngramCommand
from engram.heartbeat.fleet.tick_limits import TickLimits
from engram.heartbeat.fleet.tick_process import run_tick
from engram.workspace import Workspace

SECRET = "Marmalade"
TIMEOUTS = [f"OTEL_EXPORTER_OTLP_{which}TIMEOUT" for which in ("", "TRACES_", "METRICS_")]


class Collector(http.server.ThreadingHTTPServer):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.told: list[tuple[str, bytes]] = []

    def spans(self) -> list[Span]:
        requests = [ExportTraceServiceRequest.FromString(body) for path, body in self.told if path == "/v1/traces"]
        return [
            span
            for request in requests
            for resource in request.resource_spans
            for scope in resource.scope_spans
            for span in scope.spans
        ]

    def metrics(self) -> set[str]:
        requests = [ExportMetricsServiceRequest.FromString(body) for path, body in self.told if path == "/v1/metrics"]
        return {
            metric.name
            for request in requests
            for resource in request.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
        }


class Handler(http.server.BaseHTTPRequestHandler):
    server: Collector

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.told.append((self.path, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def collector() -> Iterator[Collector]:
    server = Collector()
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def run(folder: Path, *args: str, endpoint: str, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "ENGRAM_OTEL": "1", "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint, **more}
    command = [sys.executable, "-m", "engram", *args]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.integration
def test_a_collector_is_told_what_was_done_and_nothing_that_was_said(tmp_path: Path, collector: Collector) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_port}"
    for args in (
        ("init", ".", "--owner", "people/vera"),
        ("write", "--entity", f"people/{SECRET.lower()}", "--create", "--fact", f"{SECRET} likes tea"),
        ("recall", f"what does {SECRET} like"),
        ("show", f"people/{SECRET.lower()}-099"),
    ):
        run(tmp_path, *args, endpoint=endpoint)

    spans = {span.name: span for span in collector.spans()}
    assert {"engram init", "engram write", "engram recall", "recall", "engram show"} <= set(spans)
    counts = {one.key: one.value for one in spans["recall"].attributes}
    assert counts["engram.hits"].int_value == 1
    assert spans["recall"].parent_span_id == spans["engram recall"].span_id
    assert spans["engram show"].status.message == "UnknownFactError"
    assert collector.metrics() == {"engram.work.duration"}
    told = b"".join(body for _, body in collector.told).lower()
    assert SECRET.lower().encode() not in told
    assert b"tea" not in told


@pytest.mark.integration
def test_no_argument_of_a_process_is_told_whatever_detectors_find(tmp_path: Path, collector: Collector) -> None:
    endpoint = f"http://127.0.0.1:{collector.server_port}"
    found = f"process.command_line=engram {SECRET},process.command_args={SECRET},process.pid=7,team=blue"
    detectors = {"OTEL_RESOURCE_ATTRIBUTES": found, "OTEL_EXPERIMENTAL_RESOURCE_DETECTORS": "otel,process"}
    run(tmp_path, "init", ".", endpoint=endpoint, ENGRAM_OTEL="0")

    run(tmp_path, "recall", SECRET, endpoint=endpoint, **detectors)

    told = b"".join(body for _, body in collector.told)
    assert b"blue" in told
    assert b"process.pid" in told
    assert SECRET.encode() not in told


@pytest.mark.integration
def test_a_collector_that_is_away_changes_no_answer(tmp_path: Path) -> None:
    run(tmp_path, "init", ".", endpoint="http://127.0.0.1:9", ENGRAM_OTEL="0")
    plain = run(tmp_path, "facts", endpoint="http://127.0.0.1:9", ENGRAM_OTEL="0")

    away = run(tmp_path, "facts", endpoint="http://127.0.0.1:9")

    assert (away.returncode, away.stdout, away.stderr) == (plain.returncode, plain.stdout, plain.stderr)


@pytest.mark.parametrize(
    ("variable", "limits"),
    [
        ("", {"traces": 1.0, "metrics": 1.0}),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", {"traces": None, "metrics": None}),
        ("OTEL_EXPORTER_OTLP_TRACES_TIMEOUT", {"traces": None, "metrics": 1.0}),
        ("OTEL_EXPORTER_OTLP_METRICS_TIMEOUT", {"traces": 1.0, "metrics": None}),
    ],
)
def test_what_sends_tries_for_a_second_unless_a_variable_of_the_standard_says_how_long(
    monkeypatch: pytest.MonkeyPatch, variable: str, limits: dict[str, float | None]
) -> None:
    given: dict[str, float | None] = {}

    class Traces(OTLPSpanExporter):
        def __init__(self, *, timeout: float | None = None) -> None:
            given["traces"] = timeout
            super().__init__(timeout=timeout)

    class Metrics(OTLPMetricExporter):
        def __init__(self, *, timeout: float | None = None) -> None:
            given["metrics"] = timeout
            super().__init__(timeout=timeout)

    monkeypatch.setattr(telemetry_sender, "OTLPSpanExporter", Traces)
    monkeypatch.setattr(telemetry_sender, "OTLPMetricExporter", Metrics)
    for name in TIMEOUTS:
        monkeypatch.delenv(name, raising=False)
    if variable:
        monkeypatch.setenv(variable, "7")

    sender = telemetry._sender.__wrapped__()  # the one that is kept belongs to whoever comes first

    assert sender is not None
    sender.traces.shutdown()
    sender.metrics.shutdown()
    assert given == limits


@pytest.mark.integration
def test_without_the_extra_it_is_said_how_to_install_it(tmp_path: Path) -> None:
    (tmp_path / "opentelemetry").mkdir()
    (tmp_path / "opentelemetry" / "__init__.py").touch()
    run(tmp_path, "init", "w", endpoint="", ENGRAM_OTEL="0")

    done = run(tmp_path / "w", "facts", endpoint="", PYTHONPATH=os.pathsep.join([str(tmp_path), *sys.path]))

    assert done.returncode == 0
    assert done.stderr.startswith("warning: ENGRAM_OTEL is set, and OpenTelemetry is not installed: ")
    assert "[otel]" in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ("OTEL_METRIC_EXPORT_INTERVAL", "-1"),
        ("OTEL_PYTHON_EXPORTER_OTLP_HTTP_TRACES_CREDENTIAL_PROVIDER", "none-such"),
    ],
)
def test_variables_that_cannot_be_are_told_and_keep_no_command_from_its_work(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str
) -> None:
    monkeypatch.setenv(variable, value)

    assert telemetry._sender.__wrapped__() is None
    assert "warning: OpenTelemetry refuses its variables, so nothing is told: " in capsys.readouterr().err


@pytest.mark.parametrize(("code", "outcome"), [(0, StatusCode.UNSET), (1, StatusCode.ERROR)])
def test_a_command_that_ends_with_a_code_of_its_own_is_an_error_only_where_the_code_says_so(
    monkeypatch: pytest.MonkeyPatch, code: int, outcome: StatusCode
) -> None:
    told, traces, metrics = InMemorySpanExporter(), TracerProvider(), MeterProvider()
    traces.add_span_processor(SimpleSpanProcessor(told))
    seconds = metrics.get_meter("engram").create_histogram("seconds")
    sender = telemetry_sender.Sender(traces.get_tracer("engram"), seconds, traces, metrics)
    monkeypatch.setattr(telemetry, "_sender", lambda: sender)
    monkeypatch.setenv(VARIABLE, "1")
    command = EngramCommand("watch", callback=lambda: click.get_current_context().exit(code))

    assert command.main([], standalone_mode=False) == code

    (span,) = told.get_finished_spans()
    assert span.status.status_code == outcome


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere no process is forked")
def test_a_heartbeat_of_a_fleet_tells_before_its_process_ends(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = tmp_path / "told"
    monkeypatch.setattr(telemetry, "flush", told.touch)

    run_tick(workspace.paths.root, 1, 0, TickLimits(60.0, 4096), lambda: None)

    assert told.exists()


def test_without_the_variable_nothing_is_told_or_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    telemetry._sender.cache_clear()

    with telemetry.observed("recall") as observation:
        observation.note(hits=1)
    telemetry.flush()

    assert telemetry._sender.cache_info().currsize == 0
