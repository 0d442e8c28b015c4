"""Whose day it is in a statement of several parts, what is a habit, and which day a weekday beside another one is."""

import datetime as dt

from tests.cases import for_each
from tests.services.extract.test_validity import holds

MID_NOVEMBER = dt.date(2026, 11, 12)  # a Thursday
END_OF_NOVEMBER = dt.date(2026, 11, 27)  # a Friday
SAID = MID_NOVEMBER.isoformat()  # it holds from when it was said
SAID_LATE = END_OF_NOVEMBER.isoformat()

PRICES = (
    "We talked about it with the accountant, that's Fiona, and from the 1st of December the day pass goes up to £12.50 "
    "and the monthly goes to £52, and we're leaving the kids at £7."
)
COMPETITION = (
    "The competition will be Saturday the 12th of December, we can fit 80 people, Dev wants to close the back wall "
    "from the Wednesday before so that he can set for it."
)

# --- what holds now, beside what is to come --------------------------------------------------------------------------


@for_each(
    ("statement", "expected"),
    [
        ("chamber 4 at 25 °C, not 22, rewetting is on 3 December", SAID),
        ("chamber 3 is at 15 °C, chamber 4 at 22. dry-down takes 21 days, rewetting is on 3 December", SAID),
        ("committee report is due 13 Nov. committee = Katrin, Tomasz Wilk, and external Marijke Oosting", SAID),
        ("Weihnachtsfeier is 11 December in the old dairy, I'm vegetarian, Deniz is allergic to nuts", SAID),
        ("the lease runs until June 2028, he wants to put the rent up to £3,050 in April", f"{SAID}..2028-06"),
        (
            "she got them down to £4,480 so we're staying with Harbourside, first payment is on the 10th of December",
            SAID,
        ),
        ("we go with SBB. methods draft to Katrin by next Friday", SAID),
        ("The kiln runs at 1220 °C, the next firing is on 4 December", SAID),
        ("Ich bin Vegetarier, und die Feier ist am 11. Dezember", SAID),
        ("Der Bericht ist am 20. November fällig. Die Prüfer sind Imke, Raul und Bo", SAID),
        ("Der Pachtvertrag läuft bis Juni 2028, im April will er die Pacht erhöhen", f"{SAID}..2028-06"),
        ("Je suis végétarien, et la fête est le 11 décembre", SAID),
        ("Le rapport est à rendre avant le 20 novembre. Le jury est composé de Karl et Nora", SAID),
        ("Soy vegetariano, y la fiesta es el 11 de diciembre", SAID),
        ("El informe vence el 20 de noviembre. El comité es Karl, Greta y Nora", SAID),
        ("Я вегетарианка, а праздник будет 11 декабря", SAID),
        ("Отчёт сдать до 20 ноября. Комиссия — Карл, Грета и Нора", SAID),
        ("我吃素，聚会是12月11日", SAID),
        ("窑温是1220度，下一窑12月4日开始", SAID),
        ("저는 채식주의자이고 파티는 12월 11일이에요", SAID),
        ("보고서 마감은 11월 20일이다. 심사위원은 카를과 그레타이다", SAID),
        ("Our landlady keeps two parrots, the chimney sweep comes on 9 December", SAID),
        ("The fence belongs to the Okoros, they repaint it on 1 December", SAID),
        ("We pay Yusuf by the hour, his contract starts on 1 December", SAID),
        ("Opa füttert die Schwäne selbst, die Pflegerin kommt am 2. Dezember", SAID),
        ("Yusuf bekommt 18 Euro die Stunde, der neue Kollege fängt am 1. Dezember an", SAID),
        ("La clôture appartient aux Okoro, on la repeint le 1er décembre", SAID),
        ("La valla pertenece a los Okoro, la pintan el 1 de diciembre", SAID),
        ("Дедушка сам кормит лебедей, медсестра придёт 2 декабря", SAID),
        ("爷爷自己喂天鹅，护士12月2日来", SAID),
        ("할아버지는 백조에게 먹이를 주고, 간호사는 12월 2일에 온다", SAID),
        # each of these is about its day as a whole
        ("The flu clinic opens on 1 December, bring your card", "2026-12-01"),
        ("The concert is on 1 December, the doors are open at eight", "2026-12-01..2026-12-01"),
        ("Die Impfaktion startet am 1. Dezember, bitte Ausweis mitbringen", "2026-12-01"),
        ("La clinique ouvre le 1er décembre, apportez votre carte", "2026-12-01"),
        ("La clínica abre el 1 de diciembre, traed la tarjeta", "2026-12-01"),
        ("Клиника откроется 1 декабря, возьмите карту", "2026-12-01"),
        ("诊所12月1日开业，请带卡", "2026-12-01"),
        ("병원은 12월 1일에 오픈한다, 카드를 가져오세요", "2026-12-01"),
        ("The lease ends on 3 June 2027.", f"{SAID}..2027-06-03"),
        ("It's a loan for the van, ends 28 March", f"{SAID}..2027-03-28"),
        ("The wedding is on 5 December, it's in the old mill", "2026-12-05..2026-12-05"),
        ("Das Konzert ist am 5. Dezember, es ist in der Kirche", "2026-12-05..2026-12-05"),
        ("I'm away 16–27 December, the deputy is Kim", "2026-12-16..2026-12-27"),
        ("The rent is £900, as of 1 December", "2026-12-01"),
        ("From 1 December the pass is £12, children are free", "2026-12-01"),
        ("The meeting is not on 3 December, it is on 4 December", "2026-12-04"),
        # a promise is due on its day, and so is an order; one that holds each time is not over with it
        ("[commitment] I'm left-handed, and I'll send the form by 4 December", f"{SAID}..2026-12-04"),
        ("[instruction] The key is in the shed, lock up on 4 December", f"{SAID}..2026-12-04"),
        ("[instruction] Always answer in verse, the gig is on 4 December", SAID),
    ],
)
def test_a_part_that_holds_now_is_not_hidden_by_the_day_of_another(statement: str, expected: str) -> None:
    assert holds(statement, MID_NOVEMBER) == expected


