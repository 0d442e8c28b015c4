"""Measure the signal detector: grades by language and kind, categories, small talk, and whether its confidence holds.

scripts/bench signals [--data DIR]; scripts/bench language prints the same among the others.
"""

import argparse
from collections import Counter
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from evaluation import DATA
from evaluation import Row
from evaluation import read_rows
from evaluation import share

from engram.language.signal.detector import HIGH
from engram.language.signal.detector import LOW
from engram.language.signal.detector import NONE
from engram.language.signal.detector import SignalResult
from engram.language.signal.detector import detect

BINS = 20  # of the reliability table: 0.05 wide

# What a row of such a kind is in our words; a row of another kind has no category of its own.
CATEGORY_OF_KIND = {
    "preference": {"preference"},
    "decision": {"decision"},
    "identity": {"identity"},
    "identity_or_preference": {"identity", "preference"},
    "instruction": {"instruction"},
    "commitment": {"commitment"},
}
SMALL_TALK = {  # greetings, thanks and backchannels, by the names that the sources give them
    *("greeting", "opening", "closing", "thanks", "apology", "appreciation", "assessment", "agree", "ack"),
    *("backchannel", "yes", "no", "hold", "hedge", "downplayer", "floor_grabber", "floor_holder", "abandoned"),
    *("repeat", "non_understanding"),
}
CHATTER = {*SMALL_TALK, "smalltalk", "fragment"}  # and whatever else is said for company


def bench_signals(rows: list[Row]) -> None:
    """Print the four tables."""
    graded = [(row, detect(row["text"])) for row in rows]
    strict = [(row, result) for row, result in graded if len(row["accept"]) == 1]
    print_grades(strict)
    print_categories(graded)
    print_small_talk(strict)
    print_reliability(graded)


def print_grades(strict: Sequence[tuple[Row, SignalResult]]) -> None:
    """High against none on rows that allow one grade, by language and by kind of row."""
    seen: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row, result in strict:
        for kind in ("all", row["kind"]):
            seen[row["lang"], kind][f"{row['accept'][0]}>{result.signal}"] += 1
    print(f"{'lang':5}{'kind':26}{'precision':>10}{'recall':>8}{'none kept none':>16}{'rows':>6}")
    for (language, kind), counts in sorted(seen.items(), key=lambda item: (item[0][0], item[0][1] != "all", item[0])):
        found, missed = counts["high>high"], counts["high>low"] + counts["high>none"]
        false, quiet = counts["none>high"], counts["none>none"]
        nothing = quiet + false + counts["none>low"]
        print(
            f"{language:5}{kind:26}{share(found, found + false):>10}{share(found, found + missed):>8}"
            f"{share(quiet, nothing):>16}{counts.total():>6}"
        )


def print_categories(graded: Sequence[tuple[Row, SignalResult]]) -> None:
    """Of what is high for the labellers: found at all, found as the right category; of what is found: how much is it.

    Rows that may be graded otherwise count too, so recall stands below that of the strict rows. Precision is counted
    among rows whose kind has a category here.
    """
    held: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for row, result in graded:
        meant = CATEGORY_OF_KIND.get(row["kind"], set()) if row["gold"] == HIGH else set()
        said = set(result.categories) if result.signal == HIGH else set()
        if meant:
            held[row["lang"], row["kind"]]["rows"] += 1
            held[row["lang"], row["kind"]]["found"] += bool(said)
            held[row["lang"], row["kind"]]["named"] += bool(said & meant)
        if row["gold"] != HIGH and row["accept"] == [row["gold"]]:
            for category in said:
                held[row["lang"], category]["false"] += 1
    print(f"\n{'lang':5}{'category':26}{'found':>8}{'so named':>10}{'rows':>6}{'false alarms':>14}")
    for (language, kind), counts in sorted(held.items()):
        rows = counts["rows"]
        found, named = share(counts["found"], rows), share(counts["named"], rows)
        print(f"{language:5}{kind:26}{found:>8}{named:>10}{rows:>6}{counts['false']:>14}")


def print_small_talk(strict: Sequence[tuple[Row, SignalResult]]) -> None:
    """Greetings, thanks and backchannels, and all that is said for company: how many of them are graded none."""
    for name, kinds in (("greetings, thanks and backchannels", SMALL_TALK), ("with all other chatter", CHATTER)):
        talk: dict[str, Counter[bool]] = defaultdict(Counter)
        for row, result in strict:
            if row["kind"] in kinds and row["accept"] == [NONE]:
                for language in ("all", row["lang"]):
                    talk[language][result.signal == NONE] += 1
        print(f"\n{name}, graded none:")
        for language, counts in sorted(talk.items()):
            print(f"  {language:5}{share(counts[True], counts.total())} of {counts.total()}")


def print_reliability(graded: Sequence[tuple[Row, SignalResult]]) -> None:
    """What confidence predicts against what is observed, by grade: a grade is right when a fair judge allows it."""
    print(f"\n{'grade':6}{'confidence':>10}{'predicted':>11}{'observed':>10}{'rows':>6}")
    for grade in (HIGH, LOW, NONE):
        bins: dict[int, list[tuple[float, bool]]] = defaultdict(list)
        for row, result in graded:
            if result.signal == grade:
                bins[int(result.confidence * BINS)].append((result.confidence, grade in row["accept"]))
        print_bins(grade, bins)


def print_bins(grade: str, bins: dict[int, list[tuple[float, bool]]]) -> None:
    """Print the bins of one grade and the mean distance between predicted and observed."""
    distance = rows = 0.0
    for place, seen in sorted(bins.items()):
        predicted, observed = (sum(part) / len(seen) for part in zip(*seen, strict=True))
        distance += abs(predicted - observed) * len(seen)
        rows += len(seen)
        print(f"{grade:6}{place / BINS:>10.2f}{predicted:>11.3f}{observed:>10.3f}{len(seen):>6}")
    if rows:
        print(f"{grade:6}expected calibration error {distance / rows:.3f}")


def main() -> None:
    """Print the tables when there is data."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    folder: Path = parser.parse_args().data
    rows = read_rows(folder, "signals")
    if not rows:
        print(f"there is no signals.jsonl in {folder}, so nothing was measured")
        return
    bench_signals(rows)


if __name__ == "__main__":
    main()
