"""How many questions by an identifier find first the one document that holds it, in real notes, decisions and releases.

scripts/bench identifiers [--data DIR] [--questions N] [--model FOLDER] [--show]

Each identifier (a version, a path, a setting, a flag, a commit, a ticket, a name of code) stands in exactly one of all
documents; the question is a short phrase around it. A commit of more than seven digits is asked for by the first seven.
Once in words only and, with --model, once with the embedding model in that folder. The sets are not part of the
repository; without them this says so.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple

from evaluation import DATA
from evaluation import Row
from evaluation import read_rows
from evaluation import share

NOTES = ("daily_notes", "adr")
RELEASES = "release_facts"
LEAST_WORDS, MOST_CHARS = 4, 1500  # of a document: a line of a note
WANTED = 60
SHORT_HASH = 7


class Kind(NamedTuple):
    """One kind of identifier."""

    pattern: str
    questions: tuple[str, ...]


KINDS = {
    "version": Kind(r"v?\d+\.\d+(?:\.\d+)+(?:-[a-z]+\.?\d*)?", ("what do we know about {}?", "when did {} come out?")),
    "setting": Kind(r"[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+", ("what is {} set to?", "where do we use {}?")),
    "path": Kind(r"(?:[\w.-]+/)+[\w-]+\.[a-z]{1,5}", ("what is in {}?", "why did we touch {}?")),
    "file": Kind(r"[\w-]+\.(?:py|sh|ts|tsx|js|json|ya?ml|toml|tf|sql)", ("what does {} do?", "who changed {}?")),
    "flag": Kind(r"--[a-z][a-z-]+", ("what is {} for?", "when should I pass {}?")),
    "commit": Kind(r"(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}", ("what was in commit {}?", "what did {} change?")),
    "ticket": Kind(r"(?:[A-Z]{2,}-\d+|#\d{2,})", ("what is {} about?", "what came of {}?")),
    "name": Kind(r"[a-z]+(?:_[a-z0-9]+)+(?:\(\))?", ("how does {} work?", "what calls {}?")),
    "type": Kind(r"[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+", ("what is {}?", "what did we say about {}?")),
    "address": Kind(r"(?:[\w.+-]+@)?[\w-]+(?:\.[\w-]+)*\.(?:com|org|io|dev|ai|net)", ("what runs at {}?",)),
}


class Question(NamedTuple):
    """One question and the document that answers it."""

    kind: str
    text: str
    gold: str


def main() -> None:
    """Print how many identifiers are found first, by kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--questions", type=int, default=WANTED)
    parser.add_argument("--model", type=Path, help="folder with model.onnx and tokenizer.json")
    parser.add_argument("--show", action="store_true", help="print the questions that miss")
    options = parser.parse_args()
    documents = read_documents(options.data)
    if not documents:
        sys.exit(f"absent (no {', '.join(NOTES)} or {RELEASES} in {options.data}), not measured")
    questions = make_questions(documents, options.questions)
    print(f"{len(documents)} documents, {len(questions)} identifiers that each stand in one of them")
    for name, settings in (
        ("words only", 'provider = "none"'),
        ("with a model", f'provider = "folder"\nfolder = "{options.model}"'),
    ):
        if name == "words only" or options.model:
            ranks = ask(documents, questions, settings)
            print_ranks(name, questions, ranks, show=options.show)


def read_documents(folder: Path) -> dict[str, tuple[str, str]]:
    """Return the documents by id: a session for the file that each stands in, and its text. Equal texts are one."""
    texts: dict[str, str] = {}
    for name in NOTES:
        archive = folder / f"{name}.tar.gz"
        if archive.exists():
            with tarfile.open(archive) as files:
                for member in sorted((one for one in files if one.name.endswith(".md")), key=lambda one: one.name):
                    content = files.extractfile(member)
                    lines = content.read().decode("utf-8").splitlines() if content else []
                    for line in lines:
                        text = line.strip(" -*#>|\t")
                        if len(text.split()) >= LEAST_WORDS and len(text) <= MOST_CHARS:
                            texts.setdefault(text, member.name)
    for row in read_rows(folder, RELEASES):
        texts.setdefault(f"{row['subject']}: {row['attribute']} is {row['value']} since {row['date']}", row["subject"])
    sessions = {source: f"s{number}" for number, source in enumerate(dict.fromkeys(texts.values()))}
    return {f"d{number}": (sessions[source], text) for number, (text, source) in enumerate(texts.items())}


