#!/usr/bin/env python3
"""Learn which lines are worth keeping, of which kind they are and whom they are about, and print how well it goes.

    scripts/train_judge.py DATA [--write FILE] [--without AGENT] [--no-model]

DATA is the folder with notes.jsonl and conversations.jsonl in which careful readers marked statements. They hold little
everyday talk, little work with a coding agent and notes of few agents, so more of each come from judge_chats/ and
judge_notes/, invented for this and marked alike; those of judge_categories/ teach only of which kind a statement is.
Nothing of a text is written: the weights know words by their hashes, and only those that at least three authors use.
What is printed was measured on authors (agents, conversations) that the weights had not seen, each left out in turn.
"""

import argparse
import json
import sys
import zlib
from collections import Counter
from collections import defaultdict
from collections.abc import Callable
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Mapping
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix
from scipy.sparse import hstack
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import GroupKFold

from engram.config.sections.recall import EmbeddingSettings
from engram.language.names.new_entities import MIN_MENTIONS
from engram.language.text.markdown_notes import split_note
from engram.language.text.statements import Statement
from engram.model.vocabulary import Category
from engram.services.extract.extract import find_introduced
from engram.services.extract.fragments import is_fragment
from engram.services.extract.judge import choose_category
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.evidence import name_key
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.line_features import kind_features
from engram.services.extract.lines.line_features import line_features
from engram.services.extract.lines.passage import Passage
from engram.services.extract.lines.passage import read_lines
from engram.services.extract.lines.vectors import line_vector
from engram.services.extract.lines.vectors import texts_to_embed
from engram.services.extract.subject.subject_features import Candidate
from engram.services.extract.subject.subject_features import list_candidates
from engram.services.extract.weights import FORMAT
from engram.services.extract.weights import packed
from engram.services.extract.weights import packed_keys
from engram.services.extract.weights import packed_weights
from engram.services.extract.weights import unpacked
from engram.store.embedding.choice import choose_embedder

CHATS = Path(__file__).with_name("judge_chats")
NOTES = Path(__file__).with_name("judge_notes")
CATEGORIES = Path(__file__).with_name("judge_categories")
OWN = "own"  # the set of an invented chat or note
ONLY_CATEGORIES = "own-categories"  # the set of an invented note that teaches nothing but categories
AUTHORS = 3  # that must use a word before it counts
# Features that go into the file: those that weigh most in any category of talk, those that do in notes, and behind them
# those that weigh most in what is worth keeping, with a weight for that alone: two outputs tell that, 44 tell kinds.
FOR_KINDS = 4_000
FOR_WORTH = 20_000
LEVELS = 31  # the largest weight of a kind in the file: a finer one tells nothing
WORTH, MEANING = "worth", "meaning"  # the outputs that tell it: of words, and of words and vectors
FOLDS = 10
# Of what becomes a fact at once, on authors not seen. What says the same twice is one fact, so notes come out a point
# higher, at the bar of .75. Of talk that nobody invented more is worth keeping than of the chats that most of these
# lines come from: asked .68 and .73 of all, it comes out at .85. Chats that are full of statements lower what is sure,
# and then requests for once become facts; chats in which three turns of four hold nothing raise it.
ASKED_PRECISION = {"note": 0.74, "project": 0.73, "user": 0.68, "named": 0.75, "agent": 0.90}
# Of words alone more is asked: on real talk of other kinds than all that was learned from, they are less often right
# than vectors that are asked the same. Invented kinds that are left out in turn show a small difference, .69 and .71 of
# talk among people, .83 and .86 of everyday questions.
WORDS_MORE = {"project": 0.03, "user": 0.03}
DENSE_SCALE = 3.0  # of unit vectors beside words
# C of the regression. The more a notes' kind rests on few words, the further it goes: on authors left out in turn .730
# of the kinds of real notes may be filed so by words, of a C of 1 .709, and in talk .795 and of a C of 0.3 less.
STRENGTH = {"worth": 0.5, "meaning": 0.1, "category": 1.0, "category in notes": 0.2, "subject": 0.05}
IN_NOTES = " in notes"  # behind the output of a category that tells it of notes
RIDGE = 0.02  # of squared weights where candidates of a note's line are weighed against each other
# What a statement of a finer category may be filed under, too: an instruction is somebody's preference or a decision.
COARSER = {
    "instruction": ("preference", "decision"),
    "identity": ("status", "relationship", "context"),
    "commitment": ("status", "decision", "context"),
    "lesson": ("context",),
}

