"""From an answer to the fields of its hand-off block, as texts: what is a block, what is a quotation, what is a field.

The last complete block counts. A block inside a code fence is an example, and one that stands in the text which the
phase was given is a quotation: neither is an answer.
"""

import re
import textwrap
from collections.abc import Collection

from engram.errors import MalformedInputError

END = "=== END ==="
PROMPT_OPENING = "<!-- engram:prompt"  # begins every prompt that an agent is given for a phase

_FIELD = re.compile(r"([A-Z][A-Za-z-]*):(?:[ \t]+|$)(.*)$")
_FENCE = re.compile(r"\s*(`{3,}(?=[^`]*$)|~{3,})")
_OPENING = re.compile(r"^=== HB-[A-Z]+ HANDOFF ===[ \t\r]*$", re.MULTILINE)
_MARKUP = re.compile(r"[\W_]+")  # what a quotation may lose or gain: white space, bars, bullets


def opening(template: str) -> str:
    """Return the line that opens the block of a template, such as HB-EXTRACT."""
    return f"=== {template} HANDOFF ==="


def is_of_a_run(text: str) -> bool:
    """Tell whether a turn is one of a heartbeat's own conversation with its agent: the prompt, or the answer to it."""
    return text.lstrip().startswith(PROMPT_OPENING) or _OPENING.search(text) is not None


def find_block(answer: str, template: str, given: str = "") -> list[str]:
    """Return the lines between the first and last one of the last complete block that is an answer.

    `given` is the text that the phase was given. Raises MalformedInputError that says why there is none.
    """
    blocks, fenced = _blocks(answer, template)
    quoted = _MARKUP.sub("", given) if blocks else ""
    own = [block for block in blocks if not quoted or _MARKUP.sub("", "".join(block)) not in quoted]
    if own:
        return own[-1][1:-1]
    why = "; one stands inside a code fence, where it is an example" if fenced else ""
    why = "; the one it holds is a quotation of what was given" if blocks else why
    raise MalformedInputError(f"the answer holds no complete block {opening(template)!r} ... {END!r}{why}")


def read_fields(lines: list[str], known: Collection[str]) -> dict[str, str]:
    """Return the text of each field of a block.

    A text may stand behind the name, on lines below it, indented, or in a code fence; indentation and fence are taken
    off. Raises MalformedInputError that names a field that is not known or comes twice.
    """
    fields: dict[str, list[str]] = {}
    name = fence = ""
    for line in lines:
        found = None if fence else _FIELD.match(line)
        if found:
            name = found[1]
            if name not in known or name in fields:
                why = "appears twice" if name in fields else f"is not one of {', '.join(known)}"
                raise MalformedInputError(f"the hand-off's field {name} {why}", field=name)
            fields[name] = [found[2]]
            fence = _opened(found[2])
            continue
        # An indented fence is part of a text whose lines are all indented: it need not be closed.
        fence = "" if _closes(line, fence) else fence or ("" if line.startswith((" ", "\t")) else _opened(line))
        if name:
            fields[name].append(line)
        elif line.strip():
            raise MalformedInputError(f"the hand-off begins with {line.strip()[:40]!r} instead of a field")
    return {name: _text(*lines) for name, lines in fields.items()}


def _blocks(answer: str, template: str) -> tuple[list[list[str]], bool]:
    """Return the complete blocks outside code fences with their first and last line, and whether one is inside."""
    blocks = []
    block: list[str] | None = None
    fence = ""
    fenced = False
    for line in answer.removeprefix("\ufeff").replace("\r\n", "\n").split("\n"):
        if line.rstrip() == opening(template):
            fenced = fenced or bool(fence and block is None)
            block = block if fence else []
        elif _closes(line, fence):
            fence = ""
        elif not fence and (block is None or not line.startswith((" ", "\t"))):  # an indented one is a field's text
            field = _FIELD.match(line) if block else None
            fence = _opened(field[2] if field else line)
        if block is not None:
            block.append(line)
            if not fence and line.rstrip() == END:
                blocks.append(block)
                block = None
    return blocks, fenced


def _opened(line: str) -> str:
    """Return the mark of the code fence that a line opens, empty when it opens none."""
    found = _FENCE.match(line)
    return found[1] if found else ""


def _closes(line: str, fence: str) -> bool:
    mark = line.strip()
    return bool(fence) and mark.startswith(fence) and not mark.strip(fence[0])


def _text(first: str, *below: str) -> str:
    """Return a field's text: what stands behind its name, then what stands below."""
    lines = [first, *textwrap.dedent("\n".join(below)).split("\n")]
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    if len(lines) > 1 and (fence := _opened(lines[0])) and _closes(lines[-1], fence):
        lines = lines[1:-1]
    return "\n".join(lines)
