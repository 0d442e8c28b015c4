"""`timeline`, `diff` and `ask`: facts in order of time, what changed, and questions of fixed forms."""

from typing import Any

import pytest

from engram.workspace import Workspace
from tests.cases import for_each
from tests.conftest import Engram
from tests.conftest import WorkspaceWith
from tests.conftest import engram_in


def write(engram: Engram, text: str, *options: str, entity: str = "people/anna", now: str = "2026-02-02") -> str:
    said = ("write", "--entity", entity, "--create", "--fact", text, "--now", f"{now}T12:00:00Z", "--json", *options)
    answer = engram(*said)
    assert answer.code == 0, answer.err
    return str(answer.json["id"])


def texts(views: list[dict[str, Any]]) -> list[str]:
    return [view["text"] for view in views]


@pytest.fixture
def career(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_career)


def write_career(workspace: Workspace) -> None:
    """Write Anna at two employers, one statement that was never true, and one that a group alone may see."""
    engram = engram_in(workspace)
    slot = ("--attribute", "employer", "--value")
    write(engram, "Anna works at Acme", *slot, "Acme", "--valid-from", "2024-01-01", now="2026-01-05")
    write(engram, "Anna works at Globex", *slot, "Globex", "--valid-from", "2025-06-01", now="2026-02-02")
    wrong = write(engram, "Anna was born in Riga", "--valid-from", "2023-01-01", now="2026-02-03")
    engram("retract", wrong, "--reason", "it was Vera", "--now", "2026-02-04T12:00:00Z")
    engram("session", "add", "club", "--kind", "group")
    engram("session", "add", "family", "--kind", "group")
    secret = ("--session", "family", "--valid-from", "2024-05-01", "--category", "preference")
    write(engram, "Anna wants a violin", *secret, now="2026-02-05")


@pytest.mark.usefixtures("career")
def test_a_timeline_tells_what_held_in_the_order_in_which_it_began(engram: Engram) -> None:
    found = engram("timeline", "anna", "--json").json

    assert found["entity"] == "people/anna"
    assert texts(found["facts"]) == ["Anna works at Acme", "Anna wants a violin", "Anna works at Globex"]
    assert "2024-01-01 - 2025-06-01  people/anna-001  Anna works at Acme" in engram("timeline", "anna").out


@pytest.mark.usefixtures("career")
@pytest.mark.parametrize(
    ("bounds", "told"),
    [
        (["--until", "2024-02-01"], ["Anna works at Acme"]),
        (["--since", "2025-06-01"], ["Anna wants a violin", "Anna works at Globex"]),
        (["--since", "2025-01-01", "--until", "2025-02-01"], ["Anna works at Acme", "Anna wants a violin"]),
    ],
)
def test_a_timeline_is_bound_by_days(engram: Engram, bounds: list[str], told: list[str]) -> None:
    assert told == texts(engram("timeline", "anna", *bounds, "--json").json["facts"])


@pytest.mark.usefixtures("career")
def test_what_is_private_to_one_group_is_told_to_no_other(engram: Engram) -> None:
    violin = "Anna wants a violin"
    for command in (["timeline", "anna"], ["diff", "--since", "2026-01-01"], ["ask", "prefers", "anna"]):
        assert violin in engram(*command, "--session", "family", "--now", "2026-02-06T12:00:00Z").out
        assert violin not in engram(*command, "--session", "club", "--now", "2026-02-06T12:00:00Z").out


@pytest.mark.usefixtures("career")
def test_a_diff_tells_what_came_what_was_replaced_and_what_was_taken_back(engram: Engram) -> None:
    found = engram("diff", "--since", "monday", "--now", "2026-02-05T18:00:00Z", "--json").json

    assert texts(found["created"]) == ["Anna works at Globex", "Anna was born in Riga", "Anna wants a violin"]
    assert texts(found["superseded"]) == ["Anna works at Acme"]
    assert texts(found["retracted"]) == ["Anna was born in Riga"]


