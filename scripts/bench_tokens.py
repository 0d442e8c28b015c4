"""What memory costs in tokens: scripts/bench tokens [--data DIR] [--budget N] [--set NAME]...

Three figures: how far the estimate that recall makes is from the count with the o200k vocabulary, and the vocabularies
of other models from that; what the start context costs beside loading every daily note; and
how much of the evidence of questions about long talks fits into a small budget of recall.
"""

import argparse
import datetime as dt
import math
import re
import statistics
import sysconfig
import tarfile
import tempfile
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from pathlib import Path

import splintr
from evaluation import DATA
from evaluation import Row
from evaluation import read_rows

from engram.base.tokens.estimate import estimate_tokens
from engram.base.tokens.vocabulary import VOCABULARY
from engram.base.tokens.vocabulary import count_tokens
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import remembering
from engram.operations.answers.held_index import searching
from engram.operations.setup import make_workspace
from engram.services.context.block import ContextQuery
from engram.services.context.block import load_context
from engram.services.visibility import identify
from engram.workspace import Workspace
from engram.workspace import open_workspace

OTHERS = ("cl100k_base", "llama3", "deepseek_v3", "mistral_v3")  # vocabularies of models of other makers
SETS = ("locomo", "beam_100k")
_CHUNK = 1500  # characters of one text whose count is compared
_MOST_TEXTS = 150  # of one kind
_AT_A_TIME = 2000  # turns of one command
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_NOTE = re.compile(r"memory__(\d{4}-\d{2}-\d{2})[^/]*\.md$")


