"""Which statements of a message are the user's own, in the form that rules see: no machine, no quotation, no agent."""

import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from collections.abc import Sequence
from functools import lru_cache

from engram.language.matching.prefilter import compiled
from engram.language.signal.rules import Guard
from engram.language.text.statements import BLOCK
from engram.language.text.statements import CODE
from engram.language.text.statements import QUOTE
from engram.language.text.statements import ROW
from engram.language.text.statements import Statement
from engram.language.text.statements import split_statements

STATEMENT_CHARS = 2000  # what is read of one statement

_FOREIGN_KINDS = frozenset({CODE, QUOTE, BLOCK, ROW})
_SIMPLER = {
    "\u2019": "'", "\u2018": "'", "\u02bc": "'", "\u00b4": "'",
    "\u200b": "", "\u200c": "", "\u200d": "", "\u2060": "", "\ufeff": "", "\u00ad": "",
}  # fmt: skip
_WIDE = "[\uff01-\uff5e]"
_NARROW = {wide: wide - 0xFEE0 for wide in range(0xFF01, 0xFF5F)}
_ODD_SPACE = "[\t\r\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]"
_EMPHASIS = "*`_"
_CHINESE = "[\u3400-\u9fff]"
_BECOMING_CHINESE = "\uf900-\ufaff\U0002f800-\U0002fa1f"  # by NFC
_ODD = f"[{_ODD_SPACE[1:-1]}{_WIDE[1:-1]}{_CHINESE[1:-1]}{_BECOMING_CHINESE}]"  # more than lower case is to be done
_SPACE_BESIDE = f" (?:(?={_CHINESE})|(?<={_CHINESE} ))"
_QUOTES = '"“«„「『'
_QUOTED = r"\"[^\"]{1,400}\"|“[^”]{1,400}”|«[^»]{1,400}»|„[^“”]{1,400}[“”]|「[^」]{1,400}」|『[^』]{1,400}』"
_LONG_QUOTATION = (  # what closes none of them is skipped at once: linear
    r"\"(?<!\w\")(?=\S)[^\"\n]{1,2000}(?<=\S)\"(?!\w)|“[^“”]{1,2000}”|«[^«»]{1,2000}»|„[^„“”]{1,2000}[“”]"
    r"|「[^「」]{1,2000}」|『[^『』]{1,2000}』"
)
_USER, _AGENT, _PROGRAM = "user", "agent", "program"  # whose turn it is
_PROMPT = r"(?:\$|>>>) \S|Traceback \("
_PROMPT_SIGNS = "$>T"  # with which it begins
_BLANK_LINE = r"\n[ \t\r]*\n"
_LABEL_CHARS = 40  # of a speaker's label with what stands before the colon
_COLON_NEAR = r"(?=[^\n:：]{1,37}+[:：])"  # sought first: few lines have one
_LABEL = r"[*_]{0,3}[^\W\d][\w ().-]{0,30}[*_]{0,3}[:：]"
_TURN = rf"(?m)^[ \t]*(?:[-*>] )?(?:{_PROMPT}|{_COLON_NEAR}{_LABEL})"
_MACHINE_CHARS = r"[:{\[<$>+@(=-]"  # one stands in whatever the next matches, and it takes long to compile
_MACHINE = (
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|(?:\$|>>>|\+\+\+|---|@@) |"
    r"\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL)\b[\]: ]|[{\[<]\s*[\"'/a-z]|Traceback \(|File \"|"
    r"at [\w.$]+\(|[\w./-]+:\d+:\d+[: ]|[\w.-]+@[\w.-]+:\S*[$#] |npm (?:ERR|WARN)|"
    r"(?:import|from|def|class|return|const|let|var|function|public|private|SELECT|INSERT|CREATE) [\w{*.]+.*[;{()=]"
)


def normalize(text: str) -> str:
    """Return a text on one line in the form that the rules see."""
    return " ".join(normalize_lines(text.replace("\n", " ")))


def normalize_lines(text: str) -> list[str]:
    """Return every line of a text in the form that the rules see: as many as there were."""
    for mark in _EMPHASIS:
        text = text.replace(mark, "")
    is_odd = compiled(_ODD_SPACE if text.isascii() else _ODD).search(text) is not None
    folded = text.lower() if text.isascii() else _fold(text, is_odd=is_odd)
    lines = folded.split("\n")
    if "  " in folded or "\n " in folded or " \n" in folded or (is_odd and compiled(_ODD_SPACE).search(folded)):
        lines = [" ".join(line.split()) for line in lines]
    if is_odd and compiled(_CHINESE).search(folded):
        lines = compiled(_SPACE_BESIDE).sub("", "\n".join(lines)).split("\n")
    return lines


def _fold(text: str, *, is_odd: bool) -> str:
    folded = (text.translate(_NARROW) if is_odd and compiled(_WIDE).search(text) else text).lower()
    for sign, simple in _SIMPLER.items():  # quicker than a translation: few of them stand in a text
        if sign in folded:
            folded = folded.replace(sign, simple)
    return unicodedata.normalize("NFC", folded).replace("ё", "е")