def make_questions(documents: dict[str, tuple[str, str]], wanted: int) -> list[Question]:
    """Return questions of every kind in turn, chosen by a checksum."""
    holders: dict[tuple[str, str], set[str]] = defaultdict(set)
    for key, (_, text) in documents.items():
        for kind, rule in KINDS.items():
            for found in re.finditer(rf"(?<![\w./@#-]){rule.pattern}(?![\w/@-]|\.\w)", text):
                holders[kind, found[0]].add(key)
    whole = "\n".join(text.casefold() for _, text in documents.values())
    alone: dict[str, list[Question]] = defaultdict(list)
    for kind, name in sorted(holders, key=lambda one: hashlib.sha256(one[1].encode()).hexdigest()):
        asked = name[:SHORT_HASH] if kind == "commit" else name
        if len(holders[kind, name]) == 1 and whole.count(asked.casefold().removesuffix("()")) == 1:
            phrases = KINDS[kind].questions
            text = phrases[len(alone[kind]) % len(phrases)].format(asked)
            alone[kind].append(Question(kind, text, next(iter(holders[kind, name]))))
    turns = chain.from_iterable(zip_longest(*(alone[kind] for kind in KINDS)))
    return [question for question in turns if question][:wanted]


def ask(documents: dict[str, tuple[str, str]], questions: list[Question], settings: str) -> list[int]:
    """Capture the documents into a new workspace and return the rank of each answer, 0 where it is no hit."""
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Path(scratch) / "workspace"
        engram(workspace, "init", str(workspace))
        with (workspace / "engram.toml").open("a", encoding="utf-8") as file:
            file.write(f"\n[embeddings]\n{settings}\n")
        lines = ({"id": key, "session": session, "text": text} for key, (session, text) in documents.items())
        turns = write_lines(Path(scratch) / "turns.jsonl", lines)
        asked = ({"id": str(number), "query": one.text} for number, one in enumerate(questions))
        engram(workspace, "capture", str(turns), "--format", "jsonl")
        answers = engram(
            workspace, "recall", "--jsonl", str(write_lines(Path(scratch) / "asked.jsonl", asked)), "--json"
        )
    found = {row["id"]: [hit.get("ref") for hit in row["hits"]] for row in map(json.loads, answers.splitlines())}
    ranked = [found[str(number)] for number in range(len(questions))]
    return [refs.index(one.gold) + 1 if one.gold in refs else 0 for one, refs in zip(questions, ranked, strict=True)]


def write_lines(path: Path, rows: Iterable[Row]) -> Path:
    """Write rows as JSON lines and return the path."""
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def engram(workspace: Path, *arguments: str) -> str:
    """Run one command in the workspace and return what it prints."""
    command = [sys.executable, "-m", "engram", *arguments]
    environment = os.environ | {"ENGRAM_WORKSPACE": str(workspace)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"engram {' '.join(arguments)} left with {done.returncode}: {done.stderr}")
    return done.stdout


def print_ranks(name: str, questions: list[Question], ranks: list[int], *, show: bool) -> None:
    """Print how many stand first, in all and by kind."""
    first = Counter(one.kind for one, rank in zip(questions, ranks, strict=True) if rank == 1)
    every = Counter(one.kind for one in questions)
    kinds = ", ".join(f"{kind} {first[kind]}/{count}" for kind, count in every.items())
    print(f"{name}: {first.total()} of {len(questions)} at rank 1 ({share(first.total(), len(questions))}): {kinds}")
    for one, rank in zip(questions, ranks, strict=True):
        if show and rank != 1:
            print(f"  rank {rank or 'none'}: {one.text}")


if __name__ == "__main__":
    main()
