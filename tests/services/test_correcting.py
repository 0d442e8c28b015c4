"""Which statement a correction takes back, and what it says then: sure, unsure, or none."""

from engram.language.compare.corrections.corrections import Correction
from engram.language.compare.corrections.corrections import read_correction
from engram.services.commands.writes.comparison import compare_all
from engram.services.extract.correction.target import Certainty
from engram.services.extract.correction.target import Correctable
from engram.services.extract.correction.target import Corrected
from engram.services.extract.correction.target import find_corrected
from tests.cases import for_each

TALK = ("The office cat is called Miso", "The review is on Tuesday", "The upload limit is 32 MB")


def correct(
    said: str, known: tuple[str, ...], *, here: bool = True, of_entity: bool = True, last: int = 2
) -> Corrected:
    """Correct known statements, of which the `last` ones were said right before."""
    correction = read_correction(said) or Correction(said, said)
    compared = compare_all(correction.statement, known)
    return find_corrected(
        correction,
        [
            Correctable(
                str(place), text, one, said_here=here, of_entity=of_entity, is_last=here and place >= len(known) - last
            )
            for place, (text, one) in enumerate(zip(known, compared, strict=True))
        ],
    )


@for_each(
    ("said", "known", "place", "right"),
    [
        # a value of the same kind in what speaks of the same
        ("no wait, the limit is 64, finance lowered it", TALK, "2", "The upload limit is 64 MB, finance lowered it"),
        ("No, the review is on Thursday", TALK, "1", "The review is on Thursday"),
        ("Actually, the review is on Thursday", TALK, "1", "The review is on Thursday"),
        ("it's actually 33 singers", ("31 singers take part in the trip",), "0", "33 singers take part in the trip"),
        ("стоп, не так: встреча в четверг", ("Встреча с мастером во вторник",), "0", "Встреча с мастером в четверг"),
        ("Correction: the gateway port is 8443", ("The gateway port is 8080",), "0", "The gateway port is 8443"),
        # der Termin is short for the one compound that ends in it
        (
            "Nein, der Termin ist am Donnerstag",
            ("Ich habe am Mittwoch um 9 Uhr einen Zahnarzttermin", "Wir treffen uns am Freitag im Lager"),
            "0",
            "Ich habe am Donnerstag um 9 Uhr einen Zahnarzttermin",
        ),
        # what is wrong is said
        ("No 180 sino 210 euros", ("El seguro cuesta 180 euros al mes",), "0", "El seguro cuesta 210 euros al mes"),
        # from whom somebody has it is no part of what it is about
        (
            "had a call with Marta: the pilot is pushed by a week, so dec 11 instead of the 4th.",
            ("The pilot goes live on December 4th in Oslo, 12 doors", "Marta leads the team"),
            "0",
            "had a call with Marta: The pilot goes live on dec 11 in Oslo, 12 doors",
        ),
        # a day whose month is not said keeps the month
        ("sorry, it's the 12th, they moved it", ("He moves on January 5.",), "0", "He moves on January 12."),
        ("no, the 12th", ("He moves on 5 January 2027.",), "0", "He moves on 12 January 2027."),
        ("no, the 12th", ("He moves on January 5th",), "0", "He moves on January 12th"),
        ("sorry, it's January 12", ("He moves on January 5.",), "0", "He moves on January 12."),
        ("nein, am 31.", ("Termin am 30. Januar um 10 Uhr",), "0", "Termin am 31. Januar um 10 Uhr"),
        ("non, le 31", ("La remise est le 30 janvier",), "0", "La remise est le 31 janvier"),
        ("нет, 31-го", ("Сдача 30 января",), "0", "Сдача 31 января"),
        ("不对，是5号", ("新店下个月3号开业，在南京路",), "0", "新店下个月5号开业，在南京路"),
        ("不对，是31号", ("交房是1月30号",), "0", "交房是1月31号"),
        ("not Tuesday but Thursday", TALK, "1", "The review is on Thursday"),
        ("The review is on Thursday, not Tuesday", TALK, "1", "The review is on Thursday"),
        ("The port is 8443, not 8080", ("The gateway port is 8080",), "0", "The gateway port is 8443"),
        ("not Anna but Maria", ("Anna reviews the parser", "The parser is fast"), "0", "Maria reviews the parser"),
        ("Use Rust, not Go", ("Use Go for the tools",), "0", "Use Rust for the tools"),
        ("the key allows 10k calls a day, not 100k", ("The key allows 100,000 calls a day",), "0", None),
        ("3시가 아니라 5시", ("회의는 오후 3시에 시작한다", "예산은 30만 원이다"), "0", "회의는 오후 5시에 시작한다"),
        ("не во вторник, а в четверг", ("Встреча во вторник", "Лимит 32"), "0", "Встреча в четверг"),
        ("нет, не 32, а 64", ("Встреча во вторник", "Лимит загрузки 32 запроса"), "1", "Лимит загрузки 64 запроса"),
        ("不是周二，是周四", ("评审会是周二下午3点", "上限是20%"), "0", "评审会是周四下午3点"),
        ("上限不是 20%，是 30%，合同里写的", ("滞纳金的上限是20%",), "0", "滞纳金的上限是30%，合同里写的"),
        # a unit is one though the next word is written on behind it
        (
            "정정: 송금 수수료는 500원이 아니라 300원이야.",
            ("송금 수수료는 건당 500원으로 확정", "회의는 화요일에 있다"),
            "0",
            "송금 수수료는 건당 300원으로 확정",
        ),
        ("不是 3 次，是 5 次", ("每天最多 3 次请求",), "0", "每天最多 5 次请求"),
        # what is changed from is not so any more
        (
            "更正一下：限流不是每分钟 100 次，改成每分钟 300 次了。",
            ("限流是每个用户每分钟 100 次请求，超过返回 429。",),
            "0",
            "限流是每个用户每分钟 300 次请求，超过返回 429。",
        ),
        (
            "Correction: the rate limit is not 100 per minute, it was changed to 300 per minute",
            ("The rate limit is 100 requests per minute and user, beyond that it returns 429",),
            "0",
            "The rate limit is 300 requests per minute and user, beyond that it returns 429",
        ),
        (
            "Нет, всё-таки бэкапы храним 60 дней, не 30",
            ("Бэкапы храним 30 дней, копия в S3",),
            "0",
            "Бэкапы храним 60 дней, копия в S3",
        ),
        # a month, or a day, that is part of the value that is wrong
        (
            "Sorry, the permit runs out on 28 February, not January.",
            ("The permit runs out on 31 January, so renew it at the town hall",),
            "0",
            "The permit runs out on 28 February, so renew it at the town hall",
        ),
        (
            "No, the permit runs out on February 28, not January.",
            ("The permit runs out on January 31",),
            "0",
            "The permit runs out on February 28",
        ),
        (
            "Нет, разрешение действует до 28 февраля, а не января",
            ("Разрешение действует до 31 января",),
            "0",
            "Разрешение действует до 28 февраля",
        ),
        ("아니, 허가는 1월이 아니라 2월 28일에 끝난다", ("허가는 1월 31일에 끝난다",), "0", "허가는 2월 28일에 끝난다"),
        # a new reason takes the place of the old one
        (
            "Поправка: лимит на письмо теперь 50 МБ, а не 25, антивирус обновили.",
            ("Лимит на размер письма 25 МБ, больше не ставь, у нас старый антивирус.",),
            "0",
            "Лимит на письмо теперь 50 МБ, а не 25, антивирус обновили.",
        ),
        # a bare value is meant for what was said last
        ("no, I meant Thursday", TALK, "1", "The review is on Thursday"),
        ("no, 64", TALK, "2", "The upload limit is 64 MB"),
        ("no, it's 64 GB", ("The machine has 32 MB of memory",), "0", "The machine has 64 GB of memory"),
        ("нет, четверг", ("Лимит 32", "Встреча во вторник"), "1", "Встреча в четверг"),
        ("нет, в среду", ("Лимит 32", "Встреча во вторник"), "1", "Встреча в среду"),
        ("아니, 목요일이야", ("예산은 30만 원이다", "회의는 화요일에 있다"), "1", "회의는 목요일에 있다"),
        ("不，是三点", ("上限是20%", "会议是两点"), "1", "会议是三点"),
        ("不，是三点半", ("我们决定发布在周二两点。",), "0", "我们决定发布在周二三点半。"),
        ("不对，我的意思是周四", ("评审会是周二下午3点",), "0", "评审会是周四下午3点"),
        # of several values the one of its unit
        (
            "actually no, it's 99.9%",
            ("Our SLA is 99.5% and the contract runs until March 2027",),
            "0",
            "Our SLA is 99.9% and the contract runs until March 2027",
        ),
        ("no, 210 EUR", ("Hetzner costs 180 EUR a month for 3 machines",), "0", None),
        # who breaks off and says nothing but another value of that kind takes back what was said a moment ago
        ("hmm, wait, 210 EUR, I forgot the backups", ("The budget is 180 EUR a month",), "0", None),
        ("sorry, Wednesday", ("The demo is on Tuesday at 10",), "0", "The demo is on Wednesday at 10"),
        ("make that 210", ("The budget is 180 EUR",), "0", "The budget is 210 EUR"),
        ("typo: 8081", ("The gateway port is 8080",), "0", "The gateway port is 8081"),
        ("*8081", ("The gateway port is 8080",), "0", "The gateway port is 8081"),
        ("ой, среда", ("Демо во вторник",), "0", "Демо в среда"),
        ("то есть 210", ("Бюджет 180 евро",), "0", "Бюджет 210 евро"),
        ("等等，周三", ("评审会是周二下午3点",), "0", "评审会是周三下午3点"),
        ("아니 210유로야", ("예산은 월 180유로다",), "0", None),
        # a bare name
        ("no, it's Boris", ("Anna gives the talk",), "0", "Boris gives the talk"),
        ("no, it's Postgres", ("The ledger uses MySQL 8 for its rows",), "0", "The ledger uses Postgres for its rows"),
        ("No, Postgres.", ("The ledger uses MySQL",), "0", "The ledger uses Postgres"),
        ("нет, это Postgres", ("Сервис хранит счета в MySQL",), "0", "Сервис хранит счета в Postgres"),
        ("нет, с Борисом", ("Встреча с Анной прошла",), "0", "Встреча с Борисом прошла"),
        ("不，是Postgres", ("账单服务使用MySQL",), "0", "账单服务使用Postgres"),
        ("no, with Boris", ("Anna meets Maria with Carl on Monday",), "0", "Anna meets Maria with Boris on Monday"),
        ("아니, Postgres야", ("결제 서비스는 MySQL에 저장한다",), "0", "결제 서비스는 Postgres에 저장한다"),
        # both cannot hold
        ("I was wrong, the database is Postgres", ("The database is MySQL",), "0", "The database is Postgres"),
        ("no, use spaces", ("Use tabs",), "0", "use spaces"),
    ],
)
def test_what_a_correction_means_is_found_and_said_again(
    said: str, known: tuple[str, ...], place: str, right: str | None
) -> None:
    found = correct(said, known)

    assert (found.certainty, found.ids) == (Certainty.SURE, (place,))
    assert right is None or found.text == right


