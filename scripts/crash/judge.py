"""What must hold after a fault: the store opens, if need be after `doctor --fix`, with all that was acknowledged, once.

The journal is read here by a reader of its own, so that a fault of Engram's reader hides nothing.
"""

import contextlib
import gzip
import io
import json
import zlib
from collections import Counter
from collections.abc import Collection
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from typing import NamedTuple

from crash.processes import Job
from crash.processes import call

_CRC = 9  # characters before the JSON of a line
KINDS = ("Crate", "Call", "Memo")  # of texts; see `steps`


class Found(NamedTuple):
    """What a store holds, and what the commands said that looked at it."""

    texts: Counter[str]
    problems: list[str]
    repaired: bool  # only `doctor --fix` made it work


def judge(
    root: Path, acked: Collection[str], sent: Collection[str], *, gone: Collection[str] = (), rebuild: bool = False
) -> list[str]:
    """Return what is wrong with a store after a fault; nothing, when the promise was kept.

    Args:
        root: of the workspace.
        acked: texts that were acknowledged.
        sent: texts that were asked for, acknowledged or not; no other may be there.
        gone: acknowledged texts that a command which was cut off may have taken away.
        rebuild: compare the projections with what the journal makes of them, too.
    """
    found = look(root)
    problems = list(found.problems)
    lost = [text for text in acked if not found.texts[text] and text not in gone]
    twice = [text for text, count in found.texts.items() if count > 1]
    known = {*acked, *sent}
    strange = [text for text in found.texts if text not in known]
    for name, texts in (("acknowledged lost", lost), ("doubled", twice), ("never said", strange)):
        if texts:
            problems.append(f"{name}: {len(texts)}, such as {texts[0]!r}")
    ids = Counter(id_ for record in records(root) for id_ in command_ids(record))
    problems += [f"command applied twice: {id_}" for id_, count in ids.items() if count > 1][:1]
    if rebuild and not problems:
        problems += _rebuilt(root)
    return problems


def look(root: Path) -> Found:
    """Return what the store holds, by its next command, or by the one after a repair."""
    done = call(_looking(), root, timeout_s=180)
    if done.hung or done.code:
        return Found(Counter(), [f"unopenable: {'hung' if done.hung else done.err.strip()[-300:]}"], repaired=False)
    said: dict[str, Any] = json.loads(done.out)
    texts = Counter(text for text in said["facts"] if text.startswith(KINDS[0]))
    texts += Counter(turn for record in records(root) for turn in turns(record))
    texts += Counter(notes(root))
    return Found(texts, said["problems"], said["repaired"])


def _looking() -> Job:
    def job() -> int:
        problems: list[str] = []
        repaired = False
        code, out = _quietly("facts", "--status", "active", "--json")
        verified = _quietly("verify", "--json") if code == 0 else (1, "")
        if verified[0]:
            repaired = True
            _quietly("doctor", "--fix", "--json")
            code, out = _quietly("facts", "--status", "active", "--json")
            verified = _quietly("verify", "--json")
        if code:
            problems.append(f"unopenable: facts left with {code} after doctor --fix: {out[-300:]}")
        elif verified[0]:
            problems.append(f"verify left with {verified[0]} after doctor --fix: {verified[1][-300:]}")
        facts = [fact["text"] for fact in json.loads(out)["facts"]] if not code else []
        print(json.dumps({"facts": facts, "problems": problems, "repaired": repaired}))
        return 0

    return job


def _rebuilt(root: Path) -> list[str]:
    """Return which projections are other ones when they are made anew."""

    def job() -> int:
        _quietly("doctor", "--fix", "--json")
        before = json.loads(_quietly("verify", "--json")[1])["digests"]
        codes = [_quietly("rebuild", part)[0] for part in ("database", "mirror")]
        after = json.loads(_quietly("verify", "--json")[1])["digests"]
        differ = [part for part in ("database", "mirror") if before[part] != after[part]]
        print(json.dumps([*differ, *(f"rebuild left with {code}" for code in codes if code)]))
        return 0

    done = call(job, root, timeout_s=180)
    if done.code:
        return [f"rebuild: {done.err.strip()[-300:]}"]
    return [f"another state after a rebuild: {what}" for what in json.loads(done.out)]


def _quietly(*args: str) -> tuple[int, str]:
    from engram.cli.main import main  # noqa: PLC0415 - loaded long since

    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(args))
    return code, out.getvalue() or err.getvalue()


# --- what lies on disk -------------------------------------------------------------------------------------------


def records(root: Path) -> Iterator[dict[str, Any]]:
    """Yield the records of the journal whose checksum is right."""
    segments: dict[str, Path] = {}
    for path in sorted((root / ".engram" / "journal").glob("[0-9]*.jsonl*")):
        segments.setdefault(path.name.removesuffix(".gz"), path)  # the uncompressed one counts
    for path in segments.values():
        data = path.read_bytes()
        if path.suffix == ".gz":
            with contextlib.suppress(OSError, EOFError, zlib.error):
                data = gzip.decompress(data)
        for line in data.split(b"\n"):
            body = line[_CRC:]
            with contextlib.suppress(ValueError):
                if body and int(line[: _CRC - 1], 16) == zlib.crc32(body):
                    yield json.loads(body)


def command_ids(record: dict[str, Any]) -> list[str]:
    """Return the ids of the commands that a record decided."""
    return [decision["result"]["command_id"] for decision in record["decisions"]]


def turns(record: dict[str, Any]) -> list[str]:
    """Return the turns that a record captured."""
    changes = [change for decision in record["decisions"] for change in decision.get("changes", ())]
    return [change["turn"]["text"] for change in changes if change["kind"] == "turn_captured"]


def notes(root: Path) -> list[str]:
    """Return the lines that are one of ours, from the first word on."""
    lines = [line for file in (root / "memory").rglob("*.md") for line in file.read_text(errors="replace").split("\n")]
    return [line[line.index(f"{KINDS[2]} ") :] for line in lines if f"{KINDS[2]} " in line and " holds " in line]
