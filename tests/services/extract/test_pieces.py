"""Pieces of a statement in a conversation, which a full stop parted from what they are about."""

from engram.language.names.mentions import Known
from engram.model.handoff import HandoffFact
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import Passage
from engram.services.extract.pieces import is_of_something_before
from engram.services.extract.pieces import lacks_subject
from engram.services.extract.pieces import says_only_when
from tests.cases import for_each

OWNER = "people/mia"


def _told(said: str) -> list[HandoffFact]:
    turn = Passage("t", said, is_turn=True, speaker="user", occasion="talk", home="projects/soil", home_title="soil")
    return extract([turn], [Known(OWNER, ("Mia", "user"))], owner=OWNER, min_mentions=3).facts


@for_each(
    ("said", "piece"),
    [
        ("From next week. He's bringing his own drill.", "From next week."),
        ("yes do that. goes to Henning Paulsen, he runs the botany core", "goes to Henning"),
        ("no budget till spring anyway. Tomasz' ERC money starts in March", "no budget"),
    ],
)
def test_what_says_nothing_by_itself_is_no_fact(said: str, piece: str) -> None:
    assert [one.fact for one in _told(said) if piece in one.fact and not one.candidate] == []


@for_each(
    ("said", "facts"),
    [
        (
            "I'll submit an abstract for EGU in Vienna, as a talk. deadline 15 January, noch Zeit",
            ["I'll submit an abstract for EGU in Vienna, as a talk.", "EGU: deadline 15 January, noch Zeit"],
        ),
        (
            "I go to BAGECO in Ljubljana instead, in June. abstract until 31 January",
            ["I go to BAGECO in Ljubljana instead, in June.", "BAGECO: abstract until 31 January"],
        ),
    ],
)
def test_a_property_is_told_with_what_has_it(said: str, facts: list[str]) -> None:
    assert [one.fact for one in _told(said)] == facts


@for_each(
    "said",
    [
        "never push to main on Fridays",
        "no meetings on Fridays",
        "abstract deadline 15 January",
        "gym closes at 9 on Sundays",
        "from Monday on we use Postgres 16",
        "goes live on 3 May",
        "set seed 4711 in every script",
    ],
)
def test_a_terse_statement_with_a_topic_of_its_own_is_a_fact(said: str) -> None:
    assert [(one.fact, one.candidate) for one in _told(said)] == [(said, False)]


@for_each(
    ("text", "only"),
    [
        ("From next week.", True),
        ("until 31 January", True),
        ("ab nächster Woche", True),
        ("à partir de lundi", True),
        ("desde el lunes", True),
        ("с понедельника", True),
        ("从下周开始", True),
        ("다음 주부터", True),
        ("standup is 9:15", False),
        ("from Monday on we use Postgres", False),
        ("Montags kein Training", False),
        ("door code 4410", False),
        ("4410", False),
    ],
)
def test_what_is_a_time_and_nothing_more(text: str, only: bool) -> None:
    assert says_only_when(text) is only


@for_each(
    ("text", "lacks"),
    [
        ("goes to Henning Paulsen, he runs the botany core", True),
        ("no budget till spring anyway.", True),
        ("geht an Henning Paulsen", True),
        ("fängt am Montag an", True),
        ("kein Budget bis Frühjahr sowieso", True),
        ("va à Bruno", True),
        ("pas de budget avant mai de toute façon", True),
        ("sin presupuesto hasta mayo de todos modos", True),
        ("нет бюджета до весны всё равно", True),
        ("no meetings on Fridays", False),
        ("no rainbow palettes in plots", False),
        ("Geht klar", False),
        ("Commence par les tests", False),
        ("empieza el lunes", False),
        ("нет встреч по пятницам", False),
    ],
)
def test_what_leaves_out_of_what_it_speaks(text: str, lacks: bool) -> None:
    assert lacks_subject(text) is lacks


@for_each(
    ("text", "is_property"),
    [
        ("deadline 15 January, noch Zeit", True),
        ("abstract until 31 January", True),
        ("Frist 15. Januar", True),
        ("date limite 15 janvier", True),
        ("plazo hasta el 15 de enero", True),
        ("срок до 15 января", True),
        ("截止日期是1月15日", True),
        ("마감은 1월 15일", True),
        ("deadline of Lantern is 15 January", False),
        ("abstract deadline 15 January", False),
        ("entry is free for members", False),
    ],
)
def test_what_is_a_property_with_its_value_alone(text: str, is_property: bool) -> None:
    assert is_of_something_before(text) is is_property
