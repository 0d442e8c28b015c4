"""The signal rules of one language, read when a text needs them and compiled when one of their words is near."""

from functools import cache
from typing import Any

from engram.language.expressions import compiled

CONTEXT = "context"  # the category of rules that make a statement low
_LONGEST_PHRASE = 4  # words in one phrase of small talk
_MOST_PHRASES = 8  # phrases in a message of small talk
_BETWEEN = " ,.!?~:;)(-…"  # what stands between such phrases


class Rule:
    """One pattern with what it says when it is found. A plain class, like the others here: quicker to define."""

    __slots__ = ("category", "confidence", "name", "near", "source")

    def __init__(self, entry: dict[str, Any], parts: dict[str, str]) -> None:
        """Read one entry of a file and fill its parts in."""
        self.name: str = entry["name"]  # in words, as a predicate: "says what is preferred"
        self.category: str = entry["category"]  # preference, decision, ..., context
        self.confidence = float(entry["confidence"])  # 0 to 1
        self.near: tuple[str, ...] = tuple(entry["near"])  # one stands in every text that the pattern can match
        self.source: str = entry["pattern"]  # the expression
        for name, part in parts.items():
            self.source = self.source.replace("{" + name + "}", part)

    def found_in(self, words: str) -> bool:
        """Tell whether the rule speaks for a normalized statement."""
        return is_near(self.near, words) and compiled(self.source).search(words) is not None


class Guard:
    """What makes a finding doubtful when a statement begins with it."""

    __slots__ = ("first", "near", "source")

    def __init__(self, entry: dict[str, Any]) -> None:
        """Read one entry of a file."""
        self.first = frozenset(entry.get("first", "").split())  # the first words of statements that can match
        self.near: tuple[str, ...] = tuple(entry.get("near", ()))  # or words that stand in them
        self.source: str = entry["pattern"]  # the expression

    def end_in(self, words: str) -> int:
        """Return where the guard ends when a normalized statement begins with it, else -1."""
        begins = bool(self.first) and words.partition(" ")[0].strip(_BETWEEN) in self.first
        if not begins and not (is_near(self.near, words) and (self.near or not self.first)):
            return -1
        match = compiled(self.source).match(words)
        return match.end() if match else -1


class RuleSet:
    """What is known about signals in one language."""

    __slots__ = ("guards", "rules", "smalltalk")

    def __init__(self, guards: dict[str, Guard], rules: tuple[Rule, ...], smalltalk: frozenset[str]) -> None:
        """Keep what a file says."""
        self.guards = guards  # lead, request, question, hypothetical, reported, agent
        self.rules = rules  # in the order of the file
        self.smalltalk = smalltalk  # phrases of which a message of small talk consists

    def narrowed(self, normal: str) -> "RuleSet":
        """Return the rule set with only the rules that can speak for some statement of a normalized message."""
        rules = tuple(rule for rule in self.rules if is_near(rule.near, normal))
        return RuleSet(self.guards, rules, self.smalltalk)

    def is_smalltalk(self, normal: str) -> bool:
        """Tell whether a normalized message is nothing but a few phrases of small talk."""
        words = [word for word in (part.strip(_BETWEEN) for part in normal.split()) if any(map(str.isalnum, word))]
        place = phrases = 0
        while place < len(words) and phrases < _MOST_PHRASES:
            sizes = range(min(_LONGEST_PHRASE, len(words) - place), 0, -1)
            size = next((size for size in sizes if " ".join(words[place : place + size]) in self.smalltalk), 0)
            if not size:
                return False
            place += size
            phrases += 1
        return place == len(words)


def is_near(near: tuple[str, ...], words: str) -> bool:
    """Tell whether one of the words stands in the text; no words stand in every text."""
    for word in near:  # a plain loop: this is the hottest line of the detector
        if word in words:
            return True
    return not near


@cache
def load_rules(language: str) -> RuleSet | None:
    """Read the rules of a language, or return None when there is no file for it."""
    import tomllib  # noqa: PLC0415 - the hook path imports it when there is something to read

    folder = __file__.removesuffix("signal_rules.py")
    try:
        with open(f"{folder}patterns/signal/{language}.toml", "rb") as file:  # noqa: PTH123 - without pathlib: faster
            data = tomllib.load(file)
    except FileNotFoundError:
        return None
    guards = {name: Guard(entry) for name, entry in data["guards"].items()}
    phrases = frozenset(phrase.strip() for phrase in data["smalltalk"]["phrases"].replace("\n", " ").split("|"))
    return RuleSet(guards, tuple(Rule(entry, data["parts"]) for entry in data["rule"]), phrases)