@pytest.mark.usefixtures("career")
def test_a_diff_has_two_spellings(engram: Engram) -> None:
    options = engram("diff", "--since", "2026-01-01", "--until", "2026-02-01", "--json")
    span = engram("diff", "2026-01-01..2026-02-01", "--json")

    assert texts(options.json["created"]) == ["Anna works at Acme"]
    assert options.out == span.out


def test_a_diff_is_also_between_two_positions_of_the_journal(engram: Engram) -> None:
    heads = [engram("status", "--json").json["journal_position"]]
    for number in (1, 2, 3):
        engram("write", "--entity", "people/anna", "--create", "--fact", f"Anna reads book {number}")
        heads.append(engram("status", "--json").json["journal_position"])
    engram("retract", "anna-002", "it was Vera")

    second = engram("diff", f"{heads[1]}..{heads[2]}", "--json").json
    assert {kind: [one["id"] for one in told] for kind, told in second.items()} == {
        "created": ["people/anna-002"],
        "superseded": [],
        "retracted": [],
        "promoted": [],
    }
    since = engram("diff", str(heads[2]), "--json").json
    assert [[one["id"] for one in since[kind]] for kind in ("created", "retracted")] == [
        ["people/anna-003"],
        ["people/anna-002"],
    ]


def test_a_diff_tells_what_was_promoted(engram: Engram) -> None:
    for text, more in (("Anna may move to Oslo", ["--candidate"]), ("Anna may learn Dutch", ["--candidate"])):
        engram("write", "--entity", "people/anna", "--create", "--fact", text, "--now", "2026-03-01T10:00:00Z", *more)
    noticed = engram("observe", "Anna asks for sums on Mondays", "--entity", "people/anna", "--json").json["id"]
    before = engram("status", "--json").json["journal_position"]
    engram("confirm", "anna-001", "--now", "2026-03-02T10:00:00Z")
    made = engram("review", "answer", noticed, "promote", "--now", "2026-03-02T10:00:00Z")
    promoted = ["people/anna-001", "people/anna-003"]
    assert made.code == 0, made.err

    for span in (["--since", "2026-03-02", "--until", "2026-03-02"], [f"{before}..{before + 2}"]):
        found = engram("diff", *span, "--now", "2026-03-03T10:00:00Z", "--json").json
        assert [one["id"] for one in found["promoted"]] == promoted
    assert engram("diff", "--since", "2026-03-01", "--until", "2026-03-01", "--json").json["promoted"] == []


@pytest.mark.parametrize("span", ["9..3", "3..today", "2026-03-01..2026-02-01"])
def test_a_stretch_of_nothing_is_refused(engram: Engram, span: str) -> None:
    answer = engram("diff", span)

    assert (answer.code, answer.err.count("hint: ")) == (2, 1)


@pytest.mark.parametrize("said", ["monday", "Mon", "last monday", "2026-02-02"])
def test_a_weekday_is_the_last_one(engram: Engram, said: str) -> None:
    write(engram, "Anna sings", now="2026-02-01")
    write(engram, "Anna plays chess", now="2026-02-02")

    found = engram("diff", "--since", said, "--now", "2026-02-04T12:00:00Z", "--json").json

    assert texts(found["created"]) == ["Anna plays chess"]


def test_nothing_changed_is_said(engram: Engram) -> None:
    assert engram("diff", "--since", "yesterday").out == "nothing changed\n"


