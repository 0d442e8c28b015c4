"""Measure a language by hand-made sentences: how many are judged right, of those that its rules had seen and of others.

scripts/bench language-cases [--language CODE] [--wrong]; the sentences stand in scripts/language_cases/.
"""

import argparse
import datetime as dt
import random
import re
import tomllib
from collections.abc import Callable
from pathlib import Path

from engram.language.compare.contradiction.compare import compare
from engram.language.compare.corrections.corrections import read_correction
from engram.language.dates.dates import find_dates
from engram.language.dates.question_time import asked_time
from engram.language.names.mentions import Known
from engram.language.names.mentions import NameIndex
from engram.language.names.new_entities import find_candidates
from engram.language.screen.injection import find_injection
from engram.language.screen.secrets import redact
from engram.language.signal.detector import HIGH
from engram.language.signal.detector import detect
from engram.language.terms.terms import asked_terms
from engram.language.terms.terms import indexed_terms
from engram.model.comparison import DISPUTED
from engram.model.comparison import EXCLUDING
from engram.services.extract.subject_guess import guess

CASES = Path(__file__).with_name("language_cases")
HALVES = ("seen", "unseen")
DAY = dt.date(2026, 2, 24)
OWNER = "people/owner"
KNOWN = (Known(OWNER, ("Owner",)), Known("people/ana", ("Ana",)), Known("projects/billing", ("Billing",)))
_SIGNS = {"S": "abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789#!", "R": "abcdefghkmnpqrstuvwxyz23456789"}
_RANDOM = re.compile(r"\{([SR])(\d+)\}")


def find_signal(text: str) -> str:
    """Return the category of what is worth keeping."""
    found = detect(text)
    return found.categories[0] if found.signal == HIGH else ""


def find_days(text: str) -> str:
    """Return the days that a statement names."""
    return "; ".join(_span(one.first, one.last) for one in find_dates(text, DAY))


def find_asked(text: str) -> str:
    """Return the days that a question asks about."""
    asked = asked_time(text, DAY)
    return _span(asked.first, asked.last) if asked else ""


def find_taken_back(text: str) -> str:
    """Return what is wrong and right in a correction, or what it states."""
    found = read_correction(text)
    if found is None:
        return ""
    return f"{found.wrong} | {found.right}" if found.right else found.statement


def find_entities(text: str) -> str:
    """Return the entities that a text makes known."""
    entries = [f"{sentence}." for sentence in text.rstrip(".").split(". ")]
    return "; ".join(one.path for one in find_candidates(entries, NameIndex(KNOWN), min_mentions=2))


def find_subject(text: str) -> str:
    """Return the entity that a statement is about."""
    return guess(text, KNOWN, owner=OWNER).entity


def find_order(text: str) -> str:
    """Return whether a text gives orders to the agent."""
    return "yes" if find_injection(text) else ""


def find_secret(text: str) -> str:
    """Return whether a secret is taken out."""
    return "yes" if redact(text).kinds else ""


def find_common(pair: str) -> str:
    """Return whether a question and a text have a term in common."""
    question, _, text = pair.partition(" | ")
    return "yes" if set(asked_terms(question)) & set(indexed_terms(text)) else ""


def find_opposite(pair: str) -> str:
    """Return whether the newer of two statements about one entity cannot hold beside the older one."""
    older, _, newer = pair.partition(" | ")
    return "yes" if compare(newer, older).kind in EXCLUDING | DISPUTED else ""


READERS: dict[str, Callable[[str], str]] = {
    "signal": find_signal,
    "date": find_days,
    "asked": find_asked,
    "correction": find_taken_back,
    "name": find_entities,
    "subject": find_subject,
    "injection": find_order,
    "secret": find_secret,
    "search": find_common,
    "opposite": find_opposite,
}


def read_cases(listed: str) -> list[tuple[str, str]]:
    """Return sentences with what must be found in them."""
    source = random.Random(7)
    lines = (line.rpartition("=>") for line in listed.splitlines() if line.strip())
    return [(_with_random(text.strip(), source), expected.strip()) for text, _, expected in lines]


def _with_random(text: str, source: random.Random) -> str:
    return _RANDOM.sub(lambda found: "".join(source.choice(_SIGNS[found[1]]) for _ in range(int(found[2]))), text)


def _span(first: dt.date | None, last: dt.date | None) -> str:
    return f"{first}" if first == last else f"{first or ''}..{last or ''}"


def main() -> None:
    """Print how many cases are right, by kind and half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--language", default="es", choices=sorted(path.stem for path in CASES.glob("*.toml")))
    parser.add_argument("--wrong", action="store_true", help="print the seen cases that are judged wrong")
    arguments = parser.parse_args()
    halves = tomllib.loads((CASES / f"{arguments.language}.toml").read_text("utf-8"))
    totals = {half: [0, 0] for half in HALVES}
    print(f"{'kind':12}{'seen':>12}{'unseen':>12}")
    for kind, read in READERS.items():
        row = f"{kind:12}"
        for half in HALVES:
            cases = read_cases(halves[half].get(kind, ""))
            wrong = [(text, expected, found) for text, expected in cases if (found := read(text)) != expected]
            totals[half][0] += len(cases) - len(wrong)
            totals[half][1] += len(cases)
            row += f"{f'{len(cases) - len(wrong)} of {len(cases)}':>12}"
            for case in wrong if arguments.wrong and half == "seen" else ():
                print(f"  {case[0]!r}: must be {case[1]!r}, is {case[2]!r}")
        print(row)
    print(f"{'all':12}" + "".join(f"{f'{right} of {cases}':>12}" for right, cases in totals.values()))


if __name__ == "__main__":
    main()
