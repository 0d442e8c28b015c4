"""Whom the turns of a conversation are about: persons whom it introduces, and what somebody's property belongs to."""

from engram.language.names.mentions import Known
from engram.services.extract.lines.evidence import Evidence
from engram.services.extract.lines.line import Line
from engram.services.extract.lines.passage import Passage
from engram.services.extract.subject.attribution import Attribution
from tests.cases import for_each

OWNER = "people/kari"
KNOWN = [Known(OWNER, ("Kari", "user")), Known("projects/lantern", ("Lantern",))]
HOME = "projects/nursery"


def _about(*said: str) -> str:
    """Return whom the last of what somebody says is about, all of it read before."""
    evidence = Evidence()
    for text in said:
        evidence.add(text, ())
    line = Line(text=said[-1], speaker="user", is_user=True, home=HOME)
    return Attribution(KNOWN, owner=OWNER).about(line, Passage("", "", is_turn=True, home=HOME), evidence).path


@for_each(
    ("introduced", "said", "path"),
    [
        (
            "I run it with my sister Lotte, she keeps the books",
            "Lotte is on holiday, send invoices to me",
            "people/lotte",
        ),
        ("My co-author Tomas does the statistics", "Tomas is leaving for Bergen in February", "people/tomas"),
        ("My wife's name is Hanne", "Hanne is in Copenhagen until Thursday", "people/hanne"),
        ("Our new accountant, Ottoline, starts today", "Ottoline needs the receipts", "people/ottoline"),
        ("Моя сестра Ульяна ведёт бухгалтерию", "Ульяна в отпуске, счета присылайте мне", "people/ульяна"),
        ("Mi hermana Nerea lleva las cuentas", "Nerea está fuera hasta el jueves", "people/nerea"),
        ("We named the server Lotte", "Lotte is down, send alerts to me", OWNER),
        ("My project called Beacon is late", "Beacon is down this week", HOME),
    ],
)
def test_whom_a_conversation_introduces_is_a_person_in_all_of_it(introduced: str, said: str, path: str) -> None:
    assert _about(introduced, said) == path


@for_each(
    ("said", "path"),
    [
        ("The deadline of Lantern is 12 December", "projects/lantern"),
        ("Our new price for Lantern is 12 euros", "projects/lantern"),
        ("Die Frist von Lantern ist der 12. Dezember", "projects/lantern"),
        ("Le délai de Lantern est le 12 décembre", "projects/lantern"),
        ("La fecha de Lantern es el 12 de diciembre", "projects/lantern"),
        ("The backup runs on the server of Lantern", HOME),
        ("We compared the price with that of Lantern", HOME),
    ],
)
def test_what_somebody_says_of_a_property_is_about_what_has_it(said: str, path: str) -> None:
    assert _about(said) == path


@for_each(
    ("said", "path"),
    [
        ("小王喜欢喝茶", "people/小王"),
        ("王磊离职了，现在 DBA 是刘洋", "people/王磊"),
        ("陈明明天休假", "people/陈明"),
        ("刘芳答应周五之前发合同", "people/刘芳"),
        ("我的同事赵敏喜欢咖啡", "people/赵敏"),
        ("지민은 차를 좋아한다", "people/지민"),
        ("수진이는 매운 음식을 싫어해", "people/수진"),
        ("박지훈의 생일은 3월 3일입니다", "people/박지훈"),
        ("민수가 금요일까지 계약서를 보내기로 했다", "people/민수"),
        ("정하은은 카카오에 다닌다", "people/정하은"),
        ("周末喜欢下雨", HOME),
        ("顾客喜欢快速回复", HOME),
        ("系统喜欢报错", HOME),
        ("고객은 빠른 답변을 좋아한다", HOME),
        ("개발팀이 러스트를 쓰기로 했다", HOME),
        ("我妻子对花生过敏", OWNER),
        ("没有评审不要推送到main", HOME),
    ],
)
def test_what_somebody_does_in_chinese_or_korean_is_about_them(said: str, path: str) -> None:
    assert _about(said) == path


@for_each(
    ("said", "path"),
    [
        ("최 이사님은 보고서를 짧게 원하신다", "people/최-이사"),
        ("박 대리가 퇴사했다", "people/박-대리"),
        ("이영희 교수님은 부산에 산다", "people/이영희"),
        ("王经理喜欢短邮件", "people/王经理"),
        ("李老师住在杭州", "people/李老师"),
        ("Зульфия Ринатовна преподаёт химию", "people/зульфия-ринатовна"),
        ("Новая Гавань принимает суда", HOME),
        ("Frau Schmidt leitet den Einkauf", "people/schmidt"),
        ("Herr Müller bevorzugt E-Mails", "people/müller"),
        ("Mme Dupont gère les achats", "people/dupont"),
        ("La señora García lleva las cuentas", "people/garcía"),
        ("Dr. Novak reviews the trial", "people/novak"),
        ("우리 팀장님은 짧은 보고서를 원한다", HOME),
    ],
)
def test_a_title_makes_a_person(said: str, path: str) -> None:
    assert _about(said) == path


@for_each(
    ("said", "path"),
    [
        ("Beacon is a web shop", "projects/beacon"),
        ("Beacon, our online store for lamps, moves to Hetzner", "projects/beacon"),
        ("Beacon ist ein Webshop", "projects/beacon"),
        ("Beacon est une boutique en ligne", "projects/beacon"),
        ("Beacon es una tienda de lámparas", "projects/beacon"),
        ("Фонарь — это интернет-магазин", "projects/фонарь"),
        ("星图是一个网店", "projects/星图"),
        ("등대는 온라인 쇼핑몰이다", "projects/등대"),
        ("This is a web shop", HOME),
        ("Beacon is a mess", HOME),
        ("Deployment is a manual step", HOME),
        ("Friday is a holiday", HOME),
        ("这是一个网店", HOME),
        ("서버는 느린 시스템이다", HOME),
    ],
)
def test_a_sentence_that_says_what_something_is_is_about_that(said: str, path: str) -> None:
    assert _about(said) == path