@for_each(
    ("said", "known"),
    [
        # what somebody else proposes
        ("Pieter says March is better", ("We launch in February",)),
        ("No, Pieter says Thursday is better", TALK),
        ("Actually, Marit thinks 64 MB would be better", TALK),
        # of two compounds either may be meant
        (
            "Eigentlich ist der Termin am Donnerstag",
            ("Mein Zahnarzttermin ist am Freitag", "Mein Friseurtermin ist am Montag"),
        ),
        ("No, thanks", TALK),
        ("No, that's fine", TALK),
        ("no, Maria", TALK),  # nobody knows in whose place
        ("no, it's Anna", ("The export is a CSV",)),  # letters are nobody's name
        ("No, Sorry", ("The ledger uses MySQL",)),
        ("No. Brilliant!", ("The ledger uses MySQL",)),  # a sentence begins with a capital anyway
        ("Нет, Спасибо", ("Счета лежат в MySQL",)),
        ("no, it's MySQL", ("The ledger uses MySQL",)),
        ("No, the deadline is 5 May", TALK),
        ("No, there are 7 desks", TALK),
        ("Use Rust, not Go", TALK),
        ("Use Rust, not Go", ("Use tabs",)),
        ("The parser is fast, not slow", TALK),
        ("The review is on Tuesday, not Monday", TALK),
        ("No, the 1.4 line is broken", ("Version 2.1 is deployed",)),
        ("Do not claim a new limit", ("Do not claim a new limit", "Nobody may claim a new limit")),
        ("The port is 8443, not 8080", ("The port is 8443, not 8080", "The old port was 8080 not 8443")),
        # who asks for a moment names no other value
        ("hold on, 5 min", ("The build takes 10 minutes",)),
        ("wait, two minutes!", ("The build takes 10 minutes",)),
        ("подожди, 5 минут", ("Сборка идёт 10 минут",)),
        ("等一下，5分钟", ("构建需要10分钟",)),
        ("잠깐만, 5분만", ("빌드는 10분 걸린다",)),
        ("sorry, 60?", ("The limit is 50",)),
        # it may only stress something new
        ("Actually, 64", TALK),
        ("Actually, the speed limit for guests of the old harbour is 64", TALK),
    ],
)
def test_what_takes_nothing_back_corrects_nothing(said: str, known: tuple[str, ...]) -> None:
    assert correct(said, known).certainty == Certainty.NONE


