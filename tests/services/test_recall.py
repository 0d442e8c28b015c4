"""Answers of recall, from a real journal, database and index."""

import datetime as dt
import time
import zlib
from collections.abc import Iterable
from collections.abc import Iterator
from collections.abc import Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from engram.errors import AmbiguousNameError
from engram.errors import NotFoundError
from engram.errors import UnknownEntityError
from engram.errors import UnknownSessionError
from engram.model.document import Hit
from engram.services.index.catch_up import catch_up
from engram.services.recall.answer import Recall
from engram.services.recall.hits import first_line
from engram.services.recall.query import RecallAnswer
from engram.services.recall.query import RecallContext
from engram.services.recall.query import RecallQuery
from engram.workspace import Workspace
from tests.making import NOW

CONTRACT_KEYS = {"id", "kind", "text", "score", "date", "entity", "source", "tier", "trust", "path", "lines", "ref"}


class Memory:
    """A workspace that is asked."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace

    def write(self, text: str, entity: str = "people/anna", **fields: Any) -> str:
        result = self.workspace.submit("write", {"entity": entity, "text": text, "create": True, **fields})
        assert result.id, result
        return result.id

    def write_all(self, texts: Iterable[str], entity: str) -> None:
        """Write a fact for each text, as `write` does, but open the store once, and leave life/ as it is."""
        given = [{"entity": entity, "text": text, "create": True} for text in texts]
        with self.workspace.writing("test") as recorder:
            results = recorder.record([self.workspace.envelope("write", args) for args in given])
        assert all(result.id for result in results), results

    def say(self, *texts: str, session: str = "demo", **fields: Any) -> None:
        turns = [
            {"id": f"turn/{session}-{place}-{zlib.crc32(text.encode())}", "ref": text, "text": text, **fields}
            for place, text in enumerate(texts)
        ]
        self.workspace.submit("capture", {"session": session, "turns": turns})

    @contextmanager
    def open(self, *, indexed: bool = True, **around: Any) -> Iterator[Recall]:
        workspace = self.workspace
        fields = {"now": NOW, "zone": workspace.settings.zone, "decay": workspace.settings.decay, **around}
        circumstances = RecallContext(clock=time.perf_counter, **fields)
        with workspace.index.searching() as index:
            catch_up(workspace.journal, index, budget_s=None, clock=time.monotonic)
            workspace.index.notes.catch_up(index, None)
            index.embed_pending(None, time.monotonic)
            with workspace.reading() as database:
                yield Recall(index if indexed else None, database, circumstances)

    def ask(self, query: str, *, around: dict[str, Any] | None = None, **fields: Any) -> RecallAnswer:
        with self.open(**(around or {})) as recall:
            return recall.answer(RecallQuery(query=query, **fields))

    def texts(self, query: str, **fields: Any) -> list[str]:
        return [hit.text for hit in self.ask(query, **fields).hits]


@pytest.fixture
def memory(workspace: Workspace) -> Memory:
    return Memory(workspace)


# --- what is found ---------------------------------------------------------------------------------------------


def test_a_hit_has_the_keys_of_the_contract(memory: Memory) -> None:
    memory.write("Anna prefers tea", source={"actor": "user", "label": "letter"})

    (hit,) = memory.ask("what does Anna prefer").as_json()["hits"]

    assert hit.keys() >= CONTRACT_KEYS
    assert "legs" not in hit
    assert (hit["id"], hit["kind"], hit["entity"], hit["tier"]) == ("people/anna-001", "fact", "people/anna", "hot")
    assert (hit["source"], hit["trust"], hit["date"]) == ("letter", "trusted", "2026-03-02")


def test_an_answer_has_the_keys_of_the_contract(memory: Memory) -> None:
    answer = memory.ask("tea").as_json()

    assert answer.keys() == {
        *("hits", "answer", "tokens", "cut", "index_lag", "degraded", "took_ms", "probably_unknown"),
        *("asked_days", "model", "index"),
    }
    assert (answer["answer"], answer["index_lag"], answer["tokens"]) == ("nothing_known", 0, 0)
    assert answer["degraded"] == ["no embedding model: words only"]


def test_a_turn_is_found_by_its_inflected_word_and_carries_its_ref(memory: Memory) -> None:
    memory.say("Мы обсудили миграцию базы", speaker="Аня")

    (hit,) = memory.ask("миграции").hits

    assert (hit.kind, hit.ref, hit.session) == ("turn", "Мы обсудили миграцию базы", "demo")


def test_an_entity_named_in_another_case_brings_its_facts_first(memory: Memory) -> None:
    memory.write("Любит зелёный чай")
    memory.workspace.submit("entity-alias", {"path": "people/anna", "alias": "Анна"})
    memory.write("Любит чай чай чай", entity="people/boris")

    assert memory.texts("какой чай у Анны")[0] == "Любит зелёный чай"


@pytest.mark.parametrize(
    ("space", "expected"),
    [
        ("notes", {"Anna prefers tea"}),
        ("ops", {"We drank tea"}),
        ("self", {"- Offer tea to guests"}),
        ("all", {"Anna prefers tea", "We drank tea", "- Offer tea to guests"}),
    ],
)
def test_a_space_is_where_is_searched(memory: Memory, space: str, expected: set[str]) -> None:
    memory.write("Anna prefers tea")
    memory.say("We drank tea")
    memory.workspace.paths.self_file.write_text(
        "# About tea\n\n- Offer tea to guests\n\n# Tea letters\n\n- Sign with A.\n"
    )

    found = set(memory.texts("tea", space=space))

    assert {text for text in found if "tea" in text} == expected
    assert found - expected == ({"- Sign with A."} if space in {"self", "all"} else set())  # by the heading above it


def test_a_line_of_the_self_file_says_where_it_stands(memory: Memory) -> None:
    memory.workspace.paths.self_file.write_text("# Me\n- Offer tea")
    around = {"self_text": "# Me\n- Offer tea"}

    (hit,) = memory.ask("tea").hits
    with memory.open(indexed=False, **around) as recall:
        (plain,) = recall.answer(RecallQuery(query="tea")).hits

    for one in (hit, plain):  # without an index, too
        assert (one.kind, one.text, one.path, one.lines) == ("self", "- Offer tea", "MEMORY.md", "2")


def test_one_entity_can_be_asked_about_by_any_of_its_names(memory: Memory) -> None:
    memory.write("Anna drinks tea")
    memory.write("Boris drinks tea", entity="people/boris")
    memory.say("tea for all")

    for name in ("people/anna", "anna", "Anna"):
        assert memory.texts("tea", entity=name) == ["Anna drinks tea"]


def test_an_unknown_or_ambiguous_entity_is_an_error(memory: Memory) -> None:
    memory.write("x1 y2", entity="people/aaa")
    memory.write("x1 y2", entity="projects/aaa")

    with pytest.raises(UnknownEntityError):
        memory.ask("tea", entity="people/nobody")
    with pytest.raises(AmbiguousNameError):
        memory.ask("tea", entity="aaa")


def test_hits_are_limited_and_in_order_of_score(memory: Memory) -> None:
    memory.say(*(f"tea number {number}" for number in range(8)), "samovar tea")

    hits = memory.ask("samovar tea", limit=3).hits

    assert len(hits) == 3
    assert hits[0].text == "samovar tea"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_since_and_until_bound_the_time(memory: Memory) -> None:
    for day in (1, 2, 3):
        memory.say(f"tea on day {day}", at=f"2026-02-0{day}T12:00:00Z")

    second = dt.datetime(2026, 2, 2, tzinfo=dt.UTC)
    found = memory.texts("tea", since=second, until=second + dt.timedelta(days=1))

    assert found == ["tea on day 2"]


def test_one_text_is_shown_once(memory: Memory) -> None:
    memory.write("Anna prefers green tea")
    memory.say("anna prefers green tea.", "so Bo said", "So Bo said.")

    assert memory.texts("what tea does Anna prefer") == ["Anna prefers green tea", "so Bo said"]
    assert len(memory.texts("Bo")) == 1


# --- what is not served ----------------------------------------------------------------------------------------


def test_a_superseded_fact_is_never_served(memory: Memory) -> None:
    old = memory.write("Billing uses PostgreSQL 14", entity="projects/billing")
    memory.write("Billing uses PostgreSQL 16", entity="projects/billing", supersedes=[old])

    assert memory.texts("PostgreSQL 14") == ["Billing uses PostgreSQL 16"]


def test_a_fact_that_the_index_still_takes_for_live_is_not_served(memory: Memory) -> None:
    old = memory.write("Anna drinks tea")
    with memory.open():
        pass
    memory.workspace.submit("retract", {"id": old, "reason": "wrong"})
    with memory.workspace.index.searching() as index, memory.workspace.reading() as database:
        around = RecallContext(NOW, dt.UTC, memory.workspace.settings.decay, time.perf_counter, behind=1)
        answer = Recall(index, database, around).answer(RecallQuery(query="tea"))

    assert answer.hits == []
    assert (answer.answer, answer.index_lag) == ("degraded", 1)


def test_the_past_is_served_when_it_is_asked_for(memory: Memory) -> None:
    first, second = "2026-01-01T00:00:00Z", "2026-02-01T00:00:00Z"
    old = memory.write("Anna lives in Berlin", valid_from=first)
    memory.write("Anna lives in Madrid", valid_from=second, supersedes=[old])

    january = dt.datetime(2026, 1, 15, tzinfo=dt.UTC)

    assert memory.texts("where does Anna live", as_of=january) == ["Anna lives in Berlin"]
    assert memory.texts("where does Anna live", as_of=NOW) == ["Anna lives in Madrid"]
    assert memory.texts("where does Anna live", as_known=january) == []


def test_what_was_said_later_is_not_part_of_the_past(memory: Memory) -> None:
    memory.say("tea early", at="2026-01-01T12:00:00Z")
    memory.say("tea late", at="2026-02-01T12:00:00Z")

    assert memory.texts("tea", as_of=dt.datetime(2026, 1, 15, tzinfo=dt.UTC)) == ["tea early"]


def test_a_private_fact_is_seen_by_its_session_alone(memory: Memory) -> None:
    memory.write("The surprise is tea", scope="session:demo")
    memory.say("hello", session="demo")
    memory.say("hello there", session="other")

    assert memory.texts("surprise", session="demo") == ["The surprise is tea"]
    assert memory.texts("surprise", scopes=("session:demo",)) == ["The surprise is tea"]
    for session, kind in ((None, "withheld"), ("other", "nothing_known")):
        answer = memory.ask("surprise", session=session)
        assert (answer.hits, answer.answer) == ([], kind), "only the owner hears that something is kept from it"


def test_a_session_sees_of_raw_text_only_its_own_and_all_shared_facts(memory: Memory) -> None:
    memory.write("Tea is shared")
    memory.say("tea here", session="demo")
    memory.say("tea there", session="other")

    assert set(memory.texts("tea", session="demo")) == {"Tea is shared", "tea here"}


def test_an_unknown_session_is_an_error(memory: Memory) -> None:
    with pytest.raises(UnknownSessionError):
        memory.ask("tea", session="nowhere")


# --- kinds of empty answers ------------------------------------------------------------------------------------


def test_an_empty_answer_says_that_nothing_is_known(memory: Memory) -> None:
    memory.write("Anna prefers tea")

    assert memory.ask("submarine").answer == "nothing_known"


def test_an_empty_answer_says_that_something_is_withheld(memory: Memory) -> None:
    fact = memory.write("Anna owns a submarine")
    memory.workspace.submit("retract", {"id": fact, "reason": "a joke"})

    assert memory.ask("submarine").answer == "withheld"


def test_what_is_withheld_but_not_about_the_question_is_not_spoken_of(memory: Memory) -> None:
    fact = memory.write("Anna owns a yellow submarine and a boat house near the castle of a friend")
    memory.workspace.submit("retract", {"id": fact, "reason": "a joke"})

    answer = memory.ask(
        "who was queen of England when Spain lost its fleet off that castle", around={"threshold": 0.25}
    )

    assert answer.answer == "nothing_known"


def test_an_empty_answer_says_that_the_index_is_behind(memory: Memory) -> None:
    answer = memory.ask("submarine", around={"behind": 3})

    assert (answer.answer, answer.index_lag, answer.impaired) == ("degraded", 3, True)
    assert "the index is 3 journal records behind" in answer.degraded


def test_without_the_index_facts_are_still_found_by_words(memory: Memory) -> None:
    memory.write("Anna prefers tea")
    memory.write("Anna prefers a secret", scope="session:demo")
    memory.say("tea is a drink")

    around = {"indexed": False, "degraded": ("no index: broken",)}
    answer = memory.ask("who prefers tea", around=around)

    assert [hit.text for hit in answer.hits] == ["Anna prefers tea"]
    assert (answer.answer, answer.degraded, answer.impaired) == ("found", ["no index: broken"], True)
    assert memory.ask("submarine", around=around).answer == "degraded"


# --- budget, first lines, explanations -------------------------------------------------------------------------


def test_a_budget_gives_whole_hits_and_a_receipt_for_the_rest(memory: Memory) -> None:
    memory.say("tea", "tea and " + "very much " * 40 + "more")

    answer = memory.ask("tea", budget=10)

    assert [hit.text for hit in answer.hits] == ["tea"]
    assert answer.tokens <= 10
    (receipt,) = answer.cut
    assert receipt["tokens"] > 10
    assert receipt.keys() == {"id", "kind", "tokens"}


def test_when_nothing_fits_the_budget_the_answer_is_withheld(memory: Memory) -> None:
    memory.write("Anna prefers tea")

    answer = memory.ask("tea", budget=0)

    assert (answer.hits, answer.answer, len(answer.cut)) == ([], "withheld", 1)


def test_the_index_view_gives_first_lines_and_detail_the_whole_text(memory: Memory) -> None:
    memory.say("tea first\nsecond line")

    (hit,) = memory.ask("tea", index_only=True).hits
    with memory.open() as recall:
        (whole,) = recall.detail([hit.id])

    assert (hit.text, whole.text) == ("tea first", "tea first\nsecond line")


def test_detail_of_an_unknown_or_private_id_is_an_error(memory: Memory) -> None:
    private = memory.write("The surprise is tea", scope="session:demo")
    with memory.open() as recall:
        for key in ("people/nobody-001", private):
            with pytest.raises(NotFoundError, match=key):
                recall.detail([key])
        demo = RecallQuery(query="ids", scopes=("session:demo",))
        assert recall.detail([private], demo)[0].text == "The surprise is tea"


def explain(answer: RecallAnswer) -> dict[str, str]:
    assert answer.explain is not None
    dropped = answer.explain["dropped"]
    exits = {one["id"]: one["exit"] for one in dropped}
    assert len(exits) == len(dropped), "one exit each"
    assert answer.explain["candidates"] == len(dropped) + len(answer.hits)
    assert not exits.keys() & {hit.id for hit in answer.hits}
    return exits


def test_every_candidate_is_a_hit_or_takes_one_exit(memory: Memory) -> None:
    old = memory.write("Anna drinks tea")
    memory.write("Anna drinks green tea", supersedes=[old])
    secret = memory.write("Tea for the surprise", scope="session:demo")
    memory.say("tea " + "and so on " * 60, "Green tea now", "green tea now.", *(f"tea {number}" for number in range(6)))

    answer = memory.ask("tea green", limit=5, budget=20, explain=True)
    exits = explain(answer)

    assert (exits[old], exits[secret]) == ("superseded", "out_of_scope")
    assert set(exits.values()) >= {"superseded", "out_of_scope", "duplicate_text", "over_limit"}
    assert all(hit.legs and hit.legs["lexical"] > 0 for hit in answer.hits)


def test_an_explained_answer_has_the_same_hits(memory: Memory) -> None:
    old = memory.write("Anna drinks tea")
    memory.write("Anna drinks green tea", supersedes=[old])
    memory.say(*(f"tea {number}" for number in range(30)))

    def bare(hits: list[Hit]) -> list[Hit]:
        return [hit.model_copy(update={"legs": None}) for hit in hits]

    assert bare(memory.ask("green tea", explain=True).hits) == memory.ask("green tea").hits


# --- what it was, and what is now --------------------------------------------------------------------------------


def test_a_fact_carries_what_it_was_before_the_world_changed(memory: Memory) -> None:
    old = memory.write("The office is in Riga", entity="projects/engram")
    memory.write("The office is in Oslo", entity="projects/engram", supersedes=[old])

    (hit,) = memory.ask("where is the office").hits

    assert (hit.text, hit.was, hit.now) == ("The office is in Oslo", "The office is in Riga", None)


def test_a_correction_leaves_nothing_that_was(memory: Memory) -> None:
    old = memory.write("The office is in Riga", entity="projects/engram")
    memory.write("The office is in Oslo", entity="projects/engram", supersedes=[old], corrects=True)

    assert [hit.was for hit in memory.ask("where is the office").hits] == [None]


def test_raw_text_that_says_only_what_was_superseded_is_not_served(memory: Memory) -> None:
    memory.say("The office is in Riga.", "Riga is a fine town")
    old = memory.write("The office is in Riga", entity="projects/engram")
    memory.write("The office is in Oslo", entity="projects/engram", supersedes=[old])

    answer = memory.ask("office in Riga", explain=True)

    assert "The office is in Riga." not in [hit.text for hit in answer.hits]
    assert sorted(explain(answer).values()).count("superseded") == 2


def test_raw_text_that_says_more_carries_what_holds_now(memory: Memory) -> None:
    memory.say("We walked all morning. The office is in Riga, and from there we took the tram to the sea and back.")
    old = memory.write("The office is in Riga", entity="projects/engram")
    memory.write("The office is in Oslo", entity="projects/engram", supersedes=[old])

    hits = {hit.kind: hit for hit in memory.ask("tram to the office in Riga").hits}

    assert hits["turn"].now == "The office is in Oslo"


def test_raw_text_with_a_retracted_statement_says_so(memory: Memory) -> None:
    memory.say("We walked all morning. The office is in Riga, and from there we took the tram to the sea and back.")
    wrong = memory.write("The office is in Riga", entity="projects/engram")
    memory.workspace.submit("retract", {"id": wrong, "reason": "never was"})

    (hit,) = memory.ask("tram to the office in Riga").hits

    assert hit.now == "no longer held: The office is in Riga"


def test_a_retraction_about_one_person_withholds_nothing_of_another(memory: Memory) -> None:
    memory.write("Boris moves in May", entity="people/boris")
    wrong = memory.write("Prefers green tea")
    memory.workspace.submit("retract", {"id": wrong, "reason": "never did"})
    memory.say("Boris prefers green tea", "Anna prefers green tea")

    assert memory.texts("who prefers green tea") == ["Boris prefers green tea"]


# --- whether it is about the question ----------------------------------------------------------------------------


def test_a_question_about_something_else_brings_nothing(memory: Memory) -> None:
    memory.write("Anna keeps bees behind the old mill and sells honey at the market on Sundays")
    prompt = (
        "Write a cover letter for a senior accountant who moves from retail to aviation after ten years, "
        "two long pages, in the friendly tone of the market leaders, with examples of audits, budgets and teams"
    )

    answer = memory.ask(prompt, around={"threshold": 0.25}, explain=True)

    assert (answer.hits, answer.answer) == ([], "nothing_known")
    assert set(explain(answer).values()) == {"not_relevant"}
    assert memory.ask(prompt).hits, "a threshold of 0 brings everything"


class OneDirection:
    """A model to which all texts are alike; how close that is, is said when it is made."""

    name = "one direction"
    dimensions = 2

    def __init__(self, closeness: float) -> None:
        self._closeness = closeness

    def embed_passages(self, texts: Sequence[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return [1.0, 0.0]

    def closeness(self, question: str, cosine: float) -> float:
        return self._closeness * cosine


@pytest.mark.parametrize(("closeness", "brought"), [(None, False), (0.9, True), (0.2, False)])
def test_what_is_close_in_meaning_is_brought_though_few_words_are_shared(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, closeness: float | None, *, brought: bool
) -> None:
    model = None if closeness is None else OneDirection(closeness)
    monkeypatch.setitem(memory.workspace.index.__dict__, "embedder", (model, "a model of the test"))
    memory.write("Anna keeps bees")
    prompt = "bees, honey, garden, summer, jars, wax, candles, labels, market, stall, price, apron, gloves, smoke"

    answer = memory.ask(prompt, around={"threshold": 0.5})

    assert bool(answer.hits) is brought


@pytest.mark.parametrize(
    ("question", "unsure"),
    [
        ("does Anna keep bees", False),
        ("Anna at a wedding in June by the lake, with many guests and some violins", True),
    ],
)
def test_an_answer_that_has_little_of_the_question_is_marked(memory: Memory, question: str, unsure: bool) -> None:
    memory.write("Anna keeps bees")

    answer = memory.ask(question, around={"threshold": 0.25})

    assert (bool(answer.hits), answer.probably_unknown) == (True, unsure)


# --- the graph -----------------------------------------------------------------------------------------------------


def test_a_question_about_a_person_brings_what_is_known_of_those_near(memory: Memory) -> None:
    memory.write("Anna leads the lighthouse crew", related=["projects/lighthouse"])
    memory.write("The lamp is repaired in May", entity="projects/lighthouse")
    memory.write("The bakery closes in May", entity="projects/bakery")

    found = [hit.text for hit in memory.ask("Anna").hits]

    assert found == ["Anna leads the lighthouse crew", "The lamp is repaired in May"]
    assert [hit.text for hit in memory.ask("Anna", around={"graph": False}).hits] == ["Anna leads the lighthouse crew"]


# --- sessions --------------------------------------------------------------------------------------------------


def test_sessions_are_ranked_by_what_was_said_in_them(memory: Memory) -> None:
    memory.say("we bought a samovar", "green tea in the samovar", session="kitchen")
    memory.say("tea break", "deploy the billing service", session="office")
    memory.say("nothing of note", session="other")

    answer = memory.ask("tea samovar", by="session", explain=True)

    assert [hit.ref for hit in answer.hits] == ["kitchen", "office"]
    assert {(hit.kind, hit.id == hit.session) for hit in answer.hits} == {("session", True)}
    assert "samovar" in answer.hits[0].text
    explain(answer)


def test_documents_without_a_session_leave_by_that_exit(memory: Memory) -> None:
    fact = memory.write("Tea is shared")
    memory.say("tea here")

    answer = memory.ask("tea", by="session", explain=True)

    assert [hit.ref for hit in answer.hits] == ["demo"]
    assert explain(answer) == {fact: "no_session"}


def test_a_first_line_is_cut_at_its_limit() -> None:
    assert first_line("\n\n short \nsecond") == "short"
    assert first_line("") == ""
    assert len(first_line("x" * 500)) == 120
    assert first_line("x" * 500).endswith("…")


# --- the time that a question names ------------------------------------------------------------------------------


def test_what_was_said_at_the_time_that_is_asked_about_comes_first(memory: Memory) -> None:
    for place, day in enumerate(("2026-02-10T09:00:00Z", "2026-03-01T09:00:00Z", "2026-02-20T09:00:00Z")):
        memory.say(f"we talked about the boat, round {place}", session=f"s{place}", at=day)

    assert memory.texts("what did we say about the boat yesterday")[0] == "we talked about the boat, round 1"
    assert len(memory.texts("what did we say about the boat yesterday")) == 3, "the others are still there"


def test_a_question_of_nothing_but_a_time_brings_what_was_said_then(memory: Memory) -> None:
    memory.say("the mill burned down", session="a", at="2026-03-01T09:00:00Z")
    memory.say("rye is cheap", session="b", at="2026-02-01T09:00:00Z")

    assert memory.texts("what happened yesterday?", around={"threshold": 0.25}) == ["the mill burned down"]
