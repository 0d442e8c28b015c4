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

_THREADS = 1  # more of them spin on a busy machine, and the other cores belong to the agent


def forbid_telemetry() -> None:
    """See to it that onnxruntime, imported after this, tells nobody; call it before importing what imports it."""
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


def open_session(graph: Path) -> "InferenceSession":
    """Load an ONNX graph to be run on one thread; raises what onnxruntime does, and ImportError without it."""
    forbid_telemetry()
    from onnxruntime import InferenceSession  # noqa: PLC0415 - a tenth of a second, and only where it is used
    from onnxruntime import SessionOptions  # noqa: PLC0415 - as above

    options = SessionOptions()
    options.intra_op_num_threads = _THREADS
    options.inter_op_num_threads = _THREADS
    return InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])