@pytest.mark.parametrize("args", [[], ["monday", "--since", "today"], ["--since", "someday"]])
def test_a_diff_without_a_moment_is_refused(engram: Engram, args: list[str]) -> None:
    assert engram("diff", *args).code == 2


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (["who"], ["Anna is Boris's sister"]),
        (["where"], ["Anna lives in Tartu"]),
        (["prefers"], ["Anna prefers window seats", "Anna prefers green tea"]),
        (["prefers", "anna", "tea"], ["Anna prefers green tea"]),
        (["prefers", "anna", "seat"], ["Anna prefers window seats"]),
        (["prefers", "anna", "coffee"], []),
        (["when"], ["Anna launched the shop"]),
        (["when", "anna", "launch"], ["Anna launched the shop"]),
    ],
    ids=" ".join,
)
def test_a_question_is_answered_from_typed_facts_or_not_at_all(
    engram: Engram, question: list[str], told: list[str]
) -> None:
    write(engram, "Anna is Boris's sister", "--category", "relationship")
    write(engram, "Anna lives in Tartu", "--attribute", "city", "--value", "Tartu")
    write(engram, "Anna prefers green tea", "--category", "preference", now="2026-02-02")
    write(engram, "Anna prefers window seats", "--category", "preference", now="2026-02-03")
    write(engram, "Anna launched the shop", "--category", "milestone", "--valid-from", "2025-05-05")

    template, *rest = question
    found = engram("ask", template, *(rest or ["anna"]), "--json").json

    assert told == texts(found["facts"])
    assert ("found" if told else "nothing_known") == found["answer"]


def test_when_something_is_to_come_is_told_of_whatever_kind_it_is(engram: Engram) -> None:
    write(engram, "Anna sends the shop to the store on 5 May", "--category", "decision", "--valid-from", "2026-05-05")
    write(engram, "Anna sells shoes", "--category", "decision")

    told = engram("ask", "when", "anna", "--now", "2026-02-04T12:00:00Z").out
    held = engram("ask", "when", "anna", "--now", "2026-05-06T12:00:00Z", "--json").json

    assert told == "2026-05-05  Anna sends the shop to the store on 5 May  [people/anna-001]\n"
    assert held["facts"] == []


def test_an_answer_cites_its_fact_and_latest_tells_the_newest_first(engram: Engram) -> None:
    for day in range(1, 8):
        write(engram, f"Anna ran {day} miles and {day} more", now=f"2026-02-0{day}")

    lines = engram("ask", "latest", "anna").out.splitlines()

    assert len(lines) == 5
    assert lines[0] == "2026-02-07  Anna ran 7 miles and 7 more  [people/anna-007]"


def test_an_unknown_entity_or_form_is_refused(engram: Engram) -> None:
    assert engram("ask", "who", "nobody").code == 3
    assert engram("ask", "why", "nobody").code == 2
    assert engram("timeline", "nobody").code == 3


def write_team(workspace: Workspace) -> None:
    """Write who leads Atlas and what is known of Anna, each in four languages."""
    engram = engram_in(workspace)
    for path, title, text, slot in (
        ("projects/atlas", "Atlas", "Omar leads Atlas", "lead=Omar"),
        ("projects/starmap", "星图", "小王负责星图", "lead=小王"),
        ("people/anna", "Anna", "Anna moved to Riga", "city=Riga"),
        ("people/vera", "Вера", "Вера живёт в Риге", "city=Рига"),
        ("people/minji", "민지", "민지는 부산에 산다", "city=부산"),
    ):
        attribute, _, value = slot.partition("=")
        said = ("--entity", path, "--title", title, "--create", "--fact", text)
        assert engram("write", *said, "--attribute", attribute, "--value", value).code == 0
    assert engram("entity", "add", "people/kim", "--title", "Kim", "--alias", "I", "--alias", "me").code == 0
    for text in ("My manager is Olga", "I live in Tartu"):
        assert engram("write", "--entity", "me", "--fact", text, "--category", "identity").code == 0


@pytest.fixture
def team(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_team)


