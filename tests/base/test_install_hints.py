"""A command to install a part names this distribution, and fits the environment in which the program runs."""

import json
import sys
from pathlib import Path

import pytest

from engram.base.machine.install_hints import install_command


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment of its own, from a folder whose name holds a blank."""
    folder = tmp_path / "a checkout"
    installed = tmp_path / "site-packages"
    metadata = installed / "engram_heartbeat-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: engram-heartbeat\nVersion: 1.0\n")
    (metadata / "direct_url.json").write_text(json.dumps({"url": folder.as_uri(), "dir_info": {"editable": True}}))
    monkeypatch.setattr(sys, "path", [str(installed), *sys.path])
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr("engram.base.machine.install_hints.find_spec", lambda name: object() if name == "pip" else None)
    return tmp_path


@pytest.mark.parametrize(
    ("receipt", "expected"),
    [
        ("uv-receipt.toml", "uv tool install 'engram-heartbeat[mcp]'"),
        ("pipx_metadata.json", "pipx install --force 'engram-heartbeat[mcp]'"),
    ],
)
def test_a_tool_is_installed_again_with_the_extra(environment: Path, receipt: str, expected: str) -> None:
    (environment / receipt).touch()
    (environment / "site-packages" / "engram_heartbeat-1.0.dist-info" / "direct_url.json").unlink()

    assert install_command("mcp") == expected


@pytest.mark.parametrize(
    ("receipt", "begins"), [("uv-receipt.toml", "uv tool install"), ("pipx_metadata.json", "pipx install --force")]
)
def test_a_tool_from_a_checkout_is_installed_from_there_again(environment: Path, receipt: str, begins: str) -> None:
    (environment / receipt).touch()

    assert install_command("mcp") == f"{begins} '{environment}/a checkout[mcp]'"


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize(
    ("has_pip", "expected"),
    [
        (True, "'/some where/python' -m pip install 'engram-heartbeat[offline]'"),
        (False, "uv pip install --python '/some where/python' 'engram-heartbeat[offline]'"),
    ],
)
def test_a_plain_environment_is_named_by_its_python(
    has_pip: bool, expected: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engram.base.machine.install_hints.find_spec", lambda _name: object() if has_pip else None)
    monkeypatch.setattr(sys, "executable", "/some where/python")

    assert install_command("offline") == expected


@pytest.mark.parametrize("receipt", ["uv-receipt.toml", "pipx_metadata.json"])
def test_an_extra_that_is_there_is_kept(environment: Path, receipt: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (environment / receipt).touch()
    monkeypatch.setattr("engram.base.machine.install_hints.find_spec", lambda name: object() if name == "mcp" else None)

    assert install_command("offline").endswith(f" '{environment}/a checkout[mcp,offline]'")
    assert install_command("mcp").endswith(f" '{environment}/a checkout[mcp]'")


def test_without_an_extra_the_name_stands_alone(environment: Path) -> None:
    (environment / "uv-receipt.toml").touch()

    assert install_command() == f"uv tool install '{environment}/a checkout'"
