"""Domains: which there are and how they stand; one with its files, its changelog and its proposals."""

from typing import Any

from engram.operations.pages.domain_page import domain_list
from engram.operations.pages.domain_page import domain_page
from engram.services.visibility import require_owner
from engram.web.asked import Asked
from engram.web.asked import Page


def domains(page: Page, asked: Asked) -> dict[str, Any]:
    """Return {"domains"}, or with a name in the path that domain."""
    require_owner(page.caller, "domains")
    return domain_page(page.workspace, asked.rest) if asked.rest else {"domains": domain_list(page.workspace)}
