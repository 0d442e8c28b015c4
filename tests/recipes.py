"""The recipes of CONTRIBUTING.md, performed: which text goes into which file, and what must then work.

A change is (text that stands there, text that takes its place), or the whole text of a file that is new.
"""

from typing import NamedTuple

Change = tuple[str, str] | str


class Recipe(NamedTuple):
    """One recipe with an example of what it adds."""

    name: str  # of what is added: NAME in the list
    changes: dict[str, tuple[Change, ...]]  # file -> what is done to it
    check: str  # Python that runs in the copy, in an empty folder, and fails when the recipe does not hold what it says


_COMMAND = Recipe(
    "brew",
    {
        "engram/cli/main.py": (
            (
                '    "verify": Entry(',
                '    "brew": Entry("Operations", "maintenance.brew:brew", "what is in the pot"),\n    "verify": Entry(',
            ),
        ),
        "engram/cli/maintenance/brew.py": (
            '''"""The command `brew`: what is in the pot."""

import click

from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation


@click.command(cls=EngramCommand)
@click.argument("kind")
def brew(kind: str) -> None:
    """Say what is in the pot.

    \\b
    Example:
      engram brew tea
    """
    check_words(kind=kind)
    workspace = invocation().workspace()
    with workspace.reading() as database:
        facts = database.counts()["facts"]
    invocation().emit({"kind": kind, "facts": facts}, f"{kind} for {facts}")
''',
        ),
    },
    """
from engram.cli.main import main
assert main(["init", ".", "--owner", "nobody"]) == 0
assert main(["brew", "tea", "--json"]) == 0
assert main(["brew", "a\\x07b"]) == 2
assert main(["--help"]) == 0
""",
)

_PHASE = Recipe(
    "greeting",
    {
        "engram/heartbeat/child/phases.py": (
            (
                "PHASES = (EXTRACTION,",
                'GREETING = Phase("greeting", "HB-GREETING", has_agent=False)\nPHASES = (GREETING, EXTRACTION,',
            ),
        ),
        "engram/config/sections/heartbeat.py": (
            (
                "    extraction: PhaseSettings = PhaseSettings()\n",
                "    greeting: PhaseSettings = PhaseSettings()\n    extraction: PhaseSettings = PhaseSettings()\n",
            ),
        ),
        "engram/rules/handoff/handoff.py": (('    "HB-REVIEW": (', '    "HB-GREETING": (),\n    "HB-REVIEW": ('),),
        "engram/heartbeat/answers/greeting.py": (
            '''"""The built-in answer for the greeting."""

from typing import Any

from engram.model.handoff import Handoff
from engram.model.handoff import HandoffStatus


def answer(given: dict[str, Any]) -> Handoff:
    """Greet everybody by name."""
    return Handoff(status=HandoffStatus.OK, summary=f"greeted {', '.join(given['names'])}")
''',
        ),
        "engram/heartbeat/greeting/__init__.py": ('"""The greeting phase."""\n',),
        "engram/heartbeat/greeting/phase.py": (
            '''"""The greeting phase: everybody who is new is greeted once."""

from engram.heartbeat.child.phase_result import SKIPPED
from engram.heartbeat.child.phase_result import SUCCEEDED
from engram.heartbeat.child.phase_result import PhaseResult
from engram.heartbeat.child.phase_result import PhaseTask
from engram.heartbeat.child.child_answer import ask_child
from engram.model.conversation import Watermark

CONSUMER = "greeting"


def run_greeting(task: PhaseTask) -> PhaseResult:
    """Greet whom nobody has greeted."""
    with task.workspace.reading() as database:
        known = database.watermarks(CONSUMER)
        names = [one.path for one in database.list_entities() if one.path not in known]
    if not names:
        return PhaseResult(task.phase.name, SKIPPED, "nobody is new", {}, [])
    handoff = ask_child(task, {"names": names}, "", "")
    with task.workspace.writing("heartbeat") as recorder:
        recorder.record_together([], [Watermark(consumer=CONSUMER, key=name, value="done") for name in names])
    return PhaseResult(task.phase.name, SUCCEEDED, handoff.summary, {"greeted": len(names)}, [], changed=True)
''',
        ),
        "engram/heartbeat/run/one_run.py": (
            (
                "from engram.heartbeat.maintenance.phase import run_maintenance\n",
                (
                    "from engram.heartbeat.greeting.phase import run_greeting\n"
                    "from engram.heartbeat.maintenance.phase import run_maintenance\n"
                ),
            ),
            (
                "    EXTRACTION.name: run_extraction,\n",
                '    "greeting": run_greeting,\n    EXTRACTION.name: run_extraction,\n',
            ),
        ),
        "pyproject.toml": (('  "extraction | report | review",\n', '  "extraction | greeting | report | review",\n'),),
    },
    """
from engram.cli.main import main
from engram.heartbeat.run.runner import run_heartbeat
from engram.workspace import open_workspace
assert main(["init", ".", "--owner", "people/anna"]) == 0
first, second = (run_heartbeat(open_workspace(".")).phases[0] for _ in range(2))
assert (first.phase, first.status, first.summary) == ("greeting", "ok", "greeted people/anna"), first
assert (second.phase, second.status) == ("greeting", "skipped"), second
assert main(["config", "heartbeat.phases.greeting.enabled", "false"]) == 0
assert "greeting" not in {one.phase for one in run_heartbeat(open_workspace(".")).phases}
import house_plan
assert "\\ngreeting " in house_plan.plan(house_plan.ROOT)
""",
)

