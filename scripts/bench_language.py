"""Measure what Engram decides about text, on the evaluation sets: precision and recall by language and category.

python scripts/bench_language.py [--data DIR]

The sets are not part of the repository; without them this says so and prints the times only.
"""

import argparse
import base64
import time
from collections import Counter
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterator
from pathlib import Path

from bench_signals import bench_signals
from bench_updates import bench_updates
from evaluation import DATA
from evaluation import Row
from evaluation import read_rows
from evaluation import share

from engram.language.compare.contradiction.compare import compare
from engram.language.screen.injection import find_injection
from engram.language.screen.injection import find_injections
from engram.language.screen.secrets import redact
from engram.language.signal.detector import detect
from engram.language.signal.turn_worth import telling_words
from engram.language.signal.turn_worth import worth
from engram.language.text.statements import split_statements
from engram.model.comparison import EXCLUDING

WRONG_SHOWN = 5  # rows that the reference grades otherwise, printed in full
ADVERSARIAL_CHARS = 65_536
MESSAGE_CHARS = 4_000
SET_CHARS = 400_000  # of each set that messages are made of


def main() -> None:
    """Print every table for which there is data, and the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    folder: Path = parser.parse_args().data
    benches = BENCHES | {"memory_updates": lambda rows: bench_updates(rows, folder)}
    for name, bench in benches.items():
        rows = read_rows(folder, name)
        absent = f"absent (no {name}.jsonl in {folder}), not measured"
        print(f"\n== {name}: " + (f"{len(rows)} rows" if rows else absent))
        if rows:
            bench(rows)
    print("\n== time")
    bench_messages(list(messages(folder)))
    bench_time()


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


def bench_sanitizer(rows: list[Row]) -> None:
    """Text that a peer's sanitiser must stop or let through, with its own expression and its number of findings."""
    told = [row for row in rows if row["kind"] in {"sanitizer", "sanitizer_custom_pattern"}]
    wrong = [row for row in told if (find_injection(row["text"], own_patterns(row)) is None) != row["expected_safe"]]
    print(f"judged as expected {len(told) - len(wrong)} of {len(told)}")
    counted = [row for row in rows if row["kind"] == "sanitizer_min_matches"]
    enough = [row for row in counted if len(find_injections(row["text"])) >= row["min_pattern_matches"]]
    print(f"found as often as expected {len(enough)} of {len(counted)}")
    rewritten = [row for row in rows if row["kind"] == "sanitizer_rewrite"]
    named = [row for row in rewritten if names_the_order(row)]
    print(f"the order named, and nothing else (it is quarantined, not rewritten) {len(named)} of {len(rewritten)}")


def own_patterns(row: Row) -> tuple[str, ...]:
    """Return the expressions that a person added, as in the setting screen.patterns."""
    return (row["extra_pattern"],) if "extra_pattern" in row else ()


def names_the_order(row: Row) -> bool:
    """Tell whether the spans hold what must go, and leave what must stay."""
    orders = [found.text for found in find_injections(row["text"])]
    kept = [words for words in row["must_contain"] if not words.startswith("[")]
    gone = all(any(words in order for order in orders) for words in row["must_not_contain"])
    return bool(orders) and gone and not any(words in order for words in kept for order in orders)


