"""Learn what the last line of the screen weighs: which concepts, and which pairs of them, steer an agent.

scripts/train_screen.py [--rounds N]

The learnt half of the attack pack and the pages of the repository are what it learns from; nothing else. It writes
`engram/language/patterns/intent.json`, and prints what the learnt half comes to. Start it with the environment's
Python.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
from attack_texts import samples

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from engram.language import PATTERNS  # noqa: E402 - the checkout comes first
from engram.language.screen.intent import features  # noqa: E402
from engram.language.screen.intent import stretches  # noqa: E402

TARGET = Path(PATTERNS) / "intent.json"
PENALTY = 0.02  # on the square of a weight: pairs are many and examples few
THRESHOLD = 0.6
_LEAST_SEEN = 2  # examples in which a feature has to stand


def main() -> None:
    """Learn, print and write."""
    parser = argparse.ArgumentParser(prog="scripts/train_screen.py", description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=4000)
    options = parser.parse_args()
    pack = list(samples("learnt"))
    texts = [(one.text, one.is_attack) for one in pack] + [(line, False) for line in page_lines()]
    rows = [(features(text), label) for text, label in texts]
    counts: dict[str, int] = {}
    for found, _ in rows:
        for name in found:
            counts[name] = counts.get(name, 0) + 1
    names = sorted(name for name, count in counts.items() if count >= _LEAST_SEEN)
    place = {name: number for number, name in enumerate(names)}
    matrix = np.zeros((len(rows), len(names)))
    for number, (found, _) in enumerate(rows):
        matrix[number, [place[name] for name in found if name in place]] = 1
    labels = np.array([label for _, label in rows], dtype=float)
    weights, base = learnt(matrix, labels, options.rounds)
    chances = 1 / (1 + np.exp(-(matrix @ weights + base)))
    found = (chances >= THRESHOLD)[: len(pack)]
    hits = sum(bool(hit) for hit, one in zip(found, pack, strict=True) if one.is_attack)
    false = sum(bool(hit) for hit, one in zip(found, pack, strict=True) if not one.is_attack)
    attacks = sum(one.is_attack for one in pack)
    print(f"{len(names)} features; {hits} of {attacks} attacks, {false} of {len(pack) - attacks} harmless texts")
    print(f"{int((chances >= THRESHOLD)[len(pack) :].sum())} of {len(rows) - len(pack)} lines of pages")
    kept = {name: round(float(weights[number]), 3) for name, number in place.items() if abs(weights[number]) >= 0.01}
    data = {"threshold": THRESHOLD, "base": round(float(base), 3), "weights": kept}
    TARGET.write_text(json.dumps(data, indent=0, sort_keys=True) + "\n", encoding="utf-8")


def page_lines() -> list[str]:
    """Return the lines of the repository's pages, which steer nobody."""
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
    lines = [line.strip("-*|> ") for page in pages for line in page.read_text(encoding="utf-8").splitlines()]
    return [piece for line in lines if len(line) > 30 for piece in stretches(line)]


def learnt(matrix: np.ndarray, labels: np.ndarray, rounds: int) -> tuple[np.ndarray, float]:
    """Return weights and base of a logistic regression, attacks and harmless texts counting alike."""
    share = labels.mean()
    counting = np.where(labels > 0, 0.5 / share, 0.5 / (1 - share)) / len(labels)
    weights, base, speed = np.zeros(matrix.shape[1]), 0.0, 1.0
    for _ in range(rounds):
        error = (1 / (1 + np.exp(-(matrix @ weights + base))) - labels) * counting
        weights -= speed * (matrix.T @ error + PENALTY / 10 * weights)
        base -= speed * float(error.sum())
    return weights, base


if __name__ == "__main__":
    main()
