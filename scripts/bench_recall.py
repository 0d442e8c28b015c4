"""Everything about recall in one command: scripts/bench recall [--data DIR] [--peers] [--documents N].

Without options: speed at 20,000 generated documents (scripts/bench scale measures more of them). With the folder of the
evaluation sets: each bar as it is asked for and as it is now, by the scorer that lies beside that folder and the whole
product, with the best model that is on this machine and by words alone; then what each part of the ranking adds.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from evaluation import Row
from evaluation import read_rows
from evaluation import share

from engram.base.clock import utc_now
from engram.config.sections.recall import EmbeddingSettings
from engram.model.commands.command import CommandResult
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.operations.setup import make_workspace
from engram.store.embedding.choice import choose_embedder
from engram.workspace import Workspace
from engram.workspace import open_workspace

SCRIPTS = Path(__file__).resolve().parent
WORDS_ONLY = {"embeddings.provider": "none"}
WORDS_LOSS = 0.04  # that a machine without a model may lose of each bar
USER = "people/user"
_MISSING = float("nan")


class Bar(NamedTuple):
    """One figure that is asked for."""

    name: str  # of the set
    by: str  # item or session
    metric: str  # a column of the scorer, or new>old
    asked: float


class Variant(NamedTuple):
    """The product with something left out."""

    title: str
    settings: Mapping[str, str] = {}  # of the workspace
    exchanges: Mapping[str, Any] = {}  # see engram_with


BARS = (
    Bar("locomo", "session", "hit@1", 0.80),
    Bar("locomo", "session", "any@5", 0.955),
    Bar("locomo", "session", "all@5", 0.87),
    Bar("locomo", "session", "ndcg@10", 0.86),
    Bar("locomo", "item", "any@10", 0.84),
    Bar("beam_100k", "item", "any@10", 0.75),
    Bar("beam_100k", "item", "new>old", 0.80),
    Bar("beam_500k", "item", "any@10", 0.65),
    Bar("beam_500k", "item", "new>old", 0.80),
    Bar("longmemeval_pooled", "session", "any@5", 0.95),
    Bar("longmemeval_pooled", "session", "all@10", 0.90),
    Bar("ru_premise_qa", "item", "any@10", 0.90),
    Bar("ko_sts", "item", "any@10", 0.97),
)
ABLATED = (
    Bar("locomo", "item", "any@10", 0.84),
    Bar("beam_100k", "item", "any@10", 0.75),
    Bar("beam_100k", "item", "new>old", 0.80),
)
ALONE = {"engram.language.terms.bm25:_OWN": 1.0}  # a turn's words without those of the turns before it
ABLATIONS = (
    Variant("words, each turn alone", WORDS_ONLY, ALONE),
    Variant("words, with the turns before", WORDS_ONLY),
    Variant("vectors too, each turn alone", {}, ALONE),
    Variant("all, sessions without support", {}, {"engram.rules.recall.fusion:SESSION_SUPPORT": 0.0}),
    Variant("all, assistants count like people", {}, {"engram.rules.recall.ranking:_ASSISTANT": 1.0}),
    Variant("all, newer values stay where they are", {}, {"engram.services.recall.validity.newest_value:_FIRST": 0}),
    Variant("all, without the time asked for", {}, {"engram.services.recall.retrieval.candidates:_SAID_THEN": 0}),
    Variant("all, without entities", {"recall.graph": "false"}),
    Variant("all"),
)
"""What is left out is named as `module:name`; when the ranking gets another part, its share belongs here as 0."""


class Scorer:
    """The scorer of the evaluation sets, run on this source tree."""

    def __init__(self, data: Path, settings: Mapping[str, str], limit_groups: int | None) -> None:
        """Find the scorer, which lies in `bench` beside the folder of the sets; leave when it is not there."""
        self._data = data
        self._script = data.resolve().parent / "bench" / "retrieval.py"
        if not self._script.is_file():
            sys.exit(f"the scorer is not there: {self._script}")
        self._settings = settings
        self._limit = [] if limit_groups is None else ["--limit-groups", str(limit_groups)]
        self._known: dict[tuple[str, str, str], dict[str, float]] = {}

    def figure(self, bar: Bar, variant: Variant) -> float:
        """Return the figure of one bar, not a number when the scorer gives none; each run is made once."""
        key = (bar.name, bar.by, variant.title)
        if key not in self._known:
            self._known[key] = self._run(bar, variant)
        return self._known[key].get(bar.metric, _MISSING)

    def _run(self, bar: Bar, variant: Variant) -> dict[str, float]:
        with tempfile.TemporaryDirectory(prefix="engram-quality-") as scratch:
            engram = self._command(Path(scratch), variant)
            data = with_groups(self._data, bar.name, Path(scratch))
            command = [sys.executable, str(self._script), str(data), bar.name, "--by", bar.by]
            command += ["--engram", str(engram), *self._limit]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(f"{bar.name} by {bar.by}, {variant.title}: {(done.stderr or done.stdout).strip()[-400:]}")
        return figures(done.stdout)

    def _command(self, folder: Path, variant: Variant) -> Path:
        """Write a command named engram that runs this tree with the parts exchanged, and sets settings at `init`."""
        settings = dict(self._settings) | dict(variant.settings)
        script = folder / "engram"
        plain = [sys.executable, "-m", "engram", "config"]
        run = [sys.executable, str(SCRIPTS / "engram_with.py"), json.dumps(dict(variant.exchanges))]
        lines = [
            f"#!{sys.executable}",
            "import subprocess, sys",
            f"code = subprocess.run([*{run!r}, *sys.argv[1:]]).returncode",
            f"for name, value in {list(settings.items())!r} if sys.argv[1] == 'init' and code == 0 else ():",
            f"    subprocess.run([*{plain!r}, name, value], check=True, stdout=subprocess.DEVNULL)",
            "sys.exit(code)",
        ]
        script.write_text("\n".join(lines) + "\n", encoding="utf-8")
        script.chmod(0o755)
        return script


def with_groups(data: Path, name: str, scratch: Path) -> Path:
    """Return a folder with the set in which every document is of a group, as the scorer wants it."""
    rows = {kind: read_rows(data, f"{name}.{kind}") for kind in ("docs", "queries")}
    if all("group" in row for row in rows["docs"]):
        return data
    for kind, found in rows.items():
        with gzip.open(scratch / f"{name}.{kind}.jsonl.gz", "wt", encoding="utf-8") as out:
            out.writelines(json.dumps({"group": "all", **row}) + "\n" for row in found)
    return scratch


def figures(printed: str) -> dict[str, float]:
    """Return column -> figure of the row over all questions, and new>old where it is printed."""
    found: dict[str, float] = {}
    names: list[str] = []
    for line in printed.splitlines():
        words = line.split()
        if "hit@1" in words:
            names = words[words.index("hit@1") :]
        elif words[:1] == ["ALL"]:
            found |= {name: float(value) for name, value in zip(names, words[2:], strict=True)}
        elif words[:1] == ["new>old"]:
            found["new>old"] = float(words[1])
    return found


def main() -> None:
    """Print what was asked for."""
    options = read_options()
    here = os.pathsep.join(filter(None, [str(SCRIPTS.parent), os.environ.get("PYTHONPATH")]))
    os.environ["PYTHONPATH"] = here
    if options.data is None:
        run_script("bench_scale.py", "--documents", str(options.documents))
    else:
        settings = dict(pair.split("=", 1) for pair in options.set)
        measure_quality(options.data, settings, options.sets, options.limit_groups, ablate=not options.no_ablation)
    if options.peers:
        data = [] if options.data is None else ["--data", str(options.data)]
        chosen = [word for pair in options.set for word in ("--set", pair)]
        run_script("bench_peers.py", "--documents", str(options.documents), *data, *chosen)


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench recall", description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000, help="of the measures of speed")
    parser.add_argument("--data", type=Path, help="folder of the evaluation sets: measure quality, not speed")
    parser.add_argument("--sets", help="only these, such as locomo,ko_sts,gate,superseded")
    parser.add_argument("--limit-groups", type=int, help="conversations of a set that are measured")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="a setting of the workspaces")
    parser.add_argument("--no-ablation", action="store_true", help="leave out what each part adds")
    parser.add_argument("--peers", action="store_true", help="other engines, too")
    return parser.parse_args()


def run_script(name: str, *arguments: str) -> None:
    """Run another benchmark; leave as it left."""
    done = subprocess.run([sys.executable, str(SCRIPTS / name), *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def measure_quality(
    data: Path, settings: Mapping[str, str], sets: str | None, limit_groups: int | None, *, ablate: bool
) -> None:
    """Print the bars, then the ablation."""
    scorer = Scorer(data, settings, limit_groups)
    wanted = set(sets.split(",")) if sets else {bar.name for bar in BARS} | {"gate", "superseded"}
    embeddings = {key.removeprefix("embeddings."): value for key, value in settings.items()}
    embedder, why = choose_embedder(EmbeddingSettings.model_validate(embeddings))
    print(f"with {why}" if embedder else f"by words alone: {why}")
    print(f"{'':40}{'asked':>8}{'now':>8}{'':5}{'words':>8}", flush=True)
    whole, words = Variant("all"), Variant("words", WORDS_ONLY)
    for bar in (bar for bar in BARS if bar.name in wanted):
        now = scorer.figure(bar, whole) if embedder else _MISSING
        print_bar(bar, now, scorer.figure(bar, words))
    if "superseded" in wanted:
        print_superseded(read_rows(data, "release_facts"), settings)
    if "gate" in wanted:
        print_gate(read_rows(data, "persistbench_gate"), settings)
    if ablate:
        print_ablation(scorer, [bar for bar in ABLATED if bar.name in wanted], has_model=embedder is not None)


def print_bar(bar: Bar, now: float, words: float) -> None:
    """Print one bar: what is asked, what is reached, and by words alone, with a mark where it falls short."""
    label = f"{bar.name} by {bar.by}, {bar.metric}"
    least = bar.asked - WORDS_LOSS
    short, poor = (" " if reached else "<" for reached in (now >= bar.asked, words >= least))
    print(f"{label:40}{bar.asked:8.3f}{now:8.3f}{short:5}{words:8.3f}{poor}", flush=True)


def print_ablation(scorer: Scorer, bars: Sequence[Bar], *, has_model: bool) -> None:
    """Print the figure of each bar with parts left out."""
    if not bars:
        return
    print(f"\n{'what each part adds':40}" + "".join(f"{bar.name + ' ' + bar.metric:>22}" for bar in bars))
    for variant in ABLATIONS:
        if has_model or variant.settings == WORDS_ONLY:
            values = "".join(f"{scorer.figure(bar, variant):22.3f}" for bar in bars)
            print(f"{variant.title:40}{values}", flush=True)


# --- facts -----------------------------------------------------------------------------------------------------------


def print_superseded(rows: Sequence[Row], settings: Mapping[str, str]) -> None:
    """Print how many replaced facts are served, and how often the present one comes first.

    Once each release replaces the one before it, and once nobody says so and all of them stand beside each other.
    """
    ordered = sorted(rows, key=lambda row: (row["subject"], row["date"]))
    for title, replacing in (("superseded facts served", True), ("the same, all left standing", False)):
        with tempfile.TemporaryDirectory(prefix="engram-quality-") as scratch:
            workspace = fresh_workspace(Path(scratch) / "workspace", settings)
            results = write_facts(workspace, release_facts(ordered, replacing=replacing))
            retired = {name for result in results for name in result.superseded}
            served, right, asked = ask_releases(workspace, ordered, retired)
        first = f"of {len(retired)}; the present one comes first {right} of {asked} times"
        print(f"{title:40}{0:8}{served:8}   {first}", flush=True)


def release_facts(ordered: Sequence[Row], *, replacing: bool) -> list[dict[str, Any]]:
    """Return the releases of each subject as arguments of writes, in order."""
    facts: list[dict[str, Any]] = []
    written: dict[str, int] = {}
    for row in ordered:
        entity = f"projects/{row['subject'].lower()}"
        before = written[entity] = written.get(entity, 0) + 1
        text = f"The latest release of {row['subject']} is {row['value']}"
        fact = {"entity": entity, "text": text, "category": "status", "create": True, "valid_from": row["date"]}
        fact |= {"attribute": "latest_release", "value": row["value"]}
        facts.append(fact | ({"supersedes": [f"{entity}-{before - 1:03d}"]} if replacing and before > 1 else {}))
    return facts


def ask_releases(workspace: Workspace, ordered: Sequence[Row], retired: set[str]) -> tuple[int, int, int]:
    """Return how many retired facts were served, how often the present one came first, and of how many questions."""
    current = {row["subject"]: row["value"] for row in ordered}
    served = right = 0
    with recalling(workspace) as memory:
        for subject, value in current.items():
            query = {"query": f"What is the latest release of {subject}?", "limit": 50}
            hits = memory.answer(make_query(workspace, query)).hits
            served += sum(hit.id in retired for hit in hits)
            right += any(hit.text.endswith(f" {value}") for hit in hits[:1])
    return served, right, len(current)


def print_gate(rows: Sequence[Row], settings: Mapping[str, str]) -> None:
    """Print how often memories come to questions that they have nothing to do with, and to those that they have."""
    came = {True: 0, False: 0}
    asked = {True: 0, False: 0}
    for row in rows:
        unrelated = row["failure_type"] == "cross_domain"
        with tempfile.TemporaryDirectory(prefix="engram-quality-") as scratch:
            workspace = fresh_workspace(Path(scratch) / "workspace", settings)
            write_facts(workspace, ({"entity": USER, "text": text, "create": True} for text in row["memories"]))
            with recalling(workspace) as memory:
                answer = memory.answer(make_query(workspace, {"query": row["query"]}))
        asked[unrelated] += 1
        came[unrelated] += bool(answer.hits)
    related = share(came[False], asked[False])
    now = came[True] / asked[True] if asked[True] else _MISSING
    print(f"{'memories brought to unrelated questions':40}{0.1:8.3f}{now:8.3f}   to related ones: {related}")


def fresh_workspace(root: Path, settings: Mapping[str, str]) -> Workspace:
    """Make a workspace with these settings."""
    make_workspace(root, {}, now=utc_now, force=False, dry_run=False)
    for name, value in settings.items():
        command = [sys.executable, "-m", "engram", "--workspace", str(root), "config", name, value]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return open_workspace(str(root))


def write_facts(workspace: Workspace, facts: Iterable[Mapping[str, Any]]) -> list[CommandResult]:
    """Write facts in order and return what became of them; leave when none was kept."""
    with workspace.writing("bench") as recorder:
        results = recorder.record([workspace.envelope("write", one) for one in facts])
    if refused := [result for result in results if result.exit_code]:
        print(f"{len(refused)} of {len(results)} facts refused: {refused[0].reason}")
    return results


if __name__ == "__main__":
    main()