@for_each(
    ("said", "known", "places"),
    [
        ("Correction: the port is 8443", ("The gateway port is 8080", "The metrics port is 9090"), ("0", "1")),
        ("No, the limit for guests is 64", ("The office is blue", "The upload limit is 32"), ("1",)),
        ("not 32 but 64", ("The upload limit is 32", "The queue limit is 32"), ("0", "1")),
        ("no, it's Maria", ("Anna gives the parser to Boris",), ("0",)),
        # what else the older one says may still hold
        (
            "Correction: the caretaker is now Frau Behrendt, Herr Mischke retired",
            ("The caretaker is Herr Mischke, his number is 0171 555 12",),
            ("0",),
        ),
    ],
)
def test_when_several_may_be_meant_nobody_decides(said: str, known: tuple[str, ...], places: tuple[str, ...]) -> None:
    found = correct(said, known)

    assert (found.certainty, found.ids) == (Certainty.UNSURE, places)


def test_a_bare_value_means_nothing_that_was_said_elsewhere_or_long_ago() -> None:
    assert correct("no, I meant Thursday", TALK, here=False).certainty == Certainty.NONE
    assert correct("no, I meant Thursday", TALK, last=1).certainty == Certainty.NONE
    assert correct("no, I meant Thursday", ("The demo is on Monday", "The review is on Tuesday")).ids == ("0", "1")


def test_a_statement_about_another_entity_must_speak_of_all_that_the_correction_speaks_of() -> None:
    assert correct("No, the limit for guests is 64", TALK, of_entity=False).certainty == Certainty.NONE
    assert correct("No, the limit is 64", TALK, of_entity=False).ids == ("2",)


def test_a_correction_that_is_told_again_says_what_was_put_right() -> None:
    correction = read_correction("no, the limit is 64")
    assert correction is not None
    (one,) = compare_all(correction.statement, ["The upload limit is 64 MB"])
    known = Correctable("1", "The upload limit is 64 MB", one, said_here=True, is_corrected=True)

    found = find_corrected(correction, [known])

    assert (found.certainty, found.ids, found.repeats) == (Certainty.SURE, (), ("1",))
    assert found.text == known.text


def test_what_says_more_than_is_put_right_is_left_alone() -> None:
    correction = read_correction("No, I work at Beta")
    assert correction is not None
    known = "I work at Acme, and I live in Riga"
    (one,) = compare_all(correction.statement, [known])

    assert find_corrected(correction, [Correctable("1", known, one, partly=True)]).certainty == Certainty.NONE
