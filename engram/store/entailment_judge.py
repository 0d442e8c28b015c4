"""A local entailment model as a judge: an ONNX cross-encoder that reads two statements and weighs three answers.

Experimental: tested with a tiny model only, and not measured on real pairs; see docs/decisions/0015.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from engram.base.machine.install_hints import install_command
from engram.config.memory_settings import ContradictionSettings
from engram.errors import SettingsError
from engram.model.comparison import Comparison
from engram.store.onnx_runtime import open_session

_FILES = ("model.onnx", "tokenizer.json", "config.json")
_MAX_TOKENS = 512  # of both statements together; what is longer is cut
THRESHOLD = 0.9  # probability from which a contradiction is believed: a guess, for nothing was measured
_HINT = "engram config contradiction.folder DIR names another; contradiction.judge = words does without"


class EntailmentJudge:
    """Judges with a natural language inference model (labels entailment, neutral, contradiction, in any order).

    The older statement is the premise and the newer one the hypothesis, and then the other way round: what excludes
    something is excluded by it, so the lower of the two probabilities counts.
    """

    def __init__(self, folder: Path, threshold: float = THRESHOLD) -> None:
        """Take the model's folder, and the probability from which a contradiction is believed. Loads nothing yet."""
        self._folder = folder
        self._threshold = threshold

    def judge(self, new: str, old: str) -> Comparison:
        """See the port."""
        if new == old:
            return Comparison("same", 1.0, 1.0, "the same statement")
        probability = min(self._contradiction(old, new), self._contradiction(new, old))
        why = f"the model {self._folder.name} takes them for a contradiction ({probability:.2f})"
        if probability >= self._threshold:
            return Comparison("contradiction", round(probability, 3), 0.0, why)
        return Comparison("none", round(1 - probability, 3), 0.0, "nothing excludes both")

    def _contradiction(self, premise: str, hypothesis: str) -> float:
        """Return the probability, 0 to 1, that the hypothesis cannot hold where the premise does."""
        import numpy as np  # noqa: PLC0415 - comes with onnxruntime, only where this judge is chosen

        with _translated(self._folder):
            session, tokenizer, label = self._model
            encoded = tokenizer.encode(premise, hypothesis)
            given = {
                "input_ids": encoded.ids,
                "attention_mask": encoded.attention_mask,
                "token_type_ids": encoded.type_ids,
            }
            wanted = [one.name for one in session.get_inputs()]
            feed = {name: np.array([given[name]], dtype=np.int64) for name in wanted if name in given}
            logits = session.run(None, feed)[0][0]
        weights = np.exp(logits - logits.max())
        return float(weights[label] / weights.sum())

    @cached_property
    def _model(self) -> tuple[Any, Any, int]:
        """The session, the tokenizer and the place of the contradiction label; raises SettingsError."""
        if missing := [name for name in _FILES if not (self._folder / name).is_file()]:
            raise SettingsError(f"the model folder {self._folder} has no {missing[0]}", hint=_HINT)
        try:
            session = open_session(self._folder / "model.onnx")
            from tokenizers import Tokenizer  # noqa: PLC0415 - only where this judge is chosen
        except ImportError as problem:
            message = "contradiction.judge is entailment, but onnxruntime and tokenizers are not installed"
            raise SettingsError(message, hint=install_command()) from problem
        tokenizer = Tokenizer.from_file(str(self._folder / "tokenizer.json"))
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.no_padding()
        return session, tokenizer, self._label()

    def _label(self) -> int:
        """Return the place of the contradiction label among the model's answers."""
        config = json.loads((self._folder / "config.json").read_text(encoding="utf-8"))
        labels = {str(label).casefold(): int(place) for place, label in config.get("id2label", {}).items()}
        found = [place for label, place in labels.items() if label.startswith("contra")]
        if len(found) != 1:
            raise SettingsError(f"the model in {self._folder} has no label for a contradiction", hint=_HINT)
        return found[0]


def choose_judge(settings: ContradictionSettings) -> EntailmentJudge | None:
    """Return the stronger judge that the settings name, or None for the built-in one alone.

    Raises:
        SettingsError: when an entailment model is wanted and no folder is set, or the folder is no model.
    """
    if settings.judge == "words":
        return None
    if not settings.folder:
        raise SettingsError("contradiction.judge is entailment, but no folder is set", hint=_HINT)
    folder = Path(settings.folder).expanduser()
    if missing := [name for name in _FILES if not (folder / name).is_file()]:
        raise SettingsError(f"the model folder {folder} has no {missing[0]}", hint=_HINT)
    return EntailmentJudge(folder)


@contextmanager
def _translated(folder: Path) -> Iterator[None]:
    # onnxruntime and tokenizers raise classes of their own that derive from nothing but Exception, or Exception itself.
    try:
        yield
    except SettingsError:
        raise
    except Exception as problem:
        module = type(problem).__module__
        known = isinstance(problem, ValueError | KeyError | IndexError) or type(problem) is Exception
        if not known and "onnxruntime" not in module:
            raise
        raise SettingsError(f"the model in {folder} cannot be used: {problem}", hint=_HINT) from problem
