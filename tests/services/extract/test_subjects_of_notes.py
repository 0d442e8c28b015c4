"""Whom a note's lines are about when the sentence names nobody: the section's repository, its heading, the user."""

from collections.abc import Sequence

import pytest

from engram.language.names.mentions import Known
from engram.services.extract.lines.evidence import TEXT
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.subject.attribution import About
from engram.services.extract.subject.attribution import Attribution
from engram.services.extract.subject.subject_features import list_candidates
from tests.cases import for_each

OWNER = "people/vera"


def _about(*lines: Line, owner: str = OWNER, known: Sequence[Known] = ()) -> list[About]:
    """Return whom the lines of a note are about, all of it read before."""
    evidence = Evidence()
    for line in lines:
        evidence.add(line.text, line.headings)
    attribution = Attribution([Known(OWNER, ("Vera", "user")), *known], owner=owner)
    passage = Passage("", "", home="projects/harbour", home_title="Harbour")
    return [attribution.about(line, passage, evidence) for line in lines]


def _line(text: str, *headings: str) -> Line:
    return Line(text, kind="bullet", headings=headings, home="Harbour")


def test_a_section_that_holds_one_repository_is_about_it() -> None:
    section = ("2026-03-02", "A bot for tickets")
    bot, _, other = _about(
        _line("Runs on a small host with nightly copies", *section, "Hosting"),
        _line("Repository: https://github.com/weavers/ticket-bot", *section),
        _line("The tide tables come from the port", "2026-03-02", "Tides"),
    )

    assert bot.path == "projects/ticket-bot"
    assert bot.title == "ticket-bot"
    assert other.path == "projects/harbour"


def test_of_two_repositories_in_a_section_neither_is_taken() -> None:
    section = ("2026-03-02", "Bots")
    evidence = Evidence()
    evidence.add("See https://github.com/weavers/ticket-bot", section)
    evidence.add("See https://github.com/weavers/ferry-bot", section)

    assert evidence.repository_of(section) is None


def test_a_whole_note_is_not_about_a_repository_that_one_section_names() -> None:
    evidence = Evidence()
    evidence.add("See https://github.com/weavers/ticket-bot", ("2026-03-02", "Bots"))

    assert evidence.repository_of(("2026-03-02", "Tides")) is None
    assert evidence.repository_of(("2026-03-02", "Bots", "Hosting")) == ("ticket-bot", 1)


def test_a_name_in_quotation_marks_above_a_line_is_what_it_is_about() -> None:
    (about,) = _about(_line("Заявки лежат в отдельной таблице", "2026-03-02", 'Создан бот "Белый паром"'))

    assert about.path == "projects/белый-паром"


@pytest.mark.parametrize(
    "heading",
    [
        "Option B",
        "Year 1",
        "Feb 2026",
        "Этап 2",
        'Fix: "require is not defined"',
        "A box-drawn frame",
        'Rules: "fresh request"',
    ],
)
def test_a_number_of_a_kind_and_words_that_are_quoted_are_no_names(heading: str) -> None:
    lines = [_line("The frame is kept open for the whole session", "2026-03-02", heading) for _ in range(2)]

    assert {about.path for about in _about(*lines)} == {"projects/harbour"}


def test_a_model_of_a_series_keeps_its_number() -> None:
    (*_, about) = _about(
        _line("Nemotron 3 needs 40 GB", "2026-03-02", "Nemotron 3"),
        _line("Nemotron 3 is free", "2026-03-02", "Nemotron 3"),
    )

    assert about.path == "projects/nemotron-3"


def test_what_a_note_says_of_the_user_is_about_the_owner() -> None:
    says, heads = _about(
        _line("User prefers short answers without tables", "2026-03-02"),
        _line("Prefers tea over coffee in the morning", "User Profile"),
    )

    assert says.path == heads.path == OWNER


@pytest.mark.parametrize(
    "said", ["Пользователь попросил отвечать коротко и без таблиц", "User asked for short answers without tables"]
)
def test_a_user_who_asks_for_something_is_the_owner_and_nobody_new(said: str) -> None:
    (about,) = _about(_line(said, "2026-03-02 Notes"))

    assert about.path == OWNER


def test_a_known_name_within_a_line_is_weighed_and_at_its_beginning_goes_first() -> None:
    kestrel = Known("projects/kestrel", ("Kestrel",))
    (late,) = _about(_line("The daily list of tickets goes to Kestrel at noon", "2026-03-02"), known=[kestrel])
    (first,) = _about(_line("Kestrel gets the daily list of tickets at noon", "2026-03-02"), known=[kestrel])

    assert late.path == "projects/harbour"
    assert first.path == kestrel.path


def test_without_an_owner_the_user_is_nobody_new() -> None:
    (about,) = _about(_line("User prefers short answers without tables", "2026-03-02"), owner="")

    assert about.path == "projects/harbour"


def test_a_heading_that_says_of_what_kind_its_lines_are_is_nobody() -> None:
    lines = [
        _line("The Key Insight of the week is the tide", "Key Insight"),
        _line("The Key Insight holds", "Key Insight"),
    ]

    assert {about.path for about in _about(*lines)} == {"projects/harbour"}


