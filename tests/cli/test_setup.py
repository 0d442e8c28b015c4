"""init, status and config, as a newcomer runs them."""

import json
import os
import tomllib
from pathlib import Path

import pytest

from engram.workspace import Workspace
from tests import forked
from tests.conftest import Engram
from tests.heartbeat.child.program import put_program


def test_init_makes_every_folder_and_says_what_to_type_next(engram: Engram, tmp_path: Path) -> None:
    root = tmp_path / "fresh"

    answer = engram("init", str(root), "--agent", "clio", "--timezone", "Asia/Tokyo", "--owner", "people/anna")

    assert answer.code == 0
    assert "engram write" in answer.out
    assert {"life", "memory", "ops", ".engram", "engram.toml", "MEMORY.md"} == {path.name for path in root.iterdir()}
    assert (root / ".engram").stat().st_mode & 0o777 == 0o700
    settings = tomllib.loads((root / "engram.toml").read_text())
    assert settings == {"agent": "clio", "timezone": "Asia/Tokyo", "owner": "people/anna"}
    assert (root / "life/people/anna/summary.md").is_file()


def test_init_again_adds_what_is_missing_and_overwrites_nothing(engram: Engram, workspace: Workspace) -> None:
    root = workspace.paths.root
    (root / "MEMORY.md").write_text("mine")
    (root / "ops/tensions").rmdir()
    settings = (root / "engram.toml").read_text()

    answer = engram("init", str(root), "--json")

    assert answer.json["made"] == ["ops/tensions/"]
    assert (root / "MEMORY.md").read_text() == "mine"
    assert settings == (root / "engram.toml").read_text()


def test_init_refuses_to_change_a_setting_without_force(engram: Engram, workspace: Workspace) -> None:
    root = str(workspace.paths.root)

    refused = engram("init", root, "--timezone", "Asia/Tokyo")
    forced = engram("init", root, "--timezone", "Asia/Tokyo", "--force")

    assert (refused.code, forced.code) == (4, 0)
    assert engram("config", "timezone", "--json").json["timezone"] == "Asia/Tokyo"


def test_an_owner_takes_the_place_of_nobody_without_force(engram: Engram, tmp_path: Path) -> None:
    root = str(tmp_path / "fresh")
    engram("init", root, "--owner", "nobody")

    named = engram("init", root, "--owner", "Anna Kern")
    other = engram("init", root, "--owner", "Boris")

    assert (named.code, other.code) == (0, 4)
    assert tomllib.loads((tmp_path / "fresh/engram.toml").read_text())["owner"] == "people/anna-kern"
    assert (tmp_path / "fresh/life/people/anna-kern/summary.md").is_file()


def test_init_as_a_dry_run_makes_nothing(engram: Engram, tmp_path: Path) -> None:
    answer = engram("init", str(tmp_path / "fresh"), "--dry-run", "--json")

    assert "engram.toml" in answer.json["made"]
    assert not (tmp_path / "fresh").exists()


@pytest.mark.parametrize(
    ("said", "path", "title"),
    [
        ("Vera", "people/vera", "Vera"),
        ("Vera  Ivanova", "people/vera-ivanova", "Vera Ivanova"),
        ("Вера", "people/вера", "Вера"),
        ("people/vera", "people/vera", None),
    ],
)
def test_the_owner_may_be_given_by_name(
    engram: Engram, tmp_path: Path, said: str, path: str, title: str | None
) -> None:
    answer = engram("init", str(tmp_path / "named"), "--owner", said, "--json").json

    assert (answer["owner"]["path"], answer["owner"]["title"]) == (path, title)


@pytest.mark.parametrize(
    "options",
    [
        ["--timezone", "Mars/Phobos"],
        ["--owner", "projects/x"],
        ["--owner", "../x"],
        ["--owner", "me"],
        ["--owner", "!"],
        ["--agent", "a/b"],
    ],
)
def test_init_with_a_value_that_cannot_be_makes_nothing(engram: Engram, tmp_path: Path, options: list[str]) -> None:
    answer = engram("init", str(tmp_path / "fresh"), *options)

    assert answer.code == 2
    assert not (tmp_path / "fresh").exists()


