"""A scripted agent: `python agent.py MODE` reads the prompt on stdin and answers well, badly, late or never."""

import json
import sys
import time
from collections.abc import Callable

OPENING = "=== HB-EXTRACT HANDOFF ==="


def block(facts: list[dict[str, object]], status: str = "ok") -> str:
    lines = [
        OPENING,
        f"Status: {status}",
        f"Summary: {len(facts)} facts",
        "Stats: {}",
        f"Facts: {json.dumps(facts)}",
        "Alerts: []",
    ]
    return "\n".join([*lines, "=== END ==="]) + "\n"


def fact_of(entry: dict[str, str], **fields: object) -> dict[str, object]:
    quote = entry["text"].removeprefix("- ")
    return {
        "entity": "projects/billing",
        "fact": quote,
        "category": "decision",
        "quote": quote,
        "entry": entry["id"],
        "title": "Billing",
        **fields,
    }


def lie(entries: list[dict[str, str]]) -> dict[str, object]:
    return fact_of(entries[0], quote="words that stand nowhere", fact="a lie")


def escapes(entries: list[dict[str, str]]) -> list[dict[str, object]]:
    return [fact_of(entries[0], entity=entity) for entity in ("../../etc/passwd", "Nobody Known")]


def main(mode: str) -> None:
    prompt = sys.stdin.read() if mode != "deaf" else ""
    if mode in {"deaf", "slow"}:
        time.sleep(60)
    entries = [json.loads(line) for line in prompt.splitlines() if line.startswith('{"id"')]
    good = [fact_of(entry) for entry in entries]
    answers: dict[str, Callable[[], str]] = {
        "good": lambda: "Let me look.\n" + block(good),
        "echo": lambda: prompt,
        "garbage": lambda: "no block at all \udcff",
        "truncated": lambda: block(good).rpartition("===")[0][:-5],
        "bad-json": lambda: block(good).replace("Facts: [", "Facts: [{,"),
        "liar": lambda: block([*good, lie(entries)]),
        "escape": lambda: block(escapes(entries)),
        "quoter": lambda: "\n".join(entry["text"] for entry in entries),
        "says-failed": lambda: block([], "failed"),
        "crash": lambda: block(good),
        "silent": lambda: "",
    }
    sys.stdout.buffer.write(answers[mode]().encode("utf-8", errors="surrogateescape"))
    sys.stdout.flush()
    sys.exit(3 if mode == "crash" else 0)


main(sys.argv[1])
