"""A key that was a setting once: it loads, its value counts where it can, and everybody is told what became of it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engram.config.hook_settings import HookChoices
from engram.config.hook_settings import read_hook_choices
from engram.config.paths import Paths
from engram.config.retired_keys import CONSTANTS
from engram.config.retired_keys import SUCCESSORS
from engram.config.retired_keys import find_retired
from engram.config.settings import Settings
from engram.config.settings import load_settings
from engram.config.settings_file import change_setting
from engram.config.settings_file import list_settings
from engram.config.settings_file import read_setting
from engram.config.wait_setting import DEFAULT_WAIT_S
from engram.config.wait_setting import read_wait_s
from engram.errors import SettingsError
from engram.heartbeat.child.child_answer import RETRIES
from engram.heartbeat.report.alerts import ALERT_TIMEOUT_S
from engram.heartbeat.synthesis.phase import ROLLUP_LINES
from engram.hooks.events.agent_context import CONTEXT_MS
from engram.language.names.new_entities import MIN_MENTIONS
from engram.model.observation import ObservationCategory
from engram.operations.answers.held_index import CATCH_UP_S
from engram.operations.domains.domain_prompt import MOST_CHARS
from engram.rules.review_queue import MOST_OBSERVATIONS
from engram.rules.review_queue import MOST_TENSIONS
from engram.rules.review_queue import MOST_WEIGHT
from engram.rules.review_queue import TENSION_WEIGHT
from engram.rules.review_queue import WEIGHTS
from engram.services.domains.folder import CHANGELOG_LINES
from engram.services.mirror.view import MIRROR_LIMIT
from engram.services.review.candidates import CANDIDATE_DAYS
from engram.services.silo.rotation import LONG_KB
from engram.services.synthesis.patterns import PATTERN_OCCASIONS
from engram.services.synthesis.patterns import PRINCIPLE_WEEKS
from engram.store.embedding.choice import KEPT_MB
from engram.store.embedding.endpoint import BATCH_S

IN_FORCE: dict[str, float] = {
    "domains.changelog_lines": CHANGELOG_LINES,
    "domains.context_chars": MOST_CHARS,
    "embeddings.cache_mb": KEPT_MB,
    "heartbeat.alert_timeout_s": ALERT_TIMEOUT_S,
    "heartbeat.min_mentions": MIN_MENTIONS,
    "heartbeat.retries": RETRIES,
    "hooks.context_ms": CONTEXT_MS,
    "notes.rotate_kb": LONG_KB,
    "recall.catch_up_s": CATCH_UP_S,
    "review.candidate_days": CANDIDATE_DAYS,
    "review.score": MOST_WEIGHT,
    "review.tension_weight": TENSION_WEIGHT,
    **{f"review.{kind}_weight": WEIGHTS[kind] for kind in ObservationCategory},
    "review.observations": MOST_OBSERVATIONS,
    "review.tensions": MOST_TENSIONS,
    "embeddings.timeout_s": BATCH_S,
    "store.mirror_limit": MIRROR_LIMIT,
    "synthesis.month_lines": ROLLUP_LINES,
    "synthesis.pattern_occasions": PATTERN_OCCASIONS,
    "synthesis.principle_weeks": PRINCIPLE_WEEKS,
    "synthesis.week_lines": ROLLUP_LINES,
}

VALUELESS = (
    *("contradiction.folder", "contradiction.judge", "contradiction.threshold", "embeddings.centring"),
    *(key for key in CONSTANTS if key.endswith(".memory_mb")),
)
"""Keys of what there is no number for any more."""


def write(folder: Path, text: str) -> Paths:
    (folder / "engram.toml").write_text(text)
    return Paths(folder)


def as_toml(key: str, value: Any) -> str:
    section, _, name = key.rpartition(".")
    shown = f'"{value}"' if isinstance(value, str) else value
    return f"[{section}]\n{name} = {shown}\n"


def other_value(key: str) -> Any:
    """Return a value that the setting may have and by default has not."""
    return "OTHER_KEY" if key == "index.api_key_env" else 123


@pytest.mark.parametrize("key", SUCCESSORS)
def test_a_key_with_a_new_name_keeps_its_value(tmp_path: Path, key: str) -> None:
    paths = write(tmp_path, as_toml(key, other_value(key)))

    found = list_settings(paths)

    assert found[SUCCESSORS[key]] == other_value(key)
    assert key not in found


@pytest.mark.parametrize("value", [1, '"of another kind"', "[]", -5])
@pytest.mark.parametrize("key", CONSTANTS)
def test_a_key_that_became_a_constant_loads_and_changes_nothing(tmp_path: Path, key: str, value: object) -> None:
    section, _, name = key.rpartition(".")
    paths = write(tmp_path, f"[{section}]\n{name} = {value}\n")

    assert load_settings(paths.settings) == Settings()


def test_a_file_with_every_retired_key_at_once_loads(tmp_path: Path) -> None:
    keys = [*SUCCESSORS, *CONSTANTS]
    paths = write(tmp_path, "\n".join(f"{key} = {as_toml(key, other_value(key)).rpartition('= ')[2]}" for key in keys))

    found = list_settings(paths)

    assert [found[new] for new in SUCCESSORS.values()] == [other_value(old) for old in SUCCESSORS]


@pytest.mark.parametrize("key", [*SUCCESSORS, *CONSTANTS])
def test_the_light_readers_say_what_the_whole_settings_say(tmp_path: Path, key: str) -> None:
    paths = write(tmp_path, as_toml(key, other_value(key)))

    settings = load_settings(paths.settings)

    assert read_wait_s(paths) == settings.store.wait_s == DEFAULT_WAIT_S
    choices = read_hook_choices(paths)
    assert choices == HookChoices()
    for name in type(settings.hooks).model_fields:
        assert getattr(choices, name) == getattr(settings.hooks, name)


def test_the_new_name_counts_where_both_stand(tmp_path: Path) -> None:
    paths = write(tmp_path, "[context]\npeople = 100\nshares = {people = 200}\n")

    assert load_settings(paths.settings).context.shares.people == 200


def test_what_a_retired_key_stands_beside_is_read_as_ever(tmp_path: Path) -> None:
    review = "[review]\ntension_weight = 2\ndaily_limit = 9\n"
    text = f"{review}[context]\npeople = 100\nbudget = 999\nshares = {{facts = 7}}\n"

    settings = load_settings(write(tmp_path, text).settings)

    assert settings.review.daily_limit == 9
    assert settings.context.budget == 999
    assert settings.context.shares == Settings().context.shares.model_copy(update={"people": 100, "facts": 7})


@pytest.mark.parametrize("text", ["[contradiction]\n", "[domains]\n", "[notes]\n", "[notes]\n[domains]\n"])
def test_a_section_of_which_nothing_is_left_may_stand_there_empty(tmp_path: Path, text: str) -> None:
    assert load_settings(write(tmp_path, text).settings) == Settings()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[context]\npeople = -1\n", "context.people: "),  # as it stands there, not as it is called now
        ("[context.shares]\npeople = -1\n", "context.shares.people: "),
        ("[context]\nshares = 5\n", "context.shares: "),
        ("[context]\nshares = 5\npeople = 3\n", "context.shares: "),
        ("context = 5\n", "context: "),
        ("review = 5\n", "review: "),
        ("[context]\nplaces = 3\n", "context.places: is not a setting"),
        ("[domains]\ncolour = 3\n", "domains.colour: is not a setting"),
        ("[domains]\ncontext_chars = 3\ncolour = 3\n", "domains.colour: is not a setting"),
    ],
)
def test_what_was_a_mistake_is_one_still(tmp_path: Path, text: str, named: str) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(write(tmp_path, text).settings)

    assert f"engram.toml: {named}" in raised.value.message


def test_an_unknown_part_is_told_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(SettingsError) as raised:
        load_settings(write(tmp_path, "[context.shares]\nplaces = 3\n").settings)

    assert "context.shares.places" in raised.value.message
    assert ", ".join(type(Settings().context.shares).model_fields) in raised.value.message


def test_setting_the_new_name_takes_the_former_out_of_the_file(tmp_path: Path) -> None:
    paths = write(tmp_path, "# mine\n[context]\npeople = 100 # few\nhandoff = 50\nbudget = 999 # mine, too\n")

    assert change_setting(paths, "context.shares.people", "300", dry_run=False) == 300

    text = paths.settings.read_text()
    settings = load_settings(paths.settings)
    assert "people = 100" not in text
    assert "# mine\n" in text
    assert "budget = 999 # mine, too\n" in text
    assert (settings.context.shares.people, settings.context.shares.handoff, settings.context.budget) == (300, 50, 999)


@pytest.mark.parametrize("key", SUCCESSORS)
def test_a_key_with_a_new_name_is_not_set_under_the_former_one(tmp_path: Path, key: str) -> None:
    paths = write(tmp_path, "")

    with pytest.raises(SettingsError) as raised:
        change_setting(paths, key, str(other_value(key)), dry_run=False)

    assert raised.value.message == f"{key} is called {SUCCESSORS[key]} now"
    assert raised.value.hint == f"engram config {SUCCESSORS[key]} {other_value(key)}"
    assert paths.settings.read_text() == ""


@pytest.mark.parametrize("key", CONSTANTS)
def test_of_a_constant_it_is_said_what_holds(tmp_path: Path, key: str) -> None:
    paths = write(tmp_path, "")

    asks: list[Callable[[], object]] = [
        lambda: read_setting(paths, key),
        lambda: change_setting(paths, key, "5", dry_run=False),
    ]
    for ask in asks:
        with pytest.raises(SettingsError) as raised:
            ask()
        assert raised.value.message == f"{key} is not a setting any more: {CONSTANTS[key]}"
    assert paths.settings.read_text() == ""


def test_what_is_said_of_a_constant_is_its_value() -> None:
    assert sorted([*IN_FORCE, *VALUELESS]) == sorted(CONSTANTS)
    for key, value in IN_FORCE.items():
        assert f"{value:g}" in CONSTANTS[key].split(), key


def test_no_key_is_both_retired_and_a_setting(tmp_path: Path) -> None:
    known = list_settings(write(tmp_path, ""))

    assert not {*SUCCESSORS, *CONSTANTS} & known.keys()
    assert {*SUCCESSORS.values()} <= known.keys()
    assert not SUCCESSORS.keys() & CONSTANTS.keys()
    assert find_retired("decay.hot_days") is None