_HOST = Recipe(
    "kettle",
    {
        "engram/hooks/hosts/kettle.py": (
            '''"""Kettle's hooks, as its handbook describes them (version 1): `kettle_event`, `chat`, `typed`, `cwd`.

Configuration: hooks.json, event -> command lines. What is printed is shown to the agent as it stands.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engram.hooks import host as h

_EVENTS = {h.SESSION_START: "begin", h.USER_PROMPT: "prompt", h.SESSION_END: "end"}


def _recognises(fields: h.Fields) -> bool:
    return fields.get("kettle_event") in _EVENTS.values()


def _read(fields: h.Fields, _environment: Mapping[str, str]) -> h.Event:
    folder = fields.get("cwd")
    return h.Event(
        session=h.silo("kettle", folder, h.words(fields, "chat")),
        prompt=h.words(fields, "typed"),
        folder=folder if isinstance(folder, str) else None,
    )


def _places(level: str, project: Path, home: Path, _environment: Mapping[str, str]) -> h.Places:
    return h.Places((project if level == "project" else home) / ".kettle/hooks.json")


def _sample(event: str, transcript: str) -> dict[str, Any]:
    typed = {"typed": "I prefer short meetings."} if event == h.USER_PROMPT else {}
    return {"kettle_event": _EVENTS[event], "chat": "engram-check", "cwd": str(Path(transcript).parent), **typed}


HOST = h.Host(
    name="kettle",
    title="Kettle",
    events=_EVENTS,
    listens=frozenset({h.SESSION_START, h.USER_PROMPT}),
    recognises=_recognises,
    read=_read,
    reply=lambda _event, text: text,
    places=_places,
    entry=lambda _event, command: {"command": command},
    sample=_sample,
    has_transcripts=False,
)
''',
        ),
        "engram/hooks/hosts/__init__.py": (
            ('"cursor", "openclaw")\n', '"cursor", "openclaw", "kettle")\n'),
            ('_BY_THEIR_FIELDS = ("openclaw",', '_BY_THEIR_FIELDS = ("kettle", "openclaw",'),
        ),
        "engram/services/visibility.py": (
            ('PROGRAMS = frozenset({"claude-code",', 'PROGRAMS = frozenset({"kettle", "claude-code",'),
        ),
    },
    """
import json, os
from pathlib import Path
os.environ["HOME"] = os.getcwd()
from engram.cli.main import main
from engram.hooks.hosts import load_host, recognise
from engram.hooks.run import run_hook
from engram.services.visibility import caller_of
from engram.workspace import open_workspace
host = load_host("kettle")
for event in host.events:
    assert recognise(host.sample(event, "/a/1.jsonl")) is host
assert main(["init", "memory", "--owner", "nobody"]) == 0
assert main(["--workspace", "memory", "hooks", "install", "kettle", "--level", "user", "--yes"]) == 0
assert set(json.loads(Path(".kettle/hooks.json").read_bytes())["hooks"]) == {"begin", "prompt", "end"}
sent = json.dumps(host.sample("user-prompt", "/a/1.jsonl")).encode()
done = run_hook("user-prompt", sent, "memory")
assert done.command_ids, done
workspace = open_workspace("memory")
workspace.store.apply_waiting()
with workspace.reading() as database:
    assert [one.name for one in database.list_sessions()] == ["kettle/a-engram-check"]
""",
)

