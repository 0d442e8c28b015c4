"""The commands `domain propose`, `domain proposals` and `domain decide`: what waits for the main agent or a person."""

import click

from engram.base.counts import counted
from engram.cli.invocation.options import EngramCommand
from engram.cli.invocation.options import check_words
from engram.cli.invocation.options import invocation
from engram.cli.invocation.silo import asked_by
from engram.cli.maintenance.domain_desk import open_desk
from engram.cli.maintenance.domain_desk import place_of_asker
from engram.cli.maintenance.domain_desk import writes
from engram.cli.maintenance.domain_desk import writes_text
from engram.language.screen.fence import barred
from engram.language.screen.fence import fence
from engram.language.screen.fence import visible
from engram.model.domain import ProposalStatus
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.domains.registry import proposal_view

_OUTCOMES = {"accept": ProposalStatus.ACCEPTED, "reject": ProposalStatus.REJECTED}


@click.command(cls=EngramCommand)
@writes_text
def propose(name: str, text: str, *, role: str | None, session: str | None, agent: str | None, dry_run: bool) -> None:
    """Ask the main agent or a person for a decision.

    \b
    Example:
      engram domain propose nightly-backup "Keep copies on two disks"
    """
    check_words(name=name, text=text)
    with open_desk(role, place_of_asker(session, agent), dry_run=dry_run) as desk:
        shown = desk.propose(name, text)
    would = "would propose  " if dry_run else ""
    invocation().emit(shown, lambda: f"{would}{shown['proposal']['id']}  {shown['proposal']['text']}")


@click.command(cls=EngramCommand)
@asked_by
def proposals(session: str | None, agent: str | None) -> None:
    """List the proposals that wait to be decided, also those that were written into the files by hand.

    \b
    Example:
      engram domain proposals
    """
    files = place_of_asker(session, agent)
    found = open_proposals(load_registry(files), files, invocation().workspace().now())
    lines = [barred(visible(f"{one.id}: {one.text}")) for one in found]
    shown = {"proposals": [proposal_view(one) for one in found]}
    text = "\n".join(fence(counted(len(found), "proposal"), lines)) if found else "nothing waits to be decided"
    invocation().emit(shown, text)


@click.command(cls=EngramCommand)
@click.argument("proposal_id", metavar="ID")
@click.argument("outcome", type=click.Choice(list(_OUTCOMES)))
@click.option("--note", metavar="T", help="Why.")
@writes
def decide(
    proposal_id: str,
    outcome: str,
    *,
    note: str | None,
    role: str | None,
    session: str | None,
    agent: str | None,
    dry_run: bool,
) -> None:
    """Accept or reject a proposal, by its id or the beginning of it.

    \b
    Example:
      engram domain propose nightly-backup "Keep copies for a year"
      engram domain decide nightly-backup accept --note "the law wants it"
    """
    check_words(id=proposal_id, note=note)
    with open_desk(role, place_of_asker(session, agent), dry_run=dry_run) as desk:
        shown = desk.decide(proposal_id, _OUTCOMES[outcome], note)
    one = shown["proposal"]
    would = "would be " if dry_run else ""
    invocation().emit(shown, f"{one['id']} {would}{one['status']}: {one['text']}")
