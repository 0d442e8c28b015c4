"""One HTML file that needs nothing else: no font, no picture, no script from anywhere."""

import html
from importlib import resources

from engram.services.pictures.canvas import MADE_BY
from engram.services.pictures.canvas import plain

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def page(title: str, body: str, script: str = "") -> bytes:
    """Return a page around a body, in which whoever calls has escaped what people wrote."""
    style = (resources.files("engram.services.pictures") / "page.css").read_text(encoding="utf-8")
    ending = f"<script>\n{script}</script>" if script else ""
    return (
        "<!DOCTYPE html>\n"
        f'<html lang="en"><head><meta charset="utf-8"><!-- {MADE_BY} -->\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(plain(title))}</title>\n<style>\n{style}</style></head>\n"
        f"<body><main>{body}</main>{ending}</body></html>\n"
    ).encode()