@pytest.mark.usefixtures("team")
@for_each(
    ("question", "told"),
    [
        ("who leads Atlas", ["Omar leads Atlas"]),
        ("who leads atlas?", ["Omar leads Atlas"]),
        ("who funds Atlas", []),
        ("谁负责星图", ["小王负责星图"]),
        ("where does Anna live", ["Anna moved to Riga"]),
        ("где живёт Вера", ["Вера живёт в Риге"]),
        ("민지는 어디에 살아", ["민지는 부산에 산다"]),
        ("where anna riga", ["Anna moved to Riga"]),
        ("where anna oslo", []),
        ("who is my manager", ["My manager is Olga"]),
        ("where do I live", ["I live in Tartu"]),
        ("где я живу", ["I live in Tartu"]),
        ("我住在哪里", ["I live in Tartu"]),
    ],
)
def test_ask_takes_a_question_in_plain_words(engram: Engram, question: str, told: list[str]) -> None:
    asked = question.split()

    found = engram("ask", *asked, "--json").json

    assert texts(found["facts"]) == told
    assert texts(engram("ask", question, "--json").json["facts"]) == told or asked[1] == "anna"


@pytest.mark.usefixtures("team")
@for_each(
    ("question", "heard", "told"),
    [
        ("где живёт Анна", "Анна", "Anna moved to Riga"),
        ("где живут друзья Анны", "Анны", "Anna moved to Riga"),
        ("что нового про Атлас", "Атлас", "Omar leads Atlas"),
        ("아틀라스는 누가 이끌어", "아틀라스는", "Omar leads Atlas"),
    ],
)
def test_a_name_in_another_script_is_heard_and_that_is_said(
    engram: Engram, question: str, heard: str, told: str
) -> None:
    found = engram("ask", question, "--json").json
    text = engram("ask", question).out

    assert found["heard"] == heard
    assert told in text
    assert f'note: "{heard}" is taken for {found["entity"]}, which sounds like it' in text


def write_tongues(workspace: Workspace) -> None:
    """Write of persons and things what has an attribute, each in the words of one language."""
    engram = engram_in(workspace)
    assert engram("entity", "add", "people/kim", "--title", "Kim", "--alias", "I", "--alias", "me").code == 0
    for path, title, text in (
        ("people/kim", "", "Мой руководитель — Ольга"),
        ("people/kim", "", "Мою жену зовут Вера"),
        ("people/kim", "", "Ich bin mit Olga unterwegs, meine Schwester ist Jutta"),
        ("people/kim", "", "Mein Gehalt wird im Mai neu verhandelt"),
        ("people/wang", "王磊", "王磊在腾讯工作"),
        ("people/wang", "王磊", "王磊住在上海"),
        ("projects/billing-zh", "计费系统", "计费系统的预算是20万元"),
        ("people/minsu", "민수", "민수는 결제 서비스를 담당한다"),
        ("people/minsu", "민수", "민수는 대전에 산다"),
        ("people/minsu", "민수", "민수는 34살이다"),
        ("projects/payments", "결제 서비스", "결제 서비스의 마감일은 2027년 5월 12일입니다"),
        ("projects/billing-ru", "Биллинг", "Биллинг работает на порту 8080"),
        ("people/omar", "Омар", "Омар отвечает за Биллинг"),
    ):
        said = ("--entity", path, *(("--title", title, "--create") if title else ()), "--fact", text)
        assert engram("write", *said, "--category", "context").code == 0


@pytest.fixture
def tongues(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_tongues)


@pytest.mark.usefixtures("tongues")
@for_each(
    ("question", "told"),
    [
        ("кто мой начальник", ["Мой руководитель — Ольга"]),
        ("谁是我的经理", ["Мой руководитель — Ольга"]),
        ("내 매니저가 누구야", ["Мой руководитель — Ольга"]),
        ("wer ist meine Chefin", ["Мой руководитель — Ольга"]),
        ("quién es mi jefe", ["Мой руководитель — Ольга"]),
        ("qui est mon chef", ["Мой руководитель — Ольга"]),
        ("как зовут мою жену", ["Мою жену зовут Вера"]),
        ("wie heißt meine Frau", ["Мою жену зовут Вера"]),
        ("王磊在哪里工作", ["王磊在腾讯工作"]),
        ("王磊住在哪里", ["王磊住在上海"]),
        ("计费系统有多少预算", ["计费系统的预算是20万元"]),
        ("누가 결제 서비스를 담당해", ["민수는 결제 서비스를 담당한다"]),
        ("결제 서비스는 언제까지야", ["결제 서비스의 마감일은 2027년 5월 12일입니다"]),
        ("на каком порту работает биллинг", ["Биллинг работает на порту 8080"]),
        ("кто отвечает за биллинг", ["Омар отвечает за Биллинг"]),
        ("wie viel verdiene ich", ["Mein Gehalt wird im Mai neu verhandelt"]),
        ("민수는 몇 살이야", ["민수는 34살이다"]),
        ("кто мой первый начальник", []),
        ("wo arbeite ich", []),
        ("какой бюджет у биллинга", []),
    ],
)
def test_ask_finds_what_a_word_of_the_question_asks_for_in_any_language(
    engram: Engram, question: str, told: list[str]
) -> None:
    assert texts(engram("ask", question, "--json").json["facts"]) == told


