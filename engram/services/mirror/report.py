"""What a person should hear of a refresh of life/."""

from collections.abc import Mapping
from typing import Any


def mirror_warnings(stats: Mapping[str, Any]) -> list[str]:
    """Return a sentence for each edit that was refused or passed over, each damaged file, and each copy that was kept.

    Nothing when every edit was taken in.
    """
    words = [f"an edit in life/ was refused: {one}" for one in stats["refused"]]
    words += [f"an edit in life/ was passed over: {one}" for one in stats["ignored"]]
    words += [f"{one}; it was written anew" for one in stats["damaged"]]
    words += [f"a copy of that file is {one}" for one in stats["kept"]] if words else []
    if day := stats["held_since"]:
        words.append(
            f"more facts would leave the summaries at once than decay.survival_share lets go: they stay as on {day} "
            "until engram decay --accept lets them go, or a wrong clock or setting is mended"
        )
    return words