_IMPORTER = Recipe(
    "jars",
    {
        "engram/importers/memories/jars.py": (
            '''"""Jars (invented): a text file, `name: statement` in each line."""

from collections.abc import Iterable
from collections.abc import Iterator

from engram.importers.memories.fields import Unreadable
from engram.importers.memories.fields import decode
from engram.importers.memories.items import FactItem
from engram.importers.memories.items import Format
from engram.importers.memories.items import Item
from engram.importers.memories.items import Remark
from engram.importers.memories.items import SourceFile
from engram.importers.memories.items import Subject
from engram.importers.memories.names import Names


def parse(files: Iterable[SourceFile], subject: Subject) -> Iterator[Item]:
    """Yield a fact for each line."""
    del subject  # every line names its own
    names = Names()
    for file in files:
        try:
            lines = decode(file).splitlines()
        except Unreadable as problem:
            yield Remark(file.name, "", str(problem))
            continue
        for number, line in enumerate(lines, 1):
            name, colon, text = line.partition(": ")
            names.add(name, "person")
            path = names.find(name)
            if colon and path:
                yield FactItem(file.name, f"line {number}", path, text, name)
            else:
                yield Remark(file.name, f"line {number}", "it names nobody")


FORMAT = Format(lambda name: name.endswith(".jar.txt"), parse)
''',
        ),
        "engram/importers/memories/formats.py": (
            (
                "from engram.importers.memories import markdown_notes\n",
                "from engram.importers.memories import jars\nfrom engram.importers.memories import markdown_notes\n",
            ),
            ('    "chatgpt": chatgpt.FORMAT,\n', '    "chatgpt": chatgpt.FORMAT,\n    "jars": jars.FORMAT,\n'),
        ),
        "engram/cli/doors/import_.py": (("basic-memory, chatgpt, jsonl", "basic-memory, chatgpt, jars, jsonl"),),
    },
    """
import json
from pathlib import Path
from engram.cli.main import main
from engram.workspace import open_workspace
from engram.importers.any_format import import_any
assert main(["init", ".", "--owner", "nobody"]) == 0
Path("one.jar.txt").write_text("Anna Lee: Anna Lee prefers green tea\\nnothing here\\n")
report = import_any(open_workspace("."), "jars", Path("one.jar.txt")).as_json()
assert len(report["remarks"]) == 1, report
with open_workspace(".").reading() as database:
    assert "Anna Lee" in {one.title for one in database.list_entities()}
assert main(["import", "--help"]) == 0
""",
)

_LANGUAGE = Recipe(
    "nl",
    {
        "engram/language/patterns/function_words/nl.toml": (
            "# Dutch.\n\nwords = 'de het een en ik van niet dat op voor met zijn'\n",
        ),
        "engram/language/patterns/signal/nl.toml": (
            """# Dutch signal rules.

[parts]
i = '''(?:ik )?'''

[guards.lead]
first = "nou ja en"
pattern = '''(?:(?:nou|ja|en)[,. ]+)+'''

[guards.request]
first = "kun"
pattern = '''kun je '''

[guards.question]
first = "wat wie wanneer"
pattern = '''(?:wat|wie|wanneer) '''

[guards.hypothetical]
near = "als "
pattern = '''als '''

[guards.reported]
near = "zegt dat"
pattern = '''.{0,80}zegt dat'''

[guards.agent]
first = "assistent"
pattern = '''assistent:'''

[[rule]]
name = "says what is preferred"
category = "preference"
confidence = 0.9
near = "drink liever|liever"
pattern = '''\\b{i}drink liever \\w+'''
# + Ik drink liever thee
# - Wie drinkt er thee

[smalltalk]
phrases = '''hallo | dank je'''
""",
        ),
        "engram/language/patterns/dates/nl.toml": (
            """script = "[a-z]"
edges = true

[words.shift]
'(?i:gisteren)' = -1

[[rule]]
name = "a day counted from today"
means = "day"
near = "gisteren"
pattern = '''<shift>'''
# + Het was gisteren => 2026-02-23
# - Het was laat
""",
        ),
        "engram/language/patterns/corrections/nl.toml": (
            """[[lead]]
sure = true
near = "nee"
pattern = '''nee,\\s*'''
# + Nee, het is donderdag
# - Neem de trein

[[contrast]]
near = "maar"
pattern = '''niet (?P<wrong>\\w+) maar (?P<right>\\w+)'''
# + niet dinsdag maar donderdag => dinsdag | donderdag
# - maar nu

[[bare]]
pattern = '''(?P<right>.{1,60}?)[.!]*'''
reply = "dank.*"
# + Postgres! => Postgres
# - dank je
""",
        ),
        "engram/language/patterns/secret_words/nl.toml": ("passwords = 'wachtwoord'\nnear_passwords = 'wachtwoord'\n",),
        "engram/language/patterns/names/nl.toml": (
            """[named_after]
pattern = '''(?<!\\w)het project\\s+([A-Z]\\w+)(?=\\s+[a-z])'''
# + het project Zwaluw draait
# - het project draait
""",
        ),
    },
    """
import datetime as dt
from engram.language.compare.corrections.corrections import read_correction
from engram.language.dates.dates import find_dates
from engram.language.names.mentions import NameIndex
from engram.language.names.new_entities import find_candidates
from engram.language.screen.secrets import redact
from engram.language.signal.detector import detect
found = detect("Nou, ik drink liever thee met een koekje op het werk")
assert (found.language, found.signal, found.categories) == ("nl", "high", ["preference"]), found
assert detect("Als ik liever thee met een koekje drink, zeg ik dat niet").signal != "high"
(day,) = find_dates("Het was gisteren op het werk", dt.date(2026, 2, 24))
assert day.first == dt.date(2026, 2, 23), day
assert read_correction("Nee, het is donderdag").statement == "het is donderdag"
assert redact("wachtwoord: kX7vP2mQ9z").kinds == ("password",)
(candidate,) = find_candidates(["Gisteren ging het project Zwaluw de lucht in"], NameIndex([]), min_mentions=2)
assert candidate.path == "projects/zwaluw", candidate
""",
)