def main() -> None:
    """Print the three figures."""
    parser = argparse.ArgumentParser(prog="scripts/bench tokens", description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the evaluation sets")
    parser.add_argument("--budget", type=int, default=600, help="tokens of one answer of recall")
    parser.add_argument("--set", action="append", choices=("locomo", "beam_100k", "beam_500k"), help="talks to ask")
    asked = parser.parse_args()
    print_errors(asked.data)
    print_context(asked.data)
    for name in asked.set or SETS:
        print_evidence(asked.data, name, asked.budget)


# --- how far the count is off ------------------------------------------------------------------------------------


def print_errors(data: Path) -> None:
    """Print, by script, how far counts are from o200k: recall's estimate, other tokenizers, four bytes a token."""
    counters: dict[str, Callable[[str], int]] = {
        "recall's estimate": estimate_tokens,
        **{name: vocabulary(name) for name in OTHERS},
        "bytes / 4": lambda text: math.ceil(len(text.encode()) / 4),
    }
    print(f"{'beside ' + VOCABULARY:24}{'texts':>6}" + "".join(f"{name:>20}" for name in counters))
    for kind, texts in samples(data):
        parts = chunks(texts)
        truth = [count_tokens(part) for part in parts]
        row = [f"{kind:24}{len(parts):6}"]
        for count in counters.values():
            counted = [count(part) for part in parts]
            whole = sum(counted) / sum(truth) - 1
            off = [abs(one / true - 1) for one, true in zip(counted, truth, strict=True)]
            row.append(f"{whole:+10.3f} p95 {percentile(off):.3f}" + " ")
        print("".join(row).rstrip())
    print()


def vocabulary(name: str) -> Callable[[str], int]:
    """Return the counter of a vocabulary that splintr brings along."""
    tokenizer = splintr.Tokenizer.from_pretrained(name)
    return lambda text: max(1, len(tokenizer.encode_ordinary(text)))


def samples(data: Path) -> Iterator[tuple[str, Iterable[str]]]:
    """Yield kind -> texts; code is the library of this Python, which nobody has to have asked for."""
    yield "Latin (English talk)", [row["text"] for row in read_rows(data, "locomo.docs")]
    yield "Latin (English notes)", [text for _, text in daily_notes(data)]
    pairs = read_rows(data, "contradiction_pairs")
    for kind, lang in (("Cyrillic (Russian)", "ru"), ("Han (Chinese)", "zh"), ("Hangul (Korean)", "ko")):
        yield kind, [f"{row['a']}\n{row['b']}" for row in pairs if row["lang"] == lang]
    library = Path(sysconfig.get_path("stdlib"))
    yield "code (Python)", [file.read_text("utf-8", "replace") for file in sorted(library.glob("*.py"))[:80]]


def chunks(texts: Iterable[str]) -> list[str]:
    """Return texts of about equal length, made of those given in their order."""
    whole = "\n".join(texts)[: _CHUNK * _MOST_TEXTS]
    parts = [whole[start : start + _CHUNK] for start in range(0, len(whole), _CHUNK)]
    return [part for part in parts if part.strip()]


def percentile(values: list[float]) -> float:
    """Return the 95th percentile."""
    return sorted(values)[int(0.95 * (len(values) - 1))] if values else math.nan


# --- what a start costs ------------------------------------------------------------------------------------------


def print_context(data: Path) -> None:
    """Print, for each agent whose daily notes are there, the tokens of the context beside those of all its notes."""
    by_agent: dict[str, list[tuple[str, str]]] = {}
    for name, text in daily_notes(data):
        by_agent.setdefault(name.partition("/")[0], []).append((name, text))
    print(f"{'start context':30}{'notes':>6}{'tokens of notes':>17}{'of context':>12}{'share':>8}")
    shares = []
    for agent, notes in by_agent.items():
        if len(notes) < 2:
            continue
        whole = sum(count_tokens(text) for _, text in notes)
        with tempfile.TemporaryDirectory() as scratch:
            cost = context_of(Path(scratch), notes)
        shares.append(cost / whole)
        print(f"{agent[:28]:30}{len(notes):6}{whole:17}{cost:12}{shares[-1]:8.3f}")
    if shares:
        print(f"{'median':30}{'':35}{statistics.median(shares):8.3f}")
    print()


def daily_notes(data: Path) -> Iterator[tuple[str, str]]:
    """Yield (agent/file, text) of the real notes that have a date."""
    packed = data / "daily_notes.tar.gz"
    if not packed.exists():
        return
    with tarfile.open(packed) as archive:
        for member in archive.getmembers():
            if _NOTE.search(member.name) and (file := archive.extractfile(member)) is not None:
                yield member.name, file.read().decode("utf-8", "replace")


def context_of(scratch: Path, notes: list[tuple[str, str]]) -> int:
    """Return the tokens of the context on the evening of the last day, all notes of a day in one file."""
    folder = scratch / "workspace"
    days: dict[str, list[str]] = {}
    for name, text in sorted(notes):
        found = _NOTE.search(name)
        days.setdefault(found[1] if found else "", []).append(text)
    evening = dt.datetime.fromisoformat(f"{max(days)}T20:00:00+00:00")
    workspace = fresh(folder, evening)
    for day, texts in days.items():
        file = folder / "memory" / "main" / "main" / f"{day}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("\n\n".join(texts), encoding="utf-8")
    with workspace.reading() as database:
        asked = ContextQuery(caller=identify(database, "main"))
        return load_context(database, workspace.files, workspace.settings, asked, now=evening).tokens


def fresh(folder: Path, now: dt.datetime) -> Workspace:
    """Return a new workspace whose clock stands still."""
    make_workspace(folder, {"timezone": "UTC", "owner": "nobody"}, now=lambda: now, force=False, dry_run=False)
    return open_workspace(str(folder), now=lambda: now)


# --- what a small budget holds -----------------------------------------------------------------------------------


def print_evidence(data: Path, name: str, budget: int) -> None:
    """Print how much of the evidence of a set's questions stands in answers of so many tokens."""
    documents, questions = read_rows(data, f"{name}.docs"), read_rows(data, f"{name}.queries")
    anys, alls, shares, spent = [], [], [], []
    for group in dict.fromkeys(row["group"] for row in documents):
        asked = [row for row in questions if row["group"] == group and gold_of(row)]
        with tempfile.TemporaryDirectory() as scratch:
            workspace = fresh(Path(scratch) / "workspace", dt.datetime.now(dt.UTC))
            say(workspace, [row for row in documents if row["group"] == group])
            for row, found, tokens in ask(workspace, asked, budget):
                gold = gold_of(row)
                anys.append(bool(gold & found))
                alls.append(gold <= found)
                shares.append(len(gold & found) / len(gold))
                spent.append(tokens)
    if anys:
        mean = statistics.fmean
        print(
            f"{name} in {budget} tokens: {len(anys)} questions, any {mean(anys):.3f}, all {mean(alls):.3f}, "
            f"share of evidence {mean(shares):.3f}, {mean(spent):.0f} tokens used"
        )


def gold_of(row: Row) -> set[str]:
    """Return the ids of a question's evidence, the repaired ones where there are."""
    return set(row.get("gold_audited") or row["gold"])


def say(workspace: Workspace, documents: list[Row]) -> None:
    """Capture the turns of one talk, each session by itself."""
    sessions: dict[str, list[Row]] = {}
    for row in documents:
        sessions.setdefault(f"s{row.get('session', row.get('batch', 1))}", []).append(row)
    with workspace.writing("bench") as recorder:
        for session, rows in sessions.items():
            for first in range(0, len(rows), _AT_A_TIME):
                turns = [
                    {"id": f"turn/{row['id']}", "ref": row["id"], "speaker": row["speaker"], "text": row["text"]}
                    for row in rows[first : first + _AT_A_TIME]
                ]
                recorder.record([workspace.envelope("capture", {"session": session, "turns": turns})])


def ask(workspace: Workspace, questions: list[Row], budget: int) -> Iterator[tuple[Row, set[str], int]]:
    """Yield each question with the ids that its answer holds, and the tokens that it took."""
    with searching(workspace, None) as searched, remembering(workspace, searched) as memory:
        for row in questions:
            answer = memory.answer(make_query(workspace, {"query": row["query"], "k": 100, "budget": budget}))
            yield row, {hit.ref for hit in answer.hits if hit.ref}, answer.tokens


if __name__ == "__main__":
    main()
