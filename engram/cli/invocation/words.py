"""Words that people bring along: other names of commands, plurals, and what a mistyped name was meant to be.

Light: every command line comes by.
"""

import shlex
from collections.abc import Iterable
from collections.abc import Sequence

import click

from engram.errors import UsageError

BROUGHT_ALONG = {  # word -> (command, what it is given first)
    "add": ("write",),
    "remember": ("write",),
    "search": ("recall",),
    "list": ("facts",),
}
_LISTED = {  # plural of a command that has others below it -> the command, and what lists all there is of it
    "decisions": ("decision", "list"),
    "domains": ("domain", "list"),
    "entities": ("entity", "list"),
    "handoffs": ("handoff", "history"),
    "notes": ("note", "show"),
    "observations": ("observe", "--list"),
    "reviews": ("review", "list"),
    "sessions": ("session", "list"),
    "tensions": ("tension", "list"),
}
_LED_BY = {  # command that has others below it -> the one that is meant by words behind it that are no command's
    "card": "add",
    "decision": "log",
    "entity": "show",
    "graph": "neighbors",
    "handoff": "write",
    "note": "add",
    "session": "show",
    "working-memory": "set",
}
_SHOWN_OF_ONE = {"fact": ("show",), "summary": ("entity", "show")}  # word before a name -> what shows it
_PUTTING = frozenset({"add", "create", "make", "new", "put", "record", "save", "set", "store", "write"})
_LIKENESS = 0.7  # of a name to what was typed, 0 to 1, from which it may have been meant
_SHORT, _SHORT_LIKENESS = 3, 0.6  # letters of a word in which one that is wrong weighs more
_AS_GOOD = 0.05  # less likeness than the best name has
_MOST_MEANT = 3  # names that are offered for one that is unknown


def understood(args: Sequence[str], commands: Iterable[str]) -> list[str]:
    """Return the arguments with the name of a command that is there, as they are when no other word is known."""
    word, rest = args[0].casefold(), [*args[1:]]
    names = frozenset(commands)
    says_what = bool(rest) and not rest[0].startswith("-")
    if word == "list" and says_what:  # engram list entities
        return understood(rest, names)
    if word in BROUGHT_ALONG or word == "help":
        return [*rest, "--help"] if word == "help" else [*BROUGHT_ALONG[word], *rest]
    if word in _LISTED:
        name, listing = _LISTED[word]
        return [name, *rest] if says_what else [name, listing, *rest]
    if word in _SHOWN_OF_ONE and says_what:
        return [*_SHOWN_OF_ONE[word], *rest]
    for name in (word, f"{word}s", word.removesuffix("s")):
        if name in names:
            return [name, *rest]
    return [*args]


def no_such_command(ctx: click.Context, word: str, commands: Iterable[str]) -> click.UsageError | UsageError:
    """Return the error for an unknown name, with the names that are like it, or else with what takes such words."""
    meant = near_names(word, commands)
    offered = f": did you mean {' or '.join(meant)}?" if meant else ""
    said = f"no command is called {word!r}{offered}"
    if (shows := _SHOWN_OF_ONE.get(word.casefold())) and not ctx.parent:
        return UsageError(said, hint=f"engram {' '.join(shows)} NAME shows what is known of somebody or something")
    leading = "" if meant else _LED_BY.get(ctx.info_name or "", "")
    if leading:
        what = "..." if word.casefold() in _PUTTING else shlex.quote(word)  # it was the verb, and no text
        return UsageError(said, hint=f"engram {ctx.info_name} {leading} {what}")
    return click.UsageError(said, ctx)


def near_names(word: str, names: Iterable[str]) -> list[str]:
    """Return the names that a mistyped one may have been meant to be: those most like it, and none without likeness."""
    import difflib  # noqa: PLC0415 - a millisecond, and only for those who mistype

    typed = word.casefold()
    least = _SHORT_LIKENESS if len(typed) <= _SHORT else _LIKENESS
    ratios = {name: difflib.SequenceMatcher(None, typed, name.casefold()).ratio() for name in names}
    best = max(ratios.values(), default=0.0)
    near = [name for name, ratio in ratios.items() if ratio >= max(least, best - _AS_GOOD)]
    return sorted(near, key=lambda name: (-ratios[name], name))[:_MOST_MEANT]