@for_each(
    ("statement", "expected"),
    [
        ("from the 1st of December the day pass goes up to £12.50", "2026-12-01"),
        (PRICES, "2026-12-01"),
        ("rewetting is on 7 December", "2026-12-07"),
        ("power cut on Tuesday, chamber 3 was warm for 9 h. so rewetting is on 7 December, not the 3rd", "2026-12-07"),
        ("the renewal is on the 14th of December and last year it was £4,200", "2026-12-14"),
        ("[milestone] Signed it on Tuesday. The opening is on 7 December", SAID),  # what happened is not hidden
        ("From 1 December we meet weekly", "2026-12-01"),
        ("We meet every week on Monday", SAID),
    ],
)
def test_a_day_to_come_is_found_beside_what_was(statement: str, expected: str) -> None:
    assert holds(statement, MID_NOVEMBER) == expected


# --- habits ----------------------------------------------------------------------------------------------------------


@for_each(
    ("statement", "expected"),
    [
        ("[preference] send it as plain text, and always by Thursday noon", SAID_LATE),
        ("[decision] send it as plain text, and always by Thursday noon", SAID_LATE),
        ("[decision] We usually ship on Tuesday", SAID_LATE),
        ("[decision] schick es als Klartext, und immer bis Donnerstagmittag", SAID_LATE),
        ("[decision] envoie-le en texte, et toujours avant jeudi midi", SAID_LATE),
        ("[decision] mándalo en texto, y siempre antes del jueves", SAID_LATE),
        ("[decision] присылай текстом, и всегда к четвергу", SAID_LATE),
        ("[decision] 用纯文本发，总是周四前发", SAID_LATE),
        ("[decision] 텍스트로 보내고 항상 목요일까지 보낸다", SAID_LATE),
        ("[commitment] I'll send the sheets by Thursday noon", f"{SAID_LATE}..2026-12-03"),
        ("[decision] It always rained, by Thursday we ship it", f"{SAID_LATE}..2026-12-03"),  # another clause
        ("[decision] Always use the old server until Thursday", f"{SAID_LATE}..2026-12-03"),
        ("the boss reads the wiki over the weekend", SAID_LATE),
        ("[preference] Katrin reads the repo over the weekend and I don't want half-broken stuff in there.", SAID_LATE),
        ("die Chefin liest das Wiki am Wochenende", SAID_LATE),
        ("la patronne lit le wiki le week-end", SAID_LATE),
        ("la jefa lee el wiki el fin de semana", SAID_LATE),
        ("начальница читает вики на выходных", SAID_LATE),
        ("老板周末看维基", SAID_LATE),
        ("사장님은 주말에 위키를 읽는다", SAID_LATE),
        ("We will move the servers over the weekend", "week of 2026-11-23"),
    ],
)
def test_a_habit_names_no_day(statement: str, expected: str) -> None:
    assert holds(statement, END_OF_NOVEMBER) == expected


# --- weekdays beside a day -------------------------------------------------------------------------------------------


@for_each(
    ("statement", "expected"),
    [
        ("Wiebke moves on the 5th now, a Saturday", "2026-12-05"),
        ("Wiebke moves on the 5th now, a Saturday, suits everybody better. she got a job there btw", "2026-12-05"),
        ("my mum moves on the 5th, a Saturday", "2026-12-05"),
        ("my mum moves on the 5th with a van, a Saturday", "2026-12-05"),
        ("my mum moves on the 4th, a Monday", "2027-01-04"),  # of December it is a Friday
        ("The fair is on the 12th, which is a Saturday", "2026-12-12"),
        ("Der Umzug ist am 5., einem Samstag", "2026-12-05"),
        ("Рут переезжает 5-го, в субботу", "2026-12-05"),
        ("露丝5号搬家，星期六", "2026-12-05"),
        ("이사는 12월 5일, 토요일이다", "2026-12-05"),
        ("[decision] We ship on the 5th by van, Sunday is a day off", SAID_LATE),  # two days
    ],
)
def test_a_weekday_beside_a_day_is_that_day(statement: str, expected: str) -> None:
    assert holds(statement, END_OF_NOVEMBER) == expected


@for_each(
    ("statement", "expected"),
    [
        ("it's on Saturday the 12th of December, and volunteers get in from the Wednesday before", "2026-12-12"),
        (COMPETITION, "2026-12-12"),
        ("volunteers get in from the Wednesday before", SAID),  # before what?
        ("Das Fest ist am 12. Dezember, aufgebaut wird ab dem Mittwoch davor", "2026-12-12"),
        ("La fête aura lieu le 12 décembre, on monte à partir du mercredi d'avant", "2026-12-12"),
        ("La fiesta será el 12 de diciembre, montamos desde el miércoles anterior", "2026-12-12"),
        ("Праздник будет 12 декабря, собираем в среду перед этим", "2026-12-12"),
        ("集市12月12日开始，之前的周三布置", "2026-12-12"),
        ("축제는 12월 12일에 시작하고 그 전 수요일부터 준비한다", "2026-12-12"),
    ],
)
def test_a_weekday_before_a_day_is_counted_from_it(statement: str, expected: str) -> None:
    assert holds(statement, MID_NOVEMBER) == expected
