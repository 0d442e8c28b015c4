"""How likely a statement makes an older one out of date, in words that no rule knows."""

import pytest

from engram.language.compare.updates.likely_change import change_chances
from engram.language.compare.updates.likely_change import topic_keys
from tests.cases import for_each

LIKELY = 0.5
PERHAPS = 0.2
OTHERS = (
    "We ship on Thursdays",
    "The gate code is 4471",
    "Bring the ladder back",
    "Ann is our vet",
    "The printer is on the second floor",
    "Tea is in the cupboard",
    "Invoices go out monthly",
    "The shed is blue",
    "The cat hates visitors",
    "Bread comes from Lind",
)
UNSAID = 18  # statements of the home that share nothing


def chance(old: str, new: str) -> float:
    return chances(old, new)[0]


def chances(*said: str) -> list[float]:
    """Return how likely the last of these statements makes each of those before it out of date."""
    all_said = [*OTHERS, *[""] * UNSAID, *said]
    last = len(all_said) - 1
    pairs = [(place, last) for place in range(len(all_said) - len(said), last)]
    found = change_chances(all_said, pairs)
    return [found.get(pair, 0.0) for pair in pairs]


@for_each(
    ("old", "new"),
    [
        ("Rehearsal is on Tuesdays at eight", "Rehearsals are on Wednesdays now, the hall is taken"),
        ("Oskar does the books", "Oskar has given up the books, Runa does them from now on"),
        ("The rent is 840 euros", "The rent has gone up to 910 euros"),
        ("Our hosting is at Hetzner", "Moved the hosting to OVH, Hetzner was too expensive"),
        ("Die Probe ist dienstags um acht", "Die Probe ist jetzt mittwochs, der Saal ist belegt"),
        ("Uwe macht die Buchhaltung", "Uwe macht die Buchhaltung nicht mehr, das macht jetzt Runa"),
        ("Die Miete beträgt 840 Euro", "Die Miete ist auf 910 Euro gestiegen"),
        ("Бухгалтерию ведёт Олег", "Олег больше не ведёт бухгалтерию, теперь её ведёт Рита"),
        ("Репетиция по вторникам в восемь", "Репетиция теперь по средам"),
        ("리허설은 화요일 8시예요", "리허설은 이제 수요일이에요"),
        ("월세는 84만원이에요", "월세가 91만원으로 올랐어요"),
        ("La compta, c'est Oscar qui la fait", "Oscar ne fait plus la compta, c'est Runa maintenant"),
        ("The choir is led by Mirela", "Mirela is on maternity leave, the choir is led by Jon"),
        ("We meet at Hilary's", "Hilary is having her floors done, so we meet at the pub"),
        ("De las facturas se encarga Paco", "Paco se jubiló, de las facturas se encarga Yolanda"),
        ("例会在周二上午十点", "例会改到周三了"),
        ("菜是老葛送来的", "老葛不干了，菜我自己去拉"),
        ("周三学围棋", "围棋他不肯学了"),
        ("快递放东门驿站", "东门驿站关了，快递放菜鸟柜"),
        ("총무는 경아가 해요", "경아가 바빠서 총무는 태식이가 맡았어요"),
        ("백엔드는 민석님 담당이에요", "민석님 퇴사하셔서 백엔드는 하윤님이 봐요"),
        ("하원은 할머니가 시켜요", "할머니가 다치셔서 하원은 제가 시켜요"),
    ],
)
def test_what_is_told_in_other_words_makes_it_out_of_date(old: str, new: str) -> None:
    assert chance(old, new) >= LIKELY


@for_each(
    ("old", "new"),
    [
        ("Rehearsal is on Tuesdays at eight", "The rehearsal room has a piano"),
        ("Oskar does the books", "Oskar has a dog called Pim"),
        ("The rent is 840 euros", "The rent includes heating"),
        ("Our hosting is at Hetzner", "Hetzner sends the invoice on the 5th"),
        ("I work at Helmbrecht as a joiner", "Helmbrecht has 40 people"),
        ("We're flying to Crete in May", "The flight to Crete takes four hours"),
        ("The van is parked at Miller's yard", "The van needs new tyres in autumn"),
        ("Leo swims on Mondays", "Mia starts judo on Mondays"),
        ("The backup runs at two", "The report runs at six"),
        ("Die Miete beträgt 840 Euro", "In der Miete ist die Heizung drin"),
        ("Uwe macht die Buchhaltung", "Uwe hat im Mai Geburtstag"),
        ("Бухгалтерию ведёт Олег", "У Олега две дочки"),
        ("例会在周二上午十点", "例会要写纪要"),
        ("리허설은 화요일 8시예요", "리허설 때 사진 찍지 마세요"),
        ("El ensayo es los martes a las ocho", "En el ensayo no se come"),
        ("Standup is at ten", "Standup was skipped on Friday"),
        ("Leo plays the trombone", "Leo plays chess as well"),
        ("Lina spielt Flöte", "Lina spielt auch Tennis"),
        ("班主任是方老师", "方老师教语文"),
        ("每周三发版", "上周三没发版"),
        ("백엔드는 민석님 담당이에요", "민석님은 재택이 많아요"),
    ],
)
def test_what_only_shares_words_with_it_leaves_it(old: str, new: str) -> None:
    assert chance(old, new) < LIKELY


@for_each(
    ("beside", "old", "new"),
    [
        ("Der Sprinter gehört Uwe", "Der Sprinter steht am Hof", "Der Sprinter steht jetzt in der Halle"),
        ("小柳养狗", "测试找小柳", "小柳转岗了，测试现在找阿杰"),
        ("민석님은 재택이 많아요", "백엔드는 민석님 담당이에요", "민석님 퇴사하셔서 백엔드는 하윤님이 봐요"),
        ("Gérard répare les vélos", "La caisse est tenue par Gérard", "Gérard ne tient plus la caisse, c'est Colette"),
    ],
)
def test_of_what_is_said_of_one_that_is_out_of_date_which_fits_best(beside: str, old: str, new: str) -> None:
    of_beside, of_old = chances(beside, old, new)

    assert of_old >= LIKELY
    assert of_beside < of_old / 4


@for_each(
    ("old", "new"),
    [
        ("Jonas works from Berlin", "Jonas works from Porto now"),
        ("Gwen keeps the keys to the hall", "Gwen gave the keys to Piet, ask him"),
        ("The stall opens in May", "The stall slipped, they want new papers, probably June"),
        ("Hal is treasurer of the club", "Hal's moving to Leeds so Gwen is our treasurer from October"),
        ("会员月费是十八块", "会员费涨到二十二块了"),
    ],
)
def test_what_may_be_a_change_is_brought_with_what_it_may_change(old: str, new: str) -> None:
    assert chance(old, new) >= PERHAPS


def test_statements_without_a_word_in_common_are_of_two_things() -> None:
    assert chance("Leo swims on Mondays", "Judo is on Mondays") == pytest.approx(0)


def test_forms_of_one_word_have_one_key() -> None:
    assert topic_keys("Emma goes swimming") & topic_keys("Emmas Swimmen")
    assert not topic_keys("Leo paints on Mondays") & topic_keys("Mondays are busy")
