"""Whole runs of extraction, scored: workspaces made by `engram init`, a heartbeat each, and the facts that come of it.

What is scored was not learned from: each fold of authors gets a copy of the program with weights learned from the
others. So that texts of `learn` are embedded once, each workspace begins with a copy of the cache of vectors. The
settings
are those that `init` leaves: a run that was told to spend no time on vectors would judge by words.
"""

import contextlib
import importlib.util
import io
import json
import re
import shlex
import shutil
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from typing import NamedTuple

import numpy as np
from evaluation import Row
from evaluation import read_rows
from numpy.typing import NDArray
from train_judge import Example
from train_judge import learn
from train_judge import learn_subjects

from engram.services.extract import judge
from engram.services.extract.subject import attribution

ROOT = Path(__file__).resolve().parent.parent
ASIDE = ROOT / "scripts" / "weeks_aside"
ALL = "all"
BARS = {"useful": 0.55, "precise": 0.75, "categ.": 0.75, "dated": 0.70}  # on notes and on conversations
BARS_OF_A_LANGUAGE = {"useful": 0.40, "precise": 0.70}
_OF_ALL_TIMES = ("active", "planned", "ended")
_COLUMNS = ("texts", "must", "facts", "kept", "right", "categ.", "useful", "precise", "dated")

Result = tuple[str, str, str, Any, Any]  # set, language, name, marks, facts, as the scorer has it


class Marked(NamedTuple):
    """Texts in which somebody marked what a memory should keep."""

    notes: list[Row]
    talks: list[Row]


class Conditions(NamedTuple):
    """How workspaces are run."""

    scorer: Any  # the module
    cache: Path  # folder for vectors
    has_model: bool
    workers: int


def load_scorer(file: Path) -> Any:
    """Return the scorer as a module."""
    found = importlib.util.spec_from_file_location("extraction_scorer", file)
    if found is None or found.loader is None or not file.is_file():
        sys.exit(f"there is no scorer at {file} (--scorer names another)")
    scorer = importlib.util.module_from_spec(found)
    found.loader.exec_module(scorer)
    return scorer


def count_what_is_not_now(scorer: Any) -> None:
    """Let the scorer count facts that were over by today, or are still to come, too; by itself `facts` lists neither.

    Texts that are years old tell of ends: what was true "until Friday" was kept, and is over.
    """
    run = scorer.run

    def run_for_all_times(engram: str, folder: Path, *arguments: str) -> str:
        if arguments != ("facts", "--json"):
            return str(run(engram, folder, *arguments))
        listed = [json.loads(run(engram, folder, "facts", "--json", "--status", status)) for status in _OF_ALL_TIMES]
        return json.dumps([fact for one in listed for fact in (one["facts"] if isinstance(one, dict) else one)])

    scorer.run = run_for_all_times


def score_learn(
    folder: Path, examples: Sequence[Example], vectors: NDArray[np.float32] | None, folds: int, conditions: Conditions
) -> Iterator[list[Result]]:
    """Yield what the scorer has to count, fold by fold, each author with weights that have not seen them."""
    notes, talks = read_rows(folder, "notes"), read_rows(folder, "conversations")
    for authors in parted(examples, folds):
        with tempfile.TemporaryDirectory(prefix="extraction-fold-") as scratch:
            seen = [place for place, example in enumerate(examples) if example.author not in authors]
            source = _copy_with_weights(
                Path(scratch), [examples[place] for place in seen], None if vectors is None else vectors[seen]
            )
            program = _program(Path(scratch), source, conditions)
            some = [row for row in notes if row["agent"] in authors]
            yield _scored(program, some, [row for row in talks if row["id"] in authors], conditions)


def read_marked(folder: Path) -> Marked:
    """Return the texts of `measure`."""
    return Marked(read_rows(folder, "notes"), read_rows(folder, "conversations"))


def read_aside() -> Marked:
    """Return the invented notes and chats that nothing was learned from."""
    folders = (ASIDE / "judge_notes", ASIDE / "judge_chats")
    return Marked(
        *(
            [row for file in sorted(folder.glob("*.jsonl")) for row in read_rows(folder, file.stem)]
            for folder in folders
        )
    )


def score_packaged(texts: Marked, parts: int, conditions: Conditions) -> Iterator[list[Result]]:
    """Yield what the scorer has to count, with the weights of the package, a part of the texts at a time."""
    notes, talks = texts
    agents = sorted({row["agent"] for row in notes})
    with tempfile.TemporaryDirectory(prefix="extraction-") as scratch:
        program = _program(Path(scratch), ROOT, conditions)
        for part in range(parts):
            some = [row for row in notes if row["agent"] in agents[part::parts]]
            yield _scored(program, some, talks[part::parts], conditions)