def write_farm(workspace: Workspace) -> None:
    """Write what is so on a farm, of which no fact fills an attribute that the questions ask for."""
    engram = engram_in(workspace)
    for day, (path, text) in enumerate(
        (
            ("projects/orchard", "Our vet is Petra Lindqvist, she comes on Mondays"),
            ("projects/orchard", "The cider pressing starts on 3 October 2026"),
            ("projects/orchard", "The spare key hangs behind the dairy"),
            ("people/jonna", "Jonna called: the deadline for the harvest plan moved to 9 September"),
            ("projects/orchard", "Unser Imker heißt Anselm Krone"),
            ("projects/orchard", "Le vétérinaire de garde est Paul Morel"),
            ("projects/orchard", "La cosecha empieza el 4 de agosto"),
            ("projects/orchard", "Сидром занимается Олег Шубин"),
            ("projects/orchard", "果园的会计是周敏"),
            ("projects/orchard", "사과 구매 담당자는 한지우 씨예요"),
            ("projects/orchard", "The roof of the barn has a hole"),
            ("projects/orchard", "The harvest helpers from Estonia arrive in time"),
        ),
        start=1,
    ):
        said = ("--entity", path, "--create", "--fact", text, "--category", "status")
        assert engram("write", *said, "--now", f"2026-02-{day:02d}T12:00:00Z").code == 0


@pytest.fixture
def farm(workspace_with: WorkspaceWith) -> None:
    workspace_with(write_farm)


@pytest.mark.usefixtures("farm")
@for_each(
    ("question", "told"),
    [
        ("who is our vet?", "Our vet is Petra Lindqvist, she comes on Mondays"),
        ("when does the cider pressing start?", "The cider pressing starts on 3 October 2026"),
        ("where does the spare key hang?", "The spare key hangs behind the dairy"),
        ("when is the harvest plan due?", "Jonna called: the deadline for the harvest plan moved to 9 September"),
        ("Wer ist unser Imker?", "Unser Imker heißt Anselm Krone"),
        ("Qui est le vétérinaire de garde ?", "Le vétérinaire de garde est Paul Morel"),
        ("¿Cuándo empieza la cosecha?", "La cosecha empieza el 4 de agosto"),
        ("Кто занимается сидром?", "Сидром занимается Олег Шубин"),
        ("果园的会计是谁？", "果园的会计是周敏"),
        ("사과 구매 담당자는 누구예요?", "사과 구매 담당자는 한지우 씨예요"),
    ],
)
def test_a_question_that_names_nobody_is_answered_by_the_fact_that_says_it_in_its_words(
    engram: Engram, question: str, told: str
) -> None:
    found = engram("ask", question, "--json").json

    assert (found["answer"], texts(found["facts"])) == ("found", [told])
    assert found["entity"] == found["facts"][0]["entity"]
    assert "recalled" not in found