def test_init_offers_a_model_that_is_here_and_switches_none_on(
    engram: Engram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_program(tmp_path / "bin", "claude", "good")
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    root = str(tmp_path / "fresh")

    answer = engram("init", root)
    offer = "claude is here: engram config heartbeat.agent claude lets it read for the heartbeat"
    assert answer.out.splitlines()[-1] == offer
    assert engram("--workspace", root, "config", "heartbeat.agent", "--json").json == {"heartbeat.agent": ""}
    assert engram("init", root, "--json").json["offers"] == [offer]
    engram("--workspace", root, "config", "heartbeat.agent", "claude")
    assert engram("init", root, "--json").json["offers"] == []


def test_init_on_a_file_is_refused(engram: Engram, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    assert engram("init", str(tmp_path / "file")).code == 2


def test_settings_that_do_not_read_are_never_replaced(engram: Engram, workspace: Workspace) -> None:
    workspace.paths.settings.write_text("timezone = [broken")

    for command in (["status"], ["facts"], ["init", str(workspace.paths.root)], ["config"]):
        assert engram(*command).code == 2

    assert workspace.paths.settings.read_text() == "timezone = [broken"


def test_an_unknown_setting_is_named(engram: Engram, workspace: Workspace) -> None:
    workspace.paths.settings.write_text("colour = 'red'\n")

    answer = engram("status", "--json")

    assert answer.code == 2
    assert "colour" in answer.error["message"]


def test_config_keeps_comments_and_sets_one_value(engram: Engram, workspace: Workspace) -> None:
    workspace.paths.settings.write_text('# mine\ntimezone = "UTC" # here\n')

    answer = engram("config", "decay.hot_days", "10", "--json")

    assert answer.json == {"decay.hot_days": 10}
    text = workspace.paths.settings.read_text()
    assert "# mine" in text
    assert "# here" in text
    assert tomllib.loads(text)["decay"]["hot_days"] == 10


def test_config_lists_every_setting_with_its_value(engram: Engram) -> None:
    listed = engram("config", "--json").json

    assert {"agent", "timezone", "decay.hot_days", "heartbeat.timeout_s"} <= set(listed)


def test_config_shows_a_person_the_shares_in_one_line_and_no_phase_like_the_others(engram: Engram) -> None:
    engram("config", "context.shares.people", "500")
    engram("config", "heartbeat.phases.review.enabled", "false")

    lines = engram("config").out.splitlines()

    assert [line for line in lines if line.startswith("heartbeat.phases.")] == [
        "heartbeat.phases.review.enabled = False"
    ]
    (shares,) = [line for line in lines if line.startswith("context.shares")]
    assert shares.startswith("context.shares = standing 600, memory 800, ")
    assert "people 500" in shares
    assert engram("config", "context.shares").out == f"{shares}\n"
    assert engram("config", "context.shares", "--json").json["context.shares"]["people"] == 500
    listed = engram("config", "--json").json
    assert listed["context.shares.people"] == 500
    assert listed["heartbeat.phases.extraction.enabled"] is True


@pytest.mark.parametrize(
    ("key", "value", "message", "hint"),
    [
        (
            "context.people",
            "500",
            "context.people is called context.shares.people now",
            "engram config context.shares.people 500",
        ),
        (
            "review.tension_weight",
            "5",
            "review.tension_weight is not a setting any more: a tension weighs 4",
            "engram config lists every setting",
        ),
    ],
)
def test_config_says_what_became_of_a_former_setting(
    engram: Engram, workspace: Workspace, key: str, value: str, message: str, hint: str
) -> None:
    before = workspace.paths.settings.read_text()

    for asked in ([key, value], [key]):
        answer = engram("config", *asked)

        assert answer.code == 2
        assert message in answer.err
        assert workspace.paths.settings.read_text() == before
    assert hint in engram("config", key, value).err


def test_status_tells_what_became_of_a_spooled_command(engram: Engram) -> None:
    written = engram("write", "--entity", "people/anna", "--create", "--fact", "a", "--wait", "0", "--json").json

    told = engram("status", written["command_id"], "--json").json

    assert written["status"] == "accepted"
    assert (told["status"], told["id"]) == ("created", "people/anna-001")


@pytest.mark.parametrize("waits", ["tension", "both", "candidate"])
def test_status_never_says_that_nothing_waits_where_the_review_has_something(engram: Engram, waits: str) -> None:
    anna = ("--entity", "people/anna", "--create")
    engram("write", *anna, "--fact", "Anna plays chess")
    engram("write", *anna, "--fact", "Anna plays no chess", *(("--candidate",) if waits == "candidate" else ()))
    if waits == "both":
        engram("write", *anna, "--fact", "Anna prefers coffee", "--candidate")

    kinds = [one["kind"] for one in engram("review", "list", "--json").json["items"]]
    said = next(line for line in engram("status").out.splitlines() if line.startswith("to review"))

    assert kinds
    assert "nothing" not in said
    assert said.endswith("engram review has the rest")
    assert ("1 tension" in said) is ("tension" in kinds)


def test_status_shows_one_screen_without_inner_works(engram: Engram, workspace: Workspace) -> None:
    engram("write", "--entity", "people/anna", "--create", "--fact", "a")

    view = engram("status", "--json").json
    words = engram("status").out

    assert view["entities"] == 1
    assert view["facts"]["hot"] == 1
    assert {"spool", "watermarks", "last_heartbeat", "index_lag", "reviews"} <= set(view)
    assert len(words.splitlines()) < 12
    assert max(map(len, words.splitlines())) <= max(100, len(str(workspace.paths.root)) + 20)
    assert "1 fact about 1 person or thing (1 hot, 0 warm, 0 cold)" in words
    assert not {"journal", "position", "spool", "watermark"} & {*words.split()}


def test_a_torn_settings_write_cannot_happen(engram: Engram, workspace: Workspace) -> None:
    engram("config", "agent", "clio")

    assert [path.name for path in workspace.paths.root.iterdir() if path.name.startswith(".tmp")] == []
    assert json.loads(engram("config", "agent", "--json").out)["agent"] == "clio"


@pytest.mark.parametrize(
    ("around", "zone"),
    [
        ({"TZ": "Asia/Tokyo"}, "Asia/Tokyo"),
        ({"ENGRAM_TZ": "Europe/Berlin", "TZ": "Asia/Tokyo"}, "Europe/Berlin"),
        ({"ENGRAM_TZ": "", "TZ": "Asia/Tokyo"}, "Asia/Tokyo"),
    ],
)
def test_a_new_workspace_has_the_zone_of_the_environment(tmp_path: Path, around: dict[str, str], zone: str) -> None:
    root = str(tmp_path / "memory")
    made = forked.run(["init", root], env={**os.environ, **around})
    said = forked.run(["--workspace", root, "config", "timezone"])

    assert (made.returncode, said.stdout.decode().strip()) == (0, f"timezone = {zone}")


def test_an_option_wins_over_the_environment_and_what_stands_over_both(tmp_path: Path, engram: Engram) -> None:
    root = str(tmp_path / "memory")
    around = {"ENGRAM_TZ": "Europe/Berlin"}
    assert engram("init", root, "--timezone", "Asia/Tokyo", env=around).code == 0
    assert engram("init", root, env=around).code == 0

    assert 'timezone = "Asia/Tokyo"' in (tmp_path / "memory/engram.toml").read_text()


def test_a_zone_that_is_none_is_refused_by_the_name_of_its_variable(tmp_path: Path, engram: Engram) -> None:
    root = tmp_path / "memory"
    done = engram("init", str(root), env={"ENGRAM_TZ": "Mars/Phobos"})

    assert done.code == 2
    assert "ENGRAM_TZ 'Mars/Phobos' is no time zone" in done.err
    assert not root.exists()
