"""A newer statement gives another value of the very thing that an older one speaks of."""

import datetime as dt

import pytest

from engram.language.compare.slots.slots import read_slot
from engram.language.compare.updates.change_words import announces_change
from engram.language.compare.updates.change_words import without_change_words
from engram.language.compare.updates.renewal import is_renewed
from engram.language.compare.updates.renewal import names_its_day
from engram.language.compare.updates.renewal import renewal_keys
from tests.cases import for_each


def renews(old: str, new: str) -> bool:
    """Tell whether the two meet, and the newer one has another value."""
    return bool(renewal_keys(old) & renewal_keys(new)) and is_renewed(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lantern listens on port 8080.", "Lantern now listens on port 9090."),
        ("The quota of Lantern is 20 requests.", "The quota of Lantern is currently 40 requests."),
        ("Omar is the owner of Lantern.", "Priya is the owner of Lantern now."),
        ("The owner of Lantern is Omar.", "Priya is now the owner of Lantern."),
        ("Lantern stores its data in MySQL.", "Change of plans: Lantern stores its data in PostgreSQL."),
        ("The deadline of Lantern is 3 March.", "The deadline of Lantern has been moved to 9 March."),
        ("Лантерн слушает порт 8080", "Лантерн теперь слушает порт 9090"),
        ("Lantern 的端口是 8080。", "Lantern 的端口现在是 9090。"),
        ("Lantern의 포트는 8080입니다.", "Lantern의 포트는 이제 9090입니다."),
    ],
)
def test_another_value_of_the_same_thing_renews(old: str, new: str) -> None:
    assert renews(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lantern listens on port 8080.", "Comet now listens on port 9090."),
        ("Lantern listens on port 8080.", "Lantern now listens on port 8080."),
        ("Omar is the owner of Lantern.", "Omar is the owner of Comet now."),
        ("It listens on port 8080.", "Lantern now stores its data in MySQL."),
        ("Lantern paid 20 dollars for lunch.", "Lantern paid 30 dollars for lunch."),
        ("Lantern supports Python 3.11.", "Lantern supports Python 3.12."),
    ],
)
def test_another_thing_or_another_occasion_renews_nothing(old: str, new: str) -> None:
    assert not renews(old, new)


TOLD_ANEW = [
    ("The staging server runs on port 7350", "staging now runs on 8200"),
    ("The importer's batch limit is 100", "We raised the importer's batch limit to 250"),
    ("The batch limit of the importer is 100", "The importer's batch limit is now 250"),
    ("The importer stores its data in MySQL", "we moved the importer to Postgres"),
    ("The importer uses MySQL", "The importer no longer uses MySQL"),
    ("The importer uses MySQL", "The importer uses Postgres instead of MySQL"),
    ("Der Staging-Server läuft auf Port 7350", "Staging läuft jetzt auf 8200"),
    ("Die Batchgrenze des Importers ist 100", "Die Batchgrenze des Importers ist jetzt 250"),
    ("Die Batchgrenze des Importers ist 100", "Die Batchgrenze des Importers wurde auf 250 erhöht"),
    ("Тестовый сервер работает на порту 7350", "тестовый теперь работает на 8200"),
    ("Лимит импортёра 100", "Лимит импортёра подняли до 250"),
    ("测试服务器的端口是7350", "测试服务器现在用8200端口"),
    ("导入器的批量上限是100", "导入器的批量上限提高到250"),
    ("스테이징 서버는 7350 포트에서 돌아가요", "스테이징은 이제 8200에서 돌아갑니다"),
    ("임포터의 배치 한도는 100입니다", "임포터의 배치 한도를 250으로 올렸습니다"),
    ("The launch is planned for 3 December", "The launch slipped to 10 December"),
    ("The launch is on 3 December", "The launch was moved to 10 December"),
    ("The billing release 3.1 is planned for 3 December", "Release 3.1 slipped to 10 December"),
    ("Version 3.1 ships on 3 December", "We pushed version 3.1 to 10 December"),
    ("Запуск запланирован на 3 декабря", "Запуск перенесли на 10 декабря"),
    # who or what one certain thing is
    ("The caretaker of Linden is Herr Mischke", "The caretaker of Linden is now Frau Behrendt"),
    ("Our plumber is Jost", "Our plumber is Ekin now"),
    ("Our contact at the insurance is Melanie Kofler", "The new contact at the insurance is Stefan Ruhl"),
    ("Der Hausmeister ist Herr Mischke", "Der neue Hausmeister ist Frau Behrendt"),
    ("Notre plombier est Jost", "Notre plombier est maintenant Ekin"),
    ("Наш сантехник — Иван", "Наш сантехник теперь — Пётр"),
]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The importer listens on port 8085", "The importer does not listen on 8085 any more, it is on port 8090"),
        (
            "Jonas Weber signs off every change of the importer",
            "Jonas left us, Mira signs off changes of the importer now",
        ),
        (
            "Jonas is our contact at Kanal, he approves the texts",
            "Jonas quit, Mira Sand approves the texts of Kanal now",
        ),
    ],
)
def test_what_is_denied_and_what_others_do_now_is_over(old: str, new: str) -> None:
    assert renews(old, new)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Jonas wrote the importer in Go", "Jonas left us, Mira signs off changes of the importer now"),
        ("Mira signs off with Jonas every change", "Jonas left us, Mira signs off changes of the importer now"),
        ("Jonas left us, Mira signs off changes now", "Jonas left us, Mira signs off changes of the importer now"),
        ("Jonas signs off every change", "Jonas left a note that Mira signs off every change now"),
        ("The firewall opens port 8085", "The importer does not listen on 8085 any more, it is on port 8090"),
    ],
)
def test_what_one_who_is_gone_did_otherwise_stays(old: str, new: str) -> None:
    assert not renews(old, new)


