"""What holds now: how often the first answer is the present value, beside search engines: scripts/bench changes.

Somebody says how things stand, weeks later how they stand by then, and is asked once about each thing. The engines of
the group `bench` that are installed get the same texts, each with its day, and the same vectors, of the best model that
is here; Engram is used as people use it: capture, heartbeat, recall. Everything is generated, and the same every time.
"""

import argparse
import datetime as dt
import json
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

from bench_peers import PEERS
from bench_peers import Bm25s
from bench_peers import Peer
from bench_peers import why_missing
from evaluation import share
from generated_text import START_AT

from engram.config.sections.recall import EmbeddingSettings
from engram.store.embedding.choice import choose_embedder

K = 3  # answers that are looked at
INTRODUCED = "{name} is a service of ours."
_SEED = 11
_UNSEEN_SEED = 23
_SYLLABLES = ("ka", "re", "mi", "to", "lu", "ven", "sor", "da", "pel", "nim", "gra", "sti")
_PEOPLE = ("Anna", "Boris", "Chen", "Dora", "Emil", "Farah", "Goran", "Hanna")
_STORES = ("PostgreSQL", "SQLite", "MySQL", "Redis", "DuckDB", "MongoDB", "Cassandra", "CouchDB")


class Kind(NamedTuple):
    """One kind of thing that changes."""

    said: str
    said_again: str
    question: str
    values: Sequence[str]
    introduced: str = INTRODUCED


KINDS = (
    Kind(
        "The request limit of {name} is {value} per minute.",
        "The request limit of {name} is now {value} per minute.",
        "what is the request limit of {name}?",
        [str(number) for number in range(150, 950, 50)],
    ),
    Kind(
        "{name} runs on port {value}.",
        "{name} now runs on port {value}.",
        "which port does {name} run on?",
        [str(number) for number in range(4100, 8100, 250)],
    ),
    Kind(
        "{value} is the owner of {name}.",
        "{value} is the owner of {name} now.",
        "who is the owner of {name}?",
        _PEOPLE,
    ),
    Kind(
        "{name} keeps its data in {value}.",
        "We changed that: {name} keeps its data in {value}.",
        "where does {name} keep its data?",
        _STORES,
    ),
)

_SYSTEM = "{name} is one of our systems."
_PORTS = ("4110", "5220", "6330", "7440", "8550")
# Written before recall learnt to tell what is over, and not looked at while it did. Write no rule for these.
UNSEEN = (
    Kind(
        "The deadline for {name} is {value}.",
        "The deadline for {name} moved to {value}.",
        "when is the deadline for {name}?",
        ("3 March", "17 March", "9 April", "28 April", "12 May", "30 May", "8 June"),
        _SYSTEM,
    ),
    Kind(
        "{name} is on version {value}.",
        "{name} has been upgraded to version {value}.",
        "which version is {name} on?",
        ("2.1", "2.4", "3.0", "3.2", "3.7", "4.1"),
        _SYSTEM,
    ),
    Kind(
        "{name} is hosted on {value}.",
        "{name} is now hosted on {value}.",
        "where is {name} hosted?",
        ("Hetzner", "AWS", "Azure", "Heroku", "Vercel", "DigitalOcean"),
        _SYSTEM,
    ),
    Kind(
        "The timeout of {name} is {value} seconds.",
        "The timeout of {name} was raised to {value} seconds.",
        "what is the timeout of {name}?",
        ("20", "35", "45", "60", "80", "95"),
        _SYSTEM,
    ),
    Kind(
        "A seat in {name} costs ${value} a month.",
        "A seat in {name} now costs ${value} a month.",
        "how much does a seat in {name} cost?",
        ("12", "18", "24", "31", "37", "44"),
        _SYSTEM,
    ),
    Kind(
        "{name} is maintained by {value}.",
        "{name} is maintained by {value} these days.",
        "who maintains {name}?",
        ("Ines", "Tomas", "Yuki", "Omar", "Greta", "Pavel", "Noor", "Lena"),
        _SYSTEM,
    ),
    Kind(
        "{name} работает на порту {value}.",
        "{name} теперь работает на порту {value}.",
        "на каком порту работает {name}?",
        _PORTS,
        "{name} — наш сервис.",
    ),
    Kind(
        "{name} 的端口是 {value}。",
        "{name} 的端口现在是 {value}。",
        "{name} 的端口是多少?",
        _PORTS,
        "{name} 是我们的服务。",
    ),
    Kind(
        "{name}의 포트는 {value}입니다.",
        "{name}의 포트는 이제 {value}입니다.",
        "{name}의 포트는 몇 번인가요?",
        _PORTS,
        "{name} 서비스를 운영합니다.",
    ),
    Kind(
        "Backups of {name} run at {value}.",
        "As of this week backups of {name} run at {value}.",
        "when do backups of {name} run?",
        ("01:15", "02:30", "03:45", "04:20", "05:10"),
        _SYSTEM,
    ),
)


