"""Nine weeks of notes lived through day by day, then weeks without any: roll-ups, decay, principles, quiet ticks."""

import contextlib
import dataclasses
import datetime as dt
import hashlib
import io
import json
from pathlib import Path

import pytest

from engram.cli.main import main
from engram.heartbeat.run.runner import run_heartbeat
from engram.operations.setup import make_workspace
from engram.workspace import Workspace
from engram.workspace import open_workspace
from tests.heartbeat.in_process import answer_in_process
from tests.heartbeat.notes import put_note

pytestmark = pytest.mark.soak

FIRST = dt.date(2026, 1, 5)  # a Monday
WEEKS, IDLE_WEEKS = 9, 3
EVENING = dt.time(21, 0, tzinfo=dt.UTC)
DAY = dt.timedelta(days=1)
TEA, RULE = "Anna prefers green tea to coffee", "Anna always asks before she deploys"
TOPICS = ("the invoices", "the search page", "the backups", "the release notes", "the login form", "the price list")
STORES = ("Redis", "Kafka", "PostgreSQL", "DuckDB", "RabbitMQ", "Nginx", "Grafana")


@dataclasses.dataclass
class Life:
    """A workspace that grows old, and what was seen in it each evening."""

    workspace: Workspace
    today: dt.date = FIRST
    noted: list[dt.date] = dataclasses.field(default_factory=list)  # days with a note
    tiers: dict[dt.date, str] = dataclasses.field(default_factory=dict)  # of what was said once, on the first day
    summaries: dict[dt.date, str] = dataclasses.field(default_factory=dict)
    loud: list[dt.date] = dataclasses.field(default_factory=list)  # days whose second tick wrote something
    bad: list[tuple[dt.date, str]] = dataclasses.field(default_factory=list)  # runs that were not ok
    life: dict[dt.date, dict[str, str]] = dataclasses.field(default_factory=dict)  # digests of life/

    def now(self) -> dt.datetime:
        return dt.datetime.combine(self.today, EVENING)

    def evening(self) -> None:
        """Run the heartbeat twice and look around."""
        result = run_heartbeat(self.workspace)
        if result.status not in {"ok", "ok_with_warnings"} or result.alerts:
            self.bad.append((self.today, f"{result.status} {result.alerts}"))
        before = written(self.workspace.paths.root)
        run_heartbeat(self.workspace)
        if written(self.workspace.paths.root) != before:
            self.loud.append(self.today)
        self.life[self.today] = digests(self.workspace.paths.life)
        self.summaries[self.today] = (self.workspace.paths.life / "people/anna/summary.md").read_text()
        self.tiers[self.today] = self.tier_of(TEA)

    def tier_of(self, text: str) -> str:
        said = io.StringIO()
        where = ["--workspace", str(self.workspace.paths.root), "--now", self.now().isoformat()]
        with contextlib.redirect_stdout(said):
            assert main([*where, "facts", "--entity", "people/anna", "--json"]) == 0
        (tier,) = {fact["tier"] for fact in json.loads(said.getvalue())["facts"] if fact["text"] == text}
        return str(tier)


def digests(folder: Path) -> dict[str, str]:
    """Digests of all files below a folder."""
    files = (file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def written(folder: Path) -> dict[Path, tuple[int, int]]:
    """When each file was written and how long it is, but for the words of locks."""
    files = (file for file in folder.rglob("*") if file.is_file() and file.parent.name != "locks")
    return {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}


def note_of(day: dt.date, number: int) -> str:
    topic, store = TOPICS[number % len(TOPICS)], STORES[number % len(STORES)]
    return (
        f"# {day}\n\n## Decisions\n\n- We decided to use {store} {number} for {topic} of Billing.\n\n"
        f"## Events\n\n- Billing moved {topic} to machine number {number} before lunch.\n\n"
        f"## Next\n\n- [ ] Write the tests of {topic} for Billing\n"
    )


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> Life:
    """Notes from Monday to Thursday for nine weeks, then some weeks in which nobody writes anything."""
    root = tmp_path_factory.mktemp("weeks") / "workspace"
    life = Life.__new__(Life)
    make_workspace(
        root,
        {"timezone": "UTC", "owner": "nobody"},
        now=lambda: dt.datetime.combine(FIRST, EVENING),
        force=False,
        dry_run=False,
    )
    with (root / "engram.toml").open("a") as settings:
        settings.write('\n[embeddings]\nprovider = "none"\n')
    workspace = open_workspace(str(root), now=life.now)
    life.__init__(workspace)  # type: ignore[misc]
    workspace.submit("entity-add", {"path": "projects/billing", "title": "Billing"})
    workspace.submit("entity-add", {"path": "people/anna", "title": "Anna"})
    workspace.submit("write", {"entity": "people/anna", "text": TEA, "category": "preference"})
    workspace.submit("write", {"entity": "people/anna", "text": RULE, "abstraction": "principle"})
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ENGRAM_EMBEDDINGS", "none")
        answer_in_process(patch)
        for number in range(7 * WEEKS):
            life.today = FIRST + number * DAY
            if life.today.weekday() < 4:
                put_note(workspace, f"main/main/{life.today}.md", note_of(life.today, number))
                life.noted.append(life.today)
                life.evening()
        for number in range(IDLE_WEEKS + 1):
            life.today = FIRST + 7 * (WEEKS + number) * DAY
            life.evening()
    return life


def test_every_run_ends_well_and_says_nothing_that_nobody_needs(lived: Life) -> None:
    assert lived.bad == []


def test_a_tick_after_a_run_writes_nothing(lived: Life) -> None:
    assert lived.loud == []


def test_every_week_has_its_roll_up_and_reaches_its_month(lived: Life) -> None:
    folder = lived.workspace.paths.memory / "main" / "main"
    weeks = {f"{year}-W{week:02}" for year, week, _ in (day.isocalendar() for day in lived.noted)}
    months = {(folder / "monthly" / f"{month}.md").read_text() for month in ("2026-01", "2026-02")}

    assert {file.stem for file in (folder / "weekly").glob("*.md")} == weeks
    assert all(any(week in month for month in months) for week in weeks if week < "2026-W10")


def test_what_nobody_uses_cools_on_the_documented_days(lived: Life) -> None:
    for day, tier in lived.tiers.items():
        age = sum(FIRST < noted <= day for noted in lived.noted)  # days on which the workspace was used
        assert (day, tier) == (day, "hot" if age <= 7 else "warm" if age <= 30 else "cold")
        assert (TEA in lived.summaries[day]) == (age <= 30)
    assert set(lived.tiers.values()) == {"hot", "warm", "cold"}


def test_a_principle_never_leaves_the_summary(lived: Life) -> None:
    assert all(RULE in summary for summary in lived.summaries.values())


def test_idle_weeks_change_nothing(lived: Life) -> None:
    before = lived.life[FIRST + 7 * WEEKS * DAY]  # a Monday: the last week of notes is over

    assert all(lived.life[day] == before for day in lived.life if day > FIRST + 7 * WEEKS * DAY)
