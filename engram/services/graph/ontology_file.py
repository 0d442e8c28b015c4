"""The types of relations that a workspace has: those of the package, as references/ontology.toml changes them."""

import errno
import tomllib
from typing import Final

from engram.base.toml_values import load_toml
from engram.errors import SettingsError
from engram.ports.text_files import TextFiles
from engram.rules.relations.ontology import Ontology
from engram.rules.relations.ontology import default_ontology
from engram.rules.relations.ontology import parse_ontology

_MOST_BYTES: Final = 1 << 20


def read_ontology(files: TextFiles) -> Ontology:
    """Return the types; those of the package when there is no such file.

    Raises SettingsError for a bad one, and for a link: nothing outside the workspace is read.
    """
    path = files.paths.ontology
    try:
        text = files.read_within(path, _MOST_BYTES).decode()
    except FileNotFoundError:
        return default_ontology()
    except OSError as problem:
        why = "it is a link" if problem.errno in {errno.ELOOP, errno.ENOTDIR} else problem.strerror
        raise SettingsError(
            f"{path} cannot be read: {why}", hint=f"put the file there itself, or take {path} away"
        ) from problem
    except UnicodeDecodeError as problem:
        raise SettingsError(f"{path} is not UTF-8 text", hint=f"mend {path} by hand") from problem
    try:
        return parse_ontology(load_toml(text), str(path))
    except tomllib.TOMLDecodeError as problem:
        raise SettingsError(f"{path} is not valid TOML: {problem}", hint=f"mend {path} by hand") from problem
