"""How each known program is asked without a person at it: flags, environment, and the files that it should find.

Each works in an empty folder of its own, so that it finds no instructions, settings or hooks of a project; its flags
keep its user's settings, hooks, tools and servers out, and leave no session behind. Engram's own hooks keep nothing of
it in any case: they see in the environment of what the heartbeat starts that it is the heartbeat's.
"""

import json
import os
import shutil
import sys
from collections.abc import Callable
from collections.abc import Mapping
from collections.abc import Sequence
from typing import Final
from typing import NamedTuple

from engram.base.machine.api_key import find_api_key
from engram.config.sections.heartbeat import HeartbeatSettings
from engram.heartbeat.child.chat import KEY
from engram.heartbeat.child.phases import Phase
from engram.heartbeat.child.phases import child_environment
from engram.heartbeat.child.replies import Reply
from engram.heartbeat.child.replies import read_claude
from engram.heartbeat.child.replies import read_codex
from engram.heartbeat.child.replies import read_gemini
from engram.heartbeat.child.replies import read_ollama
from engram.heartbeat.child.replies import read_openai

PROGRAMS: Final = ("claude", "codex", "gemini", "ollama")
"""What may be found on PATH, in the order in which it is offered."""

OLLAMA_URL: Final = "http://127.0.0.1:11434"  # where Ollama listens unless told otherwise
_ANSWER_ROOM: Final = 8192  # tokens of an answer for which Ollama keeps room behind the prompt
_SYSTEM: Final = (
    "You read notes and conversations for a memory. You have no tools. Answer in the form that is asked for."
)
_NO_ONE: Final = "none"  # a name that no tool, server or extension has: an empty list would allow all

# What of the environment each gets: where its login lies, its key, its address and its model.
_CLAUDE: Final = (
    *("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_MODEL"),
    *("CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CONFIG_DIR"),
)
_CODEX: Final = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "CODEX_API_KEY", "CODEX_HOME")
_GEMINI: Final = (
    *("GEMINI_API_KEY", "GEMINI_MODEL", "GEMINI_CLI_HOME", "GOOGLE_API_KEY", "GOOGLE_APPLICATION_CREDENTIALS"),
    *("GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION", "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GENAI_USE_GCA"),
)


class Preset(NamedTuple):
    """A program and how it is asked."""

    name: str  # claude, codex, gemini, ollama, http
    command: tuple[str, ...]  # gets the prompt on standard input
    read: Callable[[str], Reply]  # its standard output
    variables: tuple[str, ...] = ()  # of our environment that it gets besides what everybody gets
    fixed: Mapping[str, str] = {}  # what its environment says in any case
    files: Mapping[str, str] = {}  # path in its folder -> text


def choose_agent(
    phase: Phase, settings: HeartbeatSettings, asked: tuple[str, ...]
) -> tuple[tuple[str, ...], Preset | None]:
    """Return the command that answers for a phase, empty for the built-in child, and the preset that it is of.

    The more particular word counts: `asked` by the caller of the run, then the phase's own settings, then a program of
    the user's, then `heartbeat.agent`.
    """
    if not phase.has_agent:
        return (), None
    of_phase = settings.phases.of(phase.name)
    own = of_phase.agent_command
    if asked or own:
        return asked or own or (), None
    if own is None and of_phase.agent is None and settings.agent_command:
        return settings.agent_command, None
    preset = find_preset(settings, of_phase.agent) if own is None else None
    return (preset.command, preset) if preset else ((), None)


def find_preset(settings: HeartbeatSettings, agent: str | None = None) -> Preset | None:
    """Return what `agent` names, such as claude:haiku, and what `heartbeat.agent` names when it is None.

    None when that is empty.
    """
    kind, _, model = (settings.agent if agent is None else agent).partition(":")
    if not kind:
        return None
    preset = _PRESETS[kind](settings, model or settings.agent_model)
    return preset._replace(variables=(*preset.variables, *settings.agent_environment))


