"""What people say that tells nothing that lasts, in seven languages, and what only looks like it."""

from pathlib import Path

import pytest

from engram.language.matching.language_files import find_language
from engram.language.matching.patterns import Pattern
from engram.language.text.talk.fleeting_remarks import is_of_the_moment
from engram.language.text.talk.fleeting_remarks import is_unreal
from engram.language.text.talk.fleeting_remarks import only_asks
from tests.cases import for_each
from tests.language.examples import PATTERNS
from tests.language.examples import Example
from tests.language.examples import read_examples

FILES = sorted((PATTERNS / "fleeting").glob("*.toml"))


@for_each("example", [example for path in FILES for example in read_examples(path)])
def test_an_example(example: Example) -> None:
    code = Path(example.place.partition(":")[0]).stem
    data = find_language("fleeting", code)

    assert data is not None
    assert (Pattern(data[example.table], data["parts"]).search(example.text) is not None) is example.found


@for_each(
    "said",
    [
        "If we ever won the lottery I'd buy a lighthouse",
        "I’d move to Oslo if it weren’t so dark.",
        "Honestly, if I were rich I'd never work on Fridays again",
        "We would use Postgres if we had more time",
        "Wenn ich im Lotto gewinne, kaufe ich einen Leuchtturm",
        "Ich würde nach Oslo ziehen, wenn es dort nicht so dunkel wäre",
        "Wäre ich reich, würde ich ein Boot kaufen.",
        "Si je gagnais au loto, j'achèterais un phare",
        "J'irais vivre à Oslo s'il ne faisait pas si sombre",
        "Si ganara la lotería, me compraría un faro",
        "Me mudaría a Oslo si no fuera tan oscuro",
        "Если бы я выиграл в лотерею, купил бы маяк",
        "Я бы переехал в Осло, если бы там не было так темно",
        "要是中了彩票就买一座灯塔",
        "要不是那么暗，我就搬去奥斯陆了",
        "만약 복권에 당첨된다면 등대를 살 거예요",
        "그렇게 어둡지 않다면 오슬로로 이사할 텐데",
    ],
)
def test_what_somebody_would_do_if_things_were_otherwise_is_unreal(said: str) -> None:
    assert is_unreal(said)


@for_each(
    "said",
    [
        "If it rains on Saturday we meet in the barn",
        "If the tests fail, call me",
        "If Nora can't come, Tom takes her shift on Friday.",
        "I'd love it if we met on Tuesdays",
        "I'd move to Oslo if it weren't so dark, but we stay in Bergen",
        "We'd need a permit if we built a shed",
        "If I had known, I would have told Nora",
        "I'd like short answers",
        "Wenn es am Samstag regnet, treffen wir uns in der Scheune",
        "Ich würde mich freuen, wenn wir uns dienstags träfen",
        "Ich würde nach Oslo ziehen, wenn es heller wäre, aber wir bleiben in Bergen",
        "S'il pleut samedi, on se retrouve dans la grange",
        "J'aimerais que tu répondes en français",
        "Si llueve el sábado, nos vemos en el granero",
        "Agradecería si pudieras ser breve",
        "Если в субботу будет дождь, встречаемся в сарае",
        "Было бы удобно, если бы мы встречались по вторникам",
        "如果星期六下雨，我们就在谷仓见面",
        "如果测试失败，不要提交",
        "토요일에 비가 오면 헛간에서 만나기로 했어요",
        "테스트가 실패하면 절대 커밋하지 마세요",
    ],
)
def test_conditions_of_a_plan_and_polite_wishes_are_real(said: str) -> None:
    assert not is_unreal(said)


@for_each(
    "said",
    [
        "Can you write an order for 20 chairs",
        "could you draft a letter to the council about the fence",
        "please translate this",
        "write me a poem about my cat",
        'Translate this into Polish: "We have moved to Tuesday and Ana is in charge."',
        "Create a flyer for our summer sale, 19 to 26 July",
        "Kannst du mir eine Bestellung über 20 Stühle schreiben",
        "Schreib mir ein Gedicht über meine Katze",
        'Übersetze das ins Englische: "Wir suchen ab Oktober eine Hilfskraft."',
        "Peux-tu rédiger une commande de 20 chaises",
        "Résumez le compte rendu du 6 novembre en cinq points",
        "¿Puedes escribir un pedido de 20 sillas",
        "Hazme una lista de regalos para 12 niños",
        "помоги написать письмо соседу про забор",
        "Посчитайте НДС 20% с суммы 184 300",
        "帮我写一份二十把椅子的订单",
        "请帮我翻译一下这段话",
        "의자 20개 주문서 써 줘",
        "사과 공지 초안 좀",
    ],
)
def test_what_is_asked_for_once_is_only_asked_for(said: str) -> None:
    assert only_asks(said)