def test_more_than_one_of_something_is_nobody() -> None:
    lines = [_line("Copies of both DBs are kept for a year", "DBs"), _line("Both DBs grew", "DBs")]

    assert {about.path for about in _about(*lines)} == {"projects/harbour"}


def _lanterns(*beside: str) -> str:
    """Return whom a row about lanterns is about, beside other lines of the note."""
    rows = [
        Line(f"Lanterns | stay lit until {hour} in winter", "row", ("Part | How",), home="Harbour")
        for hour in (5, 6, 7)
    ]
    return _about(*rows, *map(_line, beside))[0].path


def test_a_word_that_is_also_written_small_is_nobody() -> None:
    assert _lanterns() == "projects/lanterns"
    assert _lanterns("The keeper lights all lanterns at dusk") == "projects/harbour"


def test_a_person_whose_name_is_also_a_word_stays_somebody() -> None:
    first, *_ = _about(_line("Rose decided to move the importer"), _line("There was a rose on the desk"))

    assert first.path == "people/rose"


def _order(text: str, *headings: str) -> Line:
    return _line(text, *headings)._replace(grade="high", signals=("instruction",))


def test_an_order_is_about_whoever_follows_it_and_not_about_whom_it_names() -> None:
    anna = Known("people/anna", ("Anna",))
    order, said = _about(
        _order("Never send letters without asking Anna first", "2026-03-02"),
        _order("Anna must be asked before letters are sent", "2026-03-02"),
        known=[anna],
    )

    assert order.path == "projects/harbour"
    assert order.others == (anna.path,)
    assert said.path == anna.path


def test_whose_something_is_in_a_heading_is_not_what_its_lines_are_about() -> None:
    anna = Known("people/anna", ("Anna",))
    directive, hers = _about(
        _line("Letters go out at noon, never at night", "2026-03-02", "Rules for letters (Anna's directive)"),
        _line("Reads letters at noon, never at night", "2026-03-02", "Anna"),
        known=[anna],
    )

    assert directive.path == "projects/harbour"
    assert hers.path == anna.path


@pytest.mark.parametrize(
    ("line", "is_clear"),
    [
        (_line("RTLS needs two anchors", "2026-03-02", "RTLS setup"), True),
        (_line("RTLS needs two anchors", "2026-03-02", "Setup of the hall"), False),
        (_line("The hall has two anchors and perhaps later RTLS", "2026-03-02", "RTLS setup"), False),
        (_line("Anchors need a frame", "2026-03-02", "Anchors"), False),
    ],
)
def test_a_name_in_capitals_at_the_beginning_is_one_when_its_heading_has_it_too(line: Line, is_clear: bool) -> None:
    found = list_candidates(line, Evidence(), {})

    assert any(one.origin == TEXT for one in found) == is_clear


@for_each(
    "heading",
    [
        "Evening session (with Kestrel)",
        "Talks with Kestrel",
        "Handed to @kestrel",
        "Tools compared (Kestrel and others)",
    ],
)
def test_whom_a_heading_only_mentions_draws_no_lines_to_them(heading: str) -> None:
    kestrel = Known("people/kestrel", ("Kestrel",))
    (about,) = _about(_line("The key was valid and never read", "2026-03-02", heading), known=[kestrel])

    assert about.path == "projects/harbour"


def test_whom_a_heading_begins_with_draws_the_lines_below() -> None:
    kestrel = Known("projects/kestrel", ("Kestrel",))
    (about,) = _about(_line("The key was valid and never read", "2026-03-02", "Kestrel (with Anna)"), known=[kestrel])

    assert about.path == kestrel.path


@for_each("before", ["2026-02-13 — ", "**14:20** - ", "3) "])
def test_a_day_or_a_number_before_a_name_is_no_word_of_the_line(before: str) -> None:
    (about,) = _about(_line(f"{before}tide-reader is finished and has a form", "2026-03-02", "Last changes"))

    assert about.path == "projects/tide-reader"


def test_a_number_of_things_stands_before_no_name() -> None:
    line = _line("3 Kestrel hosts answer slowly", "2026-03-02")
    (candidate,) = [
        one for one in list_candidates(line, Evidence(), {"kestrel": "projects/kestrel"}) if one.origin == TEXT
    ]

    assert not candidate.features.get("begins")


def test_a_name_with_a_hyphen_that_comes_again_may_stand_behind_a_word_or_two() -> None:
    again, *_ = _about(
        _line("The new tide-reader runs at nine", "2026-03-02"),
        _line("Started the tide-reader", "2026-03-03"),
    )
    (once,) = _about(_line("The new tide-reader runs at nine", "2026-03-02"))

    assert again.path == "projects/tide-reader"
    assert once.path == "projects/harbour"


def test_a_heading_that_is_nothing_but_a_name_with_capitals_inside_is_what_lines_are_about() -> None:
    (about,) = _about(_line("The key stands in the environment", "2026-03-02", "TideReader ✅"))

    assert about.path == "projects/tidereader"


