"""The one door to onnxruntime: what is read from a file on this machine stays on this machine.

From version 1.31 on, importing onnxruntime on Linux writes a device number below the user's cache folder and sends
events to its vendor. `ORT_DISABLE_TELEMETRY`, set before the import, prevents both; switching it off afterwards does
not.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

_SPINNING = "session.intra_op.allow_spinning"  # waiting threads that keep their cores busy


def usable_cores() -> int:
    """Return on how many cores this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def forbid_telemetry() -> None:
    """See to it that onnxruntime, imported after this, tells nobody; call it before importing what imports it."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


def open_session(graph: Path, threads: int = 1) -> "InferenceSession":
    """Load an ONNX graph; raises what onnxruntime does, and ImportError without it.

    One thread is right while somebody waits for one answer: the other cores belong to the agent. Several never spin
    while they wait for one another, which on a busy machine costs more than the work.
    """
    forbid_telemetry()
    import onnxruntime  # noqa: PLC0415 - it reads when it is imported whom it may tell

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.add_session_config_entry(_SPINNING, "0")
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
