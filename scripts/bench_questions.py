"""Measure answers to questions as an owner would ask them: over notes of fourteen agents, and over invented chats.

scripts/bench questions [--data DIR] [--half dev|held] [--no-model] [--only notes|chats]

owner_questions/ holds 120 questions over notes, in two halves of which `held` is for a last look, and 200 over the
everyday chats of judge_chats/, half of which no turn answers. They were written by readers who had not seen the
program. The notes lie in DIR and are never copied; they are scored by natural.py, which lies in `bench` beside DIR.
"""

import argparse
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from evaluation import DATA
from evaluation import read_rows

from engram.base.clock import utc_now
from engram.operations.answers.ask import make_query
from engram.operations.answers.ask import recalling
from engram.operations.setup import make_workspace
from engram.services.recall.query import RecallAnswer
from engram.workspace import open_workspace

SCRIPTS = Path(__file__).resolve().parent
QUESTIONS = SCRIPTS / "owner_questions"
CHATS = SCRIPTS / "judge_chats"
EVERYDAY = ("en-friends", "en-user", "ko", "ru", "zh")  # of which the questions were written; more would change scores
WORDS_ONLY = {"ENGRAM_EMBEDDINGS": "none"}
SHOWN = 5  # hits that a question may have
HEARTBEATS = 8  # until everything has its vector


def main() -> None:
    """Print the tables that were asked for."""
    parser = argparse.ArgumentParser(prog="scripts/bench questions", description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder of the evaluation sets")
    parser.add_argument("--half", choices=("dev", "held"), default="dev", help="of the questions over notes")
    parser.add_argument("--only", choices=("notes", "chats"), help="one of the two")
    parser.add_argument("--no-model", action="store_true", help="words only")
    options = parser.parse_args()
    here = os.pathsep.join(filter(None, [str(SCRIPTS.parent), os.environ.get("PYTHONPATH")]))
    os.environ |= {"PYTHONPATH": here, **(WORDS_ONLY if options.no_model else {})}
    if options.only != "chats":
        ask_notes(options.data.resolve(), options.half)
    if options.only != "notes":
        ask_chats()


def ask_notes(data: Path, half: str) -> None:
    """Print the scorer's table of one half of the questions over notes."""
    scorer = data.parent / "bench" / "natural.py"
    if not scorer.is_file():
        sys.exit(f"the scorer is not there: {scorer}")
    with tempfile.TemporaryDirectory(prefix="engram-questions-") as scratch:
        folder = Path(scratch)
        (folder / "questions").mkdir()
        (folder / "questions" / "questions.jsonl").write_bytes((QUESTIONS / f"{half}.jsonl").read_bytes())
        agents = {row["agent"] for row in _read(QUESTIONS / f"{half}.jsonl")}
        for agent, name, text in notes_of(data, agents):
            place = folder / "notes" / agent / name
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(text)
        engram = own_agents_command(folder / "engram")
        print(f"questions over notes, {half}", flush=True)
        command = [sys.executable, str(scorer), str(engram), str(folder / "questions"), str(folder / "notes")]
        if code := subprocess.run(command, check=False).returncode:
            sys.exit(code)


def own_agents_command(file: Path) -> Path:
    """Write a command engram that makes each workspace its agent's own, and return it.

    The scorer names workspaces as their agents. Another agent's notes are nothing that an owner sees unasked.
    """
    engram = f'"{sys.executable}" -P -m engram'
    lines = ["#!/bin/sh", 'if [ "$1" = init ]; then', f'{engram} "$@" || exit']
    lines += ['set -- --workspace "$2" config agent "${2##*/}"', "fi", f'exec {engram} "$@"']
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    file.chmod(0o755)
    return file


def notes_of(data: Path, agents: set[str]) -> Iterator[tuple[str, str, bytes]]:
    """Yield (agent, file name, text) of the notes of these agents: marked ones, and the daily notes besides."""
    named = json.loads((QUESTIONS / "file_names.json").read_text(encoding="utf-8"))
    found = set()
    for row in read_rows(data / "extraction" / "learn", "notes"):
        if row["agent"] in agents:
            name = named.get(row["file"], row["file"].rpartition("/")[2])
            found.add((row["agent"], name))
            yield row["agent"], name, row["text"].encode()
    with tarfile.open(data / "daily_notes.tar.gz") as tar:
        for member in tar:
            agent, name = Path(member.name).parent.name, Path(member.name).name
            is_new = agent in agents and (agent, name) not in found and name.startswith("memory__20")
            file = tar.extractfile(member) if is_new else None
            if file is not None:
                yield agent, name, file.read()


def ask_chats() -> None:
    """Print, by language, how many of the answerable are answered, and how many of both halves are doubted."""
    with tempfile.TemporaryDirectory(prefix="engram-questions-") as scratch:
        root = Path(scratch) / "workspace"
        make_workspace(root, {}, now=utc_now, force=False, dry_run=False)
        _capture(root)
        rows = _read(QUESTIONS / "chats.jsonl")
        workspace = open_workspace(str(root))
        with recalling(workspace) as memory:
            answers = [memory.answer(make_query(workspace, {"query": row["question"], "k": SHOWN})) for row in rows]
    print("questions over chats, of which one half is answered nowhere")
    print(f"{'':8}{'first':>8}{'in 3':>8}{'in 5':>8}{'empty':>8}{'doubted':>9}{'  not answered: doubted or empty'}")
    for language in (*dict.fromkeys(row["lang"] for row in rows), "all"):
        some = [pair for pair in zip(rows, answers, strict=True) if language in {pair[0]["lang"], "all"}]
        _print_chats(language, some)


def _capture(root: Path) -> None:
    lines = [
        json.dumps({"session": row["id"], **turn, "id": f"{row['id']}/{turn['id']}", "at": row.get("date")})
        for name in EVERYDAY
        for row in _read(CHATS / f"{name}.jsonl")
        for turn in row["turns"]
    ]
    file = root / "turns.jsonl"
    file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    engram = [sys.executable, "-m", "engram", "--workspace", str(root)]
    for command in (["capture", str(file), "--format", "jsonl"], *[["heartbeat", "run"]] * HEARTBEATS):
        subprocess.run([*engram, *command], check=True, stdout=subprocess.DEVNULL)


def _print_chats(language: str, rows: Sequence[tuple[dict[str, Any], RecallAnswer]]) -> None:
    ranks, doubted, empty, refused = [], 0, 0, []
    for row, answer in rows:
        is_doubted = answer.probably_unknown or not answer.hits
        if row["answerable"]:
            ranks.append(_rank(row, answer))
            doubted += is_doubted
            empty += not answer.hits
        else:
            refused.append(is_doubted)
    shares = [sum(0 < rank <= most for rank in ranks) / len(ranks) for most in (1, 3, SHOWN)]
    shares += [empty / len(ranks), doubted / len(ranks)]
    print(f"{language:8}" + "".join(f"{share:8.2f}" for share in shares) + f"{sum(refused) / len(refused):16.2f}")


def _rank(row: dict[str, Any], answer: RecallAnswer) -> int:
    """Return the place of the first hit that holds an answer, from 1; 0 when none does."""
    wanted = [one.casefold() for one in row["answers"]]
    holds = (any(one in hit.text.casefold() for one in wanted) for hit in answer.hits)
    return next((place for place, found in enumerate(holds, 1) if found), 0)


def _read(file: Path) -> list[dict[str, Any]]:
    with file.open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


if __name__ == "__main__":
    main()