@pytest.mark.usefixtures("farm")
@for_each(
    "question",
    [
        "who mends the roof of the barn?",  # nothing says who
        "when do the harvest helpers arrive?",  # nothing says when
        "who was our first vet?",  # only the present one is known
        "who is our vet and who is our cook?",
    ],
)
def test_what_lacks_a_word_or_the_kind_of_answer_is_recalled_only(engram: Engram, question: str) -> None:
    assert engram("ask", question, "--json").json["facts"] == []


@pytest.mark.usefixtures("farm")
def test_of_two_that_answer_in_its_words_the_newer_comes_first_whomever_it_is_about(engram: Engram) -> None:
    write(engram, "Petra retires; from now on our vet is Jarle Vik", entity="people/petra", now="2026-02-20")

    found = engram("ask", "who is our vet?", "--json").json
    named = engram("ask", "who is our vet in the orchard?", "--json").json

    assert [text[:7] for text in texts(found["facts"])] == ["Petra r", "Our vet"]
    assert found["entity"] is None
    assert texts(named["facts"]) == ["Our vet is Petra Lindqvist, she comes on Mondays"]


@pytest.mark.usefixtures("farm")
def test_what_is_given_out_as_an_answer_counts_as_used(engram: Engram) -> None:
    vet = engram("ask", "who is our vet?", "--json").json["facts"][0]["id"]

    engram("heartbeat", "run", "--phase", "maintenance")

    assert engram("show", vet, "--json").json["access_count"] == 1


@pytest.mark.usefixtures("team")
@for_each(
    ("question", "told"),
    [("Wer leitet Atlas?", "Omar leads Atlas"), ("Où habite Anna ?", "Anna moved to Riga")],
)
def test_ask_takes_german_and_french(engram: Engram, question: str, told: str) -> None:
    assert told in engram("ask", question).out


@pytest.mark.usefixtures("team")
def test_what_no_fact_answers_is_recalled_and_that_is_said(engram: Engram) -> None:
    found = engram("ask", "did Omar ever lead Atlas", "--json").json
    text = engram("ask", "did Omar ever lead Atlas").out

    assert (found["answer"], found["facts"]) == ("nothing_known", [])
    assert found["recalled"]["hits"][0]["id"] == "projects/atlas-001"
    assert "asks for none of who, when, where, latest, prefers, what; recall finds:" in text
    assert "projects/atlas-001" in text


@pytest.mark.usefixtures("team")
def test_of_what_is_doubted_the_nearest_alone_is_shown(engram: Engram) -> None:
    found = engram("ask", "who painted the roof of the old zoo near Tartu in green", "--json").json

    assert found["recalled"]["probably_unknown"] is True
    assert len(found["recalled"]["hits"]) == 1
    assert (
        "what recall finds nearest is this"
        in engram("ask", "who painted the roof of the old zoo near Tartu in green").out
    )


@pytest.mark.usefixtures("team")
def test_what_recall_does_not_find_either_is_refused(engram: Engram) -> None:
    assert engram("ask", "who bakes croissants").code == 3
    assert "and recall finds nothing about it" in engram("ask", "who bakes croissants").err
    assert engram("ask", "bakes croissants").code == 2
    assert "recalled" not in engram("ask", "where anna oslo", "--json").json


def test_a_day_on_which_something_was_said_is_not_told_as_its_day(engram: Engram) -> None:
    deadline = ("--attribute", "deadline", "--value", "12 May")
    write(engram, "The deadline is 12 May", *deadline, entity="projects/atlas")
    write(engram, "The release is near", "--category", "milestone", entity="projects/boreas")

    assert engram("ask", "when", "atlas").out == "2026-05-12  The deadline is 12 May  [projects/atlas-001]\n"
    assert engram("ask", "when", "boreas").out == "said 2026-02-02  The release is near  [projects/boreas-001]\n"


