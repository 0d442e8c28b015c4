import json
import subprocess
import sys
from pathlib import Path


def signal(*args: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run `engram signal` as a process."""
    command = [sys.executable, "-m", "engram", "signal", *args]
    return subprocess.run(command, input=given, capture_output=True, encoding="utf-8", check=False)


def test_signal_prints_the_contract_as_json() -> None:
    done = signal("Я предпочитаю Kotlin", "--json")

    value = json.loads(done.stdout)
    assert done.returncode == 0
    assert list(value) == ["signal", "categories", "confidence", "language", "spans", "reason"]
    assert (value["signal"], value["categories"], value["language"]) == ("high", ["preference"], "ru")
    assert value["spans"] == [{"start": 0, "end": 20, "text": "Я предпочитаю Kotlin", "category": "preference"}]


def test_signal_speaks_to_people_without_json() -> None:
    done = signal("I prefer tea")

    assert done.stdout.splitlines()[0].startswith("high (preference)")
    assert "it says what is preferred" in done.stdout


def test_text_may_come_from_standard_input_or_a_file(tmp_path: Path) -> None:
    file = tmp_path / "message.txt"
    file.write_text("We shipped the scheduler", "utf-8")

    assert json.loads(signal("-", "--json", given="We shipped the scheduler").stdout)["categories"] == ["milestone"]
    assert json.loads(signal("--file", str(file), "--json").stdout)["categories"] == ["milestone"]
    assert json.loads(signal("--file", "-", "--json", given="We shipped the scheduler").stdout)["signal"] == "high"


def test_text_that_begins_with_a_dash_is_text() -> None:
    done = signal("--json", "- I prefer tea")

    assert json.loads(done.stdout)["signal"] == "high"


def test_each_line_gets_one_result_and_bad_lines_are_reported() -> None:
    lines = '{"text": "I prefer tea"}\nnope\n{"text": 3}\n\n{"text": "ok"}\n'

    done = signal("--jsonl", "-", "--json", given=lines)

    values = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 2
    assert [value.get("signal") for value in values] == ["high", None, None, "none"]
    assert [value["details"] for value in values if "error" in value] == [{"line": 2}, {"line": 3, "field": "text"}]
    assert json.loads(done.stderr)["error"] == "MalformedInput"


def test_good_lines_exit_with_zero() -> None:
    done = signal("--jsonl", "-", given='{"text": "I prefer tea"}\n{"text": "ok"}\n')

    assert (done.returncode, done.stderr) == (0, "")


def test_wrong_usage_is_one_sentence_with_a_hint() -> None:
    for args in ((), ("a", "--file", "b"), ("--file", "/no/such/file"), ("--jsonl", "/no/such/file"), ("--nope", "x")):
        done = signal(*args)

        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith("error: ")
        assert "\nhint: " in done.stderr


def test_lines_are_ranked_by_what_they_tell() -> None:
    lines = '{"text": "Wow, thanks! How are you?"}\n{"text": "I went to Riga with my sister last week."}\n'

    chatter, telling = (json.loads(line) for line in signal("--jsonl", "-", "--json", given=lines).stdout.splitlines())

    assert 0 <= chatter["worth"] < telling["worth"] <= 1
    assert list(telling)[-1] == "worth"
