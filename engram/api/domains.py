"""The verbs about domains: the scopes given to subagents."""

import contextlib
from collections.abc import Iterator
from collections.abc import Sequence
from typing import Any
from typing import Literal
from typing import get_args

from engram.api.opened import Opened
from engram.api.opened import require_one_of
from engram.base.text import require_plain
from engram.model.domain import DomainType
from engram.model.domain import ProposalStatus
from engram.model.domain import Role
from engram.operations.answers.ask import find_caller
from engram.operations.domains.domain_lock import hold_domains
from engram.operations.domains.domain_place import domain_files
from engram.operations.domains.domain_place import place_of_new
from engram.operations.domains.domain_prompt import domain_context
from engram.operations.domains.domain_prompt import domains_now
from engram.ports.text_files import TextFiles
from engram.services.domains.desk import DomainCommands
from engram.services.domains.desk import NewDomain
from engram.services.domains.registry import domain_view
from engram.services.domains.registry import get_domain
from engram.services.domains.registry import load_registry
from engram.services.domains.registry import open_proposals
from engram.services.domains.registry import proposal_view
from engram.services.facts.listing import get_entity_path
from engram.services.visibility import Caller

DomainKind = Literal["dev-project", "cron-task", "topic-thread", "meta", "peer-direct", "group-direct"]
RoleName = Literal["main", "subagent"]
OutcomeName = Literal["accept", "reject"]

_OUTCOMES = {"accept": ProposalStatus.ACCEPTED, "reject": ProposalStatus.REJECTED}


class Domains(Opened):
    """Domains and what they propose. `role` says who calls; None: a person, who may do everything.

    `session` is one that is kept apart and has domains of its own; without it, or with an open one, those of all are
    meant. All raise UnknownSessionError.
    """

    def domain_add(
        self,
        name: str,
        *,
        kind: DomainKind,
        entity: str | None = None,
        description: str = "",
        bind: Sequence[str] = (),
        cadence: str | None = None,
        role: RoleName | None = None,
    ) -> dict[str, Any]:
        """Make a domain; files that are there already stay as they are.

        Raises BadValueError, RefusedError, and NotFoundError or AmbiguousNameError for the session of a key.

        Args:
            name: a slug.
            kind: what it is.
            entity: person or project that it is about: path, title or alias.
            description: what it is for, in a sentence.
            bind: keys of chat threads that belong to it; `peer:ID` and `group:ID` make it that session's alone.
            cadence: how often it shows life, such as 12h; None: by its kind.
            role: who calls.
        """
        require_one_of("kind", kind, get_args(DomainKind))
        require_plain({"name": name, "description": description, "bind": list(bind), "cadence": cadence})
        with self._turn:
            about = None if entity is None else self._entity_path(entity)
            wanted = NewDomain(name, DomainType(kind), about, description, tuple(bind), cadence)
            files, bound_to = place_of_new(self._workspace, None, wanted.type, wanted.bindings)
            with self._desk(role, files) as desk:
                return {**desk.add(wanted), **({"session": bound_to} if bound_to else {})}

    def domain_list(
        self,
        *,
        all: bool = False,  # noqa: A002 - as the option is called
        session: str | None = None,
    ) -> list[dict[str, Any]]:
        """Return the domains by name, each with whether it shows life; with `all` also those that are archived."""
        with self._turn:
            at = self._workspace
            files = self._files(session)
            registry, folder = domains_now(at, files), files.paths.relative(files.paths.domains)
            found = [one for _, one in sorted(registry.domains.items()) if all or not one.archived]
            return [domain_view(registry, one, at.now(), folder) for one in found]

    def domain_show(self, name: str, *, session: str | None = None) -> dict[str, Any]:
        """Return one domain, by its name or a key that is bound to it. Raises NotFoundError."""
        with self._turn:
            at = self._workspace
            files = self._files(session)
            registry = domains_now(at, files)
            return domain_view(
                registry, get_domain(registry, name), at.now(), files.paths.relative(files.paths.domains)
            )

    def domain_context(self, name: str, *, session: str | None = None) -> str:
        """Return the whole prompt of a domain's subagent, which starts from nothing. Raises NotFoundError."""
        with self._turn:
            return domain_context(self._workspace, name, caller=self._caller(session))

    def domain_status(
        self, name: str, text: str, *, role: RoleName | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """Say where a domain stands; every status stays in the changelog. Raises NotFoundError, RefusedError."""
        require_plain({"name": name, "text": text})
        with self._turn, self._desk(role, self._files(session)) as desk:
            return desk.set_status(name, text)

    def domain_log(
        self, name: str, text: str, *, role: RoleName | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """Append an entry to a domain's changelog. Raises NotFoundError, RefusedError."""
        require_plain({"name": name, "text": text})
        with self._turn, self._desk(role, self._files(session)) as desk:
            return desk.log(name, text)

    def domain_propose(
        self, name: str, text: str, *, role: RoleName | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """Ask the main agent or a person for a decision. Raises NotFoundError, RefusedError."""
        require_plain({"name": name, "text": text})
        with self._turn, self._desk(role, self._files(session)) as desk:
            return desk.propose(name, text)

    def domain_proposals(self, *, session: str | None = None) -> list[dict[str, Any]]:
        """Return the proposals that wait to be decided, also those that were written into the files by hand."""
        with self._turn:
            at = self._workspace
            files = self._files(session)
            return [proposal_view(one) for one in open_proposals(load_registry(files), files, at.now())]

    def domain_decide(
        self,
        proposal_id: str,
        outcome: OutcomeName,
        *,
        note: str | None = None,
        role: RoleName | None = None,
        session: str | None = None,
    ) -> dict[str, Any]:
        """Accept or reject a proposal, by its id or the beginning of it. Raises NotFoundError, RefusedError."""
        require_one_of("outcome", outcome, _OUTCOMES)
        require_plain({"proposal_id": proposal_id, "note": note})
        with self._turn, self._desk(role, self._files(session)) as desk:
            return desk.decide(proposal_id, _OUTCOMES[outcome], note)

    def domain_archive(
        self, name: str, *, undo: bool = False, role: RoleName | None = None, session: str | None = None
    ) -> dict[str, Any]:
        """Put a domain out of use, or with `undo` back into it; its files stay. Raises NotFoundError, RefusedError."""
        require_plain({"name": name})
        with self._turn, self._desk(role, self._files(session)) as desk:
            return desk.archive(name, undo=undo)

    # -- inside

    @contextlib.contextmanager
    def _desk(self, role: RoleName | None, files: TextFiles) -> Iterator[DomainCommands]:
        require_one_of("role", role, get_args(RoleName))
        at = self._workspace
        with hold_domains(at, "domain"):
            who = None if role is None else Role(role)
            yield DomainCommands(files, now=at.now(), role=who)

    def _caller(self, session: str | None) -> Caller | None:
        return find_caller(self._workspace, session) if session else None

    def _files(self, session: str | None) -> TextFiles:
        return domain_files(self._workspace, self._caller(session))

    def _entity_path(self, name: str) -> str:
        with self._workspace.reading() as database:
            return get_entity_path(database, name)
