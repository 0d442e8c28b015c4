"""What was promised, and which statement says that it is done; whatever says something else leaves it owed."""

import re
from pathlib import Path

from engram.language.matching.language_files import read_languages
from engram.language.matching.patterns import filled
from engram.language.signal.kept_promises import read_promise
from engram.language.signal.kept_promises import says_it_is_done
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import read_examples

EXAMPLES = [example for path in sorted((PATTERNS / "promises").glob("*.toml")) for example in read_examples(path)]
DISK = "I'll order the disk by the end of May"
DISK_RU, DISK_ZH, DISK_KO = "Закажу диск до конца мая", "我会在五月底之前订购硬盘", "5월 말까지 디스크를 주문하겠습니다"


@for_each("example", EXAMPLES)
def test_an_expression_finds_its_examples_and_only_those(example: Example) -> None:
    code = Path(example.place.partition(":")[0]).stem
    expression = filled(example.entry["pattern"], read_languages("promises")[code]["parts"])

    assert (re.search(expression, example.text) is not None) == example.found


@for_each(
    ("promise", "done"),
    [
        (DISK, "Ordered the disk today"),
        (DISK, "done: ordered the disk"),
        (DISK, "I've ordered the disk."),
        (DISK, "Yesterday I finally ordered the disk"),
        (DISK, "The disk has been ordered."),
        (DISK, "Disk ordered"),
        (DISK, "The disk is ordered"),
        ("I will send Vera the signed contract by Friday", "Sent Vera the signed contract"),
        ("We'll move the wiki from A to B before 12 June 2026", "We moved the wiki from A to B"),
        ("Anna will review the draft by tomorrow", "Anna has reviewed the draft"),
        (DISK_RU, "Заказал диск сегодня"),
        (DISK_RU, "Я уже заказала диск."),
        (DISK_RU, "Диск заказан"),
        ("Я обещаю отправить отчёт до пятницы", "Отправил отчёт"),
        (DISK_ZH, "今天订购了硬盘。"),
        (DISK_ZH, "我已经订购了硬盘"),
        (DISK_ZH, "硬盘已经订购了"),
        (DISK_KO, "디스크를 주문했습니다."),
        (DISK_KO, "오늘 디스크 주문했어요"),
        (DISK_KO, "디스크 주문 완료"),
        ("Pediré el disco a finales de mayo", "Ayer por fin pedí el disco"),
        ("Voy a pedir el disco antes de mayo", "El disco ya está pedido"),
        ("Te mando el informe el viernes", "ya te mandé el informe"),
        ("Ana revisará el borrador mañana", "Ana ha revisado el borrador"),
        ("tengo q pagar la luz antes del viernes", "ya pagué la luz"),
        ("Je vais commander le disque d'ici fin mai", "J'ai commandé le disque"),
    ],
)
def test_it_is_done_when_somebody_says_so_in_its_words(promise: str, done: str) -> None:
    found = read_promise(promise)

    assert found is not None
    assert says_it_is_done(done, found)
    assert found.cue in done.lower()


@for_each(
    ("promise", "other"),
    [
        (DISK, "Ordered the cable today"),
        (DISK, "Ordered the wrong disk"),
        (DISK, "Ordered the disk for the other server"),
        (DISK, "Ordered half the disk space"),
        (DISK, "Ordered the disk and sent it back"),
        (DISK, "Ordered the disks"),
        (DISK, "Almost ordered the disk"),
        (DISK, "I haven't ordered the disk"),
        (DISK, "I never ordered the disk"),
        (DISK, "Ordered the disk?"),
        (DISK, "Has the disk been ordered"),
        (DISK, "I should have ordered the disk"),
        (DISK, "I order the disk today"),
        (DISK, "Order the disk today"),
        (DISK, "I'll order the disk today"),
        (DISK, "The disk is ordered by Anna on Mondays"),
        (DISK, "The disk will be ordered"),
        (DISK, "The disk has not been ordered"),
        (DISK, "Anna ordered the disk"),
        (DISK, "I dreamt that I ordered the disk"),
        (DISK, "If I ordered the disk"),
        (DISK, "Cancelled the disk"),
        (DISK, "Ordered the disk last month"),
        (DISK, "The disk is ordered today"),
        (DISK, "Nobody ordered the disk"),
        ("I'll cover the desk this week", "Covered the desk today"),
        ("I'll cover the desk until Friday", "Covered the desk today"),
        ("Закажу диск на следующий год", "Заказал диск"),
        ("I'll fix issue 12 by Friday", "Fixed issue 13"),
        ("I'll send the report of June by Friday", "Sent the report of May"),
        ("I'll move the wiki from A to B by Friday", "Moved the wiki from B to A"),
        ("Anna will review the draft by tomorrow", "Boris reviewed the draft"),
        ("Anna will review the draft by tomorrow", "I reviewed the draft"),
        (DISK_RU, "Заказал кабель"),
        (DISK_RU, "Не заказал диск"),
        (DISK_RU, "Заказал не тот диск"),
        (DISK_RU, "Почти заказал диск"),
        (DISK_RU, "Заказал диск?"),
        (DISK_RU, "Завтра закажу диск"),
        (DISK_RU, "Заказывал диск"),
        (DISK_RU, "Заказал бы диск"),
        (DISK_RU, "Анна заказала диск"),
        (DISK_RU, "Диск не заказан"),
        (DISK_ZH, "订购了电缆"),
        (DISK_ZH, "没订购硬盘"),
        (DISK_ZH, "差点订购了硬盘"),
        (DISK_ZH, "订购了硬盘吗"),
        (DISK_ZH, "明天订购硬盘"),
        (DISK_ZH, "订购了另一个硬盘"),
        (DISK_ZH, "小王订购了硬盘"),
        (DISK_ZH, "硬盘还没订购"),
        (DISK_KO, "케이블을 주문했습니다"),
        (DISK_KO, "디스크를 주문하지 않았습니다"),
        (DISK_KO, "디스크를 안 주문했어요"),
        (DISK_KO, "디스크를 주문할 뻔했다"),
        (DISK_KO, "디스크를 주문했어요?"),
        (DISK_KO, "디스크를 주문하기로 했다"),
        (DISK_KO, "내일 디스크를 주문하겠습니다"),
        (DISK_KO, "다른 디스크를 주문했습니다"),
    ],
)
def test_what_says_something_else_leaves_it_owed(promise: str, other: str) -> None:
    found = read_promise(promise)

    assert found is not None
    assert not says_it_is_done(other, found)


@for_each(
    "text",
    [
        "Ordered the disk",
        "The disk is due by Friday",
        "Will I order the disk?",
        "I'll do it",
        "I'll do it by Friday",
        "I'll try to order the disk by Friday",
        "Попробую заказать диск до мая",
        "",
    ],
)
def test_what_is_no_promise_is_none(text: str) -> None:
    assert read_promise(text) is None