_SETTING = Recipe(
    "most_words",
    {
        "engram/config/sections/recall.py": (
            (
                "    graph: bool = True\n",
                (
                    "    most_words: Annotated[int, Field(ge=1, le=100)] = 12\n"
                    '    """Words of a question that are searched."""\n    graph: bool = True\n'
                ),
            ),
        ),
    },
    """
from engram.cli.main import main
from engram.workspace import open_workspace
assert main(["init", ".", "--owner", "nobody"]) == 0
assert open_workspace(".").settings.recall.most_words == 12
assert main(["config", "recall.most_words", "20"]) == 0
assert open_workspace(".").settings.recall.most_words == 20
assert main(["config", "recall.most_words", "101"]) != 0
assert open_workspace(".").settings.recall.most_words == 20
""",
)

_CATEGORY = Recipe(
    "risk",
    {
        "engram/model/vocabulary.py": (
            ('    LESSON = "lesson"', '    RISK = "risk"  # what may go wrong\n    LESSON = "lesson"'),
        ),
        "engram/language/patterns/signal/en.toml": (
            (
                "# ---- low: context",
                """[[rule]]
name = "says what may go wrong"
category = "risk"
confidence = 0.8
near = "risk"
pattern = '''\\bthe (?:main |biggest )?risk (?:here )?is that \\w+'''
# + The main risk is that the vendor stops
# - I like risk

# ---- low: context""",
            ),
        ),
        "engram/rules/life/shelves.py": (
            ('    Shelf("Lessons",', '    Shelf("Risks", (Category.RISK,), 3),\n    Shelf("Lessons",'),
        ),
        "engram/rules/life/importance.py": (
            ("    Category.LESSON: 0.85,\n", "    Category.LESSON: 0.85,\n    Category.RISK: 0.85,\n"),
        ),
        "engram/services/synthesis/rollup_lines.py": (
            ("    Category.LESSON: LESSONS,\n", "    Category.LESSON: LESSONS,\n    Category.RISK: OPEN,\n"),
        ),
        "engram/importers/export/items.py": (
            (
                "    Category.LESSON: Category.CONTEXT,\n",
                "    Category.LESSON: Category.CONTEXT,\n    Category.RISK: Category.STATUS,\n",
            ),
        ),
        "engram/importers/memories/fields.py": (
            ("    Category.LESSON: (", '    Category.RISK: ("risks", "danger"),\n    Category.LESSON: ('),
        ),
        "engram/api/values.py": (('    "lesson",\n', '    "lesson",\n    "risk",\n'),),
        "references/HB-EXTRACT.md": (
            ("lesson (a cause and its cure)", "lesson (a cause and its cure), risk (what may go wrong)"),
        ),
        "references/SKILL.md": (
            ("| background | `context` |", "| what may go wrong | `risk` |\n| background | `context` |"),
        ),
    },
    """
import typing
from pathlib import Path
from engram.api.values import CategoryName
from engram.cli.main import main
from engram.language.signal.categories import fact_category
from engram.language.signal.detector import detect
from engram.model.vocabulary import Category
found = detect("The biggest risk is that the vendor stops the product")
assert (found.signal, found.categories) == ("high", ["risk"]), found
assert fact_category("risk") is Category.RISK
assert set(typing.get_args(CategoryName)) == {one.value for one in Category}
assert main(["init", ".", "--owner", "nobody"]) == 0
for one in Category:
    if one is not Category.CORRECTION:
        args = ["write", "--entity", "projects/tea", "--create", "--category", one.value]
        assert main([*args, "--fact", f"Tea number {list(Category).index(one)} of {one.value}"]) == 0
assert main(["rebuild", "mirror"]) == 0
assert "## Risks" in Path("life/projects/tea/summary.md").read_text()
assert main(["export", "--format", "json", "out"]) == 0
""",
)

RECIPES = {
    "command": _COMMAND,
    "phase": _PHASE,
    "host": _HOST,
    "importer": _IMPORTER,
    "language": _LANGUAGE,
    "setting": _SETTING,
    "category": _CATEGORY,
}
