"""Lines of a crontab and units of systemd, as text."""

import plistlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engram.errors import BadValueError
from engram.heartbeat.schedule.cron_text import Call
from engram.heartbeat.schedule.cron_text import agent_file
from engram.heartbeat.schedule.cron_text import cron_line
from engram.heartbeat.schedule.cron_text import format_interval
from engram.heartbeat.schedule.cron_text import marked_lines
from engram.heartbeat.schedule.cron_text import parse_every
from engram.heartbeat.schedule.cron_text import punctuality
from engram.heartbeat.schedule.cron_text import unit_files
from engram.heartbeat.schedule.cron_text import with_line
from engram.heartbeat.schedule.cron_text import without_line

HOME = Call(("/usr/bin/python3", "-m", "engram", "--workspace", "/srv/anna/memory", "heartbeat", "run"), Path("/srv"))


@pytest.mark.parametrize(
    ("text", "seconds", "times"),
    [
        ("1m", 60, "* * * * *"),
        ("5m", 300, "*/5 * * * *"),
        ("30m", 1800, "*/30 * * * *"),
        ("60m", 3600, "0 * * * *"),
        ("1H", 3600, "0 * * * *"),
        ("2h", 7200, "0 */2 * * *"),
        (" 12 h", 43_200, "0 */12 * * *"),
        ("24h", 86_400, "0 0 * * *"),
        ("1d", 86_400, "0 0 * * *"),
    ],
)
def test_an_interval_as_cron_says_it(text: str, seconds: int, times: str) -> None:
    assert parse_every(text) == seconds
    assert cron_line(HOME, seconds).startswith(f"{times} /usr/bin/python3 -m engram")


@pytest.mark.parametrize("text", ["45m", "90m", "5h", "36h", "7d"])
def test_an_interval_that_cron_cannot_say_is_refused_and_systemd_takes_it(text: str) -> None:
    with pytest.raises(BadValueError, match=f"every {text}|every 1h|every"):
        cron_line(HOME, parse_every(text))
    assert f"OnUnitActiveSec={parse_every(text)}s" in "".join(unit_files(HOME, parse_every(text)).values())


@pytest.mark.parametrize("text", ["", "30", "0m", "-5m", "8d", "1.5h", "30 minutes", "half an hour", "30s", "9999999m"])
def test_what_is_no_interval_is_refused(text: str) -> None:
    with pytest.raises(BadValueError, match="--every"):
        parse_every(text)


@pytest.mark.parametrize("text", ["1m", "45m", "2h", "1d", "7d"])
def test_an_interval_is_spelled_as_it_is_read(text: str) -> None:
    assert format_interval(parse_every(text)) == text


@pytest.mark.parametrize("name", ["back\\slash", "line\nbreak", "carriage\rreturn"])
def test_a_path_that_cron_does_not_keep_is_refused(name: str) -> None:
    with pytest.raises(BadValueError, match="cron does not keep"):
        cron_line(Call(("/usr/bin/python3", name), Path("/srv")), 1800)


LINES = st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n")), max_size=5)


@given(LINES, LINES)
def test_adding_and_removing_gives_the_crontab_back(before: list[str], after: list[str]) -> None:
    crontab = "".join(f"{line}\n" for line in [*before, *after])
    line = cron_line(HOME, 1800)
    other = cron_line(Call(HOME.command, Path("/other")), 1800)
    added = with_line(crontab, line, HOME.mark)

    assert marked_lines(added, HOME.mark) == [line]
    assert without_line(added, HOME.mark) == crontab
    assert with_line(added, line, HOME.mark) == added
    assert without_line(
        with_line(with_line(crontab, line, HOME.mark), other, Call((), Path("/other")).mark), HOME.mark
    ) == with_line(crontab, other, Call((), Path("/other")).mark)


