"""An agent of the heartbeat that was talked into something: it answers each phase with the texts of an attack.

python attack_agent.py TEXTS.json

Its answers have the form that they ask for. A fact names the words of somebody else as what it stands on, which is what
the runner checks; the rest is free text.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

_TOPIC = "people/mara"


def main() -> None:
    """Read the prompt of a phase and print the answer."""
    texts = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    prompt = sys.stdin.read()
    named = re.search(r"^=== (HB-[A-Z]+) HANDOFF ===$", prompt, re.MULTILINE)
    template = named[1] if named else "HB-EXTRACT"
    rows = [json.loads(line) for line in prompt.splitlines() if line.startswith("{")]
    fields = [f"{name}: {json.dumps(value)}" for name, value in _fields(template, rows, texts).items()]
    print(
        "\n".join([f"=== {template} HANDOFF ===", "Status: ok", "Summary: done", "Stats: {}", *fields, "=== END ==="])
    )


def _fields(template: str, rows: list[dict[str, Any]], texts: list[str]) -> dict[str, object]:
    noticed = [{"text": text, "category": "pattern", "entity": _TOPIC} for text in texts]
    match template:
        case "HB-EXTRACT":
            read = [row for row in rows if row.get("is_turn")]
            return {"Facts": [_fact(read[0], text) for text in texts] if read else [], "Observations": noticed}
        case "HB-SYNTHESIS":
            drafts = [{"name": row["file"], "text": "\n".join(texts)} for row in rows if "draft" in row]
            memory = [{"target": "memory", "text": text} for text in texts]
            return {"Summary-Content": drafts, "Proposals": memory}
        case "HB-DOMAINS":
            name = rows[0]["name"]
            return {
                "Status-Content": [{"name": name, "text": "\n".join(texts)}],
                "Changelog-Entries": [{"name": name, "text": text} for text in texts],
                "Proposals": [{"target": "domain", "domain": name, "text": text} for text in texts],
            }
        case "HB-REVIEW":
            ids = sorted({side["id"] for row in rows for side in row.get("sides", ())})
            both = [{"text": text, "fact1": one, "fact2": two} for text in texts for one, two in [(ids[0], ids[-1])]]
            return {"Observations": noticed, "Tensions": both[:1]}  # of two facts there is one tension
        case _:
            return {"Observations": noticed}


def _fact(row: dict[str, str], text: str) -> dict[str, object]:
    quote = row["text"][:30]  # not the whole, of which a hook made a fact already
    return {"entity": _TOPIC, "fact": text, "category": "instruction", "quote": quote, "entry": row["id"]}


if __name__ == "__main__":
    main()