Numbers = NDArray[np.float64]
Features = Mapping[str, float]


class Example(NamedTuple):
    """A line with what the readers said of it."""

    line: Line
    author: str
    document: str
    language: str
    marks: tuple[dict[str, Any], ...]  # that share at least half of the shorter one's characters with it
    covered: dict[str, Any] | None  # the mark of the same document that it says, perhaps in another place
    candidates: tuple[Candidate, ...]
    only_category: bool = False  # it teaches nothing else

    @property
    def is_worth(self) -> bool:
        """Tell whether a reader marked it, here or where it says the same."""
        return bool(self.marks) or self.covered is not None

    @property
    def is_invented(self) -> bool:
        """Tell whether it stands in a chat that was invented for this."""
        return self.author.startswith(f"{OWN}-")

    @property
    def is_invented_note(self) -> bool:
        """Tell whether it stands in a note that was invented for this."""
        return self.is_invented and not self.line.speaker

    @property
    def is_must(self) -> bool:
        """Tell whether every careful reader would keep it."""
        marks = self.marks or ((self.covered,) if self.covered else ())
        return any(mark["level"] == "must" for mark in marks)


# --- reading -----------------------------------------------------------------------------------------------------


def read_examples(folder: Path, *, own: bool = True) -> list[Example]:
    """Return every line of notes and conversations, those of one author together; `own`: invented ones, too.

    The chats of one language and kind, which one hand has written, count as one author; each agent of a note is one.
    """
    files = [
        folder / "notes.jsonl",
        folder / "conversations.jsonl",
        *(sorted(file for one in (CHATS, NOTES, CATEGORIES) for file in one.glob("*.jsonl")) if own else ()),
    ]
    rows: list[dict[str, Any]] = []
    for file in files:
        with file.open(encoding="utf-8") as lines:
            rows += map(json.loads, lines)
    by_author: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        author = row.get("agent") or row["id"]
        by_author[author.rpartition("-")[0] if row.get("set") == OWN and "turns" in row else author].append(row)
    return [example for author, texts in by_author.items() for example in _of_author(author, texts)]


def _of_author(author: str, rows: Sequence[dict[str, Any]]) -> Iterator[Example]:
    evidence = Evidence()
    read: list[tuple[dict[str, Any], Statement, Line, tuple[dict[str, Any], ...]]] = []
    for row in sorted(rows, key=lambda one: one["date"] or ""):
        for statement, line, marks in (_note_lines if "agent" in row else _turn_lines)(author, row):
            evidence.add(line.text, line.headings)
            read.append((row, statement, line, marks))
    known = _introduced(line.text for row, _, line, _ in read if "agent" in row)
    waiting: dict[str, str] = {}
    document = ""
    for row, _, line, marks in read:
        name = row.get("file") or row["id"]
        if name != document:  # what earlier documents are about is known by then
            known |= waiting if "agent" not in row else {}
            document, waiting = name, {}
        waiting |= {name_key(mark["about"][0].rpartition("/")[2]): mark["about"][0] for mark in marks}
        candidates = tuple(list_candidates(line, evidence, dict(known)))
        covered, only_category = _covering(line.text, row["facts"]), row.get("set") == ONLY_CATEGORIES
        yield Example(line, author, name, row["lang"], marks, covered, candidates, only_category)


