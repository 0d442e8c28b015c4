"""Names in another script: which are heard as whose, and which are not."""

from engram.language.names.mentions import Known
from engram.language.names.sounds import SoundIndex
from tests.cases import for_each

KNOWN = [
    Known(path, (title,))
    for path, title in (
        ("projects/lantern", "Lantern"),
        ("projects/gate-display", "Gate Display"),
        ("projects/harbour", "Harbour"),
        ("people/juergen", "Jürgen"),
        ("people/boris", "Борис"),
        ("people/minjun", "민준"),
        ("people/anna", "Anna"),
        ("people/bill", "Bill"),
        ("people/wei", "伟"),
    )
]


@for_each(
    ("question", "heard"),
    [
        ("когда дедлайн Лантерна", [("Лантерна", "projects/lantern")]),
        ("что с лантерном у Минджуна", [("лантерном", "projects/lantern"), ("Минджуна", "people/minjun")]),
        ("랜턴은 언제 끝나", [("랜턴은", "projects/lantern")]),
        ("что с гейт дисплеем", [("гейт дисплеем", "projects/gate-display")]),
        ("게이트 디스플레이는 얼마나 자주", [("게이트 디스플레이는", "projects/gate-display")]),
        ("кто ведёт Харбор", [("Харбор", "projects/harbour")]),
        ("что любит Юрген", [("Юрген", "people/juergen")]),
        ("где друзья Анны", [("Анны", "people/anna")]),
        ("where does Boris live", [("Boris", "people/boris")]),
        ("보리스는 어디에 살아", [("보리스는", "people/boris")]),
        ("what does Minjun like", [("Minjun", "people/minjun")]),
    ],
)
def test_a_name_is_heard_in_another_script(question: str, heard: list[tuple[str, str]]) -> None:
    assert [(question[one.start : one.end], one.path) for one in SoundIndex(KNOWN).find(question)] == heard


@for_each(
    "question",
    [
        "он был там",
        "что она билась",
        "when is the Lantern due",
        "伟住在哪里",
        "где борщ",
        "누가 빌렸어",
        "где она живёт",
        "Лантерна " * 60,
    ],
)
def test_what_only_begins_alike_or_is_no_question_is_not(question: str) -> None:
    assert SoundIndex(KNOWN).find(question) == []


def test_a_short_name_needs_its_capital() -> None:
    mark = [Known("people/mark", ("Марк",))]

    assert SoundIndex(mark).find("what mark did I get") == []
    assert [one.path for one in SoundIndex(mark).find("what did Mark get")] == ["people/mark"]


def test_a_sound_that_two_share_is_nobodys() -> None:
    two = [Known("people/mark", ("Markus",)), Known("people/marcus", ("Marcus",))]

    assert SoundIndex(two).find("где Маркус") == []
    assert [one.path for one in SoundIndex(two[:1]).find("где Маркус")] == ["people/mark"]
