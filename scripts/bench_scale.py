"""How capture and recall stand up to many documents, on generated text: scripts/bench scale [--documents N].

With --facts every command is run as a process in workspaces of those sizes, such as 10000,100000, and the exponent is
printed with which its cost grows.

Vectors are random directions, so the own time of the model is in no figure; `--words` leaves them out. What is measured
is the whole product: `engram capture` as it is called, recall in a warm process through the service that every door
uses, cold as a whole process, and by eight processes at once beside one that never stops asking.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any
from typing import NamedTuple

from engram_with import use_random_vectors
from fact_scale import measure_facts
from generated_text import Conversations
from generated_text import quantile

from engram.base.clock import utc_now
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.operations.answers.ask import remembering
from engram.operations.answers.held_index import Searched
from engram.operations.answers.held_index import searching
from engram.operations.setup import make_workspace
from engram.ports.index import SearchFilter
from engram.services.index.catch_up import catch_up
from engram.store.embedding.choice import PROVIDER_VARIABLE
from engram.store.index.warm_index import WarmIndex
from engram.warm.client import ask
from engram.workspace import Workspace
from engram.workspace import open_workspace

SCRIPTS = Path(__file__).resolve().parent
FILE_TURNS = 50_000  # of one captured file
CANDIDATES = 200  # of a leg, as recall asks for
AT_ONCE = 8  # processes
COLD_RUNS = 9
BUSY_ROUNDS = 3
SERVER_S = 60.0  # that a server may take for an answer
MEMORY_QUESTIONS = 20
_PRIVATE = ("Anonymous", "Private_Dirty", "Private_Clean", "Rss")  # of /proc/self/smaps_rollup, in kB


class Bench(NamedTuple):
    """What one run measures with."""

    workspace: Workspace
    scratch: Path
    documents: int
    questions: list[str]
    exchanges: dict[str, str]  # see engram_with

    def command(self, *arguments: str) -> list[str]:
        """Return the command line of engram with the parts exchanged."""
        return [sys.executable, str(SCRIPTS / "engram_with.py"), json.dumps(self.exchanges), *arguments]

    def environment(self) -> dict[str, str]:
        """Return the environment of a child."""
        paths = [str(SCRIPTS.parent), os.environ.get("PYTHONPATH", "")]
        return os.environ | {
            "ENGRAM_WORKSPACE": str(self.workspace.paths.root),
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        }

    def child(self, *arguments: str) -> list[str]:
        """Return the command line of this script as a child that measures itself, or keeps asking."""
        return [sys.executable, __file__, "--documents", str(self.documents), *arguments, *self._words()]

    def _words(self) -> list[str]:
        return [] if self.exchanges else ["--words"]


def main() -> None:
    """Make the documents, index them, ask, and print."""
    options = read_options()
    if options.facts:
        measure_facts([int(size) for size in options.facts.split(",")], options.place, options.rounds)
        return
    conversations = Conversations()
    if options.words:
        os.environ[PROVIDER_VARIABLE] = "none"  # for the children, too, whatever model this machine has
    else:
        use_random_vectors()
    questions = [conversations.question(one) for one in range(options.questions)]
    if options.child:  # killed when it is no longer needed, so it may leave nothing behind
        known = make_bench(options.folder, options.documents, questions, root=options.folder, words=options.words)
        CHILDREN[options.child](known)
        return
    with tempfile.TemporaryDirectory(prefix="engram-scale-", dir=options.place) as folder:
        scratch = Path(folder)
        bench = make_bench(scratch, options.documents, questions, root=options.folder, words=options.words)
        if bench.workspace.journal.head()[0] == 0:
            capture(bench, conversations)
        fill(bench)
        if not options.unmerged:
            print(f"merged in {timed(bench.workspace.index.maintain):.1f} s, as the heartbeat does")
        print_space(bench)
        warm(bench)
        memory(bench)
        cold(bench)
        busy(bench)
        served(bench)


def read_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(prog="scripts/bench scale", description=__doc__)
    parser.add_argument("--documents", type=int, default=20_000)
    parser.add_argument("--facts", metavar="N,N", help="sizes of workspaces in which every command is run instead")
    parser.add_argument("--rounds", type=int, default=3, help="of each step of --facts that changes nothing")
    parser.add_argument("--questions", type=int, default=200)
    parser.add_argument("--words", action="store_true", help="no vectors at all")
    parser.add_argument("--unmerged", action="store_true", help="leave the index as it was filled, before a heartbeat")
    parser.add_argument("--place", type=Path, help="where the temporary folder is made; it is removed in the end")
    parser.add_argument("--folder", type=Path, help="a workspace to fill, or to measure again; it is kept")
    parser.add_argument("--child", choices=sorted(CHILDREN), help=argparse.SUPPRESS)
    return parser.parse_args()


def make_bench(
    scratch: Path, documents: int, questions: list[str], *, root: Path | None = None, words: bool = False
) -> Bench:
    """Open the workspace, made first unless it is there."""
    root = root or scratch / "workspace"
    if not (root / "engram.toml").exists():
        make_workspace(root, {}, now=utc_now, force=False, dry_run=False)
    return Bench(open_workspace(str(root)), scratch, documents, questions, {} if words else {"embedder": "random"})


# --- filling ---------------------------------------------------------------------------------------------------------


def capture(bench: Bench, conversations: Conversations) -> None:
    """Capture all documents by the command, file by file, and print turns a second, start-up included."""
    taken = 0.0
    for first in range(0, bench.documents, FILE_TURNS):
        file = bench.scratch / "turns.jsonl"
        conversations.write(file, range(first, min(first + FILE_TURNS, bench.documents)))
        taken += timed(partial(run, bench, "capture", str(file)))
    bare = bare_start()
    print(
        f"captured {bench.documents} turns in {taken:.1f} s: {bench.documents / taken:.0f} a second, "
        f"{taken / bare:.0f} times python -c pass ({bare * 1000:.0f} ms)"
    )


def fill(bench: Bench) -> None:
    """Bring the index to the journal's head, words first, and print documents a second."""
    at = bench.workspace
    with at.index.searching() as index:
        before = index.count()
        words = timed(lambda: catch_up(at.journal, index, budget_s=None, clock=time.monotonic, zone=at.settings.zone))
        made = index.count() - before
        print(f"indexed {made} documents by words, {rate(made, words)}")
        pending = index.pending()
        vectors = timed(lambda: index.embed_pending(None, time.monotonic))
        if pending:
            print(f"gave {pending} documents their vector, {rate(pending, vectors)}, the model's own time not in it")
        index.finish_model_switch()