def _introduced(texts: Iterable[str]) -> dict[str, str]:
    """Return by key the names that notes introduce, which a first heartbeat knows before it reads the first of them."""
    return {name_key(one.title): one.path for one in find_introduced(list(texts), [], MIN_MENTIONS)}


def _note_lines(author: str, row: dict[str, Any]) -> Iterator[tuple[Statement, Line, tuple[dict[str, Any], ...]]]:
    data = row["text"].encode()
    spans = [
        (at, at + len(mark["quote"].encode()), mark)
        for mark in row["facts"]
        if (at := data.find(mark["quote"].encode())) >= 0
    ]
    home = author.rpartition("+")[2].replace("-", " ").title()
    before = ""
    for entry in split_note(data):
        for statement, line in read_lines(
            Passage("", entry.text, entry.headings, home="projects/home", home_title=home), entry.text, before
        ):
            start = entry.start + len(entry.text[: statement.start].encode())
            yield statement, line, _marks_on(start, start + len(statement.text.encode()), spans)
            before = line.text


def _turn_lines(author: str, row: dict[str, Any]) -> Iterator[tuple[Statement, Line, tuple[dict[str, Any], ...]]]:
    del author
    home = (row.get("cwd") or "").rstrip("/").rpartition("/")[2]
    before = ""
    for turn in row["turns"]:
        text = turn["text"]
        marks = [mark for mark in row["facts"] if mark["turn"] == turn["id"]]
        spans = [(at, at + len(mark["quote"]), mark) for mark in marks if (at := text.find(mark["quote"])) >= 0]
        passage = Passage(
            "", text, (), is_turn=True, speaker=turn["speaker"], home="projects/home" if home else "", home_title=home
        )
        for statement, line in read_lines(passage, text, before):
            yield statement, line, _marks_on(statement.start, statement.end, spans)
            before = line.text


def _marks_on(start: int, end: int, spans: Sequence[tuple[int, int, dict[str, Any]]]) -> tuple[dict[str, Any], ...]:
    shared = ((min(end, to) - max(start, at), min(end - start, to - at), mark) for at, to, mark in spans)
    return tuple(mark for both, shorter, mark in shared if both > 0 and both >= shorter / 2)