@pytest.mark.parametrize("breaks", ["\f", "\v", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029", "\r"])
def test_only_a_line_feed_ends_a_line(breaks: str) -> None:
    mine = f"0 1 * * * echo 'a{breaks}b'\n"
    added = with_line(mine, cron_line(HOME, 1800), HOME.mark)

    assert added == f"{mine}{cron_line(HOME, 1800)}\n"
    assert without_line(added, HOME.mark) == mine


def test_installing_again_replaces_the_line_in_its_place() -> None:
    crontab = with_line("# mine\n0 1 * * * backup\n", cron_line(HOME, 1800), HOME.mark) + "5 5 * * * later\n"
    again = with_line(crontab, cron_line(HOME, 300), HOME.mark)

    assert [line[:10] for line in again.splitlines()] == ["# mine", "0 1 * * * ", "*/5 * * * ", "5 5 * * * "]


def test_a_line_that_a_person_commented_out_stays() -> None:
    silenced = "# " + cron_line(HOME, 1800) + "\n"

    assert without_line(silenced, HOME.mark) == silenced
    assert marked_lines(silenced, HOME.mark) == []


def test_the_path_of_the_shell_goes_along() -> None:
    call = HOME._replace(path=("/srv/anna/.local/bin", "/srv/100% $HOME/bin", "/usr/bin", "/usr/bin"))

    assert "/usr/bin/env 'PATH=/srv/anna/.local/bin:/srv/100\\% $HOME/bin:/usr/bin' /usr/bin/python3 -m" in cron_line(
        call, 1800
    )
    service = unit_files(call, 1800)[f"{call.mark}.service"]
    assert 'ExecStart="/usr/bin/env" "PATH=/srv/anna/.local/bin:/srv/100%% $$HOME/bin:/usr/bin" "/usr/bin' in service


def test_one_env_is_enough_for_path_and_python() -> None:
    call = HOME._replace(command=("/usr/bin/env", "PYTHONPATH=/src", *HOME.command), path=("/usr/bin",))

    assert call.words()[:4] == ["/usr/bin/env", "PATH=/usr/bin", "PYTHONPATH=/src", "/usr/bin/python3"]


def test_a_long_path_is_cut_to_what_cron_takes_and_systemd_has_it_all() -> None:
    folders = tuple(f"/srv/{number:03d}/some/folder/bin" for number in range(100))
    call = HOME._replace(path=folders)
    line = cron_line(call, 1800)

    assert folders[0] in line
    assert folders[99] not in line
    assert len(line) < 1000
    assert ":".join(folders) in unit_files(call, 1800)[f"{call.mark}.service"]


def test_signs_that_mean_something_to_systemd_are_escaped() -> None:
    odd = Call(("/usr/bin/python3", '/a b/%h $HOME "q" \\ end'), Path("/a b/%h"))
    service = unit_files(odd, 1800)[f"{odd.mark}.service"]

    assert '"/a b/%%h $$HOME \\"q\\" \\\\ end"' in service
    assert "Description=Heartbeat of the Engram workspace %%h\n" in service


HOUR = 3600.0


@pytest.mark.parametrize(
    ("tick", "installed", "overdue", "due"),
    [
        (None, None, True, None),
        (None, 0.0, False, 1800),
        (None, 2 * HOUR, True, 1800 - 2 * HOUR),
        (0.5 * HOUR, None, False, None),
        (1.5 * HOUR, None, False, None),
        (1.6 * HOUR, None, True, None),
        (600.0, 100 * HOUR, False, 1200),
        (100 * HOUR, 0.1 * HOUR, False, 1800 - 360),
        (100 * HOUR, 90 * HOUR, True, 1800 - 90 * HOUR),
    ],
)
def test_what_is_overdue(tick: float | None, installed: float | None, overdue: bool, due: float | None) -> None:
    found = punctuality(tick, installed, 1800)

    assert (found.is_overdue, found.due_in_s) == (overdue, due)
    assert bool(found.why) is overdue


@pytest.mark.parametrize("odd", ["a\rb", "a\r\nb", "a\x01b", "a\x1b[2Jb", "a\ud800b", "a\ufffeb"])
def test_a_path_that_an_agent_would_not_keep_is_refused(odd: str) -> None:
    with pytest.raises(BadValueError):
        agent_file(Call(("/usr/bin/engram", odd), Path("/srv")), 1800)


@pytest.mark.parametrize("odd", ["a\nb", "</string><string>-c", "]]>&lt;", " a ", "\t"])
def test_an_agent_calls_what_it_was_told_whatever_the_path(odd: str) -> None:
    _, text = agent_file(Call(("/usr/bin/engram", odd), Path("/srv")), 1800)

    assert plistlib.loads(text.encode())["ProgramArguments"] == ["/usr/bin/engram", odd]