def print_space(bench: Bench) -> None:
    """Print what lies on the disk."""
    state = bench.workspace.paths.state
    sizes = {path.name: folder_size(path) for path in sorted(state.iterdir())}
    shown = ", ".join(f"{name} {size / 1e6:.0f} MB" for name, size in sizes.items() if size >= 1e6)
    print(f"on disk: {shown or 'less than a megabyte'}")


# --- asking ----------------------------------------------------------------------------------------------------------


def warm(bench: Bench) -> None:
    """Print the time of a question in a process that has everything open: the engine alone, and the whole answer."""
    with searching(bench.workspace, None) as searched, remembering(bench.workspace, searched) as memory:
        if searched.vectors is None:
            sys.exit(f"the index cannot be used: {'; '.join(searched.degraded)}")
        index = searched.vectors
        queries = [make_query(bench.workspace, {"query": question}) for question in bench.questions]
        for query in queries[:MEMORY_QUESTIONS]:
            memory.answer(query)
        began = time.process_time()
        engine = [timed(partial(index.search, text, SearchFilter(), limit=CANDIDATES)) for text in bench.questions]
        between = time.process_time()
        whole = [timed(partial(memory.answer, query)) for query in queries]
        ended = time.process_time()
    print(f"warm search of {CANDIDATES} candidates a leg: {spread(engine)}, {each(between - began, engine)}")
    print(f"warm recall, the whole answer: {spread(whole)}, {each(ended - between, whole)}")