def test_capitals_alone_that_come_again_are_nobody() -> None:
    lines = [_line("CLI for mail and search", "2026-03-02", "Tools") for _ in range(3)]

    assert {about.path for about in _about(*lines)} == {"projects/harbour"}


_SAID_OF_ANSELMA = (
    _line("We told Anselma about the tide tables", "2026-03-02"),
    _line("The keys are with Anselma until noon", "2026-03-03"),
)
_SAID_OF_WEXHAM = (
    _line("the new tables come from Wexham every week", "2026-03-02"),
    _line("we have a contract with Wexham until June", "2026-03-03"),
)


@for_each(
    ("line", "others", "path"),
    [
        ("Anselma charges 40 an hour for the tables", _SAID_OF_ANSELMA, "people/anselma"),
        ("Wexham tables come on Monday", _SAID_OF_WEXHAM, "projects/wexham"),
        ("Wexham tables come on Monday", _SAID_OF_WEXHAM[:1], "projects/harbour"),  # named twice
        ("Wexham Pages come on Monday", _SAID_OF_WEXHAM, "projects/harbour"),  # part of a longer name
        ("Wexham 9: the boiler is old", _SAID_OF_WEXHAM, "projects/harbour"),  # one of several of a kind
        ("The tables that we need come from the people of Wexham", _SAID_OF_WEXHAM, "projects/harbour"),
        ("Tables come on Monday", (_line("Tables: two", "A"), _line("Tables: three", "B")), "projects/harbour"),
    ],
)
def test_a_name_that_comes_again_within_sentences_is_what_a_line_is_about_that_begins_with_it(
    line: str, others: tuple[Line, ...], path: str
) -> None:
    assert _about(_line(line, "2026-03-04"), *others)[0].path == path


@for_each(
    "text",
    [
        "The rate goes up in May, agreed by Anna",
        "Old copies are kept for eight years by Anna's rule",
        "At most five days, no exceptions (Anna, confirmed on Friday)",
        "The contract is in Anna's name so that bills go there",
    ],
)
def test_who_agreed_to_something_and_whose_it_is_is_not_what_a_note_is_about(text: str) -> None:
    anna = Known("people/anna", ("Anna",))
    (about,) = _about(_line(text, "2026-03-02"), known=[anna])

    assert about.path == "projects/harbour"
    assert about.others == (anna.path,)


@for_each(
    "said",
    [
        "user: keep the tables in one file",
        "Nutzer: alle Tabellen in eine Datei",
        "Usuario: guarda las tablas en un archivo",
        "Utilisateur : garde les tables dans un fichier",
        "Пользователь: храни таблицы в одном файле",
        "用户：把表放在一个文件里",
        "사용자: 표를 한 파일에 두세요",
    ],
)
def test_what_a_transcript_in_a_note_has_the_user_say_is_the_owners(said: str) -> None:
    (about,) = _about(_line(said, "Session", "Conversation summary"))

    assert about.path == OWNER


def test_pages_of_a_repository_tell_whom_their_section_is_about() -> None:
    section = ("2026-03-02", "Pages of the fair")
    first, _ = _about(
        _line("The form sends what is asked to the office", *section),
        _line("Site: https://weavers.github.io/spring-fair/", *section),
    )

    assert first.path == "projects/spring-fair"


def _pronoun(*said: str) -> str:
    """Return whom the last of the lines of one section is about."""
    lines = [
        _line(text, "2026-03-02", "Tables")._replace(earlier=said[:place], before=said[place - 1] if place else "")
        for place, text in enumerate(said)
    ]
    anna, olga = Known("people/anna", ("Anna", "Анна", "안나", "安娜")), Known("people/olga", ("Olga",))
    return _about(*lines, known=[anna, olga])[-1].path


@for_each(
    ("said", "path"),
    [
        (("Anna was here in the morning", "She wants the tables by noon"), "people/anna"),
        (("Anna was here", "It rained for an hour", "She wants the tables by noon"), "people/anna"),
        (("Olga was here", "Anna came at noon", "She wants the tables by Monday"), "people/anna"),
        (("Анна была здесь утром", "Она хочет таблицы к обеду"), "people/anna"),
        (("안나 씨가 왔다", "그녀는 표를 원한다"), "people/anna"),
        (("安娜在办公室", "她要表格"), "people/anna"),
        (("Anna war am Morgen da", "Sie will die Tabellen bis Mittag"), "people/anna"),
        (("Anna était là ce matin", "Elle veut les tables avant midi"), "people/anna"),
        (("Ana y Anna", "Anna estuvo aquí", "Ella quiere las tablas antes del mediodía"), "people/anna"),
        (("Anna met Olga at noon", "She wants the tables by Monday"), "projects/harbour"),  # either of them
        (("Anna was here", "It rained", "It was cold", "She wants the tables"), "projects/harbour"),  # too far back
        (("She wants the tables by noon",), "projects/harbour"),
    ],
)
def test_a_pronoun_of_a_note_means_the_one_person_right_before_it(said: tuple[str, ...], path: str) -> None:
    assert _pronoun(*said) == path
