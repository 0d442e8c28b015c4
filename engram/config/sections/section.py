"""What every section of engram.toml is: values that do not change, and no key that is unknown."""

from pydantic import BaseModel
from pydantic import ConfigDict


class Section(BaseModel):
    """One table of engram.toml."""

    model_config = ConfigDict(frozen=True, extra="forbid")
