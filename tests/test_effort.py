"""A night asks more of the properties than a usual run does."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CODE = """
from hypothesis import settings
from tests.effort import examples, load_profile
load_profile()
print(settings().max_examples, examples(2))
"""


def tried(profile: dict[str, str]) -> str:
    environment = {name: value for name, value in os.environ.items() if name != "HYPOTHESIS_PROFILE"} | profile
    done = subprocess.run(
        [sys.executable, "-c", CODE], cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_a_nightly_run_tries_seven_times_as_many_examples_dear_ones_too() -> None:
    assert tried({}) == "30 2"
    assert tried({"HYPOTHESIS_PROFILE": "nightly"}) == "210 14"
