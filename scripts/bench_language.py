"""Measure what Engram decides about text, on the evaluation sets: precision and recall by language and category.

python scripts/bench_language.py [--data DIR]

The sets are not part of the repository; without them this says so and prints the times only.
"""

import argparse
import base64
import gzip
import json
import time
from collections import Counter
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.language.comparing import compare
from engram.language.injection import find_injection
from engram.language.secrets import redact
from engram.language.signal import HIGH
from engram.language.signal import detect
from engram.language.statements import split_statements
from engram.model.comparison import EXCLUDING

Row = dict[str, Any]
WRONG_SHOWN = 5  # rows that the reference grades otherwise, printed in full
ADVERSARIAL_CHARS = 65_536
MESSAGE_CHARS = 4_000


def main() -> None:
    """Print every table for which there is data, and the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    folder: Path = parser.parse_args().data
    for name, bench in BENCHES.items():
        rows = read_rows(folder, name)
        absent = f"absent (no {name}.jsonl in {folder}), not measured"
        print(f"\n== {name}: " + (f"{len(rows)} rows" if rows else absent))
        if rows:
            bench(rows)
    print("\n== time")
    bench_time()


def read_rows(folder: Path, name: str) -> list[Row]:
    """Return the rows of one set, or none when it is not there."""
    plain, packed = folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz"
    if packed.exists():
        return [json.loads(line) for line in gzip.open(packed, "rt", encoding="utf-8")]
    return [json.loads(line) for line in plain.read_text("utf-8").splitlines()] if plain.exists() else []


def bench_reference(rows: list[Row]) -> None:
    """Sentences with the grade and categories that they must get."""
    wrong = [row for row in rows if graded(row["text"]) != (row["expected_signal"], row["expected_categories"])]
    print(f"right {len(rows) - len(wrong)} of {len(rows)}")
    for row in wrong[:WRONG_SHOWN]:
        print(f"  {row['text']!r}: expected {row['expected_signal']}, is {graded(row['text'])}")


def graded(text: str) -> tuple[str, list[str]]:
    """Return grade and categories."""
    result = detect(text)
    return result.signal, result.categories


def bench_signals(rows: list[Row]) -> None:
    """High against none on rows that allow one grade, by language and kind of row; and whether confidence holds."""
    strict = [(row, detect(row["text"])) for row in rows if len(row["accept"]) == 1]
    seen: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    bins: dict[int, Counter[bool]] = defaultdict(Counter)
    for row, result in strict:
        gold = row["accept"][0]
        for key in ((row["lang"], "all"), (row["lang"], row["kind"])):
            seen[key][f"{gold}>{result.signal}"] += 1
        if result.signal == HIGH:
            bins[int(result.confidence * 20)][gold == HIGH] += 1
    print(f"{'lang':5}{'kind':26}{'precision':>10}{'recall':>8}{'none kept none':>16}{'rows':>6}")
    for (language, kind), counts in sorted(seen.items()):
        found, missed = counts["high>high"], counts["high>low"] + counts["high>none"]
        false, quiet = counts["none>high"], counts["none>none"]
        nothing = quiet + false + counts["none>low"]
        print(
            f"{language:5}{kind:26}{share(found, found + false):>10}{share(found, found + missed):>8}"
            f"{share(quiet, nothing):>16}{sum(counts.values()):>6}"
        )
    for place, right in sorted(bins.items()):
        print(f"confidence {place / 20:.2f}: right {share(right[True], right.total())} of {right.total()}")


def bench_pairs(rows: list[Row]) -> None:
    """Excluding kinds on pairs: false alarms where nothing is contradicted, recall where something is."""
    counts: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row in rows:
        kind = compare(row["b"], row["a"]).kind
        group = "contradiction" if row["label"] == "contradiction" else "other"
        counts[row["lang"], row["set"]][f"{group}:{kind in EXCLUDING}"] += 1
    print(f"{'lang':5}{'set':20}{'recall':>8}{'false alarms':>14}{'rows':>7}")
    for (language, name), seen in sorted(counts.items()):
        found, missed = seen["contradiction:True"], seen["contradiction:False"]
        false, quiet = seen["other:True"], seen["other:False"]
        alarms = share(false, false + quiet)
        print(f"{language:5}{name:20}{share(found, found + missed):>8}{alarms:>14}{seen.total():>7}")


def bench_secrets(rows: list[Row]) -> None:
    """Secrets whose value is gone, and look-alikes that were touched."""
    counts: Counter[str] = Counter()
    for row in rows:
        text = base64.b64decode(row["text_b64"]).decode("utf-8", "replace")
        value = base64.b64decode(row["secret_b64"] or "").decode("utf-8", "replace")
        cleaned = redact(text).text
        changed = value not in cleaned if value else cleaned != text
        counts[f"{row['label']}:{changed}"] += 1
    gone, kept = counts["secret:True"], counts["secret:False"]
    touched, untouched = counts["not_secret:True"], counts["not_secret:False"]
    print(f"secrets gone {share(gone, gone + kept)}, look-alikes touched {share(touched, touched + untouched)}")


def bench_injection(rows: list[Row]) -> None:
    """Orders found, by label and language."""
    counts: dict[tuple[str, str], Counter[bool]] = defaultdict(Counter)
    for row in rows:
        found = find_injection(row["text"]) is not None
        counts[row["label"], "all"][found] += 1
        counts[row["label"], row["lang"]][found] += 1
    for (label, language), seen in sorted(counts.items()):
        print(f"{label:18}{language:6}found {share(seen[True], seen.total()):>6} of {seen.total()}")


def share(part: int, whole: int) -> str:
    """Return a share with three digits, or a dash when there is nothing to share."""
    return f"{part / whole:.3f}" if whole else "-"


def bench_time() -> None:
    """Milliseconds for an ordinary message, and for the worst of the adversarial ones, at one size and twice that."""
    message = ("The build was slow. I prefer tabs over spaces, and we decided to use Kafka. " * 60)[:MESSAGE_CHARS]
    analyses: dict[str, Callable[[str], object]] = {
        "split_statements": split_statements,
        "detect": detect,
        "redact": redact,
        "find_injection": find_injection,
    }
    for name, analyse in analyses.items():
        analyse(message)  # the rules are read and compiled once
        ordinary = min(took_ms(analyse, message) for _ in range(9))
        single, twice = (worst(analyse, size) for size in (ADVERSARIAL_CHARS, 2 * ADVERSARIAL_CHARS))
        print(
            f"{name:18}{ordinary:8.2f} ms for {MESSAGE_CHARS} characters; worst for {ADVERSARIAL_CHARS}: "
            f"{single[0]:.0f} ms ({single[1]!r}), for twice that: {twice[0]:.0f} ms ({twice[1]!r})"
        )


def worst(analyse: Callable[[str], object], size: int) -> tuple[float, str]:
    """Return the longest time over the adversarial texts of one size, and the unit that the text repeats."""
    return max((took_ms(analyse, text), unit) for unit, text in adversarial(size))


def adversarial(size: int) -> Iterator[tuple[str, str]]:
    """Yield repetitions that make careless expressions slow."""
    words = (
        "a",
        "i ",
        "i really ",
        "password ",
        "key=",
        "ignore ",
        "send the passwords ",
        "curl -u ",
        "authorization: ",
    )
    phrases = (
        "я не ",
        "we will not ",
        "he said ",
        "decode ",
        "add following code ",
        "deadbeef",
        "eyJ",
        "A",
        "0",
        "-----BEGIN PRIVATE KEY-----",
    )
    marks = (". ", '"', "(", "- a\n", "\n", " ", "*_", "```\n", "<system>\n", "://", "[secret:", "| ")
    units = words + phrases + marks
    for unit in units:
        yield unit, (unit * (size // len(unit) + 1))[:size]


def took_ms(analyse: Callable[[str], object], text: str) -> float:
    """Return the milliseconds of one call."""
    begun = time.perf_counter()
    analyse(text)
    return (time.perf_counter() - begun) * 1000


BENCHES: dict[str, Callable[[list[Row]], None]] = {
    "signal_reference": bench_reference,
    "signals": bench_signals,
    "contradiction_pairs": bench_pairs,
    "secrets": bench_secrets,
    "injection": bench_injection,
}

if __name__ == "__main__":
    main()
