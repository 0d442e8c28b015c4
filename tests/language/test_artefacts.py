"""Which files, commits and addresses a text names."""

from engram.language.text.artefacts import find_artefacts
from tests.cases import for_each

FULL = "0123456789abcdef0123456789abcdef01234567"
NAMED = [
    ("Deploys run through scripts/deploy.sh.", [("path", "scripts/deploy.sh")]),
    ("Скрипт выкладки лежит в ./scripts/deploy.sh, не менять", [("path", "scripts/deploy.sh")]),
    ("部署脚本是scripts/deploy.sh，不要改", [("path", "scripts/deploy.sh")]),
    ("배포 스크립트는 scripts/deploy.sh이다", [("path", "scripts/deploy.sh")]),
    ("The line is src/app.py:12, and `bin/build` builds", [("path", "src/app.py"), ("path", "bin/build")]),
    ("Decisions lie in `docs/adr/`", [("path", "docs/adr")]),
    ("The plan is /srv/parcels/plan.md", [("path", "/srv/parcels/plan.md")]),
    ("It was mended in commit 1a2b3c4 already", [("commit", "1a2b3c4")]),
    ("Исправлено в коммите 1a2b3c4", [("commit", "1a2b3c4")]),
    ("在提交 1a2b3c4 中修好了", [("commit", "1a2b3c4")]),
    ("커밋 1a2b3c4에서 고쳤다", [("commit", "1a2b3c4")]),
    (f"It was mended in {FULL}", [("commit", FULL)]),
    ("Read docs/README.md and legal/LICENSE.txt", [("path", "docs/README.md"), ("path", "legal/LICENSE.txt")]),
    ("The board is at https://example.com/docs/board.html.", [("url", "https://example.com/docs/board.html")]),
]
NOTHING = [
    "Anna prefers tea",
    "It is written and/or, 24/7, TCP/IP",
    "The key lies in ~/.ssh/id_rsa.pub and in ../other/secret.txt",
    "Read src/../../../etc/passwd.txt",
    "Ticket 1a2b3c4 is open",
    "Open deploy.sh",
    "Each day has its memory/YYYY-MM-DD.md, each agent its `agents/NAME/SOUL.md`",
    "Notes lie in memory/2026-MM-DD.md and photos in `photos/xxx/`",
    f"The digest is {FULL}{FULL[:24]}",
]


@for_each(("text", "expected"), NAMED)
def test_what_a_text_names(text: str, expected: list[tuple[str, str]]) -> None:
    assert [(one.kind, one.name) for one in find_artefacts(text)] == expected


@for_each("text", NOTHING)
def test_what_names_nothing_that_can_be_looked_for(text: str) -> None:
    assert find_artefacts(text) == ()


def test_a_list_of_files_is_cut() -> None:
    assert len(find_artefacts(" ".join(f"src/file{number}.py" for number in range(30)))) == 8
