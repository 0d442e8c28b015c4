"""The skill and the block: every command in them exists, and no placeholder is left."""

import re
from pathlib import Path

import click
import pytest

from engram.cli.main import cli
from engram.hooks.installation.agent_texts import block_text
from engram.hooks.installation.agent_texts import skill_text

ROOT = Path("/a/my memory")


def commands_in(text: str) -> list[list[str]]:
    spans = [one or other for one, other in re.findall(r"`([^`\n]+)`|^ {4}(engram .+)$", text, re.MULTILINE)]
    return [span.split()[1:] for span in spans if span.startswith("engram ")]


@pytest.mark.parametrize("text", [skill_text(ROOT), block_text(ROOT)], ids=["skill", "block"])
def test_every_command_that_is_named_exists(text: str) -> None:
    found = commands_in(text)

    assert len(found) >= 4
    for call in found:
        words = call[3:] if call[0] == "--workspace" else call
        assert call == words or " ".join(call[1:3]) == f"'{ROOT}'"
        command: click.Command | None = cli
        while isinstance(command, click.Group):
            command = command.get_command(click.Context(command), words.pop(0))
        assert command is not None
        options = {name for param in command.params for name in param.opts}
        assert {word for word in words if word.startswith("--")} <= options


def test_no_slot_is_left() -> None:
    assert "{{" not in skill_text(ROOT) + block_text(ROOT)


def test_the_skill_has_the_front_matter_that_hosts_read() -> None:
    head = skill_text(ROOT).split("---\n")[1]
    fields = dict(line.split(": ", 1) for line in head.strip().splitlines())

    assert fields["name"] == "engram"
    assert 50 <= len(fields["description"]) <= 1024
    assert ": " not in fields["description"]
