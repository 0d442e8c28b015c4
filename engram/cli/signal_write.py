"""`engram signal --write`: what was graded high, recorded at once."""

from typing import Any

from engram.cli.options import Invocation
from engram.cli.results import result_json
from engram.cli.results import result_text
from engram.cli.write import record_fact
from engram.cli.write_fields import check_fields
from engram.cli.write_fields import write_args
from engram.errors import BadValueError
from engram.language.signal import SignalResult

# What a signal becomes as a fact: an instruction is what somebody wants, an identity is background about them.
_CATEGORIES = {
    "preference": "preference",
    "decision": "decision",
    "correction": "correction",
    "milestone": "milestone",
    "instruction": "preference",
    "identity": "context",
}


def write_high(asked: Invocation, found: SignalResult, given: dict[str, Any], words: str) -> int:
    """Record each high span as a fact and print both results; raise BadValueError when the entity is missing.

    `given` are the options of `write` that were named; `words` is the classification for people.
    """
    if not given.get("entity"):
        raise BadValueError("--write needs --entity", hint="such as --entity people/anna")
    results = [_record(asked, found, span, given) for span in found.spans] if found.signal == "high" else []
    shown = [words, *(result_text(result) for result in results)]
    planned = {"dry_run": True} if given.get("dry_run") else {}
    asked.emit(
        {"signal": found.as_json(), "written": [result_json(one) for one in results], **planned}, "\n".join(shown)
    )
    return max((int(result["exit_code"]) for result in results), default=0)


def _record(asked: Invocation, found: SignalResult, span: Any, given: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in given.items() if name not in {"wait", "dry_run"} and value is not None}
    category = _CATEGORIES.get(span.category, "context")
    args, actor = write_args({"category": category, "confidence": found.confidence, **fields, "fact": span.text})
    check_fields(args, asked.now())
    if given.get("dry_run"):
        planned, _ = asked.workspace().plan("write", args)
        return planned.model_dump(mode="json")
    return record_fact(asked, args, actor, wait_s=given.get("wait"))
