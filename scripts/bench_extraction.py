"""Measure extraction: the judge on authors that it has not seen, lines a second, and with --end-to-end whole runs.

scripts/bench extraction [--data DIR] [--end-to-end [--only learn|measure|aside] [--folds N] [--scorer FILE]]
                         [--no-model] [--all-times]

DIR holds `learn` and `measure`, texts in which careful readers marked what a memory should keep. The report is that of
scripts/train_judge.py. End to end, the authors of `learn` are parted into folds; those of each fold are scored with
weights that were learned from the others, `measure` with the packaged ones, and so are, where only they are asked for,
the invented texts of weeks_aside/, which nothing was learned from. Needs the group bench of pyproject.toml.
"""

import argparse
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from evaluation import DATA
from evaluation import Row
from evaluation import read_rows
from extraction_runs import Conditions
from extraction_runs import count_what_is_not_now
from extraction_runs import load_scorer
from extraction_runs import print_tables
from extraction_runs import read_aside
from extraction_runs import read_marked
from extraction_runs import score_learn
from extraction_runs import score_packaged
from train_judge import learn
from train_judge import learn_subjects
from train_judge import line_vectors
from train_judge import read_examples

from engram.language.names.new_entities import MIN_MENTIONS
from engram.language.text.markdown_notes import split_note
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import Passage

ROUNDS = 3  # of which the median counts
LEAST_SPEED = 1000  # lines a second of the processor's time, on words


def print_speed(rows: Sequence[Row]) -> None:
    """Print how many lines of notes the built-in extraction reads a second, on words, those of an agent together."""
    by_agent: dict[str, list[Passage]] = defaultdict(list)
    for row in rows:
        by_agent[row["agent"]] += _passages(row)
    agents = list(by_agent.values())
    _extract_all(agents[:1])  # loads weights and word lists
    speeds = []
    for _ in range(ROUNDS):
        begun = time.process_time()
        statements, facts = _extract_all(agents)
        speeds.append(statements / (time.process_time() - begun))
    print(
        f"\nextraction on words: {statistics.median(speeds):,.0f} lines/s (bar: {LEAST_SPEED:,}; of {ROUNDS} rounds "
        f"{min(speeds):,.0f} to {max(speeds):,.0f}); {statements:,} lines of {len(rows)} notes, {facts:,} facts"
    )


def _passages(row: Row) -> list[Passage]:
    title = row["agent"].rpartition("+")[2]
    return [
        Passage(
            f"{row['file']} {number}",
            entry.text,
            entry.headings,
            occasion=row["file"],
            home="projects/home",
            home_title=title,
        )
        for number, entry in enumerate(split_note(row["text"].encode()))
    ]


def _extract_all(agents: Sequence[Sequence[Passage]]) -> tuple[int, int]:
    found = [extract(passages, [], owner="people/owner", min_mentions=MIN_MENTIONS) for passages in agents]
    return sum(one.statements for one in found), sum(len(one.facts) for one in found)


def main() -> None:
    """Print the report and the speed, then, where it is asked for, the tables of whole runs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA / "extraction")
    parser.add_argument("--no-model", action="store_true", help="words only")
    parser.add_argument("--cache", type=Path, default=Path(".judge-cache"), help="folder for vectors")
    parser.add_argument("--end-to-end", action="store_true", help="score whole runs, too")
    parser.add_argument("--only", choices=("learn", "measure", "aside"), help="end to end on these, without the report")
    parser.add_argument("--all-times", action="store_true", help="count facts that are over by today, or to come, too")
    parser.add_argument("--folds", type=int, default=6, help="parts of the authors; after each, what there is so far")
    parser.add_argument("--scorer", type=Path, help="extraction.py, else ../../bench/extraction.py from the data")
    parser.add_argument("--rows", type=Path, help="folder for what was found and missed, as JSON lines")
    parser.add_argument("--workers", type=int, default=2, help="workspaces at a time")
    options = parser.parse_args()
    data: Path = options.data.resolve()
    if not (data / "learn").is_dir():
        sys.exit(f"{data} has no folder learn (--data names another)")
    cache: Path = options.cache.resolve()
    examples = read_examples(data / "learn") if options.only in (None, "learn") else []
    vectors = None if options.no_model or not examples else line_vectors(examples, cache)
    if not options.only:
        print(f"{len(examples)} lines of {len({example.author for example in examples})} authors")
        learn(examples, vectors)
        learn_subjects(examples)
        print_speed(read_rows(data / "learn", "notes"))
    if not options.end_to_end:
        return
    scorer = load_scorer(options.scorer or data.parent.parent / "bench" / "extraction.py")
    if options.all_times:
        count_what_is_not_now(scorer)
    conditions = Conditions(scorer, cache, has_model=not options.no_model, workers=options.workers)
    if options.only in (None, "learn"):
        batches = score_learn(data / "learn", examples, vectors, options.folds, conditions)
        print_tables("learn, each author left out", batches, options.folds, conditions, options.rows)
    if options.only != "learn":
        title = options.only or "measure"
        texts = read_aside() if title == "aside" else read_marked(data / "measure")
        batches = score_packaged(texts, options.folds, conditions)
        print_tables(title, batches, options.folds, conditions, options.rows)


if __name__ == "__main__":
    main()