@for_each(
    ("said", "day"),
    [
        ("Status: report module due 3 December", "2026-12-03"),
        ("Das Modul ist am 3. Dezember fällig", "2026-12-03"),
        ("le module est à rendre le 3 décembre", "2026-12-03"),
        ("el módulo vence el 3 de diciembre", "2026-12-03"),
        ("Сдача модуля 3 декабря", "2026-12-03"),
        ("报告模块12月3日到期", "2026-12-03"),
        ("보고서 모듈 마감은 12월 3일이다", "2026-12-03"),
        ("The demo is on 5 December", "2026-12-05"),
        ("The demo is in January 2027", "2027-01"),
        ("I will send the report by 3 December", "2026-12-03"),
    ],
)
def test_when_is_answered_with_the_day_that_the_words_of_a_fact_name(engram: Engram, said: str, day: str) -> None:
    write(engram, said, "--category", "commitment" if "will" in said else "milestone", now="2026-11-18")

    told = engram("ask", "when", "anna", "--now", "2026-11-21T12:00:00Z").out

    assert told.startswith(f"{day}  {said}")


def test_a_fact_of_a_note_is_of_the_day_that_it_names_and_not_of_the_notes(
    engram: Engram, workspace: Workspace
) -> None:
    note = workspace.paths.root / "memory" / "2026-11-18.md"
    note.parent.mkdir(exist_ok=True)
    note.write_text("## Decisions\n- tidewater: report module due 3 December.\n", encoding="utf-8")
    engram("entity", "add", "projects/tidewater")
    engram("heartbeat", "run", "--now", "2026-11-20T12:00:00Z")

    told = engram("ask", "when is the report module of tidewater due", "--now", "2026-11-21T12:00:00Z").out

    assert told.startswith("2026-12-03  ")


def test_a_fact_without_a_word_of_the_question_comes_behind_those_that_have_one(engram: Engram) -> None:
    write(engram, "Anna is at the dentist on Nov 24 at 8:30", "--valid-from", "2026-11-24", now="2026-11-20")
    write(engram, "Anna needs grpc with mTLS", "--valid-from", "2027-01-01", now="2026-11-20")

    told = engram("ask", "when is the dentist appointment of Anna", "--now", "2026-11-21T12:00:00Z", "--json").json

    assert texts(told["facts"])[0] == "Anna is at the dentist on Nov 24 at 8:30"


def write_owner(workspace: Workspace) -> None:
    engram = engram_in(workspace)
    assert engram("entity", "add", "people/megan-pryce", "--title", "Megan Pryce", "--alias", "I").code == 0
    said = ("--fact", "I prefer plain text to spreadsheets", "--category", "preference")
    assert engram("write", "--entity", "people/megan-pryce", *said).code == 0


@pytest.mark.parametrize("words", [["prefers", "Megan"], ["prefers", "megan"], ["what does Megan prefer"]])
def test_the_owner_is_known_by_the_first_name(engram: Engram, workspace_with: WorkspaceWith, words: list[str]) -> None:
    workspace_with(write_owner)

    found = engram("ask", *words, "--json").json

    assert texts(found["facts"]) == ["I prefer plain text to spreadsheets"]
    assert engram("entity", "show", "Megan").code == 0


def test_the_first_name_of_the_owner_is_anothers_where_somebody_is_called_so(
    engram: Engram, workspace_with: WorkspaceWith
) -> None:
    workspace_with(write_owner)
    said = ("--fact", "Megan prefers green tea", "--category", "preference")
    assert engram("write", "--entity", "people/megan", "--create", *said).code == 0

    assert texts(engram("ask", "prefers", "Megan", "--json").json["facts"]) == ["Megan prefers green tea"]
    assert texts(engram("ask", "what does Megan prefer", "--json").json["facts"]) == ["Megan prefers green tea"]


def test_no_first_name_but_the_owners_is_a_name(engram: Engram, workspace_with: WorkspaceWith) -> None:
    workspace_with(write_owner)
    engram("write", "--entity", "people/rhys-bowen", "--create", "--fact", "Rhys Bowen prefers green tea")

    assert "no entity is called 'Pryce'" in engram("facts", "--entity", "Pryce").err
    assert "no entity is called 'Rhys'" in engram("facts", "--entity", "Rhys").err
