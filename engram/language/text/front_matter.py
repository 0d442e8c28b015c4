"""The fields that stand before the text of a markdown file, between two lines of three hyphens."""

import re
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z_][\w .-]{0,60}")


def split_front_matter(text: str) -> tuple[dict[str, Any], str]:
    """Return the front matter and the text after it: plain values and lists, which is what memories use of YAML.

    What is nested deeper is passed over: it stays in the file, which is kept whole.
    """
    lines = text.split("\n")
    if lines[0].rstrip() != "---":
        return {}, text
    end = next((place for place, line in enumerate(lines[1:], 1) if line.rstrip() in {"---", "..."}), 0)
    if not end:
        return {}, text
    fields: dict[str, Any] = {}
    name = ""
    for line in lines[1:end]:
        bullet = line.strip()
        if bullet.startswith("- ") and name:
            kept = fields[name] if isinstance(fields.get(name), list) else []
            fields[name] = [*kept, _scalar(bullet[2:])]
            continue
        key, colon, value = line.partition(":")
        if colon and _BARE_KEY.fullmatch(key):
            name = key.strip()
            fields[name] = _value(value.strip())
    return fields, "\n".join(lines[end + 1 :])


def _value(text: str) -> Any:
    if text.startswith("[") and text.endswith("]"):
        return [_scalar(part) for part in text[1:-1].split(",") if part.strip()]
    return _scalar(text)


def _scalar(text: str) -> str:
    bare = text.strip()
    if len(bare) > 1 and bare[0] == bare[-1] and bare[0] in "\"'":
        return bare[1:-1]
    return bare
