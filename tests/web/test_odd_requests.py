"""Whatever is asked of the page's server: it answers with a view or with words, soon, and never with a failure."""

import itertools
import json
import random
import time
from collections.abc import Iterable
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from engram.web.app import VIEWS
from engram.web.changes import VERBS
from engram.web.reader import Reader
from engram.workspace import Workspace
from tests.conftest import WorkspaceWith
from tests.effort import examples
from tests.web.making import open_page

READERS = (Reader(), Reader(session="club"), Reader(agent="other"))
SLOW_S = 5  # on a busy machine; each takes milliseconds

PLACES = (
    *("", "people/anna", "anna", "Annie", "PEOPLE/ANNA", "people/anna-001", "people/none", "hers", "club", "projects"),
    *("%00", "%0a", "%ff", "%ed%a0%80", "a" * 3000, "../..", "%2e%2e/%2e%2e", "//", "people/", "%E2%80%AE", "'", "0"),
)
WORDS = (
    *("", "0", "-1", "1" * 5000, "00000000099999", "1e9", "٣", "²", "9999-12-31", "0001-01-01", "0000-00-00"),
    *("0001-01-01T00:00:00-23:00", "99999d", "2026-02-30", "\x00", "a" * 5000, "OR AND NEAR(", "(((((((", "last week"),
)
PARAMETERS = (
    *("since", "most", "days", "hot_days", "warm_days", "unsure_days", "kept_accesses", "k", "skip"),
    *("as_of", "as_known", "until", "q", "kind", "outcome", "clock"),
)
ODD: tuple[Any, ...] = (
    *(None, 0, -1, 1.5, 1e308, 10**30, True, [], {}, [1], {"a": 1}, [["x"]], "\x00", "\n", "a" * 20000),
    *("\ud800", ["\ud800"], [["\ud800"]], {"\ud800": 1}, "people/anna-001", "9999-12-31", "😀"),
)
USUAL = {
    "id": "people/anna-001",
    "text": "Anna likes it",
    "entity": "people/anna",
    "reason": "no",
    "alias": "Ani",
    "path": "people/anna",
    "new": "people/ann",
    "source": "people/bob",
    "into": "people/anna",
}


def fill(workspace: Workspace) -> None:
    for path, name in (("people/anna", "Anna"), ("people/bob", "Bob")):
        workspace.submit("write", {"entity": path, "text": f"{name} prefers tea", "create": True})
    workspace.submit("entity-alias", {"path": "people/anna", "alias": "Annie"})
    for name, kind in (("hers", "personal"), ("club", "group")):
        workspace.submit("session-add", {"name": name, "kind": kind})


@pytest.fixture
def filled(workspace_with: WorkspaceWith) -> Workspace:
    return workspace_with(fill)


def failures(client: TestClient, view: str, place: str, **words: str) -> Iterator[str]:
    """Yield what is wrong with the answer to one request."""
    began = time.monotonic()
    answer = client.get(f"/api/{view}/{place}" if place else f"/api/{view}", params=words)
    took = time.monotonic() - began
    if answer.status_code >= 500 or took > SLOW_S:
        yield f"{view}/{place[:20]} {words}"[:90] + f": {answer.status_code} in {took:.1f} s, {answer.text[:150]}"


def some(usual: int, requests: Iterable[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return as many of all requests as a run tries; each run takes others, and the nightly one more."""
    every = list(requests)
    return random.sample(every, min(examples(usual), len(every)))


# --- what failed once -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("view", "place", "words", "status"),
    [
        ("graph", "people/nobody", {}, 404),
        ("decay", "", {"warm_days": "00000000099999"}, 400),
        ("sessions", "hers", {"since": "1" * 5000}, 400),
    ],
)
def test_what_no_view_can_mean_is_refused(
    filled: Workspace, view: str, place: str, words: dict[str, str], status: int
) -> None:
    with open_page(filled) as client:
        assert client.get(f"/api/{view}/{place}".rstrip("/"), params=words).status_code == status


def test_an_entity_of_the_graph_is_found_by_any_of_its_names(filled: Workspace) -> None:
    with open_page(filled) as client:
        named, found = client.get("/api/graph/Annie"), client.get("/api/graph/people/anna")
    assert (named.status_code, named.json()) == (200, found.json())


@pytest.mark.parametrize(
    ("verb", "name", "odd"),
    [
        ("pin", "id", {"a": 1}),
        ("forget", "id", 1.5),
        ("entity-merge", "into", [["x"]]),
        ("entity-alias", "path", True),
        ("undo", "id", "\ud800"),
        ("write", "tags", [["\ud800"]]),
    ],
)
@pytest.mark.parametrize("door", ["plan", "apply"])
def test_an_argument_of_another_kind_is_refused(filled: Workspace, door: str, verb: str, name: str, odd: Any) -> None:
    with open_page(filled) as client:
        assert send(client, door, said_with(verb, name, odd)).status_code == 400


# --- anything ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reader", READERS, ids=["owner", "session", "agent"])
def test_a_view_of_any_place_is_answered(filled: Workspace, reader: Reader) -> None:
    with open_page(filled, reader) as client:
        asked = some(40, itertools.product(VIEWS, PLACES))
        assert [one for view, place in asked for one in failures(client, view, place)] == []


def test_a_view_with_any_parameter_is_answered(filled: Workspace) -> None:
    views = {"ask": "", "graph": "people/anna", "decay": "", "sessions": "hers", "today": "", "review": ""}
    with open_page(filled) as client:
        asked = some(60, itertools.product(views, PARAMETERS, WORDS))
        found = [
            one
            for view, name, word in asked
            for one in failures(client, view, views[view], **{"q": "what does Anna prefer", name: word})
        ]
    assert found == []


def test_a_change_with_any_arguments_is_planned_or_refused(filled: Workspace) -> None:
    places = [(name, place) for name, verb in VERBS.items() for place in (*verb.needs, *verb.allows, "verb", "seen")]
    every = [(name, place, odd) for name, place in places if name != "doctor-fix" for odd in ODD]
    found = []
    with open_page(filled) as client:
        for name, place, odd in random.sample(every, min(examples(100), len(every))):
            for door in ("plan", "apply"):
                answer = send(client, door, said_with(name, place, odd))
                if answer.status_code >= 500:
                    found.append(f"{door} {name} {place}={str(odd)[:20]!r}: {answer.text[:150]}")
    assert found == []


def said_with(verb: str, name: str, odd: Any) -> dict[str, Any]:
    """Return a usual request, but for one part of it."""
    args = {need: USUAL.get(need, "x") for need in VERBS[verb].needs}
    said: dict[str, Any] = {"verb": verb, "args": args, "seen": None}
    (said if name in {"verb", "seen"} else args)[name] = odd
    return said


def send(client: TestClient, door: str, said: dict[str, Any]) -> Any:
    return client.post(f"/api/{door}", content=json.dumps(said), headers={"Content-Type": "application/json"})