def print_tables(
    title: str, batches: Iterator[list[Result]], parts: int, conditions: Conditions, folder: Path | None
) -> None:
    """Print the table of all parts; until then, what there is so far as progress."""
    results: list[Result] = []
    for number, batch in enumerate(batches, start=1):
        results += batch
        if number < parts:
            with contextlib.redirect_stdout(sys.stderr):
                print_table(f"{title}: {number} of {parts} parts so far", results, conditions)
    print_table(title, results, conditions, folder)


def parted(examples: Sequence[Example], folds: int) -> list[set[str]]:
    """Return the authors in folds of about as many lines each; what is invented is always learned from."""
    parts: list[set[str]] = [set() for _ in range(folds)]
    sizes = [0] * folds
    for author, lines in sorted(
        Counter(one.author for one in examples if not one.is_invented).items(), key=lambda one: (-one[1], one[0])
    ):
        least = sizes.index(min(sizes))
        parts[least].add(author)
        sizes[least] += lines
    return [part for part in parts if part]


def _copy_with_weights(folder: Path, examples: Sequence[Example], vectors: NDArray[np.float32] | None) -> Path:
    source = folder / "source"
    shutil.copytree(ROOT / "engram", source / "engram")
    (source / "references").symlink_to(ROOT / "references", target_is_directory=True)
    for file, raw in (
        (judge.FILE, learn(examples, vectors, report=False).raw),
        (attribution.FILE, learn_subjects(examples, report=False)),
    ):
        packaged = source / file.relative_to(ROOT)
        packaged.unlink()  # fails when the copy is laid out otherwise: then old weights would be measured
        packaged.write_text(json.dumps(raw) + "\n", encoding="utf-8")
    return source


def _program(folder: Path, source: Path, conditions: Conditions) -> Path:
    """Write the command `engram` of one source tree; its `init` sets up what workspaces here have in common."""
    engram = f"{shlex.quote(sys.executable)} -m engram"
    lines = ["#!/bin/sh", f"export PYTHONPATH={shlex.quote(str(source))}"]
    if not conditions.has_model:
        lines += ["export ENGRAM_EMBEDDINGS=none"]
    else:
        conditions.cache.mkdir(parents=True, exist_ok=True)
        vectors = f'cp -R {shlex.quote(str(conditions.cache))}/. "$ENGRAM_WORKSPACE/.engram/cache"'
        set_up = [f'{engram} "$@"', 'mkdir -p "$ENGRAM_WORKSPACE/.engram/cache"', vectors]
        lines += [f'if [ "$1" = init ]; then {" && ".join(set_up)}; exit; fi']
    program = folder / "engram"
    program.write_text("\n".join([*lines, f'exec {engram} "$@"', ""]), encoding="utf-8")
    program.chmod(0o755)
    return program


def _scored(program: Path, notes: Sequence[Row], talks: Sequence[Row], conditions: Conditions) -> list[Result]:
    scorer = conditions.scorer
    jobs = [(scorer.score_notes, rows) for rows in scorer.notes_of(notes).values()]
    jobs += [(scorer.score_conversations, [row]) for row in talks]
    with ThreadPoolExecutor(conditions.workers) as pool:
        done = pool.map(lambda job: list(job[0](str(program), [], job[1])), jobs)
        return [result for results in done for result in results]


# --- tables ------------------------------------------------------------------------------------------------------


def print_table(title: str, results: Sequence[Result], conditions: Conditions, folder: Path | None = None) -> None:
    """Print what was kept of notes and of conversations, by language and by set, and what is below its bar."""
    model = "with the model" if conditions.has_model else "without a model"
    print(f"\n{title}, {model}")
    is_notes = [kind == "notes" for kind, *_ in results]
    kinds = ["notes" if one else "conversations" for one in is_notes]
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"\W+", "-", f"{title.partition(',')[0]} {model}")
    table = _tallied([(kind, *one[1:]) for kind, one in zip(kinds, results, strict=True)], conditions, folder, name)
    print(table)
    sets = {kind for kind, *_ in results} - {"notes"}
    if len(sets) > 1:
        print(_tallied([one for one in results if one[0] != "notes"], conditions))
    for line in below_bars(table):
        print(line)
    sys.stdout.flush()


def _tallied(results: Sequence[Result], conditions: Conditions, folder: Path | None = None, name: str = "") -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        conditions.scorer.tally(results, str(folder / f"{name}.jsonl") if folder else None)
    return printed.getvalue().rstrip()


def below_bars(table: str) -> Iterator[str]:
    """Yield a line for each row of a table that is below a bar, such as `below: notes fr: useful 0.31 (0.40)`."""
    for row in table.splitlines()[1:]:
        kind, language, *numbers = row.split()
        values = dict(zip(_COLUMNS, map(float, numbers), strict=True))
        bars = {} if kind == "ALL" else BARS if language == ALL else BARS_OF_A_LANGUAGE
        low = [f"{name} {values[name]:.3f} ({bar:.2f})" for name, bar in bars.items() if values[name] < bar]
        if low:
            yield f"below its bar: {kind} {language} ({values['texts']:.0f} texts): {', '.join(low)}"
