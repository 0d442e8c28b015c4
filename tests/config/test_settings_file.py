"""One setting read or changed; and the shares of the start block, which are one setting with an entry a part."""

import re
from pathlib import Path

import pytest

from engram.config.paths import Paths
from engram.config.sections.recall import ContextShares
from engram.config.settings import load_settings
from engram.config.settings_file import change_setting
from engram.config.settings_file import list_settings
from engram.config.settings_file import read_setting
from engram.config.settings_file import setting_names
from engram.config.settings_file import summarise_settings
from engram.errors import SettingsError

DEFAULTS = ContextShares().model_dump()
DOCUMENTATION = Path(__file__).resolve().parents[2] / "docs" / "SETTINGS.md"
MOST_SETTINGS = 68  # each is a question to whoever sets Engram up: a new one replaces an old one, or a constant does


@pytest.fixture
def paths(tmp_path: Path) -> Paths:
    (tmp_path / "engram.toml").write_text('timezone = "UTC" # here\n')
    return Paths(tmp_path)


def test_a_part_that_is_not_named_has_its_default(paths: Paths) -> None:
    assert change_setting(paths, "context.shares.people", "500", dry_run=False) == 500

    assert read_setting(paths, "context.shares") == {**DEFAULTS, "people": 500}
    assert read_setting(paths, "context.shares.people") == 500
    assert load_settings(paths.settings).context.shares == ContextShares(people=500)
    assert "# here" in paths.settings.read_text()


def test_the_whole_table_can_be_given_at_once(paths: Paths) -> None:
    change_setting(paths, "context.shares.people", "500", dry_run=False)

    assert change_setting(paths, "context.shares", '{"facts": 5}', dry_run=False) == {**DEFAULTS, "facts": 5}

    assert load_settings(paths.settings).context.shares == ContextShares(facts=5)


@pytest.mark.parametrize(
    "text",
    [
        "context.people = 100\ncontext.budget = 900\n",
        "context = {people = 100, budget = 900}\n",
        "context = {shares = {people = 3}, budget = 900} # mine\n",
        "[context]\nbudget = 900\npeople = 100\n\n[decay]\nhot_days = 3\n\n[context.shares]\nfacts = 500\n",
        "[context]\nbudget = 900\nshares.people = 4\npeople = 9\n",
    ],
)
@pytest.mark.parametrize(("key", "value"), [("context.shares.people", "55"), ("context.shares", '{"people": 55}')])
def test_a_share_is_set_in_whatever_form_the_section_stands_there(
    paths: Paths, text: str, key: str, value: str
) -> None:
    paths.settings.write_text(text)

    change_setting(paths, key, value, dry_run=False)

    context = load_settings(paths.settings).context
    assert (context.budget, context.shares) == (900, ContextShares(people=55))


@pytest.mark.parametrize("value", ["500", "people", "[]"])
def test_a_table_is_no_single_value(paths: Paths, value: str) -> None:
    with pytest.raises(SettingsError) as raised:
        change_setting(paths, "context.shares", value, dry_run=False)

    assert raised.value.message == "context.shares has a value for each part, none for all"
    assert "context.shares.standing" in raised.value.hint


def test_an_unknown_part_is_told_the_known_ones(paths: Paths) -> None:
    with pytest.raises(SettingsError) as raised:
        change_setting(paths, "context.shares.places", "5", dry_run=False)

    assert raised.value.message == f"context.shares has no part 'places'; its parts are {', '.join(DEFAULTS)}"


def test_a_summary_has_one_line_for_the_shares_and_none_for_a_phase_like_the_others(paths: Paths) -> None:
    change_setting(paths, "heartbeat.phases.review.enabled", "false", dry_run=False)
    change_setting(paths, "heartbeat.phases.domain_scan.timeout_s", "9", dry_run=False)

    shown = summarise_settings(paths)

    assert shown["context.shares"] == DEFAULTS
    assert {name: value for name, value in shown.items() if name.startswith("heartbeat.phases.")} == {
        "heartbeat.phases.domain_scan.timeout_s": 9.0,
        "heartbeat.phases.review.enabled": False,
    }
    every = list_settings(paths)
    assert len([name for name in every if name.startswith("heartbeat.phases.")]) == 24
    assert {name for name in every if not name.startswith(("context.shares.", "heartbeat.phases."))} == {
        name for name in shown if name != "context.shares" and not name.startswith("heartbeat.phases.")
    }


def test_every_name_that_can_be_set_is_offered(paths: Paths) -> None:
    offered = setting_names(paths)

    assert {*offered} == {*list_settings(paths), "context.shares"}
    for name in offered:
        read_setting(paths, name)


def test_there_are_no_more_settings_than_somebody_can_look_through() -> None:
    """`scripts/docs --check` sees to it that the documentation has them all."""
    table = DOCUMENTATION.read_text(encoding="utf-8").partition("| setting |")[2].partition("\n\n")[0]
    names = re.findall(r"^\| `([^`]+)` \|", table, flags=re.MULTILINE)

    print(f"{len(names)} settings")
    assert {"agent", "context.shares", "heartbeat.phases.PHASE.enabled"} <= {*names}
    assert len(names) <= MOST_SETTINGS


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("journal.workspace", "Mine!"),
        ("backup.every", "daily"),
        ("backup.every", "1\n"),
        ("index.collection", "my notes"),
        ("heartbeat.agent_key_variable", "2KEY"),
    ],
)
def test_what_a_value_may_be_is_said_in_words_and_by_an_example(paths: Paths, key: str, value: str) -> None:
    with pytest.raises(SettingsError) as raised:
        change_setting(paths, key, value, dry_run=False)

    assert "such as" in raised.value.message
    assert "pattern" not in raised.value.message