class Thing(NamedTuple):
    """A thing, what was said of it, oldest first, and what holds now."""

    said: Sequence[str]
    question: str
    now: str
    before: Sequence[str]  # values that held


class Said(NamedTuple):
    """One turn."""

    at: dt.datetime
    text: str


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="scripts/bench changes", description=__doc__.splitlines()[0])
    parser.add_argument("--things", type=int, default=80)
    parser.add_argument("--words", action="store_true", help="go without an embedding model")
    parser.add_argument("--unseen", action="store_true", help="40 other things, in four languages")
    options = parser.parse_args()
    things = make_things(40, UNSEEN, _UNSEEN_SEED) if options.unseen else make_things(options.things)
    said = list(make_turns(things))
    embedder, why = (None, "words only") if options.words else choose_embedder(EmbeddingSettings())
    print(f"{len(things)} things, {len(said)} statements; {'with a model' if embedder else why}")
    print(f"{'':28}{'first is what holds now':>26}{f'of {K}, none is outdated':>26}")
    answers, facts = ask_engram(things, said, words=embedder is None)
    print_answers("Engram", things, answers)
    print_facts(things, facts)
    for peer in PEERS:
        if why_missing(peer) or (embedder is None and peer is not Bm25s):
            print(f"{peer.name}: not measured, {why_missing(peer) or 'needs a model'}")
            continue
        print_answers(peer.name, things, list(ask_peer(peer, things, said, embedder)))


def make_things(count: int, kinds: Sequence[Kind] = KINDS, seed: int = _SEED) -> list[Thing]:
    """Return things that were said to be two or three ways, one after the other."""
    chance = random.Random(seed)
    names = list(dict.fromkeys("".join(chance.sample(_SYLLABLES, 3)).title() for _ in range(3 * count)))[:count]
    made = []
    for place, name in enumerate(names):
        kind = kinds[place % len(kinds)]
        *before, now = chance.sample(list(kind.values), chance.choice((2, 3)))
        said = [kind.introduced.format(name=name), kind.said.format(name=name, value=before[0])]
        said += [kind.said_again.format(name=name, value=value) for value in (*before[1:], now)]
        made.append(Thing(said, kind.question.format(name=name), now, before))
    return made


def make_turns(things: Sequence[Thing]) -> Iterator[Said]:
    """Yield what was said in three rounds, a week apart, the things of each in an order of its own."""
    chance = random.Random(_SEED)
    for week in range(max(len(one.said) for one in things)):
        told = [one.said[week] for one in things if week < len(one.said)]
        chance.shuffle(told)
        for place, text in enumerate(told):
            yield Said(START_AT + dt.timedelta(weeks=week, minutes=3 * place), text)