def cold(bench: Bench) -> None:
    """Print the time of a whole `engram recall`, and how many bare interpreters that is."""
    taken = [timed(partial(run, bench, "recall", question)) for question in bench.questions[:COLD_RUNS]]
    bare = bare_start()
    print(f"cold engram recall: {spread(taken)}, {statistics.median(taken) / bare:.0f} times python -c pass")


def memory(bench: Bench) -> None:
    """Print the private memory of a process that recalls."""
    said = subprocess.run(
        bench.child("--child", "memory", "--folder", str(bench.workspace.paths.root)),
        env=bench.environment(),
        check=True,
        capture_output=True,
        text=True,
    )
    held = json.loads(said.stdout)
    print(
        f"memory of a recalling process after {MEMORY_QUESTIONS} questions: {held['Anonymous'] / 1024:.0f} MB private "
        "(Anonymous of smaps_rollup); "
        + ", ".join(f"{name} {held[name] / 1024:.0f} MB" for name in _PRIVATE[1:])
        + " (Private_Clean and the rest of Rss are pages of files: page cache)"
    )


def busy(bench: Bench) -> None:
    """Print the time of eight recalls at once beside a process that asks without a pause."""
    root = str(bench.workspace.paths.root)
    holder = subprocess.Popen(
        bench.child("--child", "hold", "--folder", root), env=bench.environment(), stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        holder.stdout.readline()  # it has answered once
        print_at_once(bench, "one that always asks")
    finally:
        holder.kill()
        holder.wait()


def served(bench: Bench) -> None:
    """Print the time of eight recalls at once beside a warm server, and what that takes."""
    started = time.perf_counter()
    server = subprocess.Popen(bench.command("mcp"), env=bench.environment(), stdin=subprocess.PIPE)
    try:
        root = bench.workspace.paths.root
        while ask(root, {"do": "ping"}, SERVER_S) is None:
            if time.perf_counter() - started > SERVER_S:
                sys.exit("the warm server does not answer")
            time.sleep(0.02)
        print(f"engram mcp answers after {(time.perf_counter() - started) * 1000:.0f} ms")
        ask(root, {"do": "recall", "query": bench.questions[0]}, SERVER_S)
        taken = [
            timed(partial(ask, root, {"do": "recall", "query": question}, SERVER_S)) for question in bench.questions
        ]
        print(f"asked by its client: {spread(taken)}")
        alone = [timed(partial(run, bench, "recall", question)) for question in bench.questions[:9]]
        print(f"engram recall beside it: {spread(alone)}, {statistics.median(alone) / bare_start():.1f} bare starts")
        print_at_once(bench, "engram mcp")
        status = Path(f"/proc/{server.pid}/status")
        if status.exists():
            print(next(line for line in status.read_text().splitlines() if line.startswith("VmRSS")))
    finally:
        server.kill()
        server.wait()


def print_at_once(bench: Bench, beside: str) -> None:
    """Print the time of eight recalls at once, some rounds of them."""
    taken: list[float] = []
    failed: list[str] = []
    for number in range(BUSY_ROUNDS):
        one_round = bench.questions[number * AT_ONCE : (number + 1) * AT_ONCE]
        for seconds, trouble in ask_at_once(bench, one_round):
            taken.append(seconds)
            failed += [trouble] if trouble else []
    print(f"{AT_ONCE} processes at once beside {beside}: {spread(taken)}, {len(failed)} failed")
    for trouble in sorted(set(failed)):
        print(f"  {trouble}")


def ask_at_once(bench: Bench, questions: Iterable[str]) -> list[tuple[float, str]]:
    """Start one process for each question and return (seconds, trouble) of each; no trouble is an empty text."""
    started = time.perf_counter()
    running = [
        subprocess.Popen(
            bench.command("recall", question, "--json"),
            env=bench.environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for question in questions
    ]
    done: dict[int, tuple[float, str]] = {}
    while len(done) < len(running):
        time.sleep(0.005)
        for number, process in enumerate(running):
            if number not in done and process.poll() is not None:
                done[number] = (time.perf_counter() - started, trouble_of(process))
    return list(done.values())


def trouble_of(process: "subprocess.Popen[str]") -> str:
    """Return what went wrong in a recall, or that its index could not be used; empty when nothing did."""
    assert process.stdout is not None
    said = process.stdout.read()
    try:
        answer = json.loads(said[said.index("{") :])
    except ValueError:
        return said.strip()[-200:] or f"left with {process.returncode} and said nothing"
    missing = [words for words in answer.get("degraded", []) if not words.startswith("no embedding model")]
    return "; ".join(missing) if process.returncode == 0 else said.strip()[-200:]


# --- children --------------------------------------------------------------------------------------------------------


def child_memory(bench: Bench) -> None:
    """Ask, then print what this process holds."""
    with recalling(bench.workspace) as memory:
        for question in bench.questions[:MEMORY_QUESTIONS]:
            memory.answer(make_query(bench.workspace, {"query": question}))
        lines = Path("/proc/self/smaps_rollup").read_text(encoding="ascii").splitlines()
    held = {line.split(":")[0]: int(line.split()[1]) for line in lines if line.split(":")[0] in _PRIVATE}
    print(json.dumps(held))


def child_hold(bench: Bench) -> None:
    """Ask for ever with the index held open between two questions, as a busy server would."""
    at = bench.workspace
    held = WarmIndex(at.index.lock("bench"), at.index.open)
    while True:
        for question in bench.questions:
            with held.use(wait_s=at.settings.store.wait_s) as index, remembering(at, Searched(index, 0, ())) as memory:
                memory.answer(make_query(at, {"query": question}))
            print("answered", flush=True)


CHILDREN: dict[str, Callable[[Bench], None]] = {"memory": child_memory, "hold": child_hold}


# --- small things ----------------------------------------------------------------------------------------------------


def run(bench: Bench, *arguments: str) -> None:
    """Run one engram command, and leave when it fails."""
    done = subprocess.run(
        bench.command(*arguments), env=bench.environment(), capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"engram {' '.join(arguments)} left with {done.returncode}: {done.stderr}")


def bare_start() -> float:
    """Return the seconds of a bare interpreter, the median of five."""
    return statistics.median(
        timed(lambda: subprocess.run([sys.executable, "-c", "pass"], check=True)) for _ in range(5)
    )


def timed(action: Callable[[], Any]) -> float:
    """Return the seconds that something takes."""
    begin = time.perf_counter()
    action()
    return time.perf_counter() - begin


def spread(taken: list[float]) -> str:
    """Return median and 95th percentile in milliseconds."""
    return f"p50 {statistics.median(taken) * 1000:.1f} ms, p95 {quantile(taken, 0.95) * 1000:.1f} ms ({len(taken)})"


def each(cpu: float, taken: list[float]) -> str:
    """Return the mean time on the processors, which other work on the machine lengthens less."""
    return f"on the processors {cpu / len(taken) * 1000:.1f} ms each"


def rate(count: int, seconds: float) -> str:
    """Return how many a second."""
    return f"{count / seconds:.0f} a second ({seconds:.1f} s)"


def folder_size(path: Path) -> int:
    """Return the bytes that a file or folder takes on the disk."""
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_blocks * 512 for file in files if file.is_file())


if __name__ == "__main__":
    if not Path("/proc/self/smaps_rollup").exists():
        sys.exit("scripts/bench scale reads /proc/self/smaps_rollup: it runs on Linux only")
    main()
