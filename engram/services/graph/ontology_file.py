"""The types of relations that a workspace has: those of the package, as references/ontology.toml changes them."""

import tomllib
from pathlib import Path

from engram.base.toml_values import load_toml
from engram.errors import SettingsError
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import default_ontology
from engram.rules.relations.ontology import parse_ontology


def read_ontology(path: Path) -> Ontology:
    """Return the types; those of the package when there is no such file. Raises SettingsError for a bad one."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return default_ontology()
    except (OSError, UnicodeDecodeError) as problem:
        raise SettingsError(f"{path} cannot be read: {problem}", hint=f"mend {path}, or take it away") from problem
    try:
        return parse_ontology(load_toml(text), str(path))
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{path} is not valid TOML: {problem}", hint=f"mend {path} by hand") from problem