def _claude(_: HeartbeatSettings, model: str) -> Preset:
    # --bare would leave the login of a subscription out, too.
    command = (
        *("claude", "-p", "--output-format", "json", "--system-prompt", _SYSTEM, "--tools", ""),
        *("--setting-sources", "", "--settings", json.dumps({"disableAllHooks": True})),
        *("--strict-mcp-config", "--disable-slash-commands", "--no-session-persistence"),
    )
    return Preset(
        "claude",
        (*command, *_model_flag(model)),
        read_claude,
        _CLAUDE,
        {"DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
    )


def _codex(_: HeartbeatSettings, model: str) -> Preset:
    off = (
        *("features.hooks=false", "features.shell_tool=false", "features.unified_exec=false", "features.apps=false"),
        *('web_search="disabled"', 'approval_policy="never"', "project_doc_max_bytes=0"),
    )
    command = (
        *("codex", "exec", "--json", "--color", "never", "--skip-git-repo-check", "--sandbox", "read-only"),
        *("--ephemeral", "--ignore-user-config", "--ignore-rules"),
        *(word for setting in off for word in ("-c", setting)),
    )
    return Preset("codex", (*command, *_model_flag(model), "-"), read_codex, _CODEX)


def _gemini(_: HeartbeatSettings, model: str) -> Preset:
    # The settings of its folder count for more than its user's, once the folder is trusted.
    settings = {"hooksConfig": {"enabled": False}, "tools": {"core": [_NO_ONE]}, "general": {"enableAutoUpdate": False}}
    command = (
        *("gemini", "--output-format", "json", "--extensions", _NO_ONE, "--allowed-mcp-server-names", _NO_ONE),
        *_model_flag(model),
        *("--prompt", "Answer in the form that is asked for above."),
    )
    return Preset(
        "gemini",
        command,
        read_gemini,
        _GEMINI,
        {"GEMINI_CLI_TRUST_WORKSPACE": "true", "NO_COLOR": "1"},
        {".gemini/settings.json": json.dumps(settings)},
    )


def _ollama(settings: HeartbeatSettings, model: str) -> Preset:
    # Not `ollama run`: that tells no tokens, and cuts a prompt that is longer than the model's default silently.
    url = settings.agent_url or _ollama_host(os.environ.get("OLLAMA_HOST", ""))
    room = settings.agent_tokens + _ANSWER_ROOM
    return Preset("ollama", _chat("ollama", url, model, room), read_ollama, fixed=_chat_environment(settings, url))


def _http(settings: HeartbeatSettings, model: str) -> Preset:
    url = settings.agent_url
    return Preset("http", _chat("openai", url, model, 0), read_openai, fixed=_chat_environment(settings, url))


_PRESETS: Final[Mapping[str, Callable[[HeartbeatSettings, str], Preset]]] = {
    "claude": _claude,
    "codex": _codex,
    "gemini": _gemini,
    "ollama": _ollama,
    "http": _http,
}


def _model_flag(model: str) -> tuple[str, ...]:
    return ("--model", model) if model else ()


def _chat(interface: str, url: str, model: str, room: int) -> tuple[str, ...]:
    return (sys.executable, "-P", "-m", "engram.heartbeat.child.chat", interface, url.rstrip("/"), model, str(room))


def _chat_environment(settings: HeartbeatSettings, url: str) -> dict[str, str]:
    own = child_environment()
    key = find_api_key(settings.agent_key_variable, url)
    return {name: own[name] for name in ("PYTHONPATH", "PYTHONUTF8")} | ({KEY: key} if key else {})


def _ollama_host(host: str) -> str:
    """Return the address that OLLAMA_HOST means: `host`, `host:port` or an address; where it listens, it is asked."""
    if not host:
        return OLLAMA_URL
    scheme, _, rest = host.rpartition("://")
    name, _, port = rest.rstrip("/").partition(":")
    name = "127.0.0.1" if name in {"", "0.0.0.0"} else name  # noqa: S104 - to be asked, not to be listened on
    return f"{scheme or 'http'}://{name}:{port or '11434'}"


# --- what is here ------------------------------------------------------------------------------------------------


def found_programs() -> list[str]:
    """Return which of the programs are on PATH, in the order in which they are offered."""
    return [name for name in PROGRAMS if shutil.which(name)]


def offer(names: Sequence[str]) -> str:
    """Return in one line how a model that is here is let in; empty when none is."""
    if not names:
        return ""
    value = "ollama:MODEL" if names[0] == "ollama" else names[0]
    others = f" (so {'is' if len(names) == 2 else 'are'} {' and '.join(names[1:])})" if names[1:] else ""
    return f"{names[0]} is here{others}: engram config heartbeat.agent {value} lets it read for the heartbeat"
