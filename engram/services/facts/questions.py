"""Questions of a few fixed forms, answered from typed facts with their ids, or not at all."""

from collections.abc import Iterable
from collections.abc import Sequence
from typing import Any
from typing import Final
from typing import NamedTuple

from engram.language.compare.slots.asked_attributes import names_one_of
from engram.language.compare.slots.slots import canonical
from engram.language.terms.terms import terms
from engram.model.fact import Fact
from engram.model.fact import Trust
from engram.model.vocabulary import Category
from engram.model.vocabulary import Standing
from engram.ports.database import FactDatabase
from engram.ports.database import FactFilter
from engram.rules.temporal import PLANNED
from engram.rules.temporal import standing
from engram.services.facts.listing import Moment
from engram.services.facts.listing import fact_views
from engram.services.facts.listing import get_entity_path
from engram.services.visibility import visible_scopes

LATEST: Final = "latest"  # the form that asks for the newest facts
_MOST_LATEST: Final = 5
FOUND: Final = "found"
NOTHING_KNOWN: Final = "nothing_known"


class _Form(NamedTuple):
    categories: frozenset[Category]
    attributes: frozenset[str] | None  # of the registry, see patterns/attributes.toml; None: any


_OF_OTHERS: Final = ("manages", "leads", "owns", "member-of")
_FORMS: Final = {
    "who": _Form(
        frozenset({Category.IDENTITY, Category.RELATIONSHIP}),
        frozenset({"name", "role", "employer", "spouse", "manager", "owner", "lead", "skill", "age", *_OF_OTHERS}),
    ),
    "when": _Form(
        frozenset({Category.MILESTONE, Category.COMMITMENT}),
        frozenset({"birthday", "deadline", "start-date", "release-date"}),
    ),
    "where": _Form(
        frozenset(),
        frozenset({"city", "country", "address", "timezone", "hosting", "host", "region", "repository", "url", "path"}),
    ),
    LATEST: _Form(frozenset(Category), frozenset()),
    "prefers": _Form(
        frozenset({Category.PREFERENCE}),
        frozenset({"favourite-colour", "favourite-food", "favourite-drink", "editor", "shell", "theme", "browser"}),
    ),
    "what": _Form(frozenset(), None),
}
TEMPLATES: Final = tuple(_FORMS)
_HOLDING: Final = frozenset({Standing.ACTIVE})
_TOLD: Final = {"when": _HOLDING | {PLANNED}}  # the day of what is to come is asked for, too


def answer_template(
    database: FactDatabase,
    template: str,
    name: str,
    words: Sequence[str],
    moment: Moment,
    *,
    also: Iterable[Fact] = (),
) -> dict[str, Any]:
    """Return {"template", "entity", "answer", "facts"}: the newest first; `answer` is found or nothing_known.

    `words` are further words of the question: only facts that hold all of them, in any of their forms, are told. `also`
    are facts about others that answer the question by what they say of the entity.
    Raises UnknownEntityError, AmbiguousNameError.
    """
    path = get_entity_path(database, name, moment.caller)
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    form = _FORMS[template]
    wanted = frozenset(terms(" ".join(words)))
    active = database.list_facts(FactFilter(entity=path, scopes=scopes))
    to_come = _TOLD.get(template, _HOLDING) - _HOLDING  # of whatever kind, it says when it is
    fitting = [fact for fact in active if _fits(fact, form) or _stands(fact, moment, to_come)]
    listed = [fact for fact in (*fitting, *also) if _stands(fact, moment, _HOLDING | to_come)]
    found = [fact for fact in listed if wanted <= frozenset(terms(_words_of(fact.text, fact.attribute, fact.value)))]
    found.sort(key=lambda fact: (fact.valid_from, fact.recorded_at, fact.id), reverse=True)
    told = found[:_MOST_LATEST] if template == LATEST else found
    answer = FOUND if told else NOTHING_KNOWN
    return {"template": template, "entity": path, "answer": answer, "facts": fact_views(database, told, moment)}


def answer_attributes(
    database: FactDatabase,
    template: str,
    name: str,
    asked: Sequence[frozenset[str]],
    moment: Moment,
    *,
    also: Iterable[Fact] = (),
) -> dict[str, Any]:
    """Return what `answer_template` does, of the facts about an entity that fill every attribute that is asked for.

    Each member of `asked` is a choice of attributes. A statement without attribute fills one that its own words name,
    where no fact is known to fill it. `also` are facts about others that answer the question.
    Raises UnknownEntityError, AmbiguousNameError.
    """
    path = get_entity_path(database, name, moment.caller)
    scopes = () if moment.caller is None else visible_scopes(moment.caller)
    told_of = _TOLD.get(template, _HOLDING)
    facts = [
        one for one in database.list_facts(FactFilter(entity=path, scopes=scopes)) if _stands(one, moment, told_of)
    ]
    filled = [one for one in facts if one.attribute and all(canonical(one.attribute) in choice for choice in asked)]
    told = [*filled, *(one for one in also if _stands(one, moment, told_of))]
    if not told:
        told = [one for one in facts if not one.attribute and all(names_one_of(one.text, choice) for choice in asked)]
    told.sort(key=lambda fact: (fact.valid_from, fact.recorded_at, fact.id), reverse=True)
    answer = FOUND if told else NOTHING_KNOWN
    return {"template": template, "entity": path, "answer": answer, "facts": fact_views(database, told, moment)}


def nearest_first(views: Iterable[dict[str, Any]], words: Sequence[str]) -> list[dict[str, Any]]:
    """Return facts, those first that have more of these words of a question; of equals in the order as they come."""
    wanted = frozenset(terms(" ".join(words)))
    return sorted(
        views,
        key=lambda view: -len(wanted & frozenset(terms(_words_of(view["text"], view["attribute"], view["value"])))),
    )


def tells(template: str, asked: Iterable[frozenset[str]]) -> bool:
    """Tell whether a form is answered by one of these attributes by itself, whatever else a question says."""
    attributes = _FORMS[template].attributes
    return attributes is not None and any(choice & attributes for choice in asked)


def _stands(fact: Fact, moment: Moment, among: frozenset[str]) -> bool:
    return fact.trust != Trust.QUARANTINED and standing(fact, moment.now) in among


def _fits(fact: Fact, form: _Form) -> bool:
    if fact.category in form.categories:
        return True
    return fact.attribute is not None and (form.attributes is None or canonical(fact.attribute) in form.attributes)


def _words_of(*said: str | None) -> str:
    return " ".join(filter(None, said)).replace("-", " ")