def _covering(text: str, marks: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """Return the mark whose words the text has, at least half of the shorter one's and a fifth of the longer one's."""
    said = Counter(_words(text))
    best, best_share = None, 0.5
    for mark in marks:
        other = Counter(_words(mark["quote"]))
        common, sizes = sum((said & other).values()), sorted((sum(said.values()), sum(other.values())))
        if common >= best_share * max(1, sizes[0]) and common >= 0.2 * sizes[1] and common:
            best, best_share = mark, common / max(1, sizes[0])
    return best


def _words(text: str) -> list[str]:
    folded = text.casefold()
    if any("\u3040" <= ch <= "\u9fff" for ch in text):
        return [ch for ch in folded if ch.isalnum()]
    return "".join(ch if ch.isalnum() else " " for ch in folded).split()


# --- learning ----------------------------------------------------------------------------------------------------


class Table(NamedTuple):
    """Features as numbers, and the names of the columns by their hash."""

    values: csr_matrix
    keys: list[int]


def make_table(rows: Sequence[Features], authors: Sequence[str]) -> Table:
    """Return the features that enough authors share; names with one hash are one column."""
    users: dict[int, set[str]] = defaultdict(set)
    hashed = [[(zlib.crc32(name.encode()), value) for name, value in row.items() if value] for row in rows]
    for row, author in zip(hashed, authors, strict=True):
        for key, _ in row:
            users[key].add(author)
    keys = sorted(key for key, who in users.items() if len(who) >= AUTHORS)
    column = {key: place for place, key in enumerate(keys)}
    places = [(number, column[key], value) for number, row in enumerate(hashed) for key, value in row if key in column]
    lines, columns, values = zip(*places, strict=True)
    return Table(csr_matrix((values, (lines, columns)), shape=(len(rows), len(keys))), keys)


def fitted(table: csr_matrix, truth: Numbers, weight: Numbers, strength: float) -> LogisticRegression:
    """Return the regression fitted to rows."""
    return LogisticRegression(C=strength, solver="liblinear", max_iter=500).fit(table, truth, sample_weight=weight)


def held_out(table: csr_matrix, truth: Numbers, weight: Numbers, authors: Sequence[str], strength: float) -> Numbers:
    """Return a score for every row from a regression that has not seen its author."""
    scores = np.zeros(table.shape[0])
    for seen, unseen in GroupKFold(min(FOLDS, len(set(authors)))).split(table, truth, authors):
        scores[unseen] = fitted(table[seen], truth[seen], weight[seen], strength).decision_function(table[unseen])
    return scores


def held_out_lean(
    table: csr_matrix, truth: Numbers, weight: Numbers, authors: Sequence[str], strength: float, words: int
) -> Numbers:
    """Return the same scores of regressions that lost all but the heaviest of their `words` features, as in the file.

    The bars are set by these: what is dropped orders the lines another way.
    """
    scores = np.zeros(table.shape[0])
    for seen, unseen in GroupKFold(min(FOLDS, len(set(authors)))).split(table, truth, authors):
        model = fitted(table[seen], truth[seen], weight[seen], strength)
        weights = model.coef_[0].copy()
        weights[np.argsort(-np.abs(weights[:words]))[FOR_WORTH:]] = 0.0
        scores[unseen] = table[unseen] @ weights + model.intercept_[0]
    return scores


def calibrated(scores: Numbers, truth: Numbers) -> tuple[float, float]:
    """Return (slope, offset) with which the logistic function gives the share that is true (Platt 1999)."""
    model = LogisticRegression(C=1e4).fit(scores[:, None], truth)
    return float(model.coef_[0][0]), float(model.intercept_[0])


def sure_from(chance: Numbers, truth: Numbers, asked: float) -> float:
    """Return the least chance from which on what is taken has the asked precision."""
    order = np.argsort(-chance)
    share = np.cumsum(truth[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero(share >= asked)
    return float(chance[order][enough[-1]]) if len(enough) else 1.0


def chance_of(scores: Numbers, line: tuple[float, float]) -> Numbers:
    """Return the calibrated probabilities of scores."""
    return np.asarray(1 / (1 + np.exp(-(line[0] * scores + line[1]))))


class Learnt(NamedTuple):
    """What goes into the file, and the held-out scores behind the report."""

    raw: dict[str, Any]
    chances: dict[str, Numbers]  # by variant: words, meaning; of the lines that teach what is worth keeping


def learn(examples: Sequence[Example], vectors: NDArray[np.float32] | None, *, report: bool = True) -> Learnt:
    """Fit all outputs; print the report of authors left out."""
    lines, kinds = [line_features(one.line) for one in examples], [kind_features(one.line) for one in examples]
    features = [line | kind for line, kind in zip(lines, kinds, strict=True)]
    table = make_table(features, [example.author for example in examples])
    rows = [place for place, example in enumerate(examples) if not example.only_category]
    judged = [examples[place] for place in rows]
    authors = [example.author for example in judged]
    truth = np.array([float(example.is_worth) for example in judged])
    weight = np.array([_weight(example) for example in judged])
    outputs: dict[str, Any] = {}
    facts: dict[str, Any] = {"calibration": {}, "sure": {}}
    chances = {}
    dense = [] if vectors is None else [csr_matrix(vectors * DENSE_SCALE)]
    for name, above in ((WORTH, []), (MEANING, dense))[: 1 + len(dense)]:
        values = hstack([table.values, *above]).tocsr()
        model = fitted(values[rows], truth, weight, STRENGTH[name])
        scores = held_out_lean(values[rows], truth, weight, authors, STRENGTH[name], len(table.keys))
        outputs[name] = _output(model, len(table.keys))
        chances[name] = _calibrate(name, scores, truth, judged, facts)
        if report:
            _print_worth(name, judged, chances[name], facts["sure"][name])
        outputs |= _learn_categories(name, examples, values, len(table.keys), report=report)
    raw = {"format": FORMAT, "keys": packed_keys(table.keys), "outputs": outputs, "facts": facts}
    return Learnt(lean(raw), chances)


def lean(raw: dict[str, Any], for_kinds: int = FOR_KINDS, for_worth: int = FOR_WORTH) -> dict[str, Any]:
    """Return weights without the features that weigh next to nothing, so that the file stays small.

    Outputs that tell kinds have weights for the first features alone: `for_kinds` of them in talk, as many in notes.
    What tells what is worth keeping has one for each of these, too.
    """
    keys = unpacked("I", raw["keys"])
    weights = {name: np.array(unpacked("b", one["weights"])) for name, one in raw["outputs"].items()}
    worth = [weights[name] for name in (WORTH, MEANING) if name in weights]
    heavy = {
        place: _heaviest([one for name, one in weights.items() if _place(name) == place])[:for_kinds]
        for place in ("", IN_NOTES)
    }
    first = list(dict.fromkeys([*heavy[""], *heavy[IN_NOTES]]))
    every = list(dict.fromkeys([*first, *_heaviest(worth)[:for_worth]]))
    outputs: dict[str, Any] = {}
    for name, one in raw["outputs"].items():
        place = _place(name)
        own = every if place is None else first
        kept = np.isin(own, own if place is None else heavy[place])
        row = [int(weight) for weight in np.where(kept, weights[name][own], 0)]
        outputs[name] = {**one, "weights": packed_weights(row)}
    return {**raw, "keys": packed_keys([keys[place] for place in every]), "outputs": outputs}


def _place(output: str) -> str | None:
    """Return where an output tells kinds, as the end of its name; None of one that tells what is worth keeping."""
    if output in {WORTH, MEANING}:
        return None
    return IN_NOTES if output.endswith(IN_NOTES) else ""


def _heaviest(outputs: Sequence[NDArray[np.int8]]) -> list[int]:
    """Return the places of the features, those first that weigh most in any of the outputs."""
    table = np.abs(np.array(outputs, dtype=np.int16))
    if not len(table):
        return []
    return [int(place) for place in np.lexsort((-table.sum(axis=0), -table.max(axis=0)))]


def _weight(example: Example) -> float:
    """Return what a line counts: more when it must be kept, and in a real conversation, of which there are few.

    Of invented notes there are twice as many as of real ones, so each counts half.
    """
    level = 2.0 if example.is_must else 0.5 if example.is_worth else 1.0
    if example.is_invented_note:
        return level / 2
    return level * (2.0 if example.line.speaker and not example.is_invented else 1.0)


def _calibrate(
    name: str, scores: Numbers, truth: Numbers, examples: Sequence[Example], facts: dict[str, Any]
) -> Numbers:
    settings = np.array([example.line.setting for example in examples])
    invented_notes = np.array([example.is_invented_note for example in examples])
    may_be_sure = np.array([not is_fragment(example.line) for example in examples])
    chance = np.zeros(len(scores))
    facts["calibration"][name], facts["sure"][name] = {}, {}
    for setting, asked in ASKED_PRECISION.items():
        own = settings == setting
        if not own.any():  # a small set has no talk about projects, or no other
            own = np.isin(settings, ("user", "project"))
        real = own & ~invented_notes if (own & ~invented_notes).any() else own
        line = calibrated(scores[real], truth[real])
        chance[own] = chance_of(scores[own], line)
        facts["calibration"][name][setting] = [round(part, 4) for part in line]
        sought = real & may_be_sure
        least = asked + (WORDS_MORE.get(setting, 0.0) if name == WORTH else 0.0)
        facts["sure"][name][setting] = round(sure_from(chance[sought], truth[sought], least), 3)
    return chance


def _output(model: LogisticRegression, words: int, most: int = 0) -> dict[str, Any]:
    weights = model.coef_[0]
    text, scale = packed(list(weights[:words]), "b", most)
    output = {"bias": round(float(model.intercept_[0]), 4), "scale": scale, "weights": text}
    if len(weights) > words:
        output["dense"], output["dense_scale"] = packed(list(weights[words:] * DENSE_SCALE), "h")
    return output


def _learn_categories(
    variant: str, examples: Sequence[Example], values: csr_matrix, words: int, *, report: bool
) -> dict[str, Any]:
    """Fit one output a category, once for talk and once for notes."""
    outputs: dict[str, Any] = {}
    for place in ("", IN_NOTES):
        teaches = [_teaches_kinds(one, place) for one in examples]
        rows = [number for number, one in enumerate(examples) if one.marks and teaches[number]]
        outputs |= _learn_categories_of(
            variant, place, [examples[row] for row in rows], values[rows], words, report=report
        )
    return outputs


def _teaches_kinds(example: Example, place: str) -> bool:
    """Tell whether a line teaches the categories of talk, or those of notes.

    Invented notes whose writers marked them teach this worse than others do; no invented note does of talk.
    """
    return not example.is_invented_note or (example.only_category and place == IN_NOTES)


def _learn_categories_of(
    variant: str, place: str, examples: Sequence[Example], values: csr_matrix, words: int, *, report: bool
) -> dict[str, Any]:
    """Fit a finer category on what was called so, the others on what may be filed under them, too."""
    called = [{category for mark in one.marks for category in mark["category"]} for one in examples]
    filed = [{*said, *(other for one in said for other in COARSER.get(one, ()))} for said in called]
    authors, weight = [one.author for one in examples], np.ones(len(examples))
    strength = STRENGTH[f"category{place}"]
    outputs, scores = {}, {}
    for category in Category:
        truth = np.array([float(category.value in said) for said in (called if category.value in COARSER else filed)])
        if truth.sum() < FOLDS:
            continue
        outputs[f"{variant} {category.value}{place}"] = _output(fitted(values, truth, weight, strength), words, LEVELS)
        if report:
            scores[category] = held_out(values, truth, weight, authors, strength)
    if report:
        own = [number for number, one in enumerate(examples) if bool(one.line.speaker) == (place != IN_NOTES)]
        chosen = [choose_category({name: float(score[number]) for name, score in scores.items()}) for number in own]
        right = np.array([one.value in filed[number] for number, one in zip(own, chosen, strict=True)])
        _print_shares(f"{variant}: category right", [examples[number] for number in own], right)
    return outputs


def learn_subjects(examples: Sequence[Example], *, report: bool = True) -> dict[str, Any]:
    """Fit whom lines are about: of a conversation each candidate is right or not, of a note one goes before the others.

    An agent's notes name many things, and its own project would often do: what counts is which of them goes first.
    """
    marked = [one for one in examples if one.marks and one.candidates and not one.only_category]
    outputs: dict[str, Any] = {}
    features = [one.features for example in marked for one in example.candidates]
    authors = [example.author for example in marked for _ in example.candidates]
    table = make_table(features, authors)
    talk, note = _Subjects.of(marked, table, in_notes=False), _Subjects.of(marked, table, in_notes=True)
    for name, some, fit in (("subject", talk, _each_candidate), ("subject of a note", note, _first_candidate)):
        if not some.examples:
            continue
        weights, bias = fit(some, np.ones(len(some.truth), dtype=bool))
        outputs[name] = {"bias": round(bias, 4)} | _bytes_of(weights)
        if report:
            _print_shares(f"{name} right", some.examples, _held_out_choice(some, fit))
    return {"format": FORMAT, "keys": packed_keys(table.keys), "outputs": outputs}


class _Subjects(NamedTuple):
    """The candidates of some examples, as rows."""

    examples: list[Example]
    values: csr_matrix
    truth: Numbers
    line: NDArray[np.int64]  # the example of each row
    authors: NDArray[np.str_]

    @classmethod
    def of(cls, marked: Sequence[Example], table: Table, *, in_notes: bool) -> "_Subjects":
        """Take those of notes, or all others."""
        chosen = [number for number, example in enumerate(marked) if (example.line.source == "note") == in_notes]
        place = {number: row for row, number in enumerate(chosen)}
        rows = [(number, one) for number, example in enumerate(marked) for one in example.candidates]
        own = [row for row, (number, _) in enumerate(rows) if number in place]
        keys = {
            number: {name_key(about.rpartition("/")[2]) for mark in marked[number].marks for about in mark["about"]}
            for number in chosen
        }
        return cls(
            [marked[number] for number in chosen],
            table.values[own],
            np.array([float(rows[row][1].key in keys[rows[row][0]]) for row in own]),
            np.array([place[rows[row][0]] for row in own], dtype=np.int64),
            np.array([marked[rows[row][0]].author for row in own]),
        )


_Fit = Callable[[_Subjects, NDArray[np.bool_]], tuple[Numbers, float]]  # weights and bias from some of the rows


def _each_candidate(some: _Subjects, seen: NDArray[np.bool_]) -> tuple[Numbers, float]:
    model = fitted(some.values[seen], some.truth[seen], np.ones(int(seen.sum())), STRENGTH["subject"])
    return model.coef_[0], float(model.intercept_[0])


def _first_candidate(some: _Subjects, seen: NDArray[np.bool_]) -> tuple[Numbers, float]:
    """Fit a conditional logit: the chance of a candidate is its share among those of its line."""
    lines = np.bincount(some.line, some.truth, len(some.examples)) > 0
    seen = seen & lines[some.line]
    values, truth = some.values[seen], some.truth[seen]
    line = np.unique(some.line[seen], return_inverse=True)[1]
    count = int(line.max()) + 1

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        scores = values @ weights
        most = np.full(count, -np.inf)
        np.maximum.at(most, line, scores)
        share = np.exp(scores - most[line])
        every, right = np.bincount(line, share, count), np.bincount(line, share * truth, count)
        slope = values.T @ (share * truth / right[line] - share / every[line])
        return float(np.log(every / right).mean() + RIDGE * weights @ weights), -slope / count + 2 * RIDGE * weights

    return minimize(loss, np.zeros(values.shape[1]), jac=True, method="L-BFGS-B").x, 0.0


def _held_out_choice(some: _Subjects, fit: _Fit) -> NDArray[np.bool_]:
    """Tell of each example whether the candidate that goes first is right, by weights that have not seen its author."""
    best = np.full(len(some.examples), -np.inf)
    right = np.zeros(len(some.examples), dtype=bool)
    for seen, unseen in GroupKFold(min(FOLDS, len(set(some.authors)))).split(some.values, some.truth, some.authors):
        rows = np.zeros(len(some.truth), dtype=bool)
        rows[seen] = True
        weights, _ = fit(some, rows)
        for row, score in zip(unseen, some.values[unseen] @ weights, strict=True):
            if score > best[some.line[row]]:
                best[some.line[row]], right[some.line[row]] = score, bool(some.truth[row])
    return right


def _bytes_of(weights: Numbers) -> dict[str, Any]:
    text, scale = packed(list(weights), "b")
    return {"scale": scale, "weights": text}


# --- the report --------------------------------------------------------------------------------------------------


def _kind(example: Example) -> str:
    if example.is_invented:
        return "invented note" if example.is_invented_note else "invented chat"
    return "conversation" if example.line.speaker else "note"


def _groups(examples: Sequence[Example]) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    kinds: dict[str, Callable[[Example], str]] = {
        "source": _kind,
        "speaker": lambda example: f"  said by {example.line.source}" if example.line.speaker else "",
        "language": lambda example: "" if example.is_invented else f"{_kind(example)} {example.language}",
    }
    for kind in kinds.values():
        labels = np.array([kind(example) for example in examples])
        for label in sorted(set(labels) - {""}):
            yield label, labels == label


def _print_worth(name: str, examples: Sequence[Example], chance: Numbers, sure: Mapping[str, float]) -> None:
    worth = np.array([example.is_worth for example in examples])
    must = np.array([example.is_must for example in examples])
    taken = np.array(
        [
            value >= sure[example.line.setting] and not is_fragment(example.line)
            for value, example in zip(chance, examples, strict=True)
        ]
    )
    print(f"\n{name + ': worth keeping':32}{'lines':>7}{'marked':>8}{'AP':>7}{'precise':>9}{'must kept':>10}")
    for label, rows in _groups(examples):
        some = rows & taken
        print(
            f"{label:32}{rows.sum():>7}{worth[rows].mean():>8.2f}"
            f"{average_precision_score(worth[rows], chance[rows]):>7.3f}"
            f"{worth[some].mean() if some.any() else 0:>9.3f}{must[some].sum() / max(1, must[rows].sum()):>10.3f}"
        )
    print(f"{name}: calibration on authors not seen (said / so)")
    for low in np.arange(0, 1, 0.1):
        rows = (chance >= low) & (chance < low + 0.1)
        if rows.sum() > 20:
            print(f"  {chance[rows].mean():.2f} / {worth[rows].mean():.2f}  ({rows.sum()})")


def _print_shares(name: str, examples: Sequence[Example], right: NDArray[np.bool_]) -> None:
    print(f"\n{name:32}{'lines':>7}{'right':>8}")
    for label, rows in _groups(examples):
        print(f"{label:32}{rows.sum():>7}{right[rows].mean():>8.3f}")


def line_vectors(examples: Sequence[Example], cache: Path) -> NDArray[np.float32] | None:
    """Return the vector of every line, or None when there is no model here."""
    embedder, why = choose_embedder(EmbeddingSettings(), cache)
    if embedder is None:
        print(f"without a model: {why}", file=sys.stderr)
        return None
    texts = sorted({text for example in examples for text in texts_to_embed(example.line)}, key=len)
    vectors: dict[str, Sequence[float]] = {}
    for start in range(0, len(texts), 64):
        some = texts[start : start + 64]
        vectors |= dict(zip(some, embedder.embed_passages(some), strict=True))
    return np.array([line_vector(example.line, vectors) for example in examples], dtype=np.float32)


def main() -> None:
    """Read, learn, print, write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data", type=Path)
    parser.add_argument("--write", type=Path, help="folder for judge.json and subject/subject.json")
    parser.add_argument("--without", default="", help="an author to leave out altogether")
    parser.add_argument("--only-subjects", action="store_true", help="learn, print and write only whom lines are about")
    parser.add_argument("--no-model", action="store_true", help="words only")
    parser.add_argument("--cache", type=Path, default=Path(".judge-cache"), help="folder for vectors")
    options = parser.parse_args()
    examples = [example for example in read_examples(options.data) if example.author != options.without]
    print(f"{len(examples)} lines of {len({example.author for example in examples})} authors")
    if options.only_subjects:
        _write(options.write, {"subject/subject.json": learn_subjects(examples)})
        return
    vectors = None if options.no_model else line_vectors(examples, options.cache)
    learnt = learn(examples, vectors, report=not options.without)
    subjects = learn_subjects(examples, report=not options.without)
    _write(options.write, {"judge.json": learnt.raw, "subject/subject.json": subjects})


def _write(folder: Path | None, files: Mapping[str, Mapping[str, Any]]) -> None:
    if folder is None:
        return
    for name, raw in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(json.dumps(raw) + "\n", encoding="utf-8")
        print(f"{name}: {(folder / name).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