def own_statements(text: str, guards: dict[str, Guard] | None) -> list[tuple[Statement, str]]:
    """Return the statements of a message that its user may have made, each with its words in the form of the rules.

    Left out are code, quoted lines, blocks of a harness and table rows, what stands inside a quotation of several
    sentences, what follows a prompt and, where the guards of the language are given, the label of an agent.
    """
    statements = [one for one in split_statements(text) if one.kind not in _FOREIGN_KINDS]
    if compiled(_TURN).search(text):
        statements = list(_outside_turns(text, statements, guards or {}))
    raw = [one.text for one in statements]
    if has_quotes(text):
        raw = _outside_quotations(text, statements)
    normals = normalize_lines("\n".join([one[:STATEMENT_CHARS].replace("\n", " ") for one in raw]))
    return [pair for pair in zip(statements, normals, strict=False) if pair[1]]


def _outside_turns(text: str, statements: list[Statement], guards: dict[str, Guard]) -> Iterator[Statement]:
    """Yield the statements that follow neither a prompt nor the label of an agent.

    What follows a prompt ends with the paragraph. An agent's turn ends with the next label of the user's, and with the
    paragraph where there is no such label.
    """
    labels = [_label(statement, guards) for statement in statements]
    is_transcript = _USER in labels
    speaker = ""
    end = 0
    for statement, label in zip(statements, labels, strict=True):
        gap = text[end : statement.start]
        if "\n" in gap or not end:
            is_over = compiled(_BLANK_LINE).search(gap) and not (speaker == _AGENT and is_transcript)
            speaker = label or ("" if is_over else speaker)
        end = statement.end
        if speaker in {"", _USER}:
            yield statement


def _label(statement: Statement, guards: dict[str, Guard]) -> str:
    """Return whose turn begins with a statement, or "" when it begins with no label."""
    if statement.text[0] in _PROMPT_SIGNS and compiled(_PROMPT).match(statement.text):
        return _PROGRAM
    head = statement.text[:_LABEL_CHARS]
    if not guards or not (":" in head or "：" in head):
        return ""
    label = compiled(_LABEL).match(head)
    if label is None:
        return ""
    return _speaker(statement.text[: min(label.end() + 1, _LABEL_CHARS)], guards["agent"], guards["lead"])


@lru_cache(maxsize=2000)
def _speaker(label: str, agent: Guard, user: Guard) -> str:
    """Return whom a label names, given with the sign behind its colon. Few labels stand in many texts."""
    normal = normalize(label) + " "
    end = agent.end_in(normal)
    if end > 0 and normal[:end].rstrip().endswith(":"):
        return _AGENT
    return _USER if normal.partition(":")[0] in user.first else ""


def _outside_quotations(text: str, statements: Sequence[Statement]) -> list[str]:
    """Return what each statement holds outside of quotations that hold all of it or go on beyond it."""
    if len(statements) == 1:
        return [statements[0].text]  # a message that is quoted whole is the user's own
    whole = (len(text) - len(text.lstrip()), len(text.rstrip()))  # and so is this one
    found = (match.span() for match in compiled(_LONG_QUOTATION).finditer(text))
    quotations = [span for span in found if span != whole]
    if not quotations:
        return [one.text for one in statements]
    closings = [closing for _, closing in quotations]
    outside = []
    for statement in statements:
        first, last = start, stop = statement.start, statement.end
        place = bisect_right(closings, start)
        if place < len(closings) and quotations[place][0] <= start:
            opening, closing = quotations[place]
            if opening < start or not _has_words(text[closing:stop]):
                first = min(closing, stop)
        place = bisect_right(closings, stop)
        if place < len(closings) and quotations[place][0] < stop:
            last = max(first, quotations[place][0])
        own = text[first:last]
        marked = '"" ' * (first > start) + own + ' ""' * (last < stop)
        outside.append(marked if own == statement.text or _has_words(own) else "")
    return outside


def has_quotes(text: str) -> bool:
    """Tell whether a mark of quotation stands in a text."""
    for mark in _QUOTES:  # noqa: SIM110 - a plain loop is quicker than any()
        if mark in text:
            return True
    return False


def _has_words(text: str) -> bool:
    return any(map(str.isalnum, text))


def is_of_a_machine(text: str) -> bool:
    """Tell whether a statement has the shape of a log line, a prompt, code."""
    return compiled(_MACHINE_CHARS).search(text) is not None and compiled(_MACHINE).match(text) is not None


def own_words(normal: str) -> str:
    """Return a statement without what it quotes; one that is nothing but a quotation is taken out of its marks."""
    if not has_quotes(normal):
        return normal
    whole = compiled(_QUOTED).fullmatch(normal.rstrip(".!。"))
    return whole.group()[1:-1] if whole else compiled(_QUOTED).sub('""', normal)