@for_each(
    "said",
    [
        "Can you always answer in German",
        "please never use em dashes",
        "from now on write everything in British English",
        "Can you call me Kim",
        "Write the dates as 4 March",
        "Write a test before each fix",
        "Can you cap it to 3 at once",
        "Can you write a menu for my daughter, she is allergic to nuts",
        "Write a card for my boss who turns 60 on 12 June",
        "Plot 31, heavy clay",
        "We write an order every Monday",
        "Kannst du bitte immer auf Deutsch antworten",
        "Schreib mir ein Menü, ich bin allergisch gegen Nüsse",
        "Peux-tu toujours répondre en français",
        "Écris-moi un menu, ma fille est allergique",
        "Puedes responder siempre en español",
        "Puedes llamarme Bruno",
        "Redacta un correo para la gestora avisando de que cerramos del 10 al 14 de agosto",
        "Rédige un mail pour dire que nous fermons du 10 au 14 août",
        "Можешь всегда отвечать по-русски",
        "Пиши письма по-русски",
        "Напиши меню для дочки, у неё аллергия на орехи",
        "以后帮我写邮件都要简短",
        "帮我写一份菜单，我女儿对坚果过敏",
        "앞으로는 항상 한국어로 써 줘",
        "저를 준이라고 불러 줘",
        "선생님께 5월 11일에 사무실 옮긴다고 메일 써 주세요",
    ],
)
def test_a_standing_order_and_what_is_told_besides_are_more_than_a_request(said: str) -> None:
    assert not only_asks(said)


@for_each(
    "said",
    [
        "I'm off to the pub",
        "Right, I’m off to the pub with Dave, see you Thursday",
        "I'm off to the dentist now, back at 3",
        "I'm so tired today",
        "brb",
        "just had lunch",
        "my feet are killing me",
        "Bin kurz weg",
        "Ich bin heute so müde",
        "Ich gehe jetzt einkaufen",
        "je vais me coucher",
        "je suis crevée aujourd'hui",
        "me voy a dormir",
        "estoy muy cansada hoy",
        "я спать",
        "сегодня так устала",
        "я пошёл обедать",
        "我先去吃饭了",
        "我今天好累",
        "나 밥 먹으러 갈게",
        "오늘 너무 피곤해",
    ],
)
def test_moods_and_doings_are_of_the_moment(said: str) -> None:
    assert is_of_the_moment(said)


@for_each(
    "said",
    [
        "I'm off dairy",
        "I'm off on Fridays",
        "I'm off to Lisbon from 3 to 10 May",
        "I'm off to university",
        "I'm tired of Jira, we're moving to Linear",
        "I'm always tired on Mondays because I work nights",
        "I'm on night shifts",
        "I'm on the board",
        "just had a baby",
        "just got the job",
        "Ich bin auf Diät",
        "Ich bin freitags immer weg",
        "je suis végétarienne",
        "je vais à Lyon en mai",
        "estoy de baja hasta marzo",
        "me voy a vivir a Lugo",
        "я на диете, без сахара",
        "я устала от Jira, переходим на Linear",
        "我下个月去上海出差",
        "我累了，不再用Jira，改用Linear",
        "저는 채식주의자예요",
        "다음 주에 부산 갈게요",
    ],
)
def test_states_that_last_are_not_of_the_moment(said: str) -> None:
    assert not is_of_the_moment(said)


@pytest.mark.parametrize("look", [is_unreal, only_asks, is_of_the_moment])
def test_an_empty_text_and_a_long_one_are_none(look: object) -> None:
    assert callable(look)
    assert not look("")
    assert not look("I'd move to Oslo if it weren't so dark. " * 40)