def ask_engram(things: Sequence[Thing], said: Sequence[Said], *, words: bool) -> tuple[list[list[str]], list[str]]:
    """Return the best texts of each question, asked in a workspace that has captured what was said, and its facts."""
    with tempfile.TemporaryDirectory(prefix="engram-changes-") as scratch:
        root, talk, asked = Path(scratch) / "workspace", Path(scratch) / "talk.jsonl", Path(scratch) / "asked.jsonl"
        turns = [
            {
                "id": f"m{place}",
                "session": f"day-{one.at:%j}",
                "speaker": "user",
                "at": one.at.isoformat(),
                "text": one.text,
            }
            for place, one in enumerate(said)
        ]
        talk.write_text("".join(json.dumps(one) + "\n" for one in turns), encoding="utf-8")
        rows = [{"id": str(place), "query": one.question} for place, one in enumerate(things)]
        asked.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
        now = ["--now", (said[-1].at + dt.timedelta(days=1)).isoformat()]
        _engram(root, words, "init", str(root), "--owner", "people/mara", *now)
        _engram(root, words, "capture", str(talk), *now)
        _engram(root, words, "heartbeat", "run", *now)
        facts = json.loads(_engram(root, words, "facts", "--json", *now))["facts"]
        answers = _engram(root, words, "recall", "--jsonl", str(asked), "-k", str(K), "--json", *now)
        hits = [[hit["text"] for hit in json.loads(line)["hits"]] for line in answers.splitlines()]
        return hits, [fact["text"] for fact in facts]


def ask_peer(kind: type[Any], things: Sequence[Thing], said: Sequence[Said], embedder: Any) -> Iterator[list[str]]:
    """Yield the best texts that an engine has for each question."""
    texts = [f"{one.at:%Y-%m-%d} {one.text}" for one in said]
    vectors = embedder.embed_passages(texts) if embedder else [[] for _ in texts]
    with tempfile.TemporaryDirectory(prefix="engram-changes-") as scratch:
        engine: Peer = kind(texts, vectors, Path(scratch))
        for thing in things:
            vector = embedder.embed_query(thing.question) if embedder else []
            yield [texts[number] for number in engine.search(thing.question, vector)[:K]]


def print_answers(name: str, things: Sequence[Thing], answers: Sequence[Sequence[str]]) -> None:
    """Print how often the first answer holds what holds now, and how often nothing outdated is among the first."""
    first = sum(bool(texts) and _says(texts[0], one.now) for one, texts in zip(things, answers, strict=True))
    clean = sum(
        not any(_says(text, value) and _is_about(text, one) for text in texts for value in one.before)
        for one, texts in zip(things, answers, strict=True)
    )
    print(f"{name:28}{share(first, len(things)):>26}{share(clean, len(things)):>26}")


def print_facts(things: Sequence[Thing], facts: Sequence[str]) -> None:
    """Print of how many things the active facts give the present value only, an outdated one, or none."""
    only = stale = 0
    for one in things:
        about = [text for text in facts if _is_about(text, one)]
        is_stale = any(_says(text, value) for text in about for value in one.before)
        stale += is_stale
        only += not is_stale and any(_says(text, one.now) for text in about)
    none = len(things) - only - stale
    print(f"{'facts':28}{share(only, len(things)):>26}  only what holds now")
    print(f"{'':28}{share(stale, len(things)):>26}  something outdated")
    print(f"{'':28}{share(none, len(things)):>26}  neither: nothing was kept of it")


def _says(text: str, value: str) -> bool:
    return value in text


def _is_about(text: str, thing: Thing) -> bool:
    name = thing.said[0].split()[0]
    return name.strip(".") in text


def _engram(root: Path, words: bool, *arguments: str) -> str:  # noqa: FBT001 - of this file only
    environment = {name: value for name, value in os.environ.items() if not name.startswith("ENGRAM_")}
    environment |= {"ENGRAM_WORKSPACE": str(root)} | ({"ENGRAM_EMBEDDINGS": "none"} if words else {})
    done = subprocess.run(
        [sys.executable, "-m", "engram", *arguments], env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"engram {arguments[0]} left with {done.returncode}: {done.stderr}")
    return done.stdout


if __name__ == "__main__":
    main()
