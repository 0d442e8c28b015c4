"""What the programs that there are presets for print: where their answer, its tokens and its cost stand.

Every form is the documented one of non-interactive use: one JSON object of `claude` and `gemini`, one event a line of
`codex`, and the answers of two HTTP interfaces, as `child.chat` passes them on. What else such a program prints, such
as a warning before the object, is passed over. Pure.
"""

import json
from collections.abc import Iterator
from collections.abc import Mapping
from typing import Any
from typing import NamedTuple

from engram.base.json_values import refuse_depth

_MOST_TOKENS = 10**9  # of one answer; more is no number of tokens


class Usage(NamedTuple):
    """What one or more answers took."""

    input_tokens: int = 0  # read, those from a cache included
    output_tokens: int = 0  # written, thoughts included
    cost_usd: float = 0.0  # 0 where the program does not tell

    @property
    def tokens(self) -> int:
        """All of them."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        """Return both together."""
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cost_usd + other.cost_usd,
        )


class Reply(NamedTuple):
    """What a program answered."""

    text: str = ""  # the answer
    usage: Usage | None = None  # None: it does not tell
    problem: str = ""  # why there is no answer, in the program's words; empty: there is one
    is_refusal: bool = False  # the model will not answer this question; it may answer another


def read_claude(output: str) -> Reply:
    """Read `claude -p --output-format json`: one object of type result, or with --verbose a list that ends in it."""
    found = [one for one in _objects(output) if one.get("type") == "result"]
    if not found:
        return Reply(problem=_last_line(output))
    result = found[-1]
    usage = _mapping(result.get("usage"))
    read = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    taken = Usage(
        sum(_count(usage.get(name)) for name in read),
        _count(usage.get("output_tokens")),
        _dollars(result.get("total_cost_usd")),
    )
    known = taken if usage else None
    text = result.get("result")
    if result.get("is_error") or not isinstance(text, str):
        said = text if isinstance(text, str) and text.strip() else _joined(result.get("errors"))
        return Reply("", known, said or str(result.get("subtype", "error")), result.get("stop_reason") == "refusal")
    if result.get("stop_reason") == "refusal":
        return Reply("", known, text or "it refuses to answer", is_refusal=True)
    return Reply(text, known)


def read_codex(output: str) -> Reply:
    """Read `codex exec --json`: an event a line; the last message is the answer. Also the form before version 0.44."""
    text, problem = "", ""
    usage: Usage | None = None
    for event in _objects(output):
        said, wrong, taken = _read_old_event(event["msg"]) if isinstance(event.get("msg"), dict) else _read_event(event)
        text, problem, usage = said or text, wrong or problem, taken or usage
    if text and usage is not None:
        return Reply(text, usage)  # an error before it was one that codex got over, such as a lost connection
    return Reply("", usage, problem or ("the turn came to no end" if text else _last_line(output)))


def _read_event(event: Mapping[str, Any]) -> tuple[str, str, Usage | None]:
    """Return message, problem and tokens of an event, each empty where it has none."""
    kind, item = event.get("type"), _mapping(event.get("item"))
    if kind == "item.completed" and item.get("type") == "agent_message":
        return str(item.get("text", "")), "", None
    if kind == "turn.completed":
        return "", "", _codex_usage(_mapping(event.get("usage")))
    if kind == "turn.failed":
        return "", str(_mapping(event.get("error")).get("message", "the turn failed")), None
    return "", str(event.get("message", "error")) if kind == "error" else "", None


def _read_old_event(event: Mapping[str, Any]) -> tuple[str, str, Usage | None]:
    kind = event.get("type")
    if kind == "agent_message":
        return str(event.get("message", "")), "", None
    if kind == "token_count":
        counts = _mapping(_mapping(event.get("info")).get("total_token_usage")) or event
        return "", "", _codex_usage(counts)
    return "", str(event.get("message", "error")) if kind == "error" else "", None


def read_gemini(output: str) -> Reply:
    """Read `gemini --output-format json`: one object with response and stats, or with error."""
    found = [one for one in _objects(output) if {"response", "error", "stats"} & one.keys()]
    if not found:
        return Reply(problem=_last_line(output))
    result = found[-1]
    models = _mapping(_mapping(result.get("stats")).get("models"))
    counts = [_mapping(_mapping(model).get("tokens")) for model in models.values()]
    usage = sum_of(_gemini_usage(one) for one in counts) if counts else None
    if error := _mapping(result.get("error")):
        return Reply("", usage, str(error.get("message") or error.get("type") or "error"))
    text = result.get("response")
    if not isinstance(text, str) or not text.strip():
        return Reply("", usage, "it answered nothing")
    return Reply(text, usage)


def read_openai(output: str) -> Reply:
    """Read an answer of the chat interface of OpenAI, which many services speak."""
    answer = _answer(output)
    counts = _mapping(answer.get("usage"))
    prompt, completion = _count(counts.get("prompt_tokens")), _count(counts.get("completion_tokens"))
    usage = Usage(prompt, completion, _dollars(counts.get("cost"))) if counts else None
    if problem := _service_problem(answer):
        return Reply("", usage, problem)
    choices = answer.get("choices")
    choice = _mapping(choices[0]) if isinstance(choices, list) and choices else {}
    message = _mapping(choice.get("message"))
    text, refusal = message.get("content"), message.get("refusal")
    if isinstance(refusal, str) and refusal:
        return Reply("", usage, refusal, is_refusal=True)
    if choice.get("finish_reason") == "content_filter":
        return Reply("", usage, "its filter withheld the answer", is_refusal=True)
    if not isinstance(text, str) or not text.strip():
        return Reply("", usage, "the service answered nothing")
    return Reply(text, usage)


def read_ollama(output: str) -> Reply:
    """Read an answer of POST /api/chat of Ollama, not streamed."""
    answer = _answer(output)
    counts = [answer.get("prompt_eval_count"), answer.get("eval_count")]
    usage = Usage(*map(_count, counts)) if any(type(one) is int for one in counts) else None
    if problem := _service_problem(answer):
        return Reply("", usage, problem)
    text = _mapping(answer.get("message")).get("content")
    if not isinstance(text, str) or not text.strip():
        return Reply("", usage, "the model answered nothing")
    return Reply(text, usage)


def sum_of(usages: Iterator[Usage]) -> Usage:
    """Return several together."""
    total = Usage()
    for usage in usages:
        total = total.plus(usage)
    return total


# --- JSON among other lines --------------------------------------------------------------------------------------


def _objects(output: str) -> Iterator[Mapping[str, Any]]:
    """Yield the JSON objects of an output, those of a list one by one; what stands around them is passed over."""
    decoder = json.JSONDecoder()
    place = 0
    while place < len(output):
        line_end = output.find("\n", place) + 1 or len(output)
        start = place + len(output[place:line_end]) - len(output[place:line_end].lstrip(" \t\r\ufeff"))
        if output[start : start + 1] in {"{", "["}:
            try:
                value, end = decoder.raw_decode(output, start)
                refuse_depth(value)
            except (ValueError, RecursionError):
                place = line_end
                continue
            values = value if isinstance(value, list) else [value]
            yield from (one for one in values if isinstance(one, dict))
            place = end
        else:
            place = line_end


def _answer(output: str) -> Mapping[str, Any]:
    found = list(_objects(output))
    return found[-1] if found else {"error": _last_line(output)}


def _service_problem(answer: Mapping[str, Any]) -> str:
    error = answer.get("error")
    if not error:
        return ""
    return str(_mapping(error).get("message") or error)


def _codex_usage(counts: Mapping[str, Any]) -> Usage:
    return Usage(_count(counts.get("input_tokens")), _count(counts.get("output_tokens")))  # both include their parts


def _gemini_usage(counts: Mapping[str, Any]) -> Usage:
    prompt = _count(counts.get("prompt"))
    written = _count(counts.get("candidates")) + _count(counts.get("thoughts"))
    return Usage(prompt, max(written, _count(counts.get("total")) - prompt))


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _count(value: object) -> int:
    is_one = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST_TOKENS
    return int(value) if is_one else 0  # type: ignore[call-overload] # `is_one` says that it is a number


def _dollars(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _MOST_TOKENS:
        return 0.0
    return float(value)


def _joined(value: object) -> str:
    return "; ".join(map(str, value)) if isinstance(value, list) else ""


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return lines[-1] if lines else "it printed nothing"
