"""The front end in the package: built from the sources beside it, in four languages, asking no other server."""

import ast
import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from engram.operations.words.plan_text import NOTHING
from engram.operations.words.plan_text import SENTENCES
from engram.operations.words.plan_text import WOULD
from engram.rules.relations.ontology import default_ontology
from engram.web.app import STATIC
from tests.cases import for_each

FRONT = STATIC.parent / "front"
MESSAGES = FRONT / "src" / "messages"
ENGRAM = STATIC.parent.parent
SPEAKING = (
    *("web/changes.py", "web/asked.py", "web/review_changes.py", "web/doctor_changes.py", "web/heartbeat_changes.py"),
    *("services/commands/fact.py", "services/commands/undo.py", "services/commands/answers/answer.py"),
    *(
        "services/commands/writes/correct.py",
        "services/commands/entities/merge.py",
        "operations/domains/domain_proposals.py",
    ),
)
LANGUAGES = ("ru", "zh", "ko")
SOURCES = sorted((FRONT / "src").rglob("*.ts*"))
KEY = re.compile(r"""\bt\(\s*(["'`])([\w.${}\[\]()?:\s"'-]+?)\1""")
FORBIDDEN = re.compile(
    r"dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function"
)
PLURALS = {"en": {"one", "other"}, "ru": {"one", "few", "many", "other"}, "zh": {"other"}, "ko": {"other"}}


def messages(language: str) -> dict[str, Any]:
    """Return the messages of a language as VIEW.KEY."""
    return {
        f"{file.stem}.{key}": text
        for file in sorted((MESSAGES / language).glob("*.json"))
        for key, text in json.loads(file.read_text(encoding="utf-8")).items()
    }


def values(text: Any) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", json.dumps(text)))


def test_the_build_was_made_of_the_sources_beside_it() -> None:
    digest = hashlib.sha256()
    named = ["index.html", "package-lock.json", "vite.config.ts"]
    found = [path for path in (FRONT / "src").rglob("*") if path.is_file()] + [FRONT / name for name in named]
    for name in sorted(path.relative_to(FRONT).as_posix() for path in found):
        digest.update(name.encode() + b"\0" + (FRONT / name).read_bytes() + b"\0")
    assert (STATIC / "SOURCES.sha256").read_text().strip() == digest.hexdigest(), "run engram/web/front/build"


@for_each("language", LANGUAGES)
def test_every_message_is_there_in_every_language(language: str) -> None:
    english, other = messages("en"), messages(language)
    assert set(other) == set(english)
    assert {key: values(text) for key, text in other.items()} == {key: values(text) for key, text in english.items()}


@for_each("language", ("en", *LANGUAGES))
def test_a_message_that_counts_has_the_forms_of_its_language(language: str) -> None:
    counting = {key: set(text) for key, text in messages(language).items() if isinstance(text, dict)}
    assert {key: forms for key, forms in counting.items() if not forms >= PLURALS[language]} == {}


def test_every_message_that_is_asked_for_is_there_and_none_is_left_over() -> None:
    asked = {match[2] for path in SOURCES for match in KEY.finditer(path.read_text(encoding="utf-8"))}
    whole = {key for key in asked if "${" not in key}
    begun = tuple(key.partition("${")[0] for key in asked if "${" in key)
    english = set(messages("en"))
    quoted = "\n".join(path.read_text(encoding="utf-8") for path in SOURCES)
    assert whole - english == set()
    assert {key for key in english - whole if not key.startswith(begun) and f'"{key}"' not in quoted} == set()


def test_plans_are_said_in_english_by_the_page_as_by_the_command_line() -> None:
    told = {
        key: form if isinstance(form, str) else (form["one"], form["other"]) for key, form in plan_messages().items()
    }
    would = WOULD.removeprefix("nothing is changed; ").capitalize()  # the page has a button that does it
    assert told == {**SENTENCES, "would": f"{would}:", "nothing": NOTHING}


def test_what_the_page_can_be_told_has_words_in_every_language() -> None:
    known = {re.sub(r"\{\w+\}", "{}", key) for key in json.loads((MESSAGES / "ru" / "phrases.json").read_text("utf-8"))}
    said = {text for part in SPEAKING for text in refusals(ENGRAM / part)}
    assert len(said) > 10
    assert {one for one in said if one not in known and " " in one and not one.startswith(("engram ", "{}"))} == set()


def test_every_relation_of_the_package_has_words_in_every_language() -> None:
    for language in LANGUAGES:
        known = json.loads((MESSAGES / language / "phrases.json").read_text("utf-8"))
        assert {one.shown for one in default_ontology().types.values()} <= set(known)


def test_every_door_of_the_attacks_has_words_in_every_language() -> None:
    rows = json.loads((ENGRAM / "web" / "figures" / "attack.json").read_text("utf-8"))["rows"]
    doors = {row["door"] for row in rows if " " in row["door"]}  # the others are names of tools
    for language in LANGUAGES:
        assert doors <= set(json.loads((MESSAGES / language / "phrases.json").read_text("utf-8")))


def refusals(path: Path) -> Iterator[str]:
    """Yield what errors that a file raises say, with {} where they speak of something."""
    for call in (one for one in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(one, ast.Call)):
        if ast.unparse(call.func).endswith("Error") and call.args:
            first = call.args[0]
            parts = first.values if isinstance(first, ast.JoinedStr) else [first]
            if all(isinstance(part, ast.Constant | ast.FormattedValue) for part in parts):
                yield "".join(str(part.value) if isinstance(part, ast.Constant) else "{}" for part in parts)


def plan_messages() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((MESSAGES / "en" / "plan.json").read_text(encoding="utf-8"))
    return found


@for_each("source", SOURCES)
def test_no_text_becomes_markup_or_code(source: Path) -> None:
    assert FORBIDDEN.findall(source.read_text(encoding="utf-8")) == []


def test_the_build_names_the_licence_of_everything_that_it_holds() -> None:
    notices = (STATIC / "NOTICES.txt").read_text(encoding="utf-8")
    packages = json.loads((FRONT / "package-lock.json").read_text())["packages"]
    held = [path for path, one in packages.items() if path.startswith("node_modules/") and not one.get("dev")]
    assert [
        path for path in held if f"{path.rpartition('node_modules/')[2]} {packages[path]['version']} (" not in notices
    ] == []


def test_the_locked_packages_name_no_server() -> None:
    assert (
        re.findall(
            r"https?://(?!opencollective|github|tidelift|www\.patreon|ko-fi|paypal)[^\"]+",
            (FRONT / "package-lock.json").read_text(),
        )
        == []
    )
