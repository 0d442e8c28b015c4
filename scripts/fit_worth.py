"""Fit the weights of engram/language/signal/turn_worth.py; print them and the share kept of conversations held out.

python scripts/fit_worth.py [--data DIR]

Each conversation is ranked by weights that were fitted on the others; kept is the share of its turns that a question
was answered from, of all turns the better half being kept. The printed tables belong into patterns/worth.toml.
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engram.language.signal.turn_worth import Counts
from engram.language.signal.turn_worth import count
from engram.language.signal.turn_worth import telling_words

NAME = "locomo_turn_worthiness.jsonl.gz"
RIDGE = 3.0  # strength of the penalty on weights of standardised counts
ROUNDS = 30  # Newton steps; ten are enough

Numbers = NDArray[np.float64]


def main() -> None:
    """Print the held-out shares and the weights, for turns alone and within their conversation."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[2] / "shared" / "data")
    path = parser.parse_args().data / NAME
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode("utf-8").splitlines()]
    cited = np.array([float(row["is_qa_evidence"]) for row in rows])
    talks = np.array([row["conv"] for row in rows])
    for name, within in (("alone", False), ("within", True)):
        table = np.array(counted(rows, within=within))
        print(f"# held out: {kept(held_out(table, cited, talks), cited):.3f} of {int(cited.sum())}")
        print(shown(name, fit(table, cited)))


def counted(rows: list[dict[str, Any]], *, within: bool) -> list[Counts]:
    """Return the counts of every turn, in the order of the turns."""
    seen: dict[str, set[str]] = {}
    found = []
    for row in rows:
        before = seen.setdefault(row["conv"], set())
        found.append(count(row["text"], before if within else ()))
        before |= telling_words(row["text"])
    return found


def held_out(table: Numbers, cited: Numbers, talks: NDArray[np.str_]) -> Numbers:
    """Return a score for every turn from weights that were fitted on the other conversations."""
    scores = np.zeros(len(table))
    for talk in np.unique(talks):
        weights = fit(table[talks != talk], cited[talks != talk])
        scores[talks == talk] = table[talks == talk] @ weights[:-1] + weights[-1]
    return scores


def fit(table: Numbers, cited: Numbers) -> Numbers:
    """Return the weights of a logistic regression with a ridge penalty, the bias last (Newton's method)."""
    mean, spread = table.mean(0), table.std(0)
    given = np.c_[(table - mean) / spread, np.ones(len(table))]
    penalty = RIDGE * np.diag([*np.ones(table.shape[1]), 0.0])
    weights = np.zeros(given.shape[1])
    for _ in range(ROUNDS):
        chance = 1 / (1 + np.exp(-given @ weights))
        slope = given.T @ (chance - cited) + penalty @ weights
        weights -= np.linalg.solve((given * (chance * (1 - chance))[:, None]).T @ given + penalty, slope)
    plain = weights[:-1] / spread
    return np.append(plain, weights[-1] - plain @ mean)


def kept(scores: Numbers, cited: Numbers) -> float:
    """Return the share of cited turns in the better half."""
    better = np.argsort(-scores, kind="stable")[: len(scores) // 2]
    return float(cited[better].sum() / cited.sum())


def shown(name: str, weights: Numbers) -> str:
    """Return the weights as a table of TOML."""
    lines = [f"{key} = {value:.3f}" for key, value in zip((*Counts._fields, "bias"), weights, strict=True)]
    return "\n".join([f"[{name}]", *lines])


if __name__ == "__main__":
    main()