def bench_worth(rows: list[Row]) -> None:
    """How many turns that answer a question, and that are cited at all, stand in the better half by worth."""
    seen: dict[str, set[str]] = defaultdict(set)
    alone, within = [], []
    for row in rows:
        before = seen[row["conv"]]
        alone.append(worth(row["text"]))
        within.append(worth(row["text"], before))
        before |= telling_words(row["text"])
    for name, scores in (("the text alone", alone), ("and the turns before it", within)):
        better = set(sorted(range(len(rows)), key=lambda place: -scores[place])[: len(rows) // 2])
        for label in ("is_qa_evidence", "label"):
            held = {place for place, row in enumerate(rows) if row[label] in {True, "memorable"}}
            print(f"{name:26}{label:16}kept {share(len(held & better), len(held))} of {len(held)} at a keep-rate of .5")


ANALYSES: dict[str, Callable[[str], object]] = {
    "split_statements": split_statements,
    "detect": detect,
    "redact": redact,
    "find_injection": find_injection,
}


def messages(folder: Path) -> Iterator[str]:
    """Yield real text in pieces of the size of a long message: chats of people with agents and with each other."""
    for name in ("beam_100k.docs", "locomo.docs", "ru_premise_qa.docs", "ko_sts.docs"):
        whole = "\n".join(row["text"] for row in read_rows(folder, name))[:SET_CHARS]
        pieces = (whole[start : start + MESSAGE_CHARS] for start in range(0, len(whole), MESSAGE_CHARS))
        yield from (
            piece for piece in pieces if len("".join(piece.split())) > MESSAGE_CHARS // 2
        )  # not drawn with blanks


def bench_messages(texts: list[str]) -> None:
    """Milliseconds over real messages: the median and the 99th percentile, each message at its best of three."""
    if not texts:
        print("no real messages, not measured")
        return
    for name, analyse in ANALYSES.items():
        for text in texts:
            analyse(text)  # a process that reads many messages is asked about, not its first one
        times = sorted(min(took_ms(analyse, text) for _ in range(3)) for text in texts)
        middle, last = times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)]
        print(f"{name:18}{len(texts)} real messages of {MESSAGE_CHARS}: p50 {middle:.2f} ms, p99 {last:.2f} ms")


def bench_time() -> None:
    """Milliseconds for a dense message, and for the worst of the adversarial ones, at one size and twice that."""
    message = ("The build was slow. I prefer tabs over spaces, and we decided to use Kafka. " * 60)[:MESSAGE_CHARS]
    for name, analyse in ANALYSES.items():
        analyse(message)  # the rules are read and compiled once
        dense = min(took_ms(analyse, message) for _ in range(9))
        single, twice = (worst(analyse, size) for size in (ADVERSARIAL_CHARS, 2 * ADVERSARIAL_CHARS))
        print(
            f"{name:18}{dense:8.2f} ms for {MESSAGE_CHARS} dense characters; worst for {ADVERSARIAL_CHARS}: "
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
    marks = (
        ". ",
        '"',
        "(",
        "- a\n",
        "\n",
        " ",
        "*_",
        "```\n",
        "<system>\n",
        "://",
        "[secret:",
        "| ",
        "!",
        "…",
        "“a",
        "**a** ",
    )
    statements = (
        *("not ", "will ", "a. ", "e.g. ", "A. ", "i prefer tea. ", "if i had i prefer ", '"i like" ', "?) "),
        *("Assistant: a\n", "User: a\n", "$ a\n", "said ", "на ", "я решил ", "мне нравится. ", "если бы "),
        *("我", "我喜欢", "我决定。", "通過. ", "「好", "。", "저는 ", "좋아해요. ", "했다고 ", "ㅋ"),
    )
    for unit in words + phrases + marks + statements:
        yield unit, (unit * (size // len(unit) + 1))[:size]
        yield f"i {unit}...a", ("i " + unit * (size // len(unit) + 1))[: size - 1] + "a"  # a run that ends otherwise


def took_ms(analyse: Callable[[str], object], text: str) -> float:
    """Return the milliseconds of one call."""
    begun = time.perf_counter()
    analyse(text)
    return (time.perf_counter() - begun) * 1000


BENCHES: dict[str, Callable[[list[Row]], None]] = {
    "signal_reference": bench_reference,
    "signals": bench_signals,
    "locomo_turn_worthiness": bench_worth,
    "contradiction_pairs": bench_pairs,
    "memory_updates": bench_updates,
    "secrets": bench_secrets,
    "injection": bench_injection,
    "openclaw_mem_reference": bench_sanitizer,
}

if __name__ == "__main__":
    main()
