"""`engram signal --write`: what was graded high, recorded at once."""

from typing import Any

from engram.cli.facts.spooled_fact import record_fact
from engram.cli.facts.write_fields import check_command
from engram.cli.facts.write_fields import write_command
from engram.cli.facts.write_guess import complete
from engram.cli.invocation.asked import Invocation
from engram.cli.invocation.results import result_json
from engram.cli.invocation.results import result_text
from engram.config.hook_settings import find_zone
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import find_workspace
from engram.language.signal.categories import fact_category
from engram.language.signal.detector import SignalResult
from engram.language.signal.detector import Span
from engram.services.extract.validity import dated_fields


def write_high(asked: Invocation, found: SignalResult, given: dict[str, Any], words: str) -> int:
    """Record each high span as a fact and print both results; whom it is about is found when it is not said.

    `given` are the options of `write` that were named; `words` is the classification for people.
    """
    results = [_record(asked, found, span, given) for span in _statements(found)] if found.signal == "high" else []
    would = "would be " if given.get("dry_run") else ""
    shown = [words, *(f"{would}{result_text(result)}" for result in results)]
    planned = {"dry_run": True} if given.get("dry_run") else {}
    asked.emit(
        {"signal": found.as_json(), "written": [result_json(one) for one in results], **planned}, "\n".join(shown)
    )
    return max((int(result["exit_code"]) for result in results), default=0)


def _statements(found: SignalResult) -> list[Span]:
    """Return each statement once: of several categories it is recorded under the surest, which comes first."""
    once: dict[tuple[int, int], Span] = {}
    for span in found.spans:
        once.setdefault((span.start, span.end), span)
    return list(once.values())


def _record(asked: Invocation, found: SignalResult, span: Span, given: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in given.items() if name not in {"wait", "dry_run"} and value is not None}
    category = fact_category(span.category).value
    zone = find_zone(read_hook_choices(find_workspace(asked.workspace_dir)))
    fields |= dated_fields(span.text, category, asked.now(), zone)
    fields = {"category": category, "confidence": found.confidence, **fields, "fact": span.text}
    guessed: dict[str, Any] = {}
    if not given.get("entity"):
        fields, guessed = complete(asked, span.text, fields)
    command = write_command(fields)
    check_command(command, asked.now())
    command = command._replace(undoable=True)
    said = {"guessed": guessed} if guessed else {}
    if given.get("dry_run"):
        planned, _ = asked.workspace().plan("write", command.as_args())
        return {**planned.model_dump(mode="json"), **said}
    return {**record_fact(asked, command, wait_s=given.get("wait")), **said}
