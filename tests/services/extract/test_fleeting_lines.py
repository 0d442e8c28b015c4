"""What the judge may want for its words and nobody would read as a fact: it becomes none, and its look-alikes do."""

from engram.language.names.mentions import Known
from engram.model.vocabulary import Category
from engram.services.extract.extract import extract
from engram.services.extract.lines.passage import Passage
from tests.cases import for_each

OWNER = "people/mia"


def said(text: str, speaker: str = "user") -> list[tuple[Category, str]]:
    """Return the facts of one turn, of a note without a speaker, as category and quote."""
    passage = Passage("t1", text, (), is_turn=bool(speaker), speaker=speaker or None, home="projects/hall")
    found = extract([passage], [Known(OWNER, ("Mia", "I", "me", "user"))], owner=OWNER, min_mentions=3)
    return [(one.category, one.quote) for one in found.facts]


@for_each(
    "text",
    [
        "If I were rich I'd never work on Fridays again.",
        "We'd use Postgres if we had more time.",
        "Wenn ich reich wäre, würde ich nie wieder arbeiten.",
        "J'irais vivre à Oslo s'il ne faisait pas si sombre",
        "Me mudaría a Oslo si no fuera tan oscuro",
        "Я бы переехал в Осло, если бы там не было так темно",
        "要不是那么暗，我就搬去奥斯陆了",
        "그렇게 어둡지 않다면 오슬로로 이사할 텐데",
    ],
)
def test_what_would_be_is_no_fact_whoever_says_it(text: str) -> None:
    assert [said(text, speaker) for speaker in ("user", "Nora", "assistant", "")] == [[], [], [], []]


@for_each(
    "text",
    [
        "If Nora can't come, Tom takes her shift on Friday.",
        "We decided that if the bank says no, we sell the van.",
        "Wenn es am Samstag regnet, treffen wir uns in der Scheune",
        "Si les tests échouent, appelle-moi.",
        "Si llueve el sábado, nos vemos en el granero",
        "토요일에 비가 오면 헛간에서 만나기로 했어요",
    ],
)
def test_a_condition_of_a_plan_stays(text: str) -> None:
    assert [quote for _, quote in said(text)] == [text]


@for_each(
    "text",
    [
        "Create a flyer for our summer sale, 19 to 26 july, with sandals on it",
        "Calculate the median and the 95th percentile per stop.",
        "Zeichne mir die Längen als Histogramm, 20 Klassen, ohne Titel.",
        "Résumez le compte rendu du 6 novembre en cinq points svp",
        "Hazme también las soluciones de las diez frases, en una línea, separadas por comas.",
        "Посчитайте НДС 20% с суммы 184 300, выделить изнутри.",
        "写个弃用弹窗文案，两句",
        "의자 20개 주문서 써 줘",
    ],
)
def test_what_is_asked_for_once_is_no_fact(text: str) -> None:
    assert said(text) == []


@for_each(
    "text",
    [
        "Can you always answer in German",
        "please never use em dashes",
        "from now on write everything in British English",
        "Can you call me Kim from now on",
        "Kannst du bitte immer auf Deutsch antworten",
        "Peux-tu toujours répondre en français",
        "Можешь всегда отвечать по-русски",
        "以后请一直用中文回答",
        "앞으로는 항상 한국어로 답해 줘",
    ],
)
def test_a_standing_order_in_the_words_of_a_request_stays(text: str) -> None:
    ((category, quote),) = said(text)

    assert (category in {Category.INSTRUCTION, Category.IDENTITY}, quote) == (True, text)


@for_each(
    ("text", "told"),
    [
        ("Can you write a menu for my daughter, she is allergic to nuts", "she is allergic to nuts"),
        ("write me a packing list, we're moving to Oslo in March", "we're moving to Oslo in March"),
        (
            "Kannst du ein Menü für meine Tochter schreiben, sie ist allergisch gegen Nüsse",
            "sie ist allergisch gegen Nüsse",
        ),
        ("Peux-tu écrire un menu pour ma fille, elle est allergique aux noix", "elle est allergique aux noix"),
        ("Напиши меню для моей дочки, у неё аллергия на орехи", "у неё аллергия на орехи"),
        ("帮我写一份菜单，我女儿对坚果过敏", "我女儿对坚果过敏"),
    ],
)
def test_what_a_request_tells_besides_stays(text: str, told: str) -> None:
    assert [quote for _, quote in said(text)] == [told]


@for_each("text", ["I'm off to the dentist now, back at 3", "Ich gehe jetzt einkaufen", "я спать", "我先去吃饭了"])
def test_what_is_so_at_the_moment_is_no_fact(text: str) -> None:
    assert [said(text, speaker) for speaker in ("user", "Nora")] == [[], []]


@for_each(
    "text",
    [
        "I'm tired of Jira, we're moving to Linear",
        "I'm off to Lisbon from 3 to 10 May",
        "Ich bin freitags immer weg",
        "je suis végétarienne",
        "我下个月去上海出差",
        "저는 채식주의자예요",
    ],
)
def test_a_state_that_lasts_stays(text: str) -> None:
    assert [quote for _, quote in said(text)] == [text]


@for_each("text", ["PRINTER 3: PAPER JAM TRAY 2", "DEV_NOT_READY: timeout after 3000ms", "FEHLER 23 KASSE 2"])
def test_what_a_machine_printed_is_no_fact(text: str) -> None:
    assert [said(text, speaker) for speaker in ("user", "Nora", "")] == [[], [], []]


@for_each("text", ["WE MOVED TO POSTGRES 16", "Kasse 2 zeigt immer FEHLER 23, wenn die Lade offen ist"])
def test_what_somebody_says_of_a_machine_or_in_capitals_stays(text: str) -> None:
    assert [quote for _, quote in said(text)] == [text]