@pytest.mark.parametrize(("old", "new"), TOLD_ANEW)
def test_who_tells_of_a_change_need_not_say_all_of_it_again(old: str, new: str) -> None:
    assert renews(old, new)
    assert announces_change(new)
    assert not announces_change(old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The importer's batch limit for guests is 100", "the importer's batch limit is now 250"),
        ("Our plumber is Jost", "Our electrician is now Ekin"),
        ("Our plumber for Linden is Jost", "Our plumber for Elm is now Ekin"),
        ("Our plumber is Jost, he has a key", "Our plumber is now Ekin"),
        ("Our plumber is Jost", "Our plumber is now Jost"),
        ("The importer's batch limit is 100", "the importer's batch limit for guests is now 250"),
        ("The importer's batch limit is 100", "The importer's limit is 250"),
        ("The staging server runs on port 7350", "staging now has 3 servers"),
        ("The importer's tests run on MySQL", "we moved the importer to Postgres"),
        ("The exporter uses MySQL", "we moved the importer to Postgres"),
        ("The exporter uses MySQL", "The importer no longer uses MySQL"),
        ("The exporter uses MySQL", "The importer uses Postgres instead of MySQL"),
        ("The importer uses MySQL and Redis", "we moved the importer to Postgres"),
        ("The importer runs on port 7350", "the importer now handles 250 rows"),
        ("The office has 12 desks", "the Porto office now has 20 desks"),
        ("Der Importer läuft auf Port 7350", "Der Exporter läuft jetzt auf 8200"),
        ("My goal is to keep the final image under 120 MB", "The image was reduced to 110 MB"),
        ("We start with the parabola", "Can you show a hyperbola instead of the parabola?"),
        ("Two failure modes exist in the importer:", "Three failure modes are now covered:"),
        ("Task: bump the importer to 0.6.1", "Task: bump the importer to 0.6.3"),
        ("访客的导入上限是100", "导入器的重试上限提高到250"),
        ("Release 3.1 is planned for 3 December", "Release 3.2 slipped to 10 December"),
        ("The launch of the blog is planned for 3 December", "The launch slipped to 10 December"),
        ("The audit is on 3 December", "The launch was moved to 10 December"),
        ("The launch party is on 3 December", "The launch was moved to 10 December"),
    ],
)
def test_a_change_of_something_else_renews_nothing(old: str, new: str) -> None:
    assert not renews(old, new)


def test_a_record_names_the_day_on_which_it_was_said() -> None:
    assert names_its_day("Reviewed the importer, 2026-03-05", dt.date(2026, 3, 5))
    assert not names_its_day("The deadline of the importer is 2026-03-12", dt.date(2026, 3, 5))
    assert not names_its_day("The importer was reviewed in March 2026", dt.date(2026, 3, 5))


@pytest.mark.parametrize(
    ("text", "rest"),
    [
        ("We changed that: Lantern is blue.", "Lantern is blue."),
        ("Update: Lantern is blue.", "Lantern is blue."),
        ("Всё поменялось: Лантерн синий.", "Лантерн синий."),
        ("更新一下：端口是 9090。", "端口是 9090。"),
        ("변경했습니다. 포트는 9090입니다.", "포트는 9090입니다."),
        ("Updates of Lantern run at 9:15.", "Updates of Lantern run at 9:15."),
        ("Update:", "Update:"),
    ],
)
def test_a_lead_of_change_is_no_part_of_what_is_said(text: str, rest: str) -> None:
    assert rest == without_change_words(text)


def test_the_subject_of_a_slot_has_no_adverb() -> None:
    slot = read_slot("Lantern finally stores its data in MySQL.")

    assert slot is not None
    assert slot.who == "lantern"


def test_the_same_question_answered_otherwise_is_answered_anew() -> None:
    old, new = "Which region do you deploy to? eu-west-1", "Which region do you deploy to? eu-north-1 now"

    assert is_renewed(old, new)
    assert renewal_keys(old) & renewal_keys(new)
    assert not is_renewed(old, old)
    assert not is_renewed(old, "Which region do you deploy from? eu-north-1")


@for_each(
    ("contrasted", "plain"),
    [
        ("The limit of Atlas is 150, not 100.", "The limit of Atlas is 300."),
        ("Das Limit von Atlas ist 150, nicht 100.", "Das Limit von Atlas ist 300."),
        ("La limite d'Atlas est 150, pas 100.", "La limite d'Atlas est 300."),
        ("El límite de Atlas es 150, no 100.", "El límite de Atlas es 300."),
        ("Лимит Атласа 150, а не 100.", "Лимит Атласа 300."),
        ("Atlas的限额是150，不是100。", "Atlas的限额是300。"),
    ],
)
def test_what_a_statement_says_does_not_hold_is_no_part_of_it(contrasted: str, plain: str) -> None:
    assert is_renewed(contrasted, plain)
    assert is_renewed(plain, contrasted)
    assert renewal_keys(contrasted) & renewal_keys(plain)
